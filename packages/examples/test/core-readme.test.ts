import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Curve,
  Deadline,
  Hint,
  Jitter,
  Policy,
  Retry,
  RetryBucket,
  SendRate,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Clock, Context, Data, Duration, Effect, Exit, Fiber, Layer, Ref, Schedule } from "effect"
import { expectTypeOf } from "vitest"
import { timeline } from "../src/scripted.ts"
import { rowsOf, tableOf } from "./rows.ts"

const path = "packages/core/README.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layer(name))))

const down = Effect.fail("down")
const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

/** What `Retry.orStopped` says about an operation that answers from a script. */
const stopped = <A, E, E2>(
  answers: readonly [Effect.Effect<A, E>, ...ReadonlyArray<Effect.Effect<A, E>>],
  caller: (call: Effect.Effect<A, E>) => Effect.Effect<A, Retry.RetryStopped<E2>>
) =>
  Effect.gen(function* () {
    const { calls, outcome } = yield* timeline(answers, (call) => Effect.flip(caller(call)))
    return {
      calls,
      error: outcome instanceof Retry.RetryStopped ? outcome.error : undefined,
      reason: outcome instanceof Retry.RetryStopped ? outcome.reason._tag : undefined,
      endedAt: yield* Clock.currentTimeMillis
    }
  })

describe(`${path} ## Defaults`, () => {
  const at = (value: unknown, ...fields: ReadonlyArray<string>): unknown =>
    fields.reduce<unknown>(
      (record, field) =>
        typeof record === "object" && record !== null
          ? Object.entries(record).find(([name]) => name === field)?.[1]
          : undefined,
      value
    )
  const standard = Policy.standard.backoff.tree
  const celery = Backoff.celery({ factor: 1 }).tree
  const truncated = Backoff.truncated({ base: 1, maximum: 1 }).tree
  const longest = 2_147_483_647

  const values: Readonly<Record<string, unknown>> = {
    "`Hint.standard` `atMost`": at(Hint.standard, "atMostMillis"),
    "`Hint.standard` `otherwise`": at(Hint.standard, "otherwise"),
    "`Hint.floor` `jitterRatio`": at(Hint.floor({ atMost: 1, otherwise: "clamp" }), "jitterRatio"),
    "`Policy.standard` `maxAttempts`": Policy.standard.maxAttempts,
    "`Policy.standard` base": at(standard, "curve", "baseMillis"),
    "`Policy.standard` factor": at(standard, "curve", "factor"),
    "`Policy.standard` cap": at(standard, "capMillis"),
    "`Policy.standard` jitter": at(standard, "jitter", "name"),
    "`Policy.once` `maxAttempts`": Policy.once.maxAttempts,
    "`Backoff.exponential` `factor`": at(Backoff.exponential({ base: 1 }).tree, "curve", "factor"),
    "`Backoff.celery` `maximum`": at(celery, "curve", "maximumMillis"),
    "`Backoff.celery` `jitter`": at(celery, "curve", "jitter"),
    "`Backoff.connectRetry` `maximum`": at(Backoff.connectRetry({}).tree, "curve", "maximumMillis"),
    "`Backoff.truncated` `factor`": at(truncated, "curve", "factor"),
    "`Backoff.truncated` `randomMillis`": at(truncated, "curve", "randomMillis"),
    "`Deadline.refuse` `reserve`": Deadline.refuse("1 second").reserveMillis,
    "`AttemptTimeout` verdict": at(AttemptTimeout.constant("1 second").verdict, "kind"),
    "`AttemptTimeout` at most": AttemptTimeout.longestTimerMillis,
    "A bound without a cap, at most": Curve.longestMillis
  }
  const fields = ["attempt", "sendRate", "attemptTimeout", "result", "hint", "deadline", "bucket"]
  const cells = new Map(rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value]))

  it("has a row for each of these values", () => {
    expect([...cells.keys()]).toEqual([...fields.map((field) => `\`${field}\``), ...Object.keys(values)])
  })

  it.each(Object.entries(values))("%s is what the table says", (option, value) => {
    expect(String(value)).toBe(cells.get(option))
  })

  it("a timeout or a cut above the longest timer is refused", () => {
    expect(AttemptTimeout.constant(longest).maximumMillis).toBe(longest)
    expect(() => AttemptTimeout.constant(longest + 1)).toThrow("AttemptTimeout.constant: duration must be")
    expect(() => Deadline.cut(longest + 1)).toThrow("Deadline.cut: within must be")
  })

  virtually("a policy of three fields runs, and follows a hint by the standard rule", () =>
    Effect.gen(function* () {
      const hinted = { ...policy, classifier: () => Verdict.retryable("Server", { hint: "59 seconds" }) }
      expect((yield* timeline([down], Retry.retry(hinted))).calls).toEqual([0, 59_000, 118_000])
    })
  )
})

