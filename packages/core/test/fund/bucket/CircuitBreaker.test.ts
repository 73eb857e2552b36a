import { Backoff, CircuitBreaker, Deadline, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Exit, Fiber, Option, Random, Stream } from "effect"
import * as CircuitParts from "../../../src/fund/bucket/CircuitBreaker.ts"
import { acquire, isGranted, request } from "../Asking.ts"
import { clockReads } from "../ClockReads.ts"
import { logged } from "../Logged.ts"

type Breaker = CircuitBreaker.CircuitBreaker
type Options = NonNullable<Parameters<typeof CircuitBreaker.make>[0]>

const second: Options = { opensAt: { consecutive: 1 }, openFor: "1 second" }

/** One attempt, from the question to its end. */
const attempt = (
  bucket: TokenBucket.TokenBucket,
  how: "f" | "o" | "x" = "o",
  verdict: Verdict.Verdict = Verdict.server
) =>
  Effect.flatMap(acquire(bucket), (answer) =>
    Option.match(answer, {
      onNone: () => Effect.succeed(false),
      onSome: (granted) => {
        const end = { attempt: 1, granted }
        const outcome: TokenBucket.Outcome =
          how === "f" ? { _tag: "Failed", ...end, verdict } : { _tag: how === "o" ? "Succeeded" : "Abandoned", ...end }
        return Effect.as(bucket.record(outcome), true)
      }
    })
  )

const opened = (options: Options = second) =>
  Effect.tap(CircuitBreaker.make(options), (breaker) => attempt(breaker, "f"))

const tagOf = (breaker: Breaker) => Effect.map(breaker.state, ({ _tag }) => _tag)

const settle = Effect.replicateEffect(Effect.yieldNow(), 30)

class Down {
  readonly _tag = "Down"
}

const policy = {
  classifier: () => Verdict.server,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "100 millis" })
}

TokenBucketContract.suite({ describe, expect, it }, "CircuitBreaker.make", CircuitBreaker.make(), {
  grants: "all",
  isExact: false
})

