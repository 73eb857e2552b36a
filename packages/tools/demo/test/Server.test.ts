import { Scripted } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import * as Server from "../src/Server.ts"

/** What requests to a path come to: a status, or the name of the error. */
const asked = (server: Server.Server, times: number) =>
  Effect.replicateEffect(
    Effect.promise((signal) =>
      fetch(`${server.url}/here`, { headers: { attempt: "1" }, signal }).then(
        ({ headers, status }) => [status, headers.get("retry-after")],
        ({ name }) => name
      )
    ),
    times
  )

describe("Server.play", () => {
  it.live("follows the script, and writes down what was asked and answered", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const arrivals = yield* server.play("/here", [
        Scripted.times(Server.status(503), 2),
        Server.reset,
        Server.status(200)
      ])
      expect(yield* asked(server, 4)).toEqual([[503, null], [503, null], "TypeError", [200, null]])
      expect(arrivals).toEqual(["503", "503", "reset", "200"].map((answer) => ({ attempt: 1, answer })))
    }).pipe(Effect.scoped)
  )

  it.live("leaves a request without an answer when the script hangs", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const arrivals = yield* server.play("/here", [Scripted.hang])
      const asking = yield* Effect.fork(asked(server, 1))
      const count = Effect.sync(() => arrivals.length)
      yield* Effect.repeat(Effect.delay(count, "1 milli"), { until: (count) => count > 0 })
      yield* Effect.yieldNow()
      expect(yield* Fiber.poll(asking)).toEqual(Option.none())
      expect(arrivals).toEqual([{ attempt: 1, answer: "hang" }])
    }).pipe(Effect.scoped)
  )

  it.live("frees its port at the end", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(Server.make)
      expect(yield* asked(gone, 1)).toEqual(["TypeError"])
    })
  )
})

describe("Server.throttled", () => {
  it.effect("asks clients to come back later until that time is over, counted from the first request", () =>
    Effect.gen(function* () {
      const { effect } = Server.throttled(1)
      const statuses: Array<unknown> = []
      for (const wait of [5000, 100, 899, 1]) {
        yield* TestClock.adjust(wait)
        statuses.push(yield* effect)
      }
      const later = { _tag: "Status", status: 429, headers: { "Retry-After": "1" } }
      expect(statuses).toEqual([later, later, later, { _tag: "Status", status: 200, headers: {} }])
    })
  )
})