tableOf(path, "## What it does when", {
  "An attempt succeeds": () =>
    virtually("returns the result", () =>
      Effect.gen(function* () {
        expect(yield* timeline([Effect.succeed("up")], Retry.retry(policy))).toEqual({ calls: [0], outcome: "up" })
      })
    ),

  "A failure is retryable": () =>
    virtually("waits, and makes the next attempt", () =>
      Effect.gen(function* () {
        const { calls, outcome } = yield* timeline([down, down, Effect.succeed("up")], Retry.retry(policy))
        expect({ calls, outcome }).toEqual({ calls: [0, 1000, 2000], outcome: "up" })
      })
    ),

  "A failure is `Terminal`": () =>
    virtually("stops at once and says why", () =>
      Effect.gen(function* () {
        const classifier = () => Verdict.terminal("gone")
        const ended = yield* Effect.flip(Retry.orStopped(down, { ...policy, classifier }))
        expect(ended).toMatchObject({ attempts: 1, error: "down", reason: { _tag: "Terminal", why: "gone" } })
        expect(yield* Clock.currentTimeMillis).toBe(0)
      })
    ),

  "No classifier has an opinion": () =>
    virtually("stops at once", () =>
      Effect.gen(function* () {
        const classifier = Classifier.fromPredicate((error: string) => error === "busy")
        const ended = yield* stopped([down], Retry.orStopped({ ...policy, classifier }))
        expect(ended).toEqual({ calls: [0], error: "down", reason: "Terminal", endedAt: 0 })
      })
    ),

  "`maxAttempts` calls have been made": () =>
    virtually("stops without a wait", () =>
      Effect.gen(function* () {
        const ended = yield* stopped([down], Retry.orStopped(policy))
        expect(ended).toEqual({ calls: [0, 1000, 2000], error: "down", reason: "AttemptsSpent", endedAt: 2000 })
      })
    ),

  "The back-off has ended": () =>
    virtually("stops without a wait", () =>
      Effect.gen(function* () {
        const ended = yield* stopped([down], Retry.orStopped({ ...policy, backoff: Backoff.fromDelays([100]) }))
        expect(ended).toEqual({ calls: [0, 100], error: "down", reason: "BackoffEnded", endedAt: 100 })
      })
    ),

  "The server gave a hint": () =>
    virtually("waits at least that long, also above the cap", () =>
      Effect.gen(function* () {
        const classifier = Classifier.withHint(Classifier.always, () => "5 seconds")
        const backoff = Backoff.exponential({ base: "1 second" }).pipe(Backoff.capped("2 seconds"))
        const { calls } = yield* timeline([down], Retry.retry({ ...policy, backoff, classifier }))
        expect(calls).toEqual([0, 5000, 10_000])
      })
    ),

  "The hint is longer than the rule's `atMost`": () => {
    const classifier = Classifier.withHint(Classifier.always, () => "1 hour")

    virtually("stops without a wait when it gives up", () =>
      Effect.gen(function* () {
        const hint = Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
        const ended = yield* stopped([down], Retry.orStopped({ ...policy, classifier, hint }))
        expect(ended).toEqual({ calls: [0], error: "down", reason: "HintTooLong", endedAt: 0 })
      })
    )

    virtually("waits the bound when it clamps", () =>
      Effect.gen(function* () {
        const hint = Hint.floor({ atMost: "1 minute", otherwise: "clamp" })
        const { calls } = yield* timeline([down], Retry.retry({ ...policy, classifier, hint }))
        expect(calls).toEqual([0, 60_000, 120_000])
      })
    )
  },

  "The hint is negative, NaN or no duration": () =>
    virtually("ignores it", () =>
      Effect.gen(function* () {
        for (const hint of [-1, NaN, "soon" as Duration.DurationInput]) {
          const classifier = Classifier.withHint(Classifier.always, () => hint)
          const { calls } = yield* timeline([down], Retry.retry({ ...policy, classifier }))
          expect(calls).toEqual([0, 1000, 2000])
        }
      })
    ),

  "The next attempt could not start before the deadline": () => {
    virtually("stops without a wait when it refuses", () =>
      Effect.gen(function* () {
        const deadline = Deadline.refuse("1500 millis")
        const ended = yield* stopped([down], Retry.orStopped({ ...policy, deadline }))
        expect(ended).toEqual({ calls: [0, 1000], error: "down", reason: "DeadlinePassed", endedAt: 1000 })
      })
    )

    virtually("shortens the wait when it truncates", () =>
      Effect.gen(function* () {
        const deadline = Deadline.truncate("1500 millis", { reserve: "200 millis" })
        const ended = yield* stopped([down], Retry.orStopped({ ...policy, maxAttempts: 9, deadline }))
        expect(ended).toEqual({ calls: [0, 1000, 1300], error: "down", reason: "DeadlinePassed", endedAt: 1300 })
      })
    )
  },

  "The deadline passes during an attempt": () => {
    const slow = Effect.delay(down, "10 seconds")

    virtually("leaves the attempt alone", () =>
      Effect.gen(function* () {
        const deadline = Deadline.refuse("1 second")
        const ended = yield* stopped([slow], Retry.orStopped({ ...policy, deadline }))
        expect(ended).toEqual({ calls: [0], error: "down", reason: "DeadlinePassed", endedAt: 10_000 })
      })
    )

    virtually("interrupts it when it cuts", () =>
      Effect.gen(function* () {
        const ended = yield* stopped([slow], Retry.orStopped({ ...policy, deadline: Deadline.cut("1 second") }))
        expect(ended).toMatchObject({ calls: [0], reason: "DeadlinePassed", endedAt: 1000 })
        expect(ended.error).toBeInstanceOf(Deadline.DeadlineExceeded)
      })
    )
  },

  "An attempt runs into its timeout": () =>
    virtually("interrupts it and counts a failure of its kind", () =>
      Effect.gen(function* () {
        const interrupted = yield* Ref.make(0)
        const hanging = Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (count) => count + 1))
        const attemptTimeout = AttemptTimeout.constant("3 seconds")
        const backoff = Backoff.byKind({
          Timeout: Backoff.constant({ delay: "7 seconds" }),
          orElse: Backoff.fromDelays([])
        })
        const { calls, outcome } = yield* timeline([hanging], Retry.retry({ ...policy, attemptTimeout, backoff }))
        expect(calls).toEqual([0, 10_000, 20_000])
        expect(outcome).toMatchObject({ _tag: "AttemptTimedOut", attempt: 3 })
        expect(yield* Ref.get(interrupted)).toBe(3)
      })
    ),

  "An attempt that cannot be interrupted runs into its timeout": () => {
    const stubborn = Effect.uninterruptible(Effect.as(Effect.sleep("5 seconds"), "late"))
    const attemptTimeout = AttemptTimeout.constant("1 second")

    virtually("waits for it and counts the timeout", () =>
      Effect.gen(function* () {
        const { calls, outcome } = yield* timeline([stubborn], Retry.retry({ ...policy, attemptTimeout }))
        expect(calls).toEqual([0, 6000, 12_000])
        expect(outcome).toMatchObject({ _tag: "AttemptTimedOut" })
      })
    )

    virtually("does not wait when it is disconnected", () =>
      Effect.gen(function* () {
        const disconnected = AttemptTimeout.disconnected(attemptTimeout)
        const { calls } = yield* timeline([stubborn], Retry.retry({ ...policy, attemptTimeout: disconnected }))
        expect(calls).toEqual([0, 2000, 4000])
      })
    )
  },

  "A result is judged retryable": () => {
    const again = { ...policy, result: (answer: string) => (answer === "no" ? Verdict.transient : Verdict.noOpinion) }

    virtually("waits, and makes the next attempt", () =>
      Effect.gen(function* () {
        const script = [Effect.succeed("no"), Effect.succeed("yes")] as const
        expect(yield* timeline([...script], Retry.retry(again))).toEqual({ calls: [0, 1000], outcome: "yes" })
      })
    )

    virtually("returns the last result when it gives up", () =>
      Effect.gen(function* () {
        const { calls, outcome } = yield* timeline([Effect.succeed("no")], Retry.retry(again))
        expect({ calls, outcome }).toEqual({ calls: [0, 1000, 2000], outcome: "no" })
      })
    )
  },

  "A result is judged `Terminal`": () =>
    virtually("returns it at once", () =>
      Effect.gen(function* () {
        const useless = { ...policy, result: () => Verdict.terminal("no use") }
        const { calls, outcome } = yield* timeline([Effect.succeed("no")], Retry.retry(useless))
        expect({ calls, outcome }).toEqual({ calls: [0], outcome: "no" })
        const ended = yield* stopped([Effect.succeed("no")], Retry.orStopped(useless))
        expect(ended).toMatchObject({ reason: "Terminal", error: { _tag: "ResultRejected", result: "no" } })
      })
    ),

  "The bucket refuses": () =>
    virtually("stops without a wait", () =>
      Effect.gen(function* () {
        const bucketed = { ...policy, bucket: RetryBucket.Default }
        const ended = yield* stopped([down], (call) =>
          Effect.provide(Retry.orStopped(call, bucketed), RetryBucket.layerEmpty(RetryBucket.Default))
        )
        expect(ended).toEqual({ calls: [0], error: "down", reason: "BucketEmpty", endedAt: 0 })
      })
    ),

  "The send rate refuses the first attempt": () =>
    virtually("fails without a call", () =>
      Effect.gen(function* () {
        const refusing = Layer.succeed(SendRate.Default, {
          ...SendRate.unlimited,
          acquire: () => Effect.succeed(false)
        })
        const rated = { ...policy, sendRate: SendRate.Default }
        const ended = yield* stopped([down], (call) => Effect.provide(Retry.orStopped(call, rated), refusing))
        expect(ended).toMatchObject({
          calls: [],
          error: { _tag: "SendRefused" },
          reason: "SendRateRefused",
          endedAt: 0
        })
      })
    ),

  "The send rate refuses a later attempt": () =>
    virtually("stops with the last error", () =>
      Effect.gen(function* () {
        const once = Layer.succeed(SendRate.Default, {
          ...SendRate.unlimited,
          acquire: ({ attempt }) => Effect.succeed(attempt === 1)
        })
        const rated = { ...policy, sendRate: SendRate.Default }
        const ended = yield* stopped([down], (call) => Effect.provide(Retry.orStopped(call, rated), once))
        expect(ended).toEqual({ calls: [0], error: "down", reason: "SendRateRefused", endedAt: 1000 })
      })
    ),

  "An attempt dies": () =>
    virtually("passes the defect through", () =>
      Effect.gen(function* () {
        const { calls, outcome } = yield* timeline([Effect.die("bug")], (call) =>
          Effect.sandbox(Retry.orStopped(call, policy))
        )
        expect(calls).toEqual([0])
        expect(outcome).toEqual(Cause.die("bug"))
      })
    ),

  "The operation is interrupted in a wait": () =>
    virtually("ends at once", () =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(Retry.orStopped(down, policy))
        yield* Effect.sleep("500 millis")
        const exit = yield* Fiber.interrupt(fiber)
        expect(Exit.isInterrupted(exit)).toBe(true)
        expect(yield* Clock.currentTimeMillis).toBe(500)
      })
    ),

  "The operation is uninterruptible": () =>
    virtually("waits to its end", () =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(Effect.uninterruptible(Retry.retry(down, policy)))
        yield* Effect.sleep("500 millis")
        yield* Fiber.interrupt(fiber)
        expect(yield* Clock.currentTimeMillis).toBe(2000)
      })
    ),

  "An attempt retries by itself": () =>
    virtually("multiplies the numbers of calls", () =>
      Effect.gen(function* () {
        const { calls } = yield* timeline([down], (call) => Retry.retry(Retry.retry(call, policy), policy))
        expect(calls).toHaveLength(9)
      })
    ),

  "The clock steps back": () =>
    virtually("takes no time away, and counts the time after the step", () =>
      Effect.gen(function* () {
        const attempts = yield* Ref.make(0)
        const stepping = Effect.gen(function* () {
          yield* Ref.update(attempts, (count) => count + 1)
          yield* Effect.sleep("1 second")
          if ((yield* Ref.get(attempts)) === 2) yield* VirtualClock.stepBack("1 hour")
          return yield* down
        })
        const bounded = { ...policy, maxAttempts: 99, deadline: Deadline.refuse("10 seconds") }
        const ended = yield* Effect.flip(VirtualClock.run(Retry.orStopped(stepping, bounded)))
        expect(ended.history.map(({ startedAfter }) => startedAfter.toString())).toEqual([
          "Duration(0)",
          "Duration(2s)",
          "Duration(3s)",
          "Duration(5s)",
          "Duration(7s)",
          "Duration(9s)"
        ])
        expect(ended).toMatchObject({ reason: { _tag: "DeadlinePassed" } })
      })
    ),

  "The same effect is run again": () =>
    virtually("starts from the first attempt", () =>
      Effect.gen(function* () {
        const { calls } = yield* timeline([down], (call) => {
          const retried = Effect.ignore(Retry.retry(call, policy))
          return Effect.zip(retried, retried)
        })
        expect(calls).toEqual([0, 1000, 2000, 2000, 3000, 4000])
      })
    ),

  "A constructor gets NaN, a negative value or a fraction of a call": () =>
    it("throws an error that names module, field, range and value", () => {
      const refusals = [
        [() => Backoff.exponential({ base: 1, factor: NaN }), "Backoff.exponential: factor must be >= 1, got NaN"],
        [() => Backoff.constant({ delay: -1 }), "Backoff.constant: delay must be a finite duration >= 0, got -1"],
        [
          () => Policy.make({ ...policy, maxAttempts: 1.5 }),
          "Policy.make: maxAttempts must be a whole number >= 1, got 1.5"
        ]
      ] as const
      for (const [construct, message] of refusals) expect(construct).toThrow(message)
    })
})

