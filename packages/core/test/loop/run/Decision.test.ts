import { Backoff, Curve, Deadline, Hint, Jitter, type Policy, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option, Schedule } from "effect"
import * as Decision from "../../../src/loop/run/Decision.ts"
import { prepare } from "../../../src/loop/policy/PolicyCheck.ts"
import { make, type Progress } from "../../../src/loop/run/Progress.ts"
import { policy } from "../Recording.ts"

/** What a decision reads of an operation, and of the moment. */
type Read = Progress & Decision.Now

/** After a first attempt that failed at once, with a draw that is not needed. */
const read = (policy: Policy.Any, changed: Partial<Read> = {}): Read => ({
  ...make(prepare("test", policy)),
  attempts: 1,
  elapsedMillis: 0,
  ranMillis: 0,
  outer: undefined,
  u: undefined,
  stepped: undefined,
  ...changed
})

const decide = (policy: Policy.Any, verdict: Verdict.Verdict, changed?: Partial<Read>) => {
  const all = read(policy, changed)
  return Decision.decide(prepare("test", policy), all, all, verdict)
}

const second = { _tag: "Retry", delayMillis: 1_000, source: "Curve", startsOver: false }

const endOf = (decision: Decision.Decision) => (decision._tag === "Stop" ? decision.reason._tag : decision._tag)

const terminal = Verdict.terminal("the request is wrong")
const hinted = (hint: Duration.DurationInput) => Verdict.retryable("Throttling", { hint })

describe("Decision.decide", () => {
  it("retries after the delay of the back-off, which goes on", () => {
    const doubling = { ...policy, backoff: Backoff.exponential({ base: "1 second" }) }
    const decision = decide(doubling, Verdict.transient)
    expect(decision).toMatchObject(second)
    if (decision._tag !== "Retry") return
    expect(decide(doubling, Verdict.transient, { attempts: 2, tree: decision.tree })).toMatchObject({
      delayMillis: 2_000
    })
  })

  // Every reason applies to the first row; each row lifts the one that was given before.
  it("gives the earliest of several reasons to stop", () => {
    const everything = {
      ...policy,
      maxAttempts: 1,
      backoff: Backoff.fromDelays([]),
      deadline: Deadline.refuse("1 milli")
    }
    const nested = { outer: "outer" }
    const more = { ...everything, maxAttempts: 2 }
    const goesOn = { ...more, backoff: policy.backoff }
    const inTime = { ...goesOn, deadline: Deadline.refuse("1 hour") }
    expect([
      endOf(decide(everything, Verdict.noOpinion, nested)),
      endOf(decide(everything, terminal, nested)),
      endOf(decide(everything, hinted("365 days"), nested)),
      endOf(decide(more, hinted("365 days"), nested)),
      endOf(decide(more, hinted("365 days"))),
      endOf(decide(goesOn, hinted("365 days"))),
      endOf(decide(goesOn, hinted("1 second"))),
      endOf(decide(inTime, hinted("1 second")))
    ]).toEqual([
      "Terminal",
      "Terminal",
      "AttemptsSpent",
      "StoodDown",
      "BackoffEnded",
      "HintTooLong",
      "DeadlinePassed",
      "Retry"
    ])
  })

  it.each([
    {
      verdict: terminal,
      changed: {},
      reason: { _tag: "Terminal", why: "the request is wrong" },
      delayMillis: undefined
    },
    {
      verdict: Verdict.noOpinion,
      changed: {},
      reason: { _tag: "Terminal", why: "no classifier has an opinion" },
      delayMillis: undefined
    },
    {
      verdict: Verdict.transient,
      changed: { attempts: 3 },
      reason: { _tag: "AttemptsSpent", maxAttempts: 3 },
      delayMillis: undefined
    },
    {
      verdict: Verdict.transient,
      changed: { outer: "job" },
      reason: { _tag: "StoodDown", outer: "job" },
      delayMillis: undefined
    },
    {
      verdict: hinted("2 minutes"),
      changed: {},
      reason: { _tag: "HintTooLong", hint: Duration.minutes(2) },
      delayMillis: 1_000
    },
    {
      verdict: hinted("30 seconds"),
      changed: {},
      reason: { _tag: "DeadlinePassed", within: Duration.seconds(20) },
      delayMillis: 30_000
    }
  ])("tells the reason and the delay that was decided on: $reason", ({ changed, delayMillis, reason, verdict }) => {
    const bounded = { ...policy, deadline: Deadline.refuse("20 seconds") }
    expect(decide(bounded, verdict, changed)).toEqual({ _tag: "Stop", reason, delayMillis })
  })
})

