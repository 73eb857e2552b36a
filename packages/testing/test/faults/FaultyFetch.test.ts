import { Fault, Faults, FaultyFetch, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"

/** A server whose body comes in three pieces, and what it has seen. */
const makeServer = () => {
  const seen: Array<string> = []
  const pieces = ["0123", "4567", "89"]
  const send = (async (input: string, init?: RequestInit) => {
    init?.signal?.throwIfAborted()
    seen.push(`${init?.method ?? "GET"} ${input}`)
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(encoder.encode(piece))
        controller.close()
      }
    })
    return new Response(input.endsWith("/empty") ? null : body, { headers: { "x-server": "1" } })
  }) as unknown as typeof fetch
  return { seen, send }
}

/** How a call ended, as a line: status, body and time, or the error. */
const lineOf = (call: Promise<Response>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const text = yield* Effect.promise(async () => {
      try {
        const response = await call
        try {
          return `${response.status} "${await response.text()}"`
        } catch (error) {
          return `${response.status} and then ${String(error)}`
        }
      } catch (error) {
        const { cause } = error as Error
        return `${String(error)}${cause === undefined ? "" : ` by ${String(cause)}`}`
      }
    })
    return `${text} after ${Duration.format(Duration.millis((yield* Clock.currentTimeMillis) - before))}`
  })

const reset = "ConnectionReset: a reset of the connection that was injected"

