/**
 * One HTTP call as an effect: typed errors, and a connection of its own that is closed when the call ends or is
 * interrupted. Knows nothing of retries.
 */
import * as Http from "node:http"
import { Data, Duration, Effect } from "effect"

/**
 * The server said 429.
 *
 * @category models
 */
export class Throttled extends Data.TaggedError("Throttled")<{ readonly retryAfter: Duration.Duration | undefined }> {}

/**
 * The server said 5xx.
 *
 * @category models
 */
export class Unavailable extends Data.TaggedError("Unavailable")<{ readonly status: number }> {}

/**
 * The server said 4xx: the request is at fault.
 *
 * @category models
 */
export class Rejected extends Data.TaggedError("Rejected")<{ readonly status: number }> {}

/**
 * The connection broke, with no answer or in the middle of one.
 *
 * @category models
 */
export class Disconnected extends Data.TaggedError("Disconnected")<{ readonly cause: unknown }> {}

/**
 * @category models
 */
export type CallFailed = Throttled | Unavailable | Rejected | Disconnected

/**
 * @category models
 */
export interface Reply {
  readonly status: number
}

/**
 * @category models
 */
export interface Request {
  readonly method: "GET" | "POST"
  readonly url: string
  /** Sent along, so that the server can tell attempts apart. */
  readonly attempt: number
}

/**
 * Sends a request and reads the whole answer.
 *
 * @category running
 */
export const call = ({ attempt, method, url }: Request): Effect.Effect<Reply, CallFailed> =>
  Effect.async<Http.IncomingMessage, Disconnected>((resume) => {
    const broken = (cause: unknown) => resume(Effect.fail(new Disconnected({ cause })))
    const request = Http.request(url, { method, agent: false, headers: { attempt } }, (response) => {
      response.once("error", broken)
      response.once("end", () => resume(Effect.succeed(response)))
      response.resume()
    })
    // For good, not once: a destroyed request may report more than one error.
    request.on("error", broken)
    request.end()
    return closed(request)
  }).pipe(Effect.flatMap(judge))

/** Drops the connection and waits until it is gone. */
const closed = (request: Http.ClientRequest): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (request.closed) return resume(Effect.void)
    request.once("close", () => resume(Effect.void))
    request.destroy()
  })

const judge = ({ headers, statusCode = 0 }: Http.IncomingMessage): Effect.Effect<Reply, CallFailed> => {
  if (statusCode === 429) return Effect.fail(new Throttled({ retryAfter: retryAfter(headers["retry-after"]) }))
  if (statusCode >= 500) return Effect.fail(new Unavailable({ status: statusCode }))
  if (statusCode >= 400) return Effect.fail(new Rejected({ status: statusCode }))
  return Effect.succeed({ status: statusCode })
}

/**
 * Reads the seconds of a `Retry-After` header. Anything else is no hint.
 *
 * @category destructors
 */
export const retryAfter = (header: string | undefined): Duration.Duration | undefined =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Duration.seconds(Number(header)) : undefined