describe("CircuitBreaker.make", () => {
  it("refuses bad options, and names the field", () => {
    const bad: ReadonlyArray<readonly [Options, field: string, allowed: string]> = [
      [{ opensAt: { consecutive: 0 } }, "opensAt.consecutive", "a whole number >= 1"],
      [{ opensAt: { consecutive: 1.5 } }, "opensAt.consecutive", "a whole number >= 1"],
      [{ opensAt: { ratio: 0, last: 10 } }, "opensAt.ratio", "> 0 and <= 1"],
      [{ opensAt: { ratio: 1.1, last: 10 } }, "opensAt.ratio", "> 0 and <= 1"],
      [{ opensAt: { ratio: NaN, window: "1 minute" } }, "opensAt.ratio", "> 0 and <= 1"],
      [{ opensAt: { ratio: 0.5, last: 10_001 } }, "opensAt.last", "a whole number >= 1 and <= 10000"],
      [{ opensAt: { ratio: 0.5, last: 10, atLeast: 11 } }, "opensAt.atLeast", "a whole number >= 1 and <= 10"],
      [{ opensAt: { ratio: 0.5, window: "1 minute", atLeast: 0 } }, "opensAt.atLeast", "a whole number >= 1"],
      [{ opensAt: { ratio: 0.5, window: "999 millis" } }, "opensAt.window", "a finite duration >= 1s"],
      [{ opensAt: null as never }, "opensAt", "a record of numbers"],
      [{ opensAt: 5 as never }, "opensAt", "a record of numbers"],
      [
        { opensAt: { consecutive: 5, ratio: 0.5, last: 10 } },
        "opensAt.ratio",
        "absent: the fields of such a record are consecutive"
      ],
      [
        { opensAt: { consecutive: 5, atLeast: 10 } as never },
        "opensAt.atLeast",
        "absent: the fields of such a record are consecutive"
      ],
      [
        { opensAt: { ratio: 0.5, last: 10, window: "10 seconds" } },
        "opensAt.last",
        "absent: the fields of such a record are ratio, window, atLeast"
      ],
      [
        { opensAt: { ratio: 0.5, last: 10, percent: 5 } as never },
        "opensAt.percent",
        "absent: the fields of such a record are ratio, last, atLeast"
      ],
      [{ opensAt: { ratio: 0.5, last: 10, atleast: 5 } as never }, "opensAt.atleast", "absent (did you mean atLeast?)"],
      [{ openFor: 0 }, "openFor", "a finite duration >= 1ms"],
      [{ openFor: -1 }, "openFor", "a finite duration >= 1ms"],
      [{ openFor: Backoff.fromDelays([]) }, "openFor", "a Backoff with a delay at least"],
      [{ openFor: Backoff.within(Backoff.constant({ delay: 10 }), 10) }, "openFor", "a Backoff with a delay at least"],
      [{ probes: 0 }, "probes", "a whole number >= 1"],
      [{ probes: 1.5 }, "probes", "a whole number >= 1"],
      [{ successes: 0 }, "successes", "a whole number >= 1"],
      [{ probeTimeout: 0 }, "probeTimeout", "a finite duration >= 1ms"],
      [{ slowerThan: 0 }, "slowerThan", "a finite duration >= 1ms"],
      [{ maxHint: 0 }, "maxHint", "a finite duration >= 1ms"],
      [{ maxWait: "1 second" }, "maxWait", 'absent if whenShort is "refuse"'],
      [{ kinds: ["Weather" as Verdict.Kind] }, "kinds", "one of "],
      [{ kinds: "Server" as never }, "kinds", "an array of kinds"],
      [{ kinds: 5 as never }, "kinds", "an array of kinds"],
      [{ onChange: "log" as never }, "onChange", "a function from a state to an effect"],
      [null as never, "options", "a record, as in CircuitBreaker.make({ opensAt: { consecutive: 5 } })"]
    ]
    for (const [options, field, allowed] of bad)
      expect(() => CircuitBreaker.make(options)).toThrow(`CircuitBreaker.make: ${field} must be ${allowed}`)
  })

  it("accepts what is just allowed", () => {
    const allowed: ReadonlyArray<Options> = [
      { opensAt: { consecutive: 1 }, probes: 1, successes: 1, maxHint: 1, probeTimeout: 1, slowerThan: 1, openFor: 1 },
      { opensAt: { ratio: 1, last: 10_000, atLeast: 10_000 }, kinds: [], onChange: undefined },
      { opensAt: { ratio: 1e-9, last: 1, atLeast: 1 }, whenShort: "wait", maxWait: 0 },
      { opensAt: { ratio: 1, window: 1_000, atLeast: 1 }, openFor: Backoff.fromDelays([0]) }
    ]
    expect(allowed.map(CircuitBreaker.make).every(Effect.isEffect)).toBe(true)
  })

  it.effect("opens by default after five failures of the kinds that count, for ten to fifteen seconds", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const times: Array<number> = []
        for (const seed of [1, 2, 3, 4]) {
          const breaker = yield* CircuitBreaker.make()
          yield* Effect.replicateEffect(attempt(breaker, "f", Verdict.retryable("Throttling")), 9)
          yield* Effect.replicateEffect(attempt(breaker, "f"), 4)
          expect(yield* tagOf(breaker)).toBe("Closed")
          yield* Effect.withRandom(attempt(breaker, "f", Verdict.retryable("Timeout")), Random.make(seed))
          const state = yield* breaker.state
          if (state._tag === "Open") times.push(Duration.toMillis(state.retryAfter))
        }
        expect(times.length).toBe(4)
        expect(new Set(times).size).toBeGreaterThan(1)
        for (const millis of times) expect(millis >= 10_000 && millis <= 15_000).toBe(true)
      })
    )
  )

  it.effect.each<{ options: Options; failures: number }>([
    { options: {}, failures: 5 },
    { options: { opensAt: { consecutive: 2 } }, failures: 2 },
    { options: { opensAt: { ratio: 0.5, last: 10 } }, failures: 10 },
    { options: { opensAt: { ratio: 0.5, last: 10, atLeast: 4 } }, failures: 4 },
    { options: { opensAt: { ratio: 0.5, window: "10 seconds" } }, failures: 20 },
    { options: { opensAt: { ratio: 0.5, window: "10 seconds", atLeast: 3 } }, failures: 3 }
  ])("opens after $failures failures of as many attempts with $options", ({ failures, options }) =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make({ ...options, openFor: "1 second" })
        const granted = yield* Effect.replicateEffect(attempt(breaker, "f"), 30)
        expect(granted.filter((isGranted) => isGranted).length).toBe(failures)
      })
    )
  )

  it.effect("counts a failure by its kind, even if it must not be retried", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const table: ReadonlyArray<readonly [Verdict.Verdict, string]> = [
          [Verdict.server, "Open"],
          [Verdict.retryable("Timeout"), "Open"],
          [Verdict.transient, "Open"],
          [Verdict.terminal("not safe to repeat", { kind: "Server" }), "Open"],
          [Verdict.throttling, "Closed"],
          [Verdict.retryable("Client"), "Closed"],
          [Verdict.terminal("not found"), "Closed"],
          [Verdict.noOpinion, "Closed"]
        ]
        for (const [verdict, tag] of table) {
          const breaker = yield* CircuitBreaker.make(second)
          yield* attempt(breaker, "f", verdict)
          expect(yield* tagOf(breaker)).toBe(tag)
        }
      })
    )
  )

  it.effect(
    "counts an answer that is no success for the caller as a successful probe, and an unknown error as a failed one",
    () =>
      VirtualClock.run(
        Effect.gen(function* () {
          const table: ReadonlyArray<readonly [Verdict.Verdict, string]> = [
            [Verdict.terminal("not found"), "Closed"],
            [Verdict.retryable("Client"), "Closed"],
            [Verdict.noOpinion, "HalfOpen"],
            [Verdict.throttling, "HalfOpen"],
            [Verdict.retryable("Throttling", { hint: "7 seconds" }), "Open"]
          ]
          for (const [verdict, tag] of table) {
            const breaker = yield* opened()
            yield* Effect.sleep("1 second")
            yield* attempt(breaker, "f", verdict)
            expect(yield* tagOf(breaker)).toBe(tag)
          }
        })
      )
  )

  it.effect("keeps to the longest hint that it allows, when a server asks for a year", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        for (const hint of [Duration.days(365), Duration.infinity]) {
          const breaker = yield* CircuitBreaker.make({ ...second, maxHint: "1 minute" })
          yield* attempt(breaker, "f", Verdict.retryable("Server", { hint }))
          expect(yield* breaker.state).toEqual({ _tag: "Open", retryAfter: Duration.minutes(1) })
        }
      })
    )
  )

  it.effect("ignores outcomes of attempts that it has not let through, and outcomes that it knows", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make({ ...second, opensAt: { consecutive: 2 } })
        const other = yield* CircuitBreaker.make(second)
        const foreign = Option.getOrThrow(yield* acquire(other))
        for (const granted of [foreign, { tokens: 0, refund: Effect.void }]) {
          yield* Effect.replicateEffect(
            breaker.record({ _tag: "Failed", attempt: 1, granted, verdict: Verdict.server }),
            5
          )
        }
        expect(yield* tagOf(breaker)).toBe("Closed")
        yield* Effect.replicateEffect(attempt(breaker, "f"), 2)
        yield* Effect.sleep("1 second")
        const probe = Option.getOrThrow(yield* acquire(breaker))
        yield* probe.refund
        yield* breaker.record({ _tag: "Succeeded", attempt: 1, granted: probe })
        expect(yield* breaker.state).toEqual({ _tag: "HalfOpen", probes: 0 })
      })
    )
  )

  it.effect("counts the attempts after a reset of a closed circuit, and no longer those before it", () =>
    Effect.gen(function* () {
      const breaker = yield* CircuitBreaker.make({ opensAt: { consecutive: 2 }, openFor: "1 second" })
      yield* attempt(breaker, "f")
      yield* breaker.reset
      yield* attempt(breaker, "f")
      expect(yield* tagOf(breaker)).toBe("Closed")
      yield* attempt(breaker, "f")
      expect(yield* tagOf(breaker)).toBe("Open")
    })
  )

  it.effect("opens for as long as the kind of the failure says, and a slow attempt is a timeout", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const openFor = Backoff.byKind({
          Timeout: Backoff.constant({ delay: "1 minute" }),
          orElse: Backoff.constant({ delay: "1 second" })
        })
        const breaker = yield* CircuitBreaker.make({ ...second, openFor, slowerThan: "50 millis" })
        const granted = Option.getOrThrow(yield* acquire(breaker))
        yield* breaker.record({ _tag: "Succeeded", attempt: 1, granted, ran: Duration.millis(51) })
        expect(yield* breaker.state).toMatchObject({ _tag: "Open", retryAfter: Duration.minutes(1) })
      })
    )
  )

  it.effect("foretells the refusal of an isolated circuit, whatever the delay", () =>
    Effect.gen(function* () {
      const breaker = yield* CircuitBreaker.make(second)
      yield* breaker.isolate
      expect(yield* breaker.refusalAfter!(Duration.days(1))).toEqual(
        Option.some({ state: "Isolated", retryAfter: Option.none() })
      )
    })
  )

  it.effect("never lengthens the open time when the clock steps back", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened()
        yield* Effect.sleep(400)
        yield* VirtualClock.stepBack("1 hour")
        yield* Effect.sleep(599)
        expect(yield* isGranted(breaker)).toBe(false)
        yield* Effect.sleep(1)
        expect(yield* isGranted(breaker)).toBe(true)
      })
    )
  )

  it.effect("reads no clock for a success of a closed circuit", () =>
    Effect.gen(function* () {
      const breaker = yield* CircuitBreaker.make()
      const byShare = yield* CircuitBreaker.make({ opensAt: { ratio: 0.5, last: 10 } })
      for (const rateLimiter of [breaker, byShare]) {
        expect(yield* clockReads(Retry.retry(Effect.void, { ...policy, rateLimiter }))).toBe(0)
      }
    })
  )

  it.effect("counts a slow attempt as a failure if asked to", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make({ ...second, opensAt: { consecutive: 2 }, slowerThan: "2 seconds" })
        const slow = (millis: number) => Retry.retry(Effect.sleep(millis), { ...policy, rateLimiter: breaker })
        yield* slow(2_001)
        yield* slow(2_000)
        yield* slow(2_001)
        expect(yield* tagOf(breaker)).toBe("Closed")
        yield* slow(2_001)
        expect(yield* tagOf(breaker)).toBe("Open")
      })
    )
  )
})

