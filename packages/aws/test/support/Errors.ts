/** Errors as they come from outside. */

/** An exception of a service, as the AWS SDK for JavaScript throws it. */
export const exception = (
  name: string,
  status?: number,
  more: { readonly [key: string]: unknown } = {},
  headers: { readonly [name: string]: string } = {}
): Error =>
  Object.assign(new Error("words of the service"), {
    name,
    $fault: (status ?? 400) >= 500 ? "server" : "client",
    $metadata: { httpStatusCode: status, attempts: 1 },
    $response: { statusCode: status, headers },
    ...more
  })

/** An error of Node's sockets, as its `code`. */
export const socketError = (code: string, more: { readonly [key: string]: unknown } = {}): Error =>
  Object.assign(new Error(`connect ${code}`), { code, syscall: "connect", ...more })

/** An error with `depth` causes before `innermost`. */
export const nested = (depth: number, innermost: unknown): unknown =>
  depth === 0 ? innermost : new Error("outer", { cause: nested(depth - 1, innermost) })

export const named = (name: string, message = "", more: object = {}): Error =>
  Object.assign(new Error(message), { name, ...more })

const thrower = () => {
  throw new Error("hostile")
}

const revoked = (target: object): unknown => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const cyclic = (): unknown => {
  const error: { cause?: unknown; headers?: unknown } = {}
  error.cause = error
  error.headers = error
  return error
}

const traps: ProxyHandler<object> = {
  get: thrower,
  has: thrower,
  ownKeys: thrower,
  getOwnPropertyDescriptor: thrower,
  getPrototypeOf: thrower
}

const keys = [
  "code",
  "Code",
  "errorCode",
  "Error",
  "__type",
  "name",
  "_tag",
  "message",
  "cause",
  "status",
  "statusCode"
]
const metadataKeys = [
  "$metadata",
  "$response",
  "response",
  "headers",
  "$retryable",
  "$fault",
  "retryable",
  "throttling"
]

/** Every property is `value`. */
const filled = (value: unknown): object => Object.fromEntries([...keys, ...metadataKeys].map((key) => [key, value]))

const withGetters = (): object =>
  Object.defineProperties({}, Object.fromEntries([...keys, ...metadataKeys].map((key) => [key, { get: thrower }])))

/** What throws, has no end, or has properties of types that no error has. */
export const hostile: ReadonlyArray<readonly [name: string, error: unknown]> = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "ThrottlingException"],
  ["a number", 503],
  ["a symbol", Symbol("SlowDown")],
  ["a function", () => "SlowDown"],
  ["an array", ["SlowDown", 503]],
  ["an empty object", {}],
  ["an object without a prototype", Object.create(null)],
  ["a proxy that throws", new Proxy({}, traps)],
  ["a revoked proxy", revoked({})],
  ["a revoked proxy of an array", revoked([])],
  ["getters that throw", withGetters()],
  ["a cause of itself", cyclic()],
  ["properties null", filled(null)],
  ["properties NaN", filled(NaN)],
  ["properties huge", filled("x".repeat(1_000_000))],
  ["properties arrays", filled(["SlowDown"])],
  ["properties objects", filled({})],
  ["properties functions", filled(thrower)],
  ["properties symbols", filled(Symbol("SlowDown"))],
  ["properties proxies that throw", filled(new Proxy({}, traps))],
  ["properties revoked proxies", filled(revoked({}))],
  ["properties revoked proxies of arrays", filled(revoked([]))],
  ["names of object's own", { name: "constructor", code: "__proto__", status: 299 }],
  ["headers that throw", { status: 299, headers: { get: thrower } }]
]
