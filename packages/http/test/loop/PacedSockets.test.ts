/**
 * `HttpRetry.paced` on real connections. Time is real here; what is looked at is what the server has seen, never durations.
 */
import { HttpClient } from "@effect/platform"
import { Backoff } from "@effect-retry/core"
import { Fetch, HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Clients from "../support/Clients.ts"
import { serve } from "../support/HttpServer.ts"

const limit = 3

/** Longer than a busy machine keeps a request from its server: one that comes late counts in the next window. */
const windowMillis = 1000

/** A server that takes three requests of a window, which begins with its first one, and tells so in milliseconds. */
const limited = (tells: boolean) =>
  Effect.gen(function* () {
    const statuses: Array<number> = []
    let endMillis = 0
    let used = 0
    const server = yield* serve(({ response }) => {
      const nowMillis = performance.now()
      if (nowMillis >= endMillis) {
        endMillis = nowMillis + windowMillis
        used = 0
      }
      used += 1
      const status = used > limit ? 429 : 200
      statuses.push(status)
      const reset = ((endMillis - nowMillis) / 1000).toFixed(3)
      const told = {
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-remaining": String(Math.max(0, limit - used)),
        "x-ratelimit-reset": reset
      }
      response.writeHead(status, tells ? told : {}).end("ok")
    })
    return { url: server.url, statuses }
  })

const retries = { maxAttempts: 100, backoff: Backoff.constant({ delay: "20 millis" }) }

/** Six requests, two windows of them, all at once. */
const six = <A, E, R>(get: Effect.Effect<A, E, R>) => Effect.replicateEffect(get, 6, { concurrency: "unbounded" })

describe.each(Clients.all)("HttpRetry.paced over %s", (_, client) => {
  it.scopedLive("is never refused by a server that tells its limit", () =>
    Effect.gen(function* () {
      const { statuses, url } = yield* limited(true)
      const paced = HttpRetry.withRetry(yield* HttpClient.HttpClient, {
        ...retries,
        rateLimiter: yield* HttpRetry.paced()
      })
      const answers = yield* six(Effect.flatMap(paced.get(url), ({ text }) => text))
      expect(answers).toEqual(Array.from({ length: 6 }, () => "ok"))
      expect(statuses).toEqual(Array.from({ length: 6 }, () => 200))
    }).pipe(Effect.provide(client))
  )
})

describe("HttpRetry.paced in Fetch.make", () => {
  it.scopedLive("is never refused by a server that tells its limit, and a few times by one that does not", () =>
    Effect.gen(function* () {
      const refused = (tells: boolean) =>
        Effect.gen(function* () {
          const { statuses, url } = yield* limited(tells)
          const paced = Fetch.make({ ...retries, rateLimiter: yield* HttpRetry.paced() })
          yield* six(Effect.promise(async () => (await paced(url)).text()))
          expect(statuses.filter((status) => status === 200).length).toBe(6)
          return statuses.length - 6
        })
      expect(yield* refused(true)).toBe(0)
      expect(yield* refused(false)).toBeGreaterThan(0)
    })
  )
})