describe("CircuitBreaker in a policy", () => {
  it.effect("refuses a first attempt with its state and the time until it may be made", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened()
        yield* Effect.sleep(300)
        const refused = yield* Effect.flip(Retry.retry(Effect.fail(new Down()), { ...policy, rateLimiter: breaker }))
        expect(refused).toMatchObject({
          _tag: "AttemptRefused",
          attempt: 1,
          refusal: { state: "Open", retryAfter: Option.some(Duration.millis(700)) }
        })
        expect((refused as Retry.AttemptRefused).message).toBe(
          "the rate limiter did not grant attempt 1: Open for another 700ms"
        )
        yield* breaker.isolate
        const isolated = yield* Effect.flip(Retry.retry(Effect.void, { ...policy, rateLimiter: breaker }))
        expect(isolated.message).toBe("the rate limiter did not grant attempt 1: Isolated")
      })
    )
  )

  it.effect("stops before a retry with its state, and fails with the last error", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make({ opensAt: { consecutive: 2 }, openFor: "1 second" })
        const call = Effect.fail(new Down())
        const stopped = yield* Effect.flip(Retry.orStopped(call, { ...policy, rateLimiter: breaker }))
        expect(stopped.attempts).toBe(2)
        expect(stopped.error).toBeInstanceOf(Down)
        expect(stopped.reason).toEqual({
          _tag: "RateLimiterRefused",
          refusal: { state: "Open", retryAfter: Option.some(Duration.millis(1000)) }
        })
        // One wait, and none for the refusal.
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(100)
      })
    )
  )

  it.effect("says nothing of a refusal by another limiter", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened()
        const both = TokenBucket.all(TokenBucket.shadow(breaker), TokenBucket.empty)
        const refused = yield* Effect.flip(Retry.retry(Effect.void, { ...policy, rateLimiter: both }))
        expect((refused as Retry.AttemptRefused).refusal).toBe(undefined)
      })
    )
  )

  it.effect("is closed by the probe of an operation, and opened by one that fails", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened()
        yield* Effect.sleep("1 second")
        yield* Effect.exit(Retry.retry(Effect.fail(new Down()), { ...policy, rateLimiter: breaker }))
        expect(yield* tagOf(breaker)).toBe("Open")
        yield* Effect.sleep("1 second")
        yield* Retry.retry(Effect.void, { ...policy, rateLimiter: breaker })
        expect(yield* tagOf(breaker)).toBe("Closed")
      })
    )
  )

  it.effect("frees the place of a probe that is interrupted at any step, or dies", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened({ ...second, probeTimeout: "1 day" })
        yield* Effect.sleep("1 second")
        const call = Effect.replicateEffect(Effect.yieldNow(), 5)
        const ends = new Set<string>()
        for (let steps = 0; steps < 40; steps++) {
          const fiber = yield* Effect.fork(Retry.retry(call, { ...policy, rateLimiter: breaker }))
          yield* Effect.replicateEffect(Effect.yieldNow(), steps)
          const exit = yield* Fiber.interrupt(fiber)
          ends.add(exit._tag)
          if (Exit.isSuccess(exit)) {
            expect(yield* tagOf(breaker)).toBe("Closed")
            yield* attempt(breaker, "f")
            yield* Effect.sleep("1 second")
          }
          expect(yield* breaker.level).toBe(1)
        }
        expect([...ends].toSorted()).toEqual(["Failure", "Success"])
        yield* Effect.exit(Retry.retry(Effect.die("defect"), { ...policy, rateLimiter: breaker }))
        expect(yield* breaker.state).toEqual({ _tag: "HalfOpen", probes: 0 })
      })
    )
  )

  it.effect("lets at most the stated number of probes run at once, whatever the order of the fibers", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        for (const whenShort of ["refuse", "wait"] as const) {
          const breaker = yield* opened({ ...second, probes: 3, successes: 1_000, whenShort })
          yield* Effect.sleep("1 second")
          let running = 0
          let most = 0
          const call = Effect.acquireUseRelease(
            Effect.sync(() => void (most = Math.max(most, (running += 1)))),
            () => Effect.replicateEffect(Effect.yieldNow(), 7),
            () => Effect.sync(() => void (running -= 1))
          )
          const calling = Effect.exit(Retry.retry(call, { ...policy, maxAttempts: 1, rateLimiter: breaker }))
          const callers = Array.from({ length: 60 }, (_, index) =>
            Effect.zipRight(Effect.replicateEffect(Effect.yieldNow(), (index * 7) % 31), calling)
          )
          yield* Effect.all(callers, { concurrency: "unbounded" })
          expect([whenShort, most]).toEqual([whenShort, 3])
        }
      })
    )
  )
})