tableOf(path, "## How the types work", {
  "`attempt: Retry.CurrentAttempt`": () =>
    it("removes the requirement, and only where the policy has it", () => {
      const reading = Effect.map(Retry.CurrentAttempt, ({ number }) => number)
      expectTypeOf(Retry.retry(reading, policy)).toEqualTypeOf<Effect.Effect<number, never, Retry.CurrentAttempt>>()
      const told = Retry.retry(reading, { ...policy, attempt: Retry.CurrentAttempt })
      expectTypeOf(told).toEqualTypeOf<Effect.Effect<number>>()
      expect(Effect.runSync(told)).toBe(1)
    }),

  "`sendRate: Tag`": () =>
    it("adds an error and the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, SendRate.SendRate>() {}
      const rated = Retry.retry(down, { ...policy, maxAttempts: 1, sendRate: Mine })
      expectTypeOf(rated).toEqualTypeOf<Effect.Effect<never, string | Retry.SendRefused, Mine>>()
      expect(Effect.runSync(Effect.flip(Effect.provide(rated, SendRate.layerUnlimited(Mine))))).toBe("down")
    }),

  "`attemptTimeout`": () =>
    virtually("adds its error, or the caller's", () =>
      Effect.gen(function* () {
        const timed = Retry.retry(Effect.never, { ...policy, attemptTimeout: AttemptTimeout.constant("1 second") })
        expectTypeOf(timed).toEqualTypeOf<Effect.Effect<never, AttemptTimeout.AttemptTimedOut>>()
        expect(yield* Effect.flip(timed)).toBeInstanceOf(AttemptTimeout.AttemptTimedOut)
        const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: ({ attempt }) => attempt })
        const named = Retry.retry(Effect.never, { ...policy, attemptTimeout })
        expectTypeOf(named).toEqualTypeOf<Effect.Effect<never, number>>()
        expect(yield* Effect.flip(named)).toBe(3)
      })
    ),

  "`backoff: Schedule<_, _, R>`": () =>
    it("adds its requirement", () => {
      class Limit extends Context.Tag("Limit")<Limit, number>() {}
      const backoff = Schedule.recurs(9).pipe(
        Schedule.whileOutputEffect((n) => Effect.map(Limit, (limit) => n < limit))
      )
      const scheduled = Retry.orStopped(down, { ...policy, maxAttempts: 9, backoff })
      expectTypeOf(scheduled).toEqualTypeOf<Effect.Effect<never, Retry.RetryStopped<string>, Limit>>()
      const ended = Effect.runSync(Effect.flip(Effect.provideService(scheduled, Limit, 2)))
      expect(ended).toMatchObject({ attempts: 3, reason: { _tag: "BackoffEnded" } })
    }),

  "`deadline: Deadline.cut`": () =>
    virtually("adds its error, or the caller's; the others add nothing", () =>
      Effect.gen(function* () {
        const cut = Retry.retry(down, { ...policy, deadline: Deadline.cut("1 millis") })
        expectTypeOf(cut).toEqualTypeOf<Effect.Effect<never, string | Deadline.DeadlineExceeded>>()
        expect(yield* Effect.flip(cut)).toBeInstanceOf(Deadline.DeadlineExceeded)
        const deadline = Deadline.cut("1 millis", { onExceeded: ({ attempts }) => attempts })
        const named = Retry.retry(down, { ...policy, deadline })
        expectTypeOf(named).toEqualTypeOf<Effect.Effect<never, string | number>>()
        expect(yield* Effect.flip(named)).toBe(1)
        const refused = Retry.retry(down, { ...policy, deadline: Deadline.refuse("1 millis") })
        expectTypeOf(refused).toEqualTypeOf<Effect.Effect<never, string>>()
        expect(yield* Effect.flip(refused)).toBe("down")
      })
    ),

  "`bucket: Tag`": () =>
    it("adds the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, RetryBucket.RetryBucket>() {}
      const funded = Retry.retry(down, { ...policy, bucket: Mine })
      expectTypeOf(funded).toEqualTypeOf<Effect.Effect<never, string, Mine>>()
      expect(Effect.runSync(Effect.flip(Effect.provide(funded, RetryBucket.layerEmpty(Mine))))).toBe("down")
    })
})

