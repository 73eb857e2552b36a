/**
 * The `fetch` of undici in place of that of Node, so that the tables are the same under every version of Node.
 */
import { install as installUndici } from "undici"

const names = [
  "fetch",
  "Headers",
  "Response",
  "Request",
  "FormData",
  "WebSocket",
  "CloseEvent",
  "ErrorEvent",
  "MessageEvent",
  "EventSource"
]

/** Installs it, until the answer is called. */
export const install = (): (() => void) => {
  const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  installUndici()
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
      else Object.defineProperty(globalThis, name, descriptor)
    }
  }
}