describe("CircuitBreaker with whenShort: wait", () => {
  const waiting: Options = { ...second, whenShort: "wait" }

  it.effect("lets the first caller wait for the end of the open time, and the others for its probe", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        const starts: Array<string> = []
        const call = (name: string) =>
          Retry.retry(
            Effect.flatMap(VirtualClock.now, (now) => {
              starts.push(`${name} at ${Duration.toMillis(now)}`)
              return Effect.sleep(50)
            }),
            { ...policy, rateLimiter: breaker }
          )
        yield* Effect.all([call("a"), call("b"), call("c")], { concurrency: 3 })
        expect(starts).toEqual(["a at 1000", "b at 1050", "c at 1050"])
      })
    )
  )

  it.effect("refuses at once when the circuit stays open for longer than the deadline leaves", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        const within = { ...policy, rateLimiter: breaker, deadline: Deadline.refuse("900 millis") }
        const refused = yield* Effect.flip(Retry.retry(Effect.void, within))
        expect(refused).toMatchObject({ _tag: "AttemptRefused", refusal: { state: "Open" } })
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(0)
      })
    )
  )

  it.effect("waits for a probe that may end within the deadline, and no longer when the probe fails", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        yield* Effect.sleep("1 second")
        const probe = Option.getOrThrow(yield* acquire(breaker))
        const asked = yield* Effect.fork(Effect.replicateEffect(acquire(breaker, { atMostMillis: 500 }), 1))
        const behind = yield* Effect.fork(acquire(breaker, { atMostMillis: 500 }))
        yield* Effect.sleep(100)
        yield* breaker.record({ _tag: "Failed", attempt: 1, granted: probe, verdict: Verdict.server })
        expect(yield* Fiber.join(asked)).toEqual([Option.none()])
        expect(yield* Fiber.join(behind)).toEqual(Option.none())
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1_100)
      })
    )
  )

  it.effect("lets a caller wait for exactly as long as the circuit stays open", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        expect(Option.isSome(yield* acquire(breaker, { atMostMillis: 1000 }))).toBe(true)
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1_000)
      })
    )
  )

  it.effect("waits for a probe that takes longer than the deadline may leave, in case it ends sooner", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        yield* Effect.sleep("1 second")
        const probe = Option.getOrThrow(yield* acquire(breaker))
        const asked = yield* Effect.fork(acquire(breaker, { atMostMillis: 500 }))
        yield* Effect.sleep(100)
        yield* breaker.record({ _tag: "Succeeded", attempt: 1, granted: probe })
        expect(Option.isSome(yield* Fiber.join(asked))).toBe(true)
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1_100)
      })
    )
  )

  it.effect("refuses all waiting callers when it is isolated, and lets all through when it is reset", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        const ask = Effect.fork(
          Effect.forEach(Array.from({ length: 50 }), () => isGranted(breaker), { concurrency: "unbounded" })
        )
        const refused = yield* ask
        yield* settle
        yield* breaker.isolate
        expect((yield* Fiber.join(refused)).filter(Boolean).length).toBe(0)
        expect(yield* isGranted(breaker)).toBe(false)
        yield* breaker.reset
        yield* attempt(breaker, "f")
        const granted = yield* ask
        yield* settle
        yield* breaker.reset
        expect((yield* Fiber.join(granted)).filter(Boolean).length).toBe(50)
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(0)
      })
    )
  )

  it.effect("lets a thousand callers wait for one probe after another, and loses no turn when one is interrupted", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened(waiting)
        const calls = yield* Effect.forEach(Array.from({ length: 1_000 }), () => Effect.fork(attempt(breaker, "o")))
        yield* settle
        yield* Effect.forEach(calls.slice(0, 10), Fiber.interrupt)
        const ends = yield* Effect.forEach(calls.slice(10), Fiber.join)
        expect(ends.every(Boolean)).toBe(true)
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1_000)
        expect(yield* tagOf(breaker)).toBe("Closed")
      })
    )
  )
})

