import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Discard } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Option, Stream } from "effect"
import { PassThrough } from "node:stream"
import * as ClientLine from "../../../src/classify/ClientLine.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { world } = Scripted

const url = "http://api.test/"

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null

/** As a scope leaves it: nothing aborts its request. */
const raw = (body: Body, headers: Record<string, string> = {}, status = 503) =>
  HttpClientResponse.fromWeb(HttpClientRequest.get(url), new Response(body, { status, headers }))

/** As the platform's clients answer, with what aborts the request. */
const received = (body: Body, headers: Record<string, string> = {}) => {
  const signals: Array<AbortSignal> = []
  const client = HttpClient.make((_, __, signal) => {
    signals.push(signal)
    return Effect.succeed(raw(body, headers))
  })
  return Effect.map(client.get(url), (response) => ({ response, isAborted: () => signals[0]?.aborted }))
}

const receivedOnly = (body: Body, headers: Record<string, string>) =>
  Effect.map(received(body, headers), ({ response }) => response)

/** A body of which nothing ever comes. */
const silentBody = () => {
  const seen = { cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    cancel: () => {
      seen.cancelled = true
    }
  })
  return { body, seen }
}

const bounds: Discard.Drain = { atMostBytes: 50_000, within: "1 second" }

const length = Option.map((bytes: Uint8Array) => bytes.length)

describe("Discard.drained", () => {
  /** The length of a body, what is announced, and whether it is read to its end. */
  const rows: ReadonlyArray<readonly [bytes: number, announced: string | undefined, isRead: boolean]> = [
    [0, "0", true],
    [1, "1", true],
    [50_000, "50000", true],
    [50_000, undefined, true],
    [50_001, undefined, false],
    [2_000_000, undefined, false],
    // What is no length counts as none.
    [50_000, "", true],
    [50_000, "-1", true],
    [50_000, "1e9", true],
    [50_000, "50001 ", false],
    [50_000, "99999999999999999999", true],
    [2_000_000, "5,5", false]
  ]

  it.effect.each(rows)(
    "reads a body that is within the bounds, and no other: %s bytes, announced as %s",
    ([bytes, announced, isRead]) =>
      Effect.gen(function* () {
        const headers = announced === undefined ? {} : { "content-length": announced }
        const scoped = Scripted.watchedBody(bytes)
        const read = yield* Discard.drained(raw(scoped.body, headers), bounds)
        expect(length(read)).toEqual(isRead ? Option.some(bytes) : Option.none())
        expect([scoped.seen.ended, scoped.seen.cancelled]).toEqual([isRead, !isRead])
        const own = Scripted.watchedBody(bytes)
        const { response } = yield* received(own.body, headers)
        expect(length(yield* Discard.drained(response, bounds))).toEqual(isRead ? Option.some(bytes) : Option.none())
        expect(own.seen.pulled).toBeLessThan(isRead ? bytes + 1 : 100_000)
      }).pipe(world)
  )

  it.effect("reads nothing of a body that is announced to be longer", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(50_001)
      const { isAborted, response } = yield* received(body, { "content-length": "50001" })
      expect(yield* Discard.drained(response, bounds)).toEqual(Option.none())
      expect([seen.pulled, isAborted()]).toEqual([0, true])
    }).pipe(world)
  )

  it.effect("reads nothing at all when nothing may be read", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(1)
      const { isAborted, response } = yield* received(body, { "content-length": "1" })
      expect(yield* Discard.drained(response, Discard.nothing)).toEqual(Option.none())
      expect([seen.pulled, isAborted()]).toEqual([0, true])
    }).pipe(world)
  )

  it.effect("reads nothing then of a body whose length is not announced, either", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(0)
      const { isAborted, response } = yield* received(body)
      expect(yield* Discard.drained(response, Discard.nothing)).toEqual(Option.none())
      expect([seen.ended, isAborted()]).toEqual([false, true])
    }).pipe(world)
  )

  it.effect("goes by the bytes that it has read of an encoded body", () =>
    Effect.gen(function* () {
      const headers = { "content-length": "20", "content-encoding": "gzip" }
      const { body, seen } = Scripted.watchedBody(10_000_000)
      const { response } = yield* received(body, headers)
      expect(yield* Discard.drained(response, bounds)).toEqual(Option.none())
      expect(seen.pulled).toBeLessThan(100_000)
      const short = yield* received("text", headers)
      expect(length(yield* Discard.drained(short.response, bounds))).toEqual(Option.some(4))
    }).pipe(world)
  )

  it.effect("spares the request whose length was announced", () =>
    Effect.gen(function* () {
      const { isAborted, response } = yield* received("text", { "content-length": "4" })
      yield* Discard.drained(response, bounds)
      expect(isAborted()).toBe(false)
    }).pipe(world)
  )

  it.effect.each([
    ["announced", { "content-length": "10" }],
    ["in chunks", {}]
  ] as const)("waits no longer than the bounds say, and cancels: %s", ([, headers]) =>
    Effect.gen(function* () {
      const own = yield* received(silentBody().body, headers)
      expect(yield* Discard.drained(own.response, bounds)).toEqual(Option.none())
      expect([Duration.toMillis(yield* VirtualClock.now), own.isAborted()]).toEqual([1_000, true])
      const { body, seen } = silentBody()
      expect(yield* Discard.drained(raw(body, headers), bounds)).toEqual(Option.none())
      const nowMillis = Duration.toMillis(yield* VirtualClock.now)
      // Nothing waits for the cancelling itself.
      yield* Effect.sleep("1 milli")
      expect([nowMillis, seen.cancelled]).toEqual([2_000, true])
    }).pipe(world)
  )

  it.effect("does not wait for a body whose cancelling never ends", () =>
    Effect.gen(function* () {
      const body = new ReadableStream<Uint8Array>({ cancel: () => new Promise(() => undefined) })
      expect(yield* Discard.drained(raw(body, {}), bounds)).toEqual(Option.none())
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1_000)
    }).pipe(world)
  )

  it.effect.each([
    ["announced", { "content-length": "10" }],
    ["in chunks", {}]
  ] as const)("cancels when it is interrupted: %s", ([, headers]) =>
    Effect.gen(function* () {
      const { isAborted, response } = yield* received(silentBody().body, headers)
      const fiber = yield* Effect.fork(Discard.drained(response, bounds))
      yield* Effect.sleep("500 millis")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      yield* Effect.sleep("1 milli")
      expect([isAborted(), yield* VirtualClock.sleepers]).toEqual([true, 0])
    }).pipe(world)
  )

  it.effect.each([
    ["announced", { "content-length": "10" }],
    ["in chunks", {}]
  ] as const)("answers nothing when the body breaks, or is read elsewhere: %s", ([, headers]) =>
    Effect.gen(function* () {
      const broken = () =>
        new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("broken")) })
      for (const lock of [false, true]) {
        for (const make of [
          (body: Body) => Effect.succeed(raw(body, headers)),
          (body: Body) => receivedOnly(body, headers)
        ]) {
          const body = lock ? silentBody().body : broken()
          const response = yield* make(body)
          if (lock) body.getReader()
          expect(yield* Discard.drained(response, bounds)).toEqual(Option.none())
        }
      }
    }).pipe(world)
  )

  it.effect("answers no bytes when there is no body", () =>
    Effect.gen(function* () {
      const { response } = yield* received(null)
      expect(length(yield* Discard.drained(response, bounds))).toEqual(Option.some(0))
      expect(length(yield* Discard.drained(raw(null), bounds))).toEqual(Option.some(0))
    }).pipe(world)
  )

  it.effect("answers the very bytes, from however many chunks", () =>
    Effect.gen(function* () {
      const chunks = ["sl", "ow", "", " down"].map((text) => new TextEncoder().encode(text))
      const body = yield* Stream.toReadableStreamEffect(Stream.fromIterable(chunks))
      const read = yield* Discard.drained(raw(body), bounds)
      expect(Option.map(read, (bytes) => new TextDecoder().decode(bytes))).toEqual(Option.some("slow down"))
    }).pipe(world)
  )
})

