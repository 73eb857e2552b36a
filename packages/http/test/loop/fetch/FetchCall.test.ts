import { AttemptTimeout, Backoff, Deadline, TokenBucket, Verdict } from "@effect-retry/core"
import { Fetch, HttpRetry, Idempotency } from "@effect-retry/http"
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Supervisor } from "effect"
import { getEventListeners } from "node:events"
import * as HttpServer from "../../support/HttpServer.ts"

const quick = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 0 }) }

/** The global `fetch` answers with these statuses, the last one again and again, for as long as the effect takes. */
const answering =
  (...statuses: ReadonlyArray<number>) =>
  <A>(use: (inits: ReadonlyArray<RequestInit | undefined>) => Promise<A>): Promise<A> => {
    const inits: Array<RequestInit | undefined> = []
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const status = statuses[Math.min(inits.push(init), statuses.length) - 1] ?? 200
      return new Response(null, { status })
    })
    return use(inits).finally(() => spy.mockRestore())
  }

/** Counts the fibers of a runtime. */
class Started extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  fibers = 0
  override onStart(): void {
    this.fibers += 1
  }
}

describe("the first attempt of a call under a plain policy", () => {
  it("has no signal of its own, and neither have those that follow", () =>
    answering(
      503,
      429,
      200
    )(async (inits) => {
      expect((await Fetch.make(quick)("http://api.test/")).status).toBe(200)
      expect(inits.map((init) => init?.signal)).toEqual([undefined, undefined, undefined])
    }))

  it.each([
    ["an attempt timeout", { attemptTimeout: AttemptTimeout.constant("1 minute") }],
    ["a deadline", { deadline: Deadline.refuse("1 minute") }],
    ["attempt headers", { attemptHeaders: HttpRetry.attemptNumber() }],
    ["an opinion", { opinion: () => Verdict.noOpinion }],
    ["observers", { observe: [() => Effect.void] }],
    ["a bucket", { bucket: Effect.runSync(TokenBucket.quota()) }]
  ] as const)("has one if the policy has %s", (_, field) =>
    answering(200)(async (inits) => {
      await Fetch.make({ ...quick, ...field })("http://api.test/")
      expect(inits.map((init) => init?.signal)).toEqual([expect.any(AbortSignal)])
    })
  )

  it("has one if the effect that makes the fetch has options of requests", () =>
    answering(200)(async (inits) => {
      const bounded = HttpRetry.withOptions({ attemptTimeout: AttemptTimeout.constant("1 minute") })
      const retrying = await Effect.runPromise(bounded(Fetch.makeEffect(quick)))
      await retrying("http://api.test/")
      expect(inits.map((init) => init?.signal)).toEqual([expect.any(AbortSignal)])
    }))

  it("is sent as it was given, and those that follow with the headers of that moment", () =>
    answering(
      503,
      200
    )(async (inits) => {
      const request = new Request("http://api.test/", { headers: { "x-own": "1" } })
      const answer = Fetch.make(quick)(request)
      request.headers.set("x-own", "2")
      await answer
      expect(inits).toEqual([{}, { headers: { "x-own": "1" }, referrer: "about:client", referrerPolicy: "" }])
    }))

  it("has the key that the policy creates for it", () =>
    answering(503)(async (inits) => {
      const idempotency = { ...Idempotency.standard, createKeyFor: ["POST"] }
      await Fetch.make({ ...quick, idempotency })("http://api.test/", { method: "POST" })
      const keys = inits.map((init) => new Headers(init?.headers).get("idempotency-key"))
      expect(keys).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^[\w-]{8,}$/)))
      expect(new Set(keys).size).toBe(1)
    }))

  it("is judged by a classifier that has no tables", () =>
    answering(
      202,
      200
    )(async (inits) => {
      const classifier = (outcome: unknown) =>
        (outcome as Response).status === 202 ? Verdict.transient : Verdict.noOpinion
      expect((await Fetch.make({ ...quick, classifier })("http://api.test/")).status).toBe(200)
      expect(inits).toHaveLength(2)
    }))

  it.each([
    ["not for an answer that is fine", [204], false],
    ["for another one", [503, 204], true]
  ] as const)("starts fibers if there is something to judge: %s", (_, statuses, starts) =>
    answering(...statuses)(async () => {
      const started = new Started()
      const retrying = await Effect.runPromise(Effect.supervised(Fetch.makeEffect(quick), started))
      expect((await retrying("http://api.test/")).status).toBe(204)
      expect(started.fibers > 0).toBe(starts)
    })
  )

  it("is made once when the global fetch throws", async () => {
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(() => {
      throw new TypeError("a bug")
    })
    const rejected = await Fetch.make(quick)("http://api.test/").catch(String)
    const { calls } = spy.mock
    spy.mockRestore()
    expect([rejected, calls.length]).toEqual(["TypeError: a bug", 1])
  })

  it("rejects with the reason of a signal that is aborted meanwhile, and is not followed by another", async () => {
    const controller = new AbortController()
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      controller.abort("enough")
      return new Response(null, { status: 503 })
    })
    const rejected = await Fetch.make(quick)("http://api.test/", { signal: controller.signal }).catch(String)
    const { calls } = spy.mock
    spy.mockRestore()
    expect([rejected, calls.length]).toEqual(["enough", 1])
  })
})

