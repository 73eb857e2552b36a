/**
 * The Retry Test API: scripts of faults, and what is left of them.
 *
 * Source: https://github.com/googleapis/storage-testbench, README.md, "Retry Test API".
 */
import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { type Answer, json, readResource, refuse, text } from "./Answer.ts"
import { type Instruction, parse, parseLegacy } from "./Instruction.ts"
import type { Instructions, RetryTest, State } from "./State.ts"

/** Requests with this header and the id of a retry test are answered as it says. */
export const header = "x-retry-test-id"

/** The test of an id, or a refusal with 404. */
export const find = (state: State, id: string): RetryTest =>
  state.retryTests.get(id) ?? refuse(404, `Retry test ${id} does not exist.`)

/** Stores a test. Refuses methods that are not among those known, and texts that are no instructions. */
export const create = (state: State, methods: ReadonlySet<string>, instructions: Instructions): RetryTest => {
  const entries = Object.entries(instructions)
  if (entries.length === 0) refuse(400, "instructions is not defined")
  for (const [method, texts] of entries) {
    if (!methods.has(method)) refuse(400, `Unknown method ${method}`)
    const unknown = texts.find((each) => parse(each) === undefined)
    if (unknown !== undefined || texts.length === 0) refuse(400, `Unknown instruction ${unknown} for ${method}`)
  }
  const id = randomUUID().replaceAll("-", "")
  const created: RetryTest = { id, instructions, completed: false, transport: "HTTP" }
  state.retryTests.set(id, created)
  return created
}

/** The instruction that a request of a method meets, and how it is consumed. */
export interface Fault {
  readonly instruction: Instruction
  readonly consume: () => void
}

/** The next instruction of the test that the headers name, or the one that stands in the headers themselves. */
export const next = (state: State, headers: IncomingHttpHeaders, method: string): Fault | undefined => {
  const id = headers[header]?.toString()
  if (id === undefined) return legacy(headers, method)
  const instruction = parse(find(state, id).instructions[method]?.[0] ?? "")
  return instruction && { instruction, consume: () => consume(state, id, method) }
}

/** Stands in every request that it is to fail. */
const legacy = (headers: IncomingHttpHeaders, method: string): Fault | undefined => {
  const text = headers["x-goog-emulator-instructions"] ?? headers["x-goog-testbench-instructions"] ?? ""
  const first = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0)
  const instruction = parseLegacy(String(text), method, first)
  return instruction && { instruction, consume: () => undefined }
}

const consume = (state: State, id: string, method: string): void => {
  // Deleted since, perhaps, by another request.
  const test = state.retryTests.get(id)
  if (test === undefined) return
  const instructions = { ...test.instructions, [method]: (test.instructions[method] ?? []).slice(1) }
  const completed = Object.values(instructions).every((left) => left.length === 0)
  state.retryTests.set(id, { ...test, instructions, completed })
}

const isInstructions = (value: unknown): value is Instructions =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((texts) => Array.isArray(texts) && texts.every((each) => typeof each === "string"))

/** What the API looks at in a request. */
interface Asked {
  readonly verb: string
  readonly path: string
  readonly body: Buffer
}

/** Whether a request is one of the API itself. */
export const isOwn = ({ path }: Pick<Asked, "path">): boolean => /^\/(?:retry_tests?(?:\/.*)?)?$/.test(path)

/** Answers a request of the API itself. */
export const serve = (state: State, methods: ReadonlySet<string>, { body, path, verb }: Asked): Answer => {
  const [, collection, id, ...more] = path.split("/")
  if (verb === "GET" && path === "/") return text(200, "OK")
  if (verb === "GET" && path === "/retry_tests") return json({ retry_test: [...state.retryTests.values()] })
  if (verb === "POST" && path === "/retry_test") return json(createFrom(state, methods, body))
  if (collection !== "retry_test" || id === undefined || more.length > 0) return refuse(404, `Not found: ${path}`)
  const test = find(state, id)
  if (verb === "GET") return json(test)
  if (verb !== "DELETE") return refuse(405, `Not allowed: ${verb} ${path}`)
  state.retryTests.delete(id)
  return text(200, `Deleted ${id}`)
}

const createFrom = (state: State, methods: ReadonlySet<string>, body: Buffer): RetryTest => {
  const { instructions, transport = "HTTP" } = readResource(body)
  if (transport === "GRPC") return refuse(501, "No method is served over gRPC.")
  if (transport !== "HTTP") return refuse(400, `Unknown transport ${String(transport)}`)
  if (!isInstructions(instructions)) return refuse(400, "instructions is not defined")
  return create(state, methods, instructions)
}