describe("Decision.decide by kind", () => {
  const limited = { ...policy, maxAttempts: 3, attemptsByKind: { Throttling: 4, Timeout: Infinity } }

  it.each([
    { kind: "Transient", attempts: 2, failures: {}, ends: "Retry" },
    { kind: "Transient", attempts: 3, failures: {}, ends: "AttemptsSpent" },
    { kind: "Transient", attempts: 5, failures: { Throttling: 3 }, ends: "Retry" },
    { kind: "Transient", attempts: 6, failures: { Throttling: 2, Timeout: 1 }, ends: "AttemptsSpent" },
    { kind: "Throttling", attempts: 3, failures: { Throttling: 3 }, ends: "Retry" },
    { kind: "Throttling", attempts: 9, failures: { Throttling: 3 }, ends: "Retry" },
    { kind: "Throttling", attempts: 4, failures: { Throttling: 4 }, ends: "AttemptsSpent" },
    { kind: "Timeout", attempts: 1_000, failures: { Timeout: 1_000 }, ends: "Retry" }
  ] as const)(
    "counts $failures of $attempts attempts apart, after one of $kind: $ends",
    ({ attempts, ends, failures, kind }) => {
      expect(endOf(decide(limited, Verdict.retryable(kind), { attempts, failures }))).toBe(ends)
    }
  )

  it("names the kind whose limit is spent, and none when the limit of all is spent", () => {
    expect(decide(limited, Verdict.throttling, { attempts: 4, failures: { Throttling: 4 } })).toMatchObject({
      reason: { _tag: "AttemptsSpent", maxAttempts: 4, kind: "Throttling" }
    })
    expect(decide(limited, Verdict.transient, { attempts: 3 })).toMatchObject({
      reason: { _tag: "AttemptsSpent", maxAttempts: 3 }
    })
  })
})

describe("Decision.decide with chance", () => {
  const jittered = { ...policy, backoff: Backoff.jittered(policy.backoff, Jitter.full) }
  const stretched = { ...policy, hint: Hint.floor({ jitterRatio: 0.5, atMost: "1 minute", otherwise: "giveUp" }) }

  it("asks for a draw if the back-off needs one, and after every reason to stop that needs none", () => {
    expect(decide(jittered, Verdict.transient)).toEqual({ _tag: "NeedsDraw" })
    expect(decide(jittered, Verdict.transient, { u: 0.5 })).toMatchObject({ ...second, delayMillis: 500 })
    expect(endOf(decide(jittered, Verdict.transient, { attempts: 3 }))).toBe("AttemptsSpent")
    expect(endOf(decide(jittered, terminal))).toBe("Terminal")
  })

  it("asks for a draw if the hint needs one, and only if there is a hint", () => {
    expect(decide(stretched, Verdict.transient)).toMatchObject(second)
    expect(decide(stretched, hinted("10 seconds"))).toEqual({ _tag: "NeedsDraw" })
    expect(decide(stretched, hinted("10 seconds"), { u: 0.5 })).toMatchObject({ delayMillis: 12_500, source: "Hint" })
  })
})

describe("Decision.decide with a foreign schedule", () => {
  const foreign = { ...policy, backoff: Schedule.spaced("1 second") }

  it("asks for a step, and takes its delay or its end", () => {
    expect(decide(foreign, Verdict.transient)).toEqual({ _tag: "NeedsStep" })
    expect(decide(foreign, Verdict.transient, { stepped: Option.some(1_000) })).toEqual({ ...second, tree: undefined })
    expect(endOf(decide(foreign, Verdict.transient, { stepped: Option.none() }))).toBe("BackoffEnded")
    expect(endOf(decide(foreign, Verdict.transient, { attempts: 3 }))).toBe("AttemptsSpent")
  })

  it("follows a hint that is longer than its delay", () => {
    expect(decide(foreign, hinted("10 seconds"), { stepped: Option.some(1_000) })).toMatchObject({
      delayMillis: 10_000,
      source: "Hint"
    })
  })

  it("asks for the draw first, so that the schedule is stepped once", () => {
    const hint = Hint.floor({ jitterRatio: 0.5, atMost: "1 minute", otherwise: "giveUp" })
    expect(decide({ ...foreign, hint }, hinted("10 seconds"))).toEqual({ _tag: "NeedsDraw" })
    expect(decide({ ...foreign, hint }, hinted("10 seconds"), { u: 0 })).toEqual({ _tag: "NeedsStep" })
  })
})

