import { Fault, Faults, VirtualClock } from "@effect-retry/testing"
import * as FaultyHttpClient from "@effect-retry/testing/FaultyHttpClient"
import { HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Clock, ConfigProvider, Duration, Effect, Layer, Stream } from "effect"

const pieces = ["0123", "4567", "89"].map((piece) => new TextEncoder().encode(piece))

/** A client that counts what it sends. */
const makeClient = () => {
  const seen: Array<string> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      seen.push(`${request.method} ${request.url}`)
      const body = request.url.endsWith("/empty") ? null : Stream.toReadableStream(Stream.fromIterable(pieces))
      return HttpClientResponse.fromWeb(request, new Response(body, { headers: { "x-server": "1" } }))
    })
  )
  return { client, seen }
}

const lineOf = (client: HttpClient.HttpClient.With<unknown>, url = "http://a.example/") =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const text = yield* client.get(url).pipe(
      Effect.matchEffect({
        onFailure: (error) => Effect.succeed(shown(error)),
        onSuccess: (response) =>
          Effect.match(response.text, {
            onFailure: (error) => `${response.status} and then ${shown(error)}`,
            onSuccess: (text) => `${response.status} "${text}"`
          })
      }),
      Effect.catchAllDefect((defect) => Effect.succeed(`died: ${String(defect)}`))
    )
    return `${text} after ${Duration.format(Duration.millis((yield* Clock.currentTimeMillis) - before))}`
  })

const shown = (error: unknown): string => {
  const { _tag, cause, message } = error as HttpClientError.RequestError
  return _tag === undefined ? String(error) : `${message} by ${String(cause)}`
}

const reset = "ConnectionReset: a reset of the connection that was injected"

describe("FaultyHttpClient.inject", () => {
  it.effect.each<readonly [name: string, faults: Faults.Faults<unknown, "http">, line: string, isSent: boolean]>([
    ["none", Faults.none, `200 "0123456789" after 0`, true],
    ["status", Fault.status(503), `503 "" after 0`, false],
    ["status with a body, later", Fault.status(500, { body: "oops", after: "1 second" }), `500 "oops" after 1s`, false],
    ["throttle", Fault.throttle("3 seconds"), `429 "" after 0`, false],
    ["reset", Fault.reset(), `Transport error (GET http://a.example/) by ${reset} after 0`, false],
    [
      "reset after the work",
      Fault.lost(Fault.reset()),
      `Transport error (GET http://a.example/) by ${reset} after 0`,
      true
    ],
    [
      "reset in the body",
      Fault.reset({ afterBytes: 5 }),
      `200 and then Decode error (200 GET http://a.example/) by ${reset} after 0`,
      true
    ],
    ["truncate", Fault.truncate(5), `200 "01234" after 0`, true],
    ["slow body", Fault.slowBody(10), `200 "0123456789" after 1s`, true],
    ["latency", Fault.latency({ before: "1 second", after: "2 seconds" }), `200 "0123456789" after 3s`, true],
    ["stuck", Fault.stuck("1 second"), `200 "0123456789" after 1s`, true],
    ["fail", Fault.fail(new RangeError("own")), "RangeError: own after 0", false],
    ["die", Fault.die(new RangeError("bug")), "died: RangeError: bug after 0", false]
  ])("%s", ([, faults, expected, isSent]) =>
    Effect.gen(function* () {
      const { client, seen } = makeClient()
      const injector = yield* Faults.make(faults, { seed: 1 })
      expect(yield* lineOf(FaultyHttpClient.inject(client, injector))).toBe(expected)
      expect(seen.length).toBe(isSent ? 1 : 0)
    }).pipe(VirtualClock.run)
  )

  it.effect("garbles a body, and its stream, and keeps its head except for the mark", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Fault.garble(), { seed: 1 })
      const response = yield* FaultyHttpClient.inject(makeClient().client, injector).get("http://a.example/")
      const chunks = yield* Stream.runCollect(response.stream)
      const bytes = Array.from(chunks).flatMap((chunk) => [...chunk])
      expect(bytes.length).toBe(10)
      expect(bytes.some((byte, i) => byte === 48 + i)).toBe(false)
      expect(response.headers).toMatchObject({ "x-server": "1", "x-injected-fault": "Garble" })
    })
  )

  it.effect("leaves responses without a body as they are", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Fault.truncate(1))
      const client = FaultyHttpClient.inject(makeClient().client, injector)
      expect(yield* lineOf(client, "http://a.example/empty")).toBe(`200 "" after 0`)
      const head = yield* client.head("http://a.example/")
      expect(head.headers["x-injected-fault"]).toBe(undefined)
    }).pipe(VirtualClock.run)
  )

  it.effect("shows conditions the request as it is sent", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const note = ({ request }: Faults.Call) => {
        seen.push(`${request?.method} ${request?.url}`)
        return false
      }
      const injector = yield* Faults.make(Faults.where(note, Fault.hang))
      const client = makeClient().client.pipe(
        FaultyHttpClient.inject(injector),
        HttpClient.mapRequest(HttpClientRequest.prependUrl("http://a.example"))
      )
      yield* client.get("/orders", { urlParams: { page: 2 } })
      expect(seen).toEqual(["GET http://a.example/orders?page=2"])
    })
  )

  it("adds the errors of the faults except throttles, which are responses", () => {
    const client: HttpClient.HttpClient.With<"own"> = makeClient().client as never
    const faulty = <E>(faults: Faults.Faults<E, "http">) =>
      Effect.map(Faults.make(faults), (injector) => FaultyHttpClient.inject(client, injector))
    type Client<E> = Effect.Effect<HttpClient.HttpClient.With<E>>
    expectTypeOf(faulty(Fault.throttle("1 second"))).toEqualTypeOf<Client<"own" | HttpClientError.RequestError>>()
    expectTypeOf(faulty(Fault.fail("down"))).toEqualTypeOf<Client<"own" | "down" | HttpClientError.RequestError>>()
  })

  it("refuses what is no injector", () => {
    expect(() =>
      FaultyHttpClient.inject(
        HttpClient.make(() => Effect.never),
        Fault.hang as never
      )
    ).toThrow("FaultyHttpClient.inject: injector must be an injector, which Faults.make makes, got an object")
  })

  it("off is the same client back", () => {
    const { client } = makeClient()
    expect(FaultyHttpClient.inject(client, Faults.off)).toBe(client)
  })

  it.effect("is a layer over the client of a program, switched on by configuration", () =>
    Effect.gen(function* () {
      const { client } = makeClient()
      const faulty = Faults.layer(HttpClient.HttpClient, {
        faults: Fault.status(503),
        inject: (client, injector) => FaultyHttpClient.inject(client, injector)
      }).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
      const found = (entries: ReadonlyArray<readonly [string, string]>) =>
        HttpClient.HttpClient.pipe(
          Effect.provide(faulty),
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(entries)))
        )
      expect(yield* found([])).toBe(client)
      const on = yield* found([["FAULTS_ENABLED", "true"]])
      expect((yield* on.get("http://a.example/")).status).toBe(503)
    })
  )
})
