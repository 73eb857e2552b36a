import { HttpClient, HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, Ref } from "effect"
import * as Client from "../src/Client.ts"
import * as Script from "../src/Script.ts"
import * as Server from "../src/Server.ts"

const sending = (server: Server.ScriptedServer, script: Script.Script, requests = 1) =>
  Effect.gen(function* () {
    yield* server.play("/here", script)
    const count = yield* Ref.make(0)
    const client = HttpClient.filterStatusOk(yield* Client.make(Ref.updateAndGet(count, (n) => n + 1)))
    const send = Client.send(client, HttpClientRequest.get(`${server.url}/here`))
    return yield* Effect.replicateEffect(send, requests)
  })

describe("Client.send", () => {
  it.live("reads the whole answer, and the server sees the number of each request", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      expect(yield* sending(server, Script.make(Script.status(200)), 2)).toEqual(["OK", "OK"])
      const arrivals = yield* server.arrivals("/here")
      expect(arrivals.map(({ answer, attempt }) => [attempt, answer])).toEqual([
        [1, Script.status(200)],
        [2, Script.status(200)]
      ])
      expect(arrivals.map(({ endedMillis }) => Option.isSome(endedMillis))).toEqual([true, true])
    }).pipe(Effect.scoped)
  )

  it.live("fails when the connection is reset, and when nobody listens", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const reset = yield* Effect.flip(sending(server, Script.make(Script.reset)))
      expect(reset).toMatchObject({ _tag: "RequestError", reason: "Transport" })
      const gone = yield* Effect.scoped(Server.make)
      const refused = yield* Effect.flip(sending(gone, Script.make(Script.reset)))
      expect(refused).toMatchObject({ cause: { cause: { code: "ECONNREFUSED" } } })
    }).pipe(Effect.scoped)
  )

  it.live("closes its connection when it is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* Server.make
      const fiber = yield* Effect.fork(sending(server, Script.make(Script.hang)))
      yield* Effect.repeat(server.count("/here").pipe(Effect.delay("1 milli")), { until: (count) => count > 0 })
      yield* Fiber.interrupt(fiber)
      const arrivals = yield* server.arrivals("/here")
      expect(arrivals.map(({ endedMillis }) => Option.isSome(endedMillis))).toEqual([true])
    }).pipe(Effect.scoped)
  )
})
