import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import * as Client from "../src/Client.ts"
import * as Script from "../src/Script.ts"
import * as Server from "../src/Server.ts"

const calling = (server: Server.ScriptedServer, script: Script.Script) =>
  Effect.zipRight(server.play("/here", script), Client.call({ method: "GET", url: `${server.url}/here`, attempt: 1 }))

describe("Client.call", () => {
  it.live.each([
    { answer: Script.status(503), failure: new Client.Unavailable({ status: 503 }) },
    { answer: Script.status(404), failure: new Client.Rejected({ status: 404 }) },
    { answer: Script.throttle(3), failure: new Client.Throttled({ retryAfter: Duration.seconds(3) }) }
  ])("fails with what the server said: $answer", ({ answer, failure }) =>
    Effect.gen(function* () {
      const server = yield* Server.make
      expect(yield* Effect.flip(calling(server, Script.make(answer)))).toEqual(failure)
    }).pipe(Effect.scoped)
  )

  it.live("succeeds with the status, and the server sees the attempt's number", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      expect(yield* calling(server, Script.make(Script.status(204)))).toEqual({ status: 204 })
      const arrivals = yield* server.arrivals("/here")
      expect(arrivals.map(({ answer, attempt }) => [attempt, answer])).toEqual([[1, Script.status(204)]])
      expect(arrivals.map(({ endedMillis }) => Option.isSome(endedMillis))).toEqual([true])
    }).pipe(Effect.scoped)
  )

  it.live("fails when the connection is reset, and when nobody listens", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const reset = yield* Effect.flip(calling(server, Script.make(Script.reset)))
      expect(reset._tag).toBe("Disconnected")
      const gone = yield* Effect.scoped(Server.make)
      const refused = yield* Effect.flip(Client.call({ method: "GET", url: gone.url, attempt: 1 }))
      expect(refused).toMatchObject({ _tag: "Disconnected", cause: { code: "ECONNREFUSED" } })
    }).pipe(Effect.scoped)
  )

  it.live("closes its connection when it is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const fiber = yield* Effect.fork(calling(server, Script.make(Script.hang)))
      yield* Effect.repeat(server.count("/here").pipe(Effect.delay("1 milli")), { until: (count) => count > 0 })
      yield* Fiber.interrupt(fiber)
      const arrivals = yield* server.arrivals("/here")
      expect(arrivals.map(({ endedMillis }) => Option.isSome(endedMillis))).toEqual([true])
    }).pipe(Effect.scoped)
  )
})

describe("Client.retryAfter", () => {
  it.each([
    ["0", 0],
    ["1", 1],
    ["120", 120],
    ["999999999", 999_999_999]
  ])("reads %j as seconds", (header, seconds) => {
    expect(Client.retryAfter(header)).toEqual(Duration.seconds(seconds))
  })

  it.each([
    undefined,
    "",
    " 1",
    "1.5",
    "-1",
    "+1",
    "1e3",
    "0x10",
    "1000000000",
    "soon",
    "Fri, 20 Nov 2026 11:00:00 GMT"
  ])("takes %j for no hint", (header) => {
    expect(Client.retryAfter(header)).toBe(undefined)
  })
})
