/** Commands, run at the root of the repository unless another folder is named. */
import { spawn, spawnSync } from "node:child_process"
import { root } from "./Workspace.ts"

export const execute = (command: string, ...args: ReadonlyArray<string>) => {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  return {
    error: result.status !== 0,
    stdout: result.stdout ?? "",
    output: [result.stdout, result.stderr, result.error?.message].filter(Boolean).join("\n").trim()
  }
}

/** The command and what it printed, if it failed. */
export const run = (command: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { error, output } = execute(command, ...args)
  return error ? [`$ ${[command, ...args].join(" ")}\n${output}`] : []
}

export interface Place {
  readonly folder: string
  /** The whole environment; that of this process by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export interface Ran {
  readonly error: boolean
  readonly stdout: string
  /** The command and all that it printed. */
  readonly output: string
}

/** Runs a command beside others. */
export const runIn = (
  { environment = process.env, folder }: Place,
  command: string,
  ...args: ReadonlyArray<string>
): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] })
    const printed = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (printed.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (printed.stderr += text))
    const end = (error: boolean, message = "") =>
      resolve({
        error,
        stdout: printed.stdout,
        output: `$ ${[command, ...args].join(" ")}\n${printed.stdout}${printed.stderr}${message}`.trim()
      })
    child.on("error", (error) => end(true, error.message))
    child.on("close", (code) => end(code !== 0))
  })
