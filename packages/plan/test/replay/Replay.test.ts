import { AttemptTimeout, Backoff, Deadline, Hint, Jitter, TokenBucket, Verdict } from "@effect-retry/core"
import { type Load, Replay } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either } from "effect"
import { type Recorded, record } from "./Recording.ts"

const jittered = Backoff.exponential({ base: "50 millis" }).pipe(Backoff.jittered(Jitter.full))

const threeAttempts: Load.Client = { policy: { maxAttempts: 3, backoff: jittered } }

const sometimes = (_: number, u: number) => u < 0.3

const inOutage = (at: number) => at >= 500 && at < 1000

const replay = (lines: ReadonlyArray<string>, recorded: Load.Client, other: Load.Client = recorded) =>
  Replay.replay({ lines, recorded, other, seed: 1 })

describe("Replay.replay", () => {
  it.effect.each<readonly [string, Load.Client, Recorded["fails"], Verdict.Verdict?]>([
    ["full jitter", threeAttempts, sometimes],
    ["no jitter", { policy: { maxAttempts: 4, backoff: Backoff.constant({ delay: "70 millis" }) } }, sometimes],
    [
      "equal jitter and a cap",
      {
        policy: {
          maxAttempts: 6,
          backoff: Backoff.exponential({ base: "20 millis" }).pipe(
            Backoff.capped("60 millis"),
            Backoff.jittered(Jitter.equal)
          )
        }
      },
      sometimes
    ],
    [
      "a hint as a floor",
      { policy: { maxAttempts: 3, backoff: jittered, hint: Hint.standard } },
      sometimes,
      Verdict.retryable("Throttling", { hint: "80 millis" })
    ],
    [
      "a deadline",
      { policy: { maxAttempts: 9, backoff: jittered, deadline: Deadline.refuse("400 millis") } },
      inOutage
    ],
    ["a failure that must not be repeated", threeAttempts, sometimes, Verdict.terminal("not found")],
    [
      "a bucket that empties",
      { ...threeAttempts, bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 5 }) },
      inOutage
    ],
    [
      "an attempt timeout",
      { policy: { maxAttempts: 3, backoff: jittered, attemptTimeout: AttemptTimeout.constant("18 millis") } },
      sometimes
    ]
  ])("replays the recorded policy as recorded, with %s", ([, client, fails, verdict]) =>
    Effect.gen(function* () {
      const lines = yield* record({ client, fails, ...(verdict === undefined ? {} : { verdict }) })
      const replayed = yield* replay(lines, client)
      expect(replayed).toMatchObject({ operations: 100, leftOut: 0, faithful: 1, assumed: 0 })
      expect(replayed.likely.succeeded).toBe(replayed.recorded.succeeded)
      expect(replayed.likely.loadFactor).toBe(replayed.recorded.loadFactor)
      expect(replayed.recorded.succeeded).toBeGreaterThan(0.5)
      expect(replayed.recorded.succeeded).toBeLessThan(1.01)
    })
  )

  it.effect("takes waits that ended late for the recorded ones, unless a rate limiter may have waited", () =>
    Effect.gen(function* () {
      const waits: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) => Effect.zipRight(Effect.sleep("25 millis"), TokenBucket.unlimited.acquire(request))
      }
      const lines = yield* record({
        client: { ...threeAttempts, rateLimiter: Effect.succeed(waits) },
        fails: sometimes
      })
      const late = yield* replay(lines, threeAttempts)
      expect(late).toMatchObject({ operations: 100, faithful: 1, assumed: 0 })
      expect(Duration.toMillis(late.recorded.took.p50) - Duration.toMillis(late.likely.took.p50)).toBe(25)
      const limited = { ...threeAttempts, rateLimiter: Effect.succeed(TokenBucket.unlimited) }
      expect(yield* replay(lines, limited)).toMatchObject({ faithful: 0 })
    })
  )

  it.effect("counts what the lines say", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: () => true, operations: 10 })
      const { recorded } = yield* replay(lines, threeAttempts)
      expect(recorded).toMatchObject({ succeeded: 0, loadFactor: 3 })
      const once = yield* record({ client: threeAttempts, fails: () => false, operations: 10 })
      const easy = yield* replay(once, threeAttempts)
      expect(easy.recorded).toMatchObject({ succeeded: 1, loadFactor: 1 })
      expect(Duration.toMillis(easy.recorded.took.max)).toBeLessThanOrEqual(23)
    })
  )

  it.effect("says that another policy was recorded", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: sometimes })
      const wrong = { policy: { maxAttempts: 2, backoff: Backoff.constant({ delay: "1 second" }) } }
      const { faithful } = yield* replay(lines, wrong)
      // Those that succeeded at once come out the same under every policy.
      const atOnce = lines.filter((line) => /"retry.succeeded".*"retry.attempt":1,/.test(line))
      expect(faithful).toBe(atOnce.length / 100)
    })
  )

  it.effect("needs no assumption for fewer attempts", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: sometimes })
      const two = { policy: { ...threeAttempts.policy, maxAttempts: 2 } }
      const { assumed, best, likely, recorded, worst } = yield* replay(lines, threeAttempts, two)
      expect(assumed).toBe(0)
      expect(likely.succeeded).toBeLessThan(recorded.succeeded)
      expect(likely.loadFactor).toBeLessThan(recorded.loadFactor)
      expect([worst, best]).toEqual([likely, likely])
    })
  )

  it.effect("knows from other operations when an outage ended", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: inOutage })
      const patient = { policy: { maxAttempts: 3, backoff: Backoff.constant({ delay: "600 millis" }) } }
      const { assumed, best, likely, recorded, worst } = yield* replay(lines, threeAttempts, patient)
      expect(recorded.succeeded).toBeLessThan(0.9)
      expect(likely.succeeded).toBe(1)
      expect(best.succeeded).toBe(1)
      expect(worst.succeeded).toBe(0.75)
      expect(assumed).toBeGreaterThan(0.1)
      expect(worst.loadFactor).toBeGreaterThan(likely.loadFactor)
    })
  )

  it.effect("asks the bucket of the other policy", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: inOutage })
      const bounded = { ...threeAttempts, bucket: TokenBucket.successRatio({ ratio: 0, capacity: 3 }) }
      const { likely, recorded } = yield* replay(lines, threeAttempts, bounded)
      expect(likely.loadFactor).toBe(1.03)
      expect(recorded.loadFactor).toBeGreaterThan(1.3)
    })
  )

  it.effect("leaves out incomplete and hedged operations", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: () => true, operations: 3, pauseMillis: 5000 })
      const cut = lines.slice(2)
      expect(yield* replay(cut, threeAttempts)).toMatchObject({ operations: 2, leftOut: 1 })
      expect(yield* replay(lines.slice(0, -1), threeAttempts)).toMatchObject({ operations: 2, leftOut: 1 })
      const hedge = JSON.stringify({ ...JSON.parse(lines[0]!), event: "retry.hedge_started", "retry.attempt": 1 })
      expect(yield* replay([hedge, ...lines], threeAttempts)).toMatchObject({ operations: 2, leftOut: 1 })
      expect(yield* replay([], threeAttempts)).toMatchObject({ operations: 0, leftOut: 0, faithful: 1, assumed: 0 })
      expect(yield* replay(["", ...lines, " "], threeAttempts)).toMatchObject({ operations: 3, leftOut: 0 })
    })
  )

  it.effect("stops an operation that the other policy never would", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: () => true, operations: 2 })
      const endless = { policy: { maxAttempts: Infinity, backoff: Backoff.constant({ delay: "1 second" }) } }
      const { likely } = yield* replay(lines, threeAttempts, endless)
      expect(likely.succeeded).toBe(0)
      expect(likely.loadFactor).toBe(1000)
    })
  )

  it.effect("gives the same answer for the same seed", () =>
    Effect.gen(function* () {
      const lines = yield* record({ client: threeAttempts, fails: inOutage })
      const other = { policy: { maxAttempts: 5, backoff: jittered } }
      const first = yield* replay(lines, threeAttempts, other)
      expect(yield* replay(lines, threeAttempts, other)).toEqual(first)
    })
  )

  const whole = {
    time: 1000,
    event: "retry.attempt_failed",
    fiber: "#1",
    "retry.operation": "orders",
    "retry.attempt": 1,
    "retry.elapsed_ms": 30,
    "retry.ran_ms": 30,
    "retry.verdict": "Retryable",
    "retry.kind": "Server"
  }

  it.effect.each<readonly [string, string, string]>([
    ["no JSON", "", `it must be a JSON object of at most 20000 characters, got "no JSON"`],
    ["[1]", "", "it must be a JSON object of at most 20000 characters"],
    [`"${"x".repeat(30_000)}"`, "", "it must be a JSON object of at most 20000 characters"],
    [
      JSON.stringify({ ...whole, time: undefined }),
      "time",
      "time must be a number >= 0 and <= 1000000000000000, got nothing"
    ],
    [JSON.stringify({ ...whole, time: "now" }), "time", 'got "now"'],
    [JSON.stringify({ ...whole, time: -1 }), "time", "got -1"],
    [JSON.stringify({ ...whole, event: "toString" }), "event", "event must be one of retry.attempt_failed"],
    [JSON.stringify({ ...whole, fiber: 7 }), "fiber", "fiber must be a text of at most 200 characters, got 7"],
    [JSON.stringify({ ...whole, "retry.operation": "x".repeat(201) }), "retry.operation", "at most 200 characters"],
    [JSON.stringify({ ...whole, "retry.attempt": 1.5 }), "retry.attempt", "a whole number, got 1.5"],
    [JSON.stringify({ ...whole, "retry.attempt": 1e9 }), "retry.attempt", "<= 1000000"],
    [JSON.stringify({ ...whole, "retry.elapsed_ms": null }), "retry.elapsed_ms", "a number >= 0"],
    [JSON.stringify({ ...whole, "retry.ran_ms": 31 }), "retry.ran_ms", "<= 30, got 31"],
    [JSON.stringify({ ...whole, "retry.verdict": "Maybe" }), "retry.verdict", "one of Retryable, Terminal, NoOpinion"],
    [JSON.stringify({ ...whole, "retry.kind": "Odd" }), "retry.kind", "one of"],
    [JSON.stringify({ ...whole, "retry.hint_ms": "1" }), "retry.hint_ms", "a number >= 0"],
    [JSON.stringify({ ...whole, event: "retry.scheduled" }), "retry.delay_ms", "a number >= 0"],
    ['{"__proto__":{"time":1}}', "fiber", "a text of at most 200 characters, got nothing"]
  ])("refuses the line %s", ([line, field, message]) =>
    Effect.gen(function* () {
      const found = yield* Effect.either(replay([JSON.stringify(whole), line], threeAttempts))
      const error = Either.isLeft(found) ? found.left : undefined
      expect(error).toMatchObject({ _tag: "UnreadableLine", line: 2, field })
      expect(error?.message).toContain("Replay.replay: line 2: ")
      expect(error?.message).toContain(message)
      expect(error?.message.length).toBeLessThan(400)
    })
  )

  it("refuses a policy that the loop would refuse, and a seed that is not a number", () => {
    const wrong = { policy: { ...threeAttempts.policy, maxAttempts: 0 } }
    expect(() => replay([], wrong)).toThrow("Replay.replay: maxAttempts must be a whole number >= 1, got 0")
    expect(() => replay([], threeAttempts, wrong)).toThrow("Replay.replay: maxAttempts must be a whole number >= 1")
    expect(() => Replay.replay({ lines: [], recorded: threeAttempts, other: threeAttempts, seed: NaN })).toThrow("seed")
  })
})