describe("Decision.decide with a hint", () => {
  const doubling = { ...policy, backoff: Backoff.exponential({ base: "1 second" }) }
  const startingOver = (startsOver: boolean) => ({
    ...doubling,
    hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp", startsOver })
  })

  it.each([
    { startsOver: true, hint: "30 seconds", next: 1_000 },
    { startsOver: false, hint: "30 seconds", next: 4_000 },
    { startsOver: true, hint: 0, next: 4_000 }
  ] as const)(
    "starts the back-off over after a followed hint, if asked to: $startsOver, $hint",
    ({ hint, next, startsOver }) => {
      const asked = startingOver(startsOver)
      const first = decide(asked, Verdict.transient)
      const followed = decide(asked, hinted(hint), {
        attempts: 2,
        tree: first._tag === "Retry" ? first.tree : undefined
      })
      expect(followed).toMatchObject({ _tag: "Retry", startsOver: startsOver && hint !== 0 })
      const tree = followed._tag === "Retry" ? followed.tree : undefined
      expect(decide({ ...asked, maxAttempts: 9 }, Verdict.transient, { attempts: 3, tree })).toMatchObject({
        delayMillis: next
      })
    }
  )

  it.each([
    { name: "the curve", verdict: Verdict.transient, changed: {}, source: "Curve" },
    {
      name: "the cap",
      verdict: Verdict.transient,
      changed: { backoff: Backoff.capped(doubling.backoff, 500) },
      source: "Cap"
    },
    { name: "the hint", verdict: hinted("5 seconds"), changed: {}, source: "Hint" },
    {
      name: "the deadline",
      verdict: hinted("5 seconds"),
      changed: { deadline: Deadline.truncate("4 seconds", { reserve: "1 second" }) },
      source: "Deadline"
    },
    { name: "the curve, where the hint is shorter", verdict: hinted(500), changed: {}, source: "Curve" }
  ])("says that the delay comes from $name", ({ changed, source, verdict }) => {
    expect(decide({ ...doubling, ...changed }, verdict)).toMatchObject({ _tag: "Retry", source })
  })
})

describe("Decision.decide with the time since the first attempt", () => {
  it("ends a back-off that is bounded by it, and the tighter of that and the deadline holds", () => {
    const bounded = (within: Duration.DurationInput, deadline: Duration.DurationInput) => ({
      ...policy,
      backoff: Backoff.within(policy.backoff, within),
      deadline: Deadline.refuse(deadline)
    })
    const at = (policy: Policy.Any, elapsedMillis: number) =>
      endOf(decide(policy, Verdict.transient, { elapsedMillis }))
    expect([3_999, 4_000].map((elapsed) => at(bounded("5 seconds", "9 seconds"), elapsed))).toEqual([
      "Retry",
      "BackoffEnded"
    ])
    expect([3_999, 4_000].map((elapsed) => at(bounded("9 seconds", "5 seconds"), elapsed))).toEqual([
      "Retry",
      "DeadlinePassed"
    ])
  })

  it("tells the back-off how long the attempt ran", () => {
    const reset = { ...policy, backoff: Backoff.resetAfter(Backoff.exponential({ base: 100 }), "1 minute") }
    const first = decide(reset, Verdict.transient)
    const tree = first._tag === "Retry" ? first.tree : undefined
    expect(decide(reset, Verdict.transient, { attempts: 2, tree, ranMillis: 59_999 })).toMatchObject({
      delayMillis: 200
    })
    expect(decide(reset, Verdict.transient, { attempts: 2, tree, ranMillis: 60_000 })).toMatchObject({
      delayMillis: 100
    })
  })

  it("takes a custom curve like a built-in one", () => {
    const curve = Curve.fromFunction("cubes", (n) => n ** 3)
    expect(decide({ ...policy, backoff: Backoff.fromCurve(curve) }, Verdict.transient)).toMatchObject({
      delayMillis: 1
    })
  })
})

const passed = "DeadlinePassed"

describe("Decision.fit", () => {
  it.each([
    { deadline: undefined, elapsed: 9_999, delay: 9_999, fitted: 9_999 },
    { deadline: Deadline.refuse(1_000), elapsed: 0, delay: 999, fitted: 999 },
    { deadline: Deadline.refuse(1_000), elapsed: 0, delay: 1_000, fitted: passed },
    { deadline: Deadline.refuse(1_000), elapsed: 1_000, delay: 0, fitted: passed },
    { deadline: Deadline.refuse(1_000, { reserve: 300 }), elapsed: 100, delay: 600, fitted: 600 },
    { deadline: Deadline.refuse(1_000, { reserve: 300 }), elapsed: 100, delay: 601, fitted: passed },
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), elapsed: 100, delay: 600, fitted: 600 },
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), elapsed: 100, delay: 601, fitted: 600 },
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), elapsed: 100.5, delay: 9_999, fitted: 599 },
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), elapsed: 700, delay: 0, fitted: 0 },
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), elapsed: 700, delay: 1, fitted: passed },
    { deadline: Deadline.truncate(1_000, { reserve: 300 }), elapsed: 701, delay: 0, fitted: passed },
    { deadline: Deadline.cut(1_000), elapsed: 0, delay: 9_999, fitted: 9_999 },
    { deadline: Deadline.cut(1_000), elapsed: 999, delay: 9_999, fitted: 9_999 },
    { deadline: Deadline.cut(1_000), elapsed: 1_000, delay: 0, fitted: passed }
  ])("of a delay of $delay at $elapsed under $deadline is $fitted", ({ deadline, delay, elapsed, fitted }) => {
    const found = Decision.fit(prepare("test", { ...policy, deadline }), elapsed, delay)
    expect(typeof found === "number" ? found : found._tag).toBe(fitted)
  })
})
