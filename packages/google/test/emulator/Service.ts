/**
 * What the emulator does with a request that has come in whole.
 */
import type { IncomingHttpHeaders } from "node:http"
import { type Answer, failure, Refused } from "./Answer.ts"
import type { Call } from "./Call.ts"
import * as Faults from "./Faults.ts"
import * as RetryTests from "./RetryTests.ts"
import * as Routes from "./Routes.ts"
import type { State } from "./State.ts"

export interface Incoming {
  readonly verb: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The address that the client knows the server by, without a path. */
  readonly origin: string
}

interface Served {
  /** The name of the method, such as `storage.objects.get`; "" if there is none. */
  readonly method: string
  /** How many seconds to wait before the reply is asked for. */
  readonly stall: number
  /** Carries the operation out. */
  readonly reply: () => Faults.Reply
}

const at = (method: string, answer: () => Answer): Served => ({
  method,
  stall: 0,
  reply: () => ({ _tag: "Whole", answer: Faults.answered(answer) })
})

/** Finds out what is asked for: the Retry Test API, or an operation with the fault that it meets. */
export const serve = (state: State, incoming: Incoming): Served => {
  const { body, headers, path, query, verb } = incoming
  if (RetryTests.isOwn(incoming)) return at("", () => RetryTests.serve(state, Routes.methods, incoming))
  const found = Routes.find(verb, path)
  if (found === undefined) return at("", () => failure(404, `Not found: ${verb} ${path}`))
  const { method, operation } = found.route
  try {
    const fault = RetryTests.next(state, headers, method)
    const call: Call = {
      state,
      param: found.param,
      origin: incoming.origin,
      query,
      headers,
      body,
      uploadFault: Faults.uploadFault(fault),
      unreachable: () => Faults.unreachable(fault)
    }
    const upload = query.get("upload_id")
    const stored = state.uploads.get(upload ?? "")?.size ?? 0
    return {
      method,
      stall: Faults.uploadStall(fault, method, stored, body.length),
      reply: () => Faults.reply(fault, { method, inSession: upload !== null }, () => operation(call))
    }
  } catch (error) {
    if (error instanceof Refused) return at(method, () => error.answer)
    throw error
  }
}