describe(`${path} ## How the types work, of classifiers`, () => {
  class Busy extends Data.TaggedError("Busy")<{ readonly load: number }> {}
  class Forbidden extends Data.TaggedError("Forbidden") {}
  const call = Effect.fail<Busy | Forbidden>(new Busy({ load: 2 }))
  const { backoff } = policy

  it("a case sees its error without an annotation, in a call and in a pipe", () => {
    const dataFirst = Retry.retry(call, {
      classifier: Classifier.fromTags({ Busy: ({ load }) => Verdict.terminal(`load ${load}`) }),
      maxAttempts: 3,
      backoff
    })
    const dataLast = call.pipe(
      Retry.orStopped({
        classifier: Classifier.fromTags({ Busy: ({ load }) => Verdict.terminal(`load ${load}`) }),
        maxAttempts: 3,
        backoff
      })
    )
    expectTypeOf(dataFirst).toEqualTypeOf<Effect.Effect<never, Busy | Forbidden>>()
    expect(Effect.runSync(Effect.flip(dataFirst))).toBeInstanceOf(Busy)
    expectTypeOf(dataLast).toEqualTypeOf<Effect.Effect<never, Retry.RetryStopped<Busy | Forbidden>>>()
    expect(Effect.runSync(Effect.flip(dataLast)).reason).toEqual({ _tag: "Terminal", why: "load 2" })
  })

  it("a tag outside of the union is refused, of a constant only with the union named", () => {
    const rest = { maxAttempts: 1, backoff }
    // @ts-expect-error the call has no such error
    Retry.retry(call, { ...rest, classifier: Classifier.fromTags({ Bussy: Verdict.server }) })
    const unnamed = Classifier.fromTags({ Bussy: Verdict.server })
    const named = Classifier.fromTags<Busy | Forbidden>({
      Busy: Verdict.server,
      // @ts-expect-error the union has no such error
      Bussy: Verdict.server
    })
    expectTypeOf(named).toEqualTypeOf<Classifier.Classifier<Busy | Forbidden>>()
    for (const retried of [
      Retry.retry(call, { ...rest, classifier: unnamed }),
      Retry.retry(call, { ...rest, classifier: named })
    ]) {
      expect(Effect.runSync(Effect.flip(retried))).toBeInstanceOf(Busy)
    }
  })
})

describe(`${path} ## A jitter of your own`, () => {
  it("is tried at construction", () => {
    const outside = {
      name: "outside",
      interval: (bound: number) => [0, bound] as const,
      draw: (bound: number) => 2 * bound
    }
    expect(() => Jitter.make(outside)).toThrow("Jitter.outside: draw must be within its interval [0, 1]")
  })

  it.effect("is fitted below the cap", () =>
    Effect.gen(function* () {
      const above = Jitter.make({ name: "above", interval: (b) => [b, 2 * b], draw: (b, u) => b + u * b })
      const backoff = Backoff.constant({ delay: "1 second" }).pipe(Backoff.jittered(above), Backoff.capped("1 second"))
      const delays = yield* Schedule.run(backoff, 0, Array.from({ length: 200 }))
      const millis = Array.from(delays, Duration.toMillis)
      expect(Math.max(...millis)).toBeLessThanOrEqual(1000)
      expect(millis.filter((delay) => delay === 1000).length).toBeLessThan(10)
    }).pipe(Effect.provide(SeededRandom.layer("above")))
  )
})
