/**
 * What predicates take for retryable.
 */
import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { Classifier } from "@effect-retry/core"
import { Duration } from "effect"

export const moment: Classifier.Moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }

const statuses = [200, 308, 400, 401, 403, 404, 408, 409, 412, 413, 425, 429, 500, 501, 502, 503, 504, 505, 599]

/** The statuses after which a predicate retries, of some. */
export const retried = (predicate: Classifier.Classifier): ReadonlyArray<number> =>
  statuses.filter((status) => {
    const request = HttpClientRequest.get("http://localhost")
    const response = HttpClientResponse.fromWeb(request, new Response(null, { status }))
    return predicate(response, moment)._tag === "Retryable"
  })