describe("Discard.check", () => {
  const check = (drain: unknown) => Discard.check("Owner.call", drain as Discard.Drain)

  it("answers bounds", () => {
    expect(check(Discard.standard)).toBe(Discard.standard)
  })

  it.each([null, undefined, 1, "1 second", []])("refuses what is not a record: %j", (drain) => {
    expect(() => check(drain)).toThrow("Owner.call: drain must be a record of bounds")
  })

  it.each([
    [{ atMostBytes: -1, within: 1 }, "drain.atMostBytes must be a whole number >= 0, got -1"],
    [{ atMostBytes: 0.5, within: 1 }, "drain.atMostBytes must be a whole number >= 0, got 0.5"],
    [{ atMostBytes: 1, within: -1 }, "drain.within must be"]
  ])("refuses an invalid bound: %j", (drain, message) => {
    expect(() => check(drain)).toThrow(`Owner.call: ${message}`)
  })
})

describe("Discard.standard", () => {
  it("is what undici dumps, within a second", () => {
    expect(Discard.standard).toEqual({ atMostBytes: 131_072, within: "1 second" })
  })
})

describe("Discard.cancelled", () => {
  /** A response of a class of its own, whose stream notices that it is opened, and closed. */
  const foreign = (properties: unknown) => {
    const seen = { opened: 0, closed: 0 }
    const stream = Stream.acquireRelease(
      Effect.sync(() => (seen.opened += 1)),
      () => Effect.sync(() => (seen.closed += 1))
    ).pipe(Stream.flatMap(() => Stream.never))
    const response = Object.assign({}, properties, { stream }) as unknown as HttpClientResponse.HttpClientResponse
    return { response, seen }
  }

  it.effect.each([
    ["of no body", {}],
    ["of a controller that is none", { controller: {} }],
    ["of an original that is none", { original: {} }],
    ["of an original that is no response and has a controller", { original: { controller: new AbortController() } }],
    ["of a source without a body", { source: {} }],
    ["of a body that cannot be given up", { source: { body: { cancel: true, destroy: true } } }]
  ])("opens and closes the stream when nothing else is known to end a response: %s", ([, properties]) =>
    Effect.gen(function* () {
      const { response, seen } = foreign(properties)
      yield* Discard.cancelled(response)
      expect(seen).toEqual({ opened: 1, closed: 1 })
    })
  )

  it.effect.each([
    ["a controller", () => ({ controller: new AbortController() })],
    ["an original", () => ({ original: raw("a") })],
    ["a body that is cancelled", () => ({ source: { body: { cancel: () => Promise.reject(new Error("read")) } } })],
    ["a body that is destroyed", () => ({ source: { body: { destroy: () => undefined } } })],
    ["a source that is itself destroyed", () => ({ source: { destroy: () => undefined } })],
    ["no body", () => ({ source: { body: null } })]
  ] as const)("opens no stream when a response has %s", ([, properties]) =>
    Effect.gen(function* () {
      const { response, seen } = foreign(properties())
      yield* Discard.cancelled(response)
      expect(seen).toEqual({ opened: 0, closed: 0 })
    })
  )

  it.effect("hears the error of a body of Node that it destroys", () =>
    Effect.gen(function* () {
      const body = new PassThrough()
      const { response } = foreign({ source: { body } })
      yield* Discard.cancelled(response)
      expect([body.destroyed, body.listenerCount("error")]).toEqual([true, 1])
      let destroyed = 0
      const destroy = () => void (destroyed += 1)
      for (const other of [{ destroy }, { destroy, on: true }]) {
        const { response, seen } = foreign({ source: { body: other } })
        yield* Discard.cancelled(response)
        expect(seen.opened).toBe(0)
      }
      expect(destroyed).toBe(2)
    })
  )

  it.effect("ignores what the response itself throws", () =>
    Effect.gen(function* () {
      const { response } = foreign({})
      const hostile = Object.defineProperty(response, "stream", {
        get: () => {
          throw new Error("broken")
        }
      })
      expect(yield* Effect.exit(Discard.cancelled(hostile))).toEqual(Exit.void)
    })
  )

  it.effect.each([0, 1, 3])("aborts the request of a client inside others: %s", (depth) =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      let client = HttpClient.make((request, _, signal) => {
        signals.push(signal)
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("a", { status: 503 })))
      })
      for (let n = 0; n < depth; n++) {
        const inner = client
        client = HttpClient.make((request) => inner.execute(request))
      }
      yield* Discard.cancelled(yield* client.get("http://api.test/"))
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    })
  )

  it.effect("cancels the body of a web response, and does not wait for it", () =>
    Effect.gen(function* () {
      let cancelled = 0
      const body = new ReadableStream({ cancel: () => new Promise(() => (cancelled += 1)) })
      yield* Discard.cancelled(HttpClientResponse.fromWeb(HttpClientRequest.get("/"), new Response(body)))
      expect(cancelled).toBe(1)
    })
  )

  it.effect("leaves the body of a web response to its reader", () =>
    Effect.gen(function* () {
      const web = new Response("a")
      const reader = web.body?.getReader()
      yield* Discard.cancelled(HttpClientResponse.fromWeb(HttpClientRequest.get("/"), web))
      const read = yield* Effect.promise(async () => reader?.read())
      expect(read).toEqual({ done: false, value: new TextEncoder().encode("a") })
    })
  )

  it.effect("cancels a body that a scope is in charge of, without waiting for any of it", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(1_000_000)
      yield* Discard.cancelled(raw(body))
      expect([seen.cancelled, seen.pulled <= 16_384]).toEqual([true, true])
      const silent = silentBody()
      yield* Discard.cancelled(raw(silent.body))
      expect([silent.seen.cancelled, yield* VirtualClock.sleepers]).toEqual([true, 0])
    }).pipe(world)
  )

  it.effect("cancels in a place that cannot be interrupted as well", () =>
    Effect.gen(function* () {
      const { body, seen } = silentBody()
      yield* Effect.uninterruptible(Discard.cancelled(raw(body)))
      expect(seen.cancelled).toBe(true)
    }).pipe(world)
  )

  it.effect("does no harm to a body that is read, is being read, or does not exist", () =>
    Effect.gen(function* () {
      const used = raw("text")
      yield* used.text
      const { body } = silentBody()
      const locked = raw(body)
      body.getReader()
      for (const response of [used, locked, raw(null)]) yield* Discard.cancelled(response)
      expect(yield* used.text).toBe("text")
    }).pipe(world)
  )
})