describe("CircuitBreaker among other buckets", () => {
  it.effect("gives a place back when a later limiter refuses", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened()
        yield* Effect.sleep("1 second")
        expect(yield* isGranted(TokenBucket.all(breaker, TokenBucket.empty))).toBe(false)
        expect(yield* breaker.level).toBe(1)
      })
    )
  )

  it.effect("goes through the same states in a shadow, and refuses nothing there", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* opened()
        const shadow = TokenBucket.shadow(breaker)
        expect(yield* Effect.replicateEffect(attempt(shadow, "o"), 3)).toEqual([true, true, true])
        expect(yield* tagOf(breaker)).toBe("Open")
        yield* Effect.sleep("1 second")
        expect(yield* attempt(shadow, "o")).toBe(true)
        expect(yield* tagOf(breaker)).toBe("Closed")
      })
    )
  )

  it.effect("is one circuit for each key", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const keyed = yield* TokenBucket.keyed({
          bucket: CircuitBreaker.make(second),
          maxKeys: 10,
          idleTimeToLive: "1 hour"
        })
        const at = (key: string) => Effect.provideService(TokenBucket.Key, key)
        yield* at("a")(attempt(keyed, "f"))
        expect(yield* at("a")(isGranted(keyed))).toBe(false)
        expect(yield* at("b")(isGranted(keyed))).toBe(true)
        const refused = at("a")(Effect.flip(Retry.retry(Effect.void, { ...policy, rateLimiter: keyed })))
        expect(yield* refused).toMatchObject({ refusal: { state: "Open" } })
      })
    )
  )

  it.effect("combines with a fixed rate", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make(second)
        const both = TokenBucket.all(breaker, yield* RateLimiter.fixed({ rate: 1, burst: 1, whenShort: "refuse" }))
        expect(yield* attempt(both, "f")).toBe(true)
        expect(yield* tagOf(breaker)).toBe("Open")
      })
    )
  )
})

