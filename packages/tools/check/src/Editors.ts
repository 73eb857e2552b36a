/** What editors show: the language services of TypeScript 5.9 and 7, asked about programs that are written for them. */
import { execFile, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import ts from "typescript5"
import { root } from "./Workspace.ts"

/** A program on disk, with the places that an editor is asked about: those after a `/*?*\/`. */
export interface Program {
  readonly file: string
  readonly text: string
  readonly places: ReadonlyArray<number>
}

/** Where an import of a package leads to the sources of this repository. */
const folder = join(root, "packages/tools/check/node_modules/.cache/editors")

export const programOf = (name: string, text: string): Program => {
  const file = join(folder, name, "program.ts")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  writeFileSync(
    join(dirname(file), "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { composite: false, declarationMap: false, noEmit: true, skipLibCheck: true, plugins: [] },
      files: ["program.ts"]
    })
  )
  return { file, text, places: [...text.matchAll(/\/\*\?\*\//g)].map(({ 0: mark, index }) => index + mark.length) }
}

/** Sources that several programs read are parsed once. */
const registry = ts.createDocumentRegistry()

/** TypeScript 5.9, as editors run it. */
export const typescript5 = ({ file, text }: Program): ts.LanguageService => {
  const { config } = ts.readConfigFile(join(dirname(file), "tsconfig.json"), ts.sys.readFile)
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file))
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    // Nothing changes: without this, every question looks at all files again.
    getProjectVersion: () => file,
    getScriptVersion: (path) => (path === file ? text : ""),
    getScriptSnapshot: (path) => {
      const content = path === file ? text : ts.sys.readFile(path)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => dirname(file),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    realpath: (path) => ts.sys.realpath?.(path) ?? path
  }
  return ts.createLanguageService(host, registry)
}

/** The documentation that TypeScript 5.9 shows at each place of a program. */
export const hovers5 = async (program: Program): Promise<ReadonlyArray<string>> => {
  const service = typescript5(program)
  const shown: Array<string> = []
  for (const place of program.places) {
    shown.push(ts.displayPartsToString(service.getQuickInfoAtPosition(program.file, place)?.documentation))
    // A test that asks for many can answer its runner in between.
    await setImmediate()
  }
  return shown
}

/** The documentation that the language server of TypeScript 7 shows at each place of a program. */
export const hovers7 = async ({ file, places, text }: Program): Promise<ReadonlyArray<string>> => {
  const uri = pathToFileURL(file).href
  const server = connected()
  const hover = { contentFormat: ["markdown"] }
  await server.ask("initialize", { processId: process.pid, rootUri: null, capabilities: { textDocument: { hover } } })
  server.tell("initialized", {})
  server.tell("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text } })
  const answers = await Promise.all(
    places.map((place) => {
      const before = text.slice(0, place).split("\n")
      const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
      return server.ask("textDocument/hover", { textDocument: { uri }, position })
    })
  )
  await server.ask("shutdown")
  server.tell("exit")
  // The code comes first, in a block of its own.
  return answers.map((answer) => (answer?.contents.value ?? "").replace(/^```[^]*?\n```/, "").trim())
}

/** An error of a compiler: its line in the program, from 0, and the lines of its message. */
export interface Told {
  readonly line: number
  readonly message: ReadonlyArray<string>
}

/** What TypeScript 5.9 says of a program. */
export const errors5 = (program: Program): ReadonlyArray<Told> =>
  typescript5(program)
    .getSemanticDiagnostics(program.file)
    .map(({ messageText, start = 0 }) => ({
      line: program.text.slice(0, start).split("\n").length - 1,
      message: ts.flattenDiagnosticMessageText(messageText, "\n").split("\n")
    }))

/** What the command of TypeScript 7 says of a program. */
export const errors7 = ({ file }: Program): Promise<ReadonlyArray<Told>> =>
  new Promise((resolve) => {
    const given = [compiler7(), "--pretty", "false", "--project", dirname(file)]
    execFile(process.execPath, given, { cwd: dirname(file), maxBuffer: 1e8 }, (_, printed) => {
      const found: Array<{ readonly line: number; readonly message: Array<string> }> = []
      for (const text of printed.split("\n")) {
        const [, line, message] = /^\S+\((\d+),\d+\): error TS\d+: (.*)$/.exec(text) ?? []
        if (message !== undefined) found.push({ line: Number(line) - 1, message: [message] })
        else if (text !== "") found.at(-1)?.message.push(text)
      }
      resolve(found)
    })
  })

const compiler7 = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly result?: Hover | null
}

interface Hover {
  readonly contents: { readonly value: string }
}

/** The language server, asked in JSON-RPC. */
const connected = () => {
  const { stdin, stdout } = spawn(process.execPath, [compiler7(), "--lsp", "--stdio"], {
    stdio: ["pipe", "pipe", "ignore"]
  })
  const asked: Array<(answer: Hover | null) => void> = []
  const send = (message: object) => {
    const content = JSON.stringify({ jsonrpc: "2.0", ...message })
    stdin.write(`Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`)
  }
  const receive = ({ id, method, result = null }: Message) => {
    if (id === undefined) return
    // What the server asks of an editor is answered with nothing.
    if (method !== undefined) send({ id, result: null })
    else asked[Number(id)]?.(result)
  }
  let received = Buffer.alloc(0)
  stdout.on("data", (data: Buffer) => {
    received = Buffer.concat([received, data])
    for (;;) {
      const head = received.indexOf("\r\n\r\n")
      const length = Number(/Content-Length: (\d+)/.exec(received.subarray(0, head).toString())?.[1])
      const end = head + 4 + length
      if (head < 0 || received.length < end) return
      receive(JSON.parse(received.subarray(head + 4, end).toString()) as Message)
      received = received.subarray(end)
    }
  })
  return {
    tell: (method: string, params?: object) => send({ method, params }),
    ask: (method: string, params?: object) =>
      new Promise<Hover | null>((resolve) => send({ id: asked.push(resolve) - 1, method, params }))
  }
}