describe("an attempt of a call", () => {
  /** Never answers. */
  const silent = () => {
    const signals: Array<AbortSignal> = []
    const own: typeof fetch = (_, init) => {
      if (init?.signal) signals.push(init.signal)
      return new Promise(() => {})
    }
    return { own, signals }
  }

  it("is aborted when it times out, and not before", async () => {
    const { own, signals } = silent()
    const before: Array<ReadonlyArray<boolean>> = []
    const observe = [() => Effect.sync(() => void before.push(signals.map(({ aborted }) => aborted)))]
    const policy = { ...quick, attemptTimeout: AttemptTimeout.constant("1 milli"), maxAttempts: 2, observe }
    expect(await Fetch.make(policy, { fetch: own })("http://api.test/").catch(String)).toContain("TimeoutError")
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(before).toContainEqual([true])
  })

  it("is left to the signal of the caller if it has none of its own", async () => {
    const { own, signals } = silent()
    const spy = vi.spyOn(globalThis, "fetch").mockImplementationOnce(async () => new Response(null, { status: 503 }))
    spy.mockImplementationOnce(own)
    const controller = new AbortController()
    const answer = Fetch.make(quick)("http://api.test/", { signal: controller.signal })
    await vi.waitFor(() => expect(signals).toHaveLength(1), { timeout: 120_000 })
    controller.abort("enough")
    expect(await answer.catch(String)).toBe("enough")
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, "enough"]])
    spy.mockRestore()
  })
})

describe("a call by the fetch of Node.js", () => {
  it.scopedLive.each([
    ["fine", HttpServer.responding({ status: 200, bytes: 2 })],
    ["sent again", HttpServer.responding({ status: 503 }, { status: 429 }, { status: 200 })]
  ] as const)("leaves no listener on a signal: %s", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* HttpServer.serve(answer)
      const { signal } = new AbortController()
      const retrying = Fetch.make(quick)
      for (let i = 0; i < 4; i++) {
        const response = yield* Effect.promise(() => retrying(server.url, { signal }))
        expect(getEventListeners(signal, "abort")).toEqual([])
        yield* Effect.promise(() => response.arrayBuffer())
      }
    })
  )

  it.scopedLive.each([
    [503, false],
    [503, true],
    [429, false],
    [429, true]
  ] as const)("holds no connection of a discarded response: %d, in chunks: %s", ([status, chunked]) =>
    Effect.gen(function* () {
      const long = { status, chunked, bytes: 2_000_000 }
      const answers = Array.from({ length: 10 }, () => [long, { status: 204 }]).flat()
      const server = yield* HttpServer.serve(HttpServer.responding(long, ...answers.slice(1)))
      const retrying = Fetch.make(quick)
      for (let i = 0; i < 10; i++) {
        expect((yield* Effect.promise(() => retrying(server.url))).status).toBe(204)
      }
      expect(server.methods).toHaveLength(20)
      yield* HttpServer.until(() => server.open() < 3)
    })
  )
})