describe("Discard.replaced", () => {
  const bytes = (text: string) => Option.some(new TextEncoder().encode(text))

  it.effect("emits what is still to come of a body as it comes, and cancels it when it is not wanted", () =>
    Effect.gen(function* () {
      const cancelled: Array<string> = []
      const stream = () =>
        new ReadableStream<Uint8Array>(
          {
            pull: (controller) => controller.enqueue(new TextEncoder().encode("more ")),
            cancel: () => void cancelled.push("cancelled")
          },
          { highWaterMark: 0 }
        )
      const replaced = Discard.replaced(raw("text", {}, 403), Option.some(stream()))
      const read = yield* replaced.stream.pipe(Stream.take(2), Stream.decodeText(), Stream.mkString)
      expect([replaced.status, read]).toEqual([403, "more more "])
      yield* Discard.cancelled(Discard.replaced(raw("text", {}, 403), Option.some(stream())))
      expect(cancelled).toEqual(["cancelled", "cancelled"])
    })
  )

  it.effect("is the response with the body that was read", () =>
    Effect.gen(function* () {
      const response = raw("", { "content-type": "application/json", "x-id": "7" }, 429)
      const read = () => Discard.replaced(response, bytes('{"error":"slow down"}'))
      expect([read().status, read().headers, read().request]).toEqual([429, response.headers, response.request])
      expect(yield* read().text).toBe('{"error":"slow down"}')
      expect(yield* read().json).toEqual({ error: "slow down" })
      expect((yield* read().arrayBuffer).byteLength).toBe(21)
      expect(yield* Stream.runCount(read().stream)).toBe(1)
      expect(HttpClientResponse.TypeId in read()).toBe(true)
    })
  )

  it("keeps cookies and the address of the server", () => {
    const from = Option.some("127.0.0.1")
    const response = Object.create(raw("", { "set-cookie": "a=1" }), { remoteAddress: { value: from } })
    const { cookies, remoteAddress } = Discard.replaced(response, bytes("text"))
    expect([Object.keys(cookies.cookies), remoteAddress]).toEqual([["a"], from])
  })

  it.effect("reads forms by the type that the response has", () =>
    Effect.gen(function* () {
      const response = raw("", { "content-type": "application/x-www-form-urlencoded" })
      const form = yield* Discard.replaced(response, bytes("a=1&b=2")).formData
      expect([...form.entries()]).toEqual([
        ["a", "1"],
        ["b", "2"]
      ])
      expect([...(yield* Discard.replaced(response, bytes("a=1&b=2")).urlParamsBody)]).toEqual([
        ["a", "1"],
        ["b", "2"]
      ])
    })
  )

  interface Own {
    readonly status?: number
    readonly headers?: Record<string, string>
  }

  /** What no web response can be, and clients that are none can answer. */
  const odd = (own: Own) =>
    Object.create(
      raw(null),
      Object.fromEntries(Object.entries(own).map(([key, value]) => [key, { value }]))
    ) as HttpClientResponse.HttpClientResponse

  const odds: ReadonlyArray<Own> = [
    { status: 101 },
    { status: 204 },
    { status: 304 },
    { status: 799 },
    { headers: { "x-name": "\u65e5\u672c" } },
    { headers: { "content-type": "text/\u65e5" } },
    { headers: { "content-type": "text/plain\u0000", "x bad": "y" } }
  ]

  it.effect.each(odds)("keeps what no web response could have: %j", (own) =>
    Effect.gen(function* () {
      const replaced = Discard.replaced(odd(own), bytes("text"))
      expect(replaced).toMatchObject(own)
      expect(yield* replaced.text).toBe("text")
    })
  )

  it.effect("fails clearly, in every reader, when nothing was read", () =>
    Effect.gen(function* () {
      const replaced = () => Discard.replaced(raw("text", {}, 429), Option.none())
      const readers = [
        replaced().text,
        replaced().json,
        replaced().arrayBuffer,
        replaced().urlParamsBody,
        Stream.runDrain(replaced().stream)
      ]
      for (const reader of readers) {
        const error = yield* Effect.flip(reader)
        expect([error._tag, ClientLine.reasonOf(error), error.response?.status]).toEqual([
          "ResponseError",
          "Decode",
          429
        ])
        expect(String(error.cause)).toBe("Error: the body was released for a retry that was not sent in the end")
      }
    })
  )
})