describe("CircuitBreaker.changes", () => {
  it.effect("has the state now, then every state after it, in order and once", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make(second)
        const seen = yield* Effect.fork(Stream.runCollect(Stream.take(CircuitBreaker.changes(breaker), 7)))
        yield* settle
        yield* attempt(breaker, "f")
        yield* Effect.sleep("1 second")
        yield* attempt(breaker, "f")
        yield* Effect.sleep("1 second")
        yield* attempt(breaker, "o")
        yield* breaker.isolate
        yield* breaker.isolate
        yield* breaker.reset
        const states = Chunk.toReadonlyArray(yield* Fiber.join(seen))
        expect(states.map(({ _tag }) => _tag)).toEqual([
          "Closed",
          "Open",
          "HalfOpen",
          "Open",
          "HalfOpen",
          "Closed",
          "Isolated"
        ])
        expect(states[1]).toEqual({ _tag: "Open", retryAfter: Duration.seconds(1) })
        expect(states[2]).toEqual({ _tag: "HalfOpen", probes: 1 })
      })
    )
  )

  it.effect("has a change only once that comes between its subscription and its first state", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make(second)
        const subscribe = Effect.tap(breaker.subscribe, () => breaker.isolate)
        const changes = CircuitBreaker.changes({ ...breaker, subscribe })
        const seen = yield* Effect.fork(Stream.runCollect(Stream.take(changes, 2)))
        yield* settle
        yield* breaker.reset
        const states = Chunk.toReadonlyArray(yield* Fiber.join(seen))
        expect(states.map(({ _tag }) => _tag)).toEqual(["Isolated", "Closed"])
      })
    )
  )

  it.effect("is told to onChange, whose defects and delays reach no operation", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const told: Array<string> = []
        const onChange: NonNullable<Options["onChange"]> = (state) =>
          Effect.zipRight(
            Effect.sync(() => void told.push(state._tag)),
            state._tag === "Open" ? Effect.die("defect") : Effect.never
          )
        const breaker = yield* opened({ ...second, onChange })
        yield* Effect.sleep("1 second")
        yield* attempt(breaker, "o")
        yield* settle
        expect(told).toEqual(["Open", "HalfOpen", "Closed"])
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1_000)
      })
    )
  )

  it.effect("logs nothing of its changes without onChange", () =>
    Effect.gen(function* () {
      expect(yield* logged(Effect.zipRight(opened(), settle))).toEqual([])
    })
  )

  it.effect("lets onChange look at the circuit and change it", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        let own: Breaker | undefined
        const breaker = yield* CircuitBreaker.make({
          ...second,
          onChange: ({ _tag }) => (_tag === "Open" ? own!.isolate : Effect.void)
        })
        own = breaker
        yield* attempt(breaker, "f")
        yield* settle
        expect(yield* tagOf(breaker)).toBe("Isolated")
        expect(yield* breaker.acquire(request())).toEqual(Option.none())
      })
    )
  )
})

