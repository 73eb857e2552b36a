/**
 * A server with a limit per window, in virtual time: how many requests it refused, and what it tells of its limit.
 */
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Clock, Effect } from "effect"

/** What a request met. */
export interface Seen {
  readonly atMillis: number
  readonly status: number
}

/** What the server knows when it answers: requests that are left, and the time until the window ends. */
interface Told {
  readonly left: number
  readonly limit: number
  readonly resetMillis: number
  readonly endMillis: number
  readonly isRefused: boolean
}

export interface Settings {
  /** Requests of a window. */
  readonly limit: number
  readonly windowMillis?: number
  readonly latencyMillis?: number
  /** Whether a window begins with its first request, instead of on the clock. */
  readonly startsWithRequest?: boolean
  readonly headers: (told: Told) => Record<string, string>
}

export const make = ({
  headers,
  latencyMillis = 50,
  limit,
  startsWithRequest = false,
  windowMillis = 1000
}: Settings) => {
  const seen: Array<Seen> = []
  let endMillis = 0
  let used = 0
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now >= endMillis) {
        endMillis = startsWithRequest ? now + windowMillis : (Math.floor(now / windowMillis) + 1) * windowMillis
        used = 0
      }
      used += 1
      const isRefused = used > limit
      const status = isRefused ? 429 : 200
      seen.push({ atMillis: now, status })
      const left = Math.max(0, limit - used)
      const told = headers({ left, limit, resetMillis: endMillis - now, endMillis, isRefused })
      yield* Effect.sleep(latencyMillis)
      return HttpClientResponse.fromWeb(request, new Response(null, { status, headers: told }))
    })
  )
  return { client, seen, refused: () => seen.filter(({ status }) => status === 429).length }
}

/** `x-ratelimit-*` with a time in milliseconds. */
export const fine = ({ left, limit, resetMillis }: Told): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(left),
  "x-ratelimit-reset": (resetMillis / 1000).toFixed(3)
})

/** The fields of the IETF, with a time in whole seconds. */
export const fields =
  (round: (seconds: number) => number) =>
  ({ left, limit, resetMillis }: Told): Record<string, string> => ({
    "ratelimit-policy": `"default";q=${limit};w=1`,
    ratelimit: `"default";r=${left};t=${round(resetMillis / 1000)}`
  })

/** Seconds since 1970, as GitHub has it, beside a `date`. */
export const epoch = ({ endMillis, left, limit, resetMillis }: Told): Record<string, string> => ({
  date: new Date(1e12 + endMillis - resetMillis).toUTCString(),
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(left),
  "x-ratelimit-reset": String(Math.ceil((1e12 + endMillis) / 1000))
})

/** A wait if the request was refused, and nothing else. */
export const retryAfterOnly = ({ isRefused, resetMillis }: Told): Record<string, string> =>
  isRefused ? { "retry-after": String(Math.ceil(resetMillis / 1000)) } : {}