describe("FaultyFetch.inject", () => {
  it.effect.each<readonly [name: string, faults: Faults.Faults<unknown, "http">, line: string, isSent: boolean]>([
    ["none", Faults.none, `200 "0123456789" after 0`, true],
    ["status", Fault.status(503), `503 "" after 0`, false],
    ["status with a body, later", Fault.status(500, { body: "oops", after: "1 second" }), `500 "oops" after 1s`, false],
    ["status without a body", Fault.status(204), `204 "" after 0`, false],
    ["throttle", Fault.throttle("3 seconds"), `429 "" after 0`, false],
    ["reset", Fault.reset(), `TypeError: fetch failed by ${reset} after 0`, false],
    ["reset after the work", Fault.lost(Fault.reset()), `TypeError: fetch failed by ${reset} after 0`, true],
    ["reset in the body", Fault.reset({ afterBytes: 5 }), `200 and then ${reset} after 0`, true],
    ["reset at the end", Fault.reset({ afterBytes: 10 }), `200 and then ${reset} after 0`, true],
    ["reset after the head", Fault.reset({ afterBytes: 0 }), `200 and then ${reset} after 0`, true],
    ["truncate", Fault.truncate(5), `200 "01234" after 0`, true],
    ["truncate between two pieces", Fault.truncate(4), `200 "0123" after 0`, true],
    ["truncate to nothing", Fault.truncate(0), `200 "" after 0`, true],
    ["truncate beyond the end", Fault.truncate(11), `200 "0123456789" after 0`, true],
    ["slow body", Fault.slowBody(10), `200 "0123456789" after 1s`, true],
    ["slow body, faster than its pieces", Fault.slowBody(1000), `200 "0123456789" after 10ms`, true],
    ["latency", Fault.latency({ before: "1 second", after: "2 seconds" }), `200 "0123456789" after 3s`, true],
    ["stuck", Fault.stuck("1 second"), `200 "0123456789" after 1s`, true],
    ["fail", Fault.fail(new RangeError("own")), "RangeError: own after 0", false],
    ["die", Fault.die(new RangeError("bug")), "RangeError: bug after 0", false]
  ])("%s", ([, faults, expected, isSent]) =>
    Effect.gen(function* () {
      const { seen, send } = makeServer()
      const faulty = FaultyFetch.inject(send, yield* Faults.make(faults, { seed: 1 }))
      expect(yield* lineOf(faulty("http://a.example/"))).toBe(expected)
      expect(seen.length).toBe(isSent ? 1 : 0)
    }).pipe(VirtualClock.run)
  )

  it.effect("garbles bytes by chance, the same ones for the same seed", () =>
    Effect.gen(function* () {
      const { send } = makeServer()
      const bytesOf = (ratio: number, seed: number) =>
        Effect.flatMap(Faults.make(Fault.garble({ ratio }), { seed }), (injector) =>
          Effect.promise(async () => {
            const response = await FaultyFetch.inject(send, injector)("http://a.example/")
            return [...new Uint8Array(await response.arrayBuffer())].map((byte, i) => byte === 48 + i)
          })
        )
      expect(yield* bytesOf(1, 1)).toEqual(Array.from({ length: 10 }, () => false))
      const half = yield* bytesOf(0.5, 1)
      expect(new Set(half).size).toBe(2)
      expect(yield* bytesOf(0.5, 1)).toEqual(half)
      expect(yield* bytesOf(0.5, 2)).not.toEqual(half)
    })
  )

  it.effect("marks what it made up and what it broke, and keeps the rest of the head", () =>
    Effect.gen(function* () {
      const { send } = makeServer()
      const faults = Faults.script<unknown, "http">([
        Fault.throttle("1500 millis"),
        Fault.status(503, { headers: { "x-own": "1" } }),
        Fault.truncate(1),
        Fault.reset({ afterBytes: 1 }),
        Faults.none
      ])
      const faulty = FaultyFetch.inject(send, yield* Faults.make(faults))
      const heads: Array<ReadonlyArray<string | null>> = []
      for (let call = 1; call <= 5; call++) {
        const { headers } = yield* Effect.promise(() => faulty("http://a.example/"))
        heads.push(
          ["x-injected-fault", "retry-after", "retry-after-ms", "x-own", "x-server"].map((name) => headers.get(name))
        )
      }
      expect(heads).toEqual([
        ["Throttle", "2", "1500", null, null],
        ["Status", null, null, "1", null],
        ["Truncate", null, null, null, "1"],
        ["Reset", null, null, null, "1"],
        [null, null, null, null, "1"]
      ])
    })
  )

  it.effect("leaves a response without a body as it is", () =>
    Effect.gen(function* () {
      const { send } = makeServer()
      const faulty = FaultyFetch.inject(send, yield* Faults.make(Fault.reset({ afterBytes: 1 })))
      expect(yield* lineOf(faulty("http://a.example/empty"))).toBe(`200 "" after 0`)
    }).pipe(VirtualClock.run)
  )

  it.effect.each<readonly [name: string, call: (send: typeof fetch) => Promise<Response>]>([
    ["a text and an init", (send) => send("http://a.example/b?c=1", { method: "POST" })],
    ["a URL", (send) => send(new URL("http://a.example/b?c=1"), { method: "POST" })],
    ["a Request", (send) => send(new Request("http://a.example/b?c=1", { method: "POST" }))]
  ])("shows conditions the method and the URL of %s", ([, call]) =>
    Effect.gen(function* () {
      const isPost = ({ request }: Faults.Call) =>
        request?.method === "POST" && request.url === "http://a.example/b?c=1"
      const injector = yield* Faults.make(Faults.where(isPost, Fault.status(503)))
      const faulty = FaultyFetch.inject(makeServer().send, injector)
      expect((yield* Effect.promise(() => call(faulty))).status).toBe(503)
      expect((yield* Effect.promise(() => faulty("http://a.example/b?c=1"))).status).toBe(200)
    })
  )

  it.effect("a signal that aborts ends a hang at once, with its reason", () =>
    Effect.gen(function* () {
      const { seen, send } = makeServer()
      const injector = yield* Faults.make(Fault.hang, { maxInFlight: 1 })
      const faulty = FaultyFetch.inject(send, injector)
      const controller = new AbortController()
      const hanging = faulty("http://a.example/", { signal: controller.signal })
      yield* Effect.yieldNow()
      controller.abort(new RangeError("enough"))
      expect(yield* lineOf(hanging)).toBe("RangeError: enough after 0")
      const ofRequest = new AbortController()
      const next = faulty(new Request("http://a.example/", { signal: ofRequest.signal }))
      ofRequest.abort(new RangeError("again"))
      expect(yield* lineOf(next)).toBe("RangeError: again after 0")
      expect(seen).toEqual([])
      expect(yield* Faults.counts(injector)).toEqual({ calls: 2, injected: { Hang: 2 }, spared: 0 })
    }).pipe(VirtualClock.run)
  )

  it("refuses what is no injector", () => {
    expect(() => FaultyFetch.inject(makeServer().send, Fault.hang as never)).toThrow(
      "FaultyFetch.inject: injector must be an injector, which Faults.make makes, got an object"
    )
  })

  it("off is the same fetch back", () => {
    const { send } = makeServer()
    expect(FaultyFetch.inject(send, Faults.off)).toBe(send)
  })
})