describe("the parts of a CircuitBreaker", () => {
  it.effect("have the circuit now, and know a probe for as long as it counts", () =>
    VirtualClock.run(
      Effect.gen(function* () {
        const { breaker, circuit, holds } = yield* CircuitParts.parts("CircuitBreaker.make", second)
        const seen = (granted: TokenBucket.Grant) =>
          Effect.map(Effect.all([circuit, holds(granted)]), ([{ _tag }, isHeld]) => [_tag, isHeld])
        const pass = Option.getOrThrow(yield* acquire(breaker))
        expect(yield* seen(pass)).toEqual(["Closed", false])
        yield* breaker.record({ _tag: "Failed", attempt: 1, granted: pass, verdict: Verdict.server })
        expect(yield* seen(pass)).toEqual(["Open", false])
        yield* Effect.sleep("1 second")
        const probe = Option.getOrThrow(yield* acquire(breaker))
        expect(yield* seen(probe)).toEqual(["HalfOpen", true])
        expect(yield* holds(pass)).toBe(false)
        expect(yield* holds({ tokens: 0, refund: Effect.void })).toBe(false)
        yield* breaker.record({ _tag: "Succeeded", attempt: 1, granted: probe })
        expect(yield* seen(probe)).toEqual(["Closed", false])
      })
    )
  )
})
