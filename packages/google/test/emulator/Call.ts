/**
 * A request that a route was found for.
 */
import type { IncomingHttpHeaders } from "node:http"
import type { Answer } from "./Answer.ts"
import type { State } from "./State.ts"

export interface Call {
  readonly state: State
  /** The address that the client knows the server by, without a path. */
  readonly origin: string
  /** Decoded segments of the path, by their names in the route; one that the route has not is "". */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Fails uploads that have got so far; see `Instruction`. */
  readonly uploadFault: UploadFault | undefined
  /** Consumes the instruction that names buckets out of reach, if there is one. */
  readonly unreachable: () => ReadonlyArray<string>
}

export interface UploadFault {
  readonly bytes: number
  /** Consumes the instruction and refuses. */
  readonly fail: () => never
}

export type Operation = (call: Call) => Answer
