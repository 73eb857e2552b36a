import {
  Backoff,
  type Classifier,
  Hint,
  Jitter,
  Policy,
  Promises,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, FastCheck, Fiber, FiberId, Option, Random } from "effect"
import { Bucket, funded, judge, Limiter, make, nowMillis, policy, type Word, world } from "./Recording.ts"
import { runsOf } from "../support/Laws.ts"

const immediately = Backoff.constant({ delay: 0 })

const always = { classifier: () => Verdict.transient, maxAttempts: 3, backoff: immediately }

/** Fails until attempt `until`, which succeeds; counts the attempts. */
const failingUntil = (until: number) => {
  const counted = { attempts: 0 }
  const attempt = Effect.suspend(() =>
    ++counted.attempts < until ? Effect.fail("busy" as const) : Effect.succeed(counted.attempts)
  )
  return { attempt, counted }
}

/** The one defect that an operation died with. */
const defectOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.match(exit, {
    onFailure: (cause) => Option.getOrThrow(Cause.keepDefects(cause).pipe(Option.flatMap(Cause.dieOption))),
    onSuccess: () => expect.unreachable("it succeeded")
  })

describe("Retry.retry", () => {
  it.effect("answers with the first success", () =>
    Effect.gen(function* () {
      expect(yield* Retry.retry(failingUntil(1).attempt, policy)).toBe(1)
      expect(yield* Retry.retry(failingUntil(3).attempt, policy)).toBe(3)
      expect(yield* nowMillis).toBe(2_000)
    }).pipe(world)
  )

  it.effect("is the same data-first and data-last, in every retry function", () =>
    Effect.gen(function* () {
      const failing = () => failingUntil(Infinity).attempt
      const orElse = (stopped: Retry.RetryStopped<"busy">) => Effect.succeed(stopped)
      expect(yield* Effect.exit(Retry.retry(failing(), policy))).toEqual(Exit.fail("busy"))
      expect(yield* Effect.exit(failing().pipe(Retry.retry(policy)))).toEqual(Exit.fail("busy"))
      const stopped = [
        yield* Effect.flip(Retry.orStopped(failing(), policy)),
        yield* failing().pipe(Retry.orStopped(policy), Effect.flip),
        yield* Retry.retryOrElse(failing(), policy, orElse),
        yield* failing().pipe(Retry.retryOrElse(policy, orElse))
      ]
      for (const one of stopped) {
        expect(one).toBeInstanceOf(Retry.RetryStopped)
        expect(one).toEqual(stopped[0])
      }
    }).pipe(world)
  )

  it.effect("answers with an effect that starts afresh whenever it is run", () =>
    Effect.gen(function* () {
      const { attempt, counted } = failingUntil(Infinity)
      for (const policy of [always, { ...always, backoff: Backoff.fromDelays([0, 0]) }]) {
        counted.attempts = 0
        const retried = Retry.retry(attempt, policy)
        yield* Effect.flip(retried)
        yield* Effect.flip(retried)
        expect(counted.attempts).toBe(6)
      }
    })
  )

  it.effect("keeps concurrent runs of one effect apart", () =>
    Effect.gen(function* () {
      const attempt = Effect.zipRight(Effect.yieldNow(), Effect.fail("busy" as const))
      const retried = Effect.flip(
        Retry.orStopped(attempt, { ...policy, backoff: Backoff.fromDelays(["1 second", "2 seconds"]) })
      )
      const all = yield* Effect.all(
        Array.from({ length: 5 }, () => retried),
        { concurrency: "unbounded" }
      )
      expect(all.map(({ attempts, elapsed }) => [attempts, Duration.toMillis(elapsed)])).toEqual(
        Array.from({ length: 5 }, () => [3, 3_000])
      )
    }).pipe(world)
  )

  it.effect("bends a delay by the hint of the verdict", () =>
    Effect.gen(function* () {
      const waits = (hint: Hint.Hint | undefined, word: Word) =>
        Effect.gen(function* () {
          const { attempts, provide } = make()
          yield* provide(Retry.retry(attempts(Effect.fail(word), Effect.void), { ...policy, hint }))
          return yield* nowMillis
        }).pipe(world)
      expect(yield* waits(undefined, "busy")).toBe(1_000)
      const standard = yield* waits(undefined, "come back later")
      expect([standard >= 5_000, standard <= 7_500]).toEqual([true, true])
      const floor = Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
      expect(yield* waits(floor, "come back later")).toBe(5_000)
      expect(yield* waits(Hint.ignore, "come back later")).toBe(1_000)
      expect(yield* waits(Hint.within({ above: "2 seconds" }), "come back later")).toBe(3_000)
    })
  )

  it.effect("draws for a hint with jitter, even when the back-off draws nothing", () =>
    Effect.gen(function* () {
      const hint = Hint.floor({ atMost: "1 minute", otherwise: "giveUp", jitterRatio: 0.5 })
      yield* Retry.retry(make().attempts(Effect.fail("come back later" as const), Effect.void), { ...policy, hint })
      expect(yield* nowMillis).toBe(6_250)
    }).pipe(Effect.provide(SeededRandom.layerFixed([0.5])), VirtualClock.run)
  )

  it.effect("draws nothing for a delay without chance, nor before a refusal", () =>
    Effect.gen(function* () {
      const jittered = Backoff.jittered(policy.backoff, Jitter.full)
      yield* Effect.flip(Retry.retry(failingUntil(Infinity).attempt, policy))
      yield* Effect.flip(Retry.retry(Effect.fail("bad request" as const), { ...policy, backoff: jittered }))
      yield* Effect.flip(Retry.retry(Effect.fail("busy" as const), { ...policy, maxAttempts: 1, backoff: jittered }))
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )
})

describe("Retry.retry failure", () => {
  const exitOf = (cause: Cause.Cause<unknown>) =>
    Effect.gen(function* () {
      let attempts = 0
      const attempt = Effect.suspend(() => {
        attempts += 1
        return Effect.failCause(cause)
      })
      const exit = yield* Effect.exit(Retry.retry(attempt, always))
      return { attempts, exit }
    })

  it.effect.each([
    { name: "of a failure with nothing", cause: Cause.fail(undefined) },
    { name: "of two failures side by side", cause: Cause.parallel(Cause.fail("busy"), Cause.fail("also busy")) },
    { name: "of two failures in a row", cause: Cause.sequential(Cause.fail("busy"), Cause.fail("also busy")) },
    {
      name: "of a failure beside an interrupted sibling",
      cause: Cause.parallel(Cause.interrupt(FiberId.none), Cause.fail("busy"))
    }
  ])("retries the cause $name, and ends with all of it", ({ cause }) =>
    Effect.gen(function* () {
      expect(yield* exitOf(cause)).toEqual({ attempts: 3, exit: Exit.failCause(cause) })
    })
  )

  it.effect.each([
    { name: "a defect", cause: Cause.die("defect") },
    { name: "an interruption", cause: Cause.interrupt(FiberId.none) },
    { name: "nothing", cause: Cause.empty },
    { name: "a defect beside a failure", cause: Cause.parallel(Cause.fail("busy"), Cause.die("defect")) },
    { name: "a defect after a failure", cause: Cause.sequential(Cause.fail("busy"), Cause.die("in the finalizer")) }
  ])("passes a cause of $name through untouched, without a retry", ({ cause }) =>
    Effect.gen(function* () {
      expect(yield* exitOf(cause)).toEqual({ attempts: 1, exit: Exit.failCause(cause) })
    })
  )

  it.effect("passes a defect in a later attempt through untouched, in every retry function", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(Effect.fail("busy" as const), Effect.die("defect"))
      expect(yield* Effect.exit(Retry.retry(attempt, policy))).toEqual(Exit.die("defect"))
      const again = make().attempts(Effect.fail("busy" as const), Effect.die("defect"))
      expect(yield* Effect.exit(Retry.orStopped(again, policy))).toEqual(Exit.die("defect"))
    }).pipe(world)
  )

  it.effect("records no defect, and refunds no tokens for it", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(Effect.fail("busy" as const), Effect.die("defect"))
      yield* Effect.exit(recording.provide(Retry.retry(attempt, funded)))
      expect(recording.lines.slice(-2)).toEqual(["limiter acquire 2 after Transient", "attempt 2"])
    }).pipe(world)
  )

  it.effect("refunds tokens when the rate limiter dies, which counts as its refusal", () =>
    Effect.gen(function* () {
      const recording = make({
        limiter: ({ attempt }) => (attempt === 1 ? Effect.succeedSome(1) : Effect.die("limiter is broken"))
      })
      const failing = Retry.orStopped(Effect.fail("busy" as const), funded)
      const stopped = yield* Effect.flip(recording.provide(failing))
      expect([stopped.reason, stopped.error]).toEqual([{ _tag: "RateLimiterRefused" }, "busy"])
      expect(recording.lines.slice(-2)).toEqual(["limiter acquire 2 after Transient", "bucket refund 5"])
    }).pipe(world)
  )

  it.effect("dies of a classifier or a judge of results that throws, and not of a bucket", () =>
    Effect.gen(function* () {
      const thrown = new Error("thrown")
      const raise = () => {
        throw thrown
      }
      const failing = Effect.fail("busy" as const)
      const died = defectOf(yield* Effect.exit(Retry.retry(failing, { ...always, classifier: raise })))
      expect(died).toMatchObject({ _tag: "InvalidArgument", value: { original: thrown }, cause: { original: "busy" } })
      expect(yield* Effect.exit(Retry.retry(Effect.void, { ...always, result: raise }))).toEqual(Exit.die(thrown))
      const recording = make({ bucket: raise })
      const exit = yield* Effect.exit(recording.provide(Retry.retry(failing, { ...always, bucket: Bucket })))
      expect(exit).toEqual(Exit.fail("busy"))
    }).pipe(world)
  )

  it.effect("fails with the last error, not with the first", () =>
    Effect.gen(function* () {
      const attempt = make().attempts(Effect.fail("busy" as const), Effect.fail("slow down" as const))
      expect(yield* Effect.exit(Retry.retry(attempt, policy))).toEqual(Exit.fail("slow down"))
    }).pipe(world)
  )
})

describe("A policy whose functions answer no verdict", () => {
  const predicate = (() => true) as unknown as Classifier.Classifier
  const failing = Effect.fail("busy" as const)
  type Judging = Policy.Policy<unknown, never, never, unknown>
  const doors: { readonly [door: string]: (attempt: Effect.Effect<void, "busy">, policy: Judging) => Exits } = {
    retry: (attempt, policy) => Effect.exit(Retry.retry(attempt, policy)),
    orStopped: (attempt, policy) => Effect.exit(Retry.orStopped(attempt, policy)),
    retryOrElse: (attempt, policy) => Effect.exit(Retry.retryOrElse(attempt, policy, Effect.fail))
  }
  type Exits = Effect.Effect<Exit.Exit<unknown, unknown>>

  it.effect.each(Object.entries(doors))(
    "ends in a defect that names the classifier and keeps the error: %s",
    ([, door]) =>
      Effect.gen(function* () {
        for (const backoff of [immediately, Backoff.within(immediately, "1 minute")]) {
          const died = defectOf(yield* door(failing, { ...always, backoff, classifier: predicate }))
          expect(died).toMatchObject({ _tag: "InvalidArgument", field: "classifier", cause: { original: "busy" } })
          expect(String(died)).toContain("Classifier.fromPredicate")
        }
      }).pipe(world)
  )

  it.effect("ends in a defect that names result", () =>
    Effect.gen(function* () {
      const judging = { ...always, result: predicate }
      for (const door of Object.values(doors)) {
        const died = defectOf(yield* door(Effect.void, judging))
        expect(died).toMatchObject({ _tag: "InvalidArgument", field: "result", value: true })
      }
    }).pipe(world)
  )

  it.effect("is not retried by a policy around it", () =>
    Effect.gen(function* () {
      const { attempt, counted } = failingUntil(Infinity)
      const inner = Retry.retry(attempt, { ...always, classifier: predicate })
      defectOf(yield* Effect.exit(Retry.retry(inner, always)))
      expect(counted.attempts).toBe(1)
    }).pipe(world)
  )
})

describe("Retry functions that are called with something else", () => {
  const effect = Effect.suspend(() => Effect.fail("busy"))
  const promise = Promise.resolve(1)
  const orElse = () => Effect.void
  type Call = (...given: ReadonlyArray<unknown>) => unknown
  const [retry, orStopped, retryOrElse] = [
    Retry.retry,
    Retry.orStopped,
    Retry.retryOrElse
  ] as unknown as ReadonlyArray<Call>
  const forms = {
    retry: "as in Retry.retry(effect, policy)",
    orStopped: "as in Retry.orStopped(effect, policy)",
    retryOrElse: "as in Retry.retryOrElse(effect, policy, orElse)"
  }

  it.each([
    ["no argument", [], "policy", "undefined"],
    ["an effect without a policy", [effect], "policy", "EffectPrimitive"],
    ["a promise", [promise], "policy", "Promise"],
    ["undefined for a policy", [effect, undefined], "policy", "undefined"],
    ["an effect for a policy", [effect, effect], "policy", "EffectPrimitive"],
    ["a promise for a policy", [effect, promise], "policy", "Promise"],
    ["undefined for an effect", [undefined, always], "effect", "undefined"],
    ["both the wrong way round", [always, effect], "effect", "Object"]
  ] as const)("refuse %s at the call, and say what to write", (_, given, field, got) => {
    for (const [name, door, more] of [
      ["retry", retry, []],
      ["orStopped", orStopped, []],
      ["retryOrElse", retryOrElse, given.length > 1 ? [orElse] : []]
    ] as const) {
      const message = new RegExp(`^Retry\\.${name}: ${field} must be .*`)
      expect(() => door!(...given, ...more)).toThrow(message)
      expect(() => door!(...given, ...more)).toThrow(`${forms[name]}, got ${got}`)
    }
  })

  it.each([
    ["an effect and a policy", [effect, always], "orElse", "undefined"],
    ["a policy alone", [always], "orElse", "undefined"],
    ["undefined for the fallback", [effect, always, undefined], "orElse", "undefined"],
    ["an effect for the fallback", [effect, always, effect], "orElse", "EffectPrimitive"],
    ["an effect for the stored fallback", [always, effect], "orElse", "EffectPrimitive"]
  ] as const)("refuse a fallback that is missing: %s", (_, given, field, got) => {
    expect(() => retryOrElse!(...given)).toThrow(`Retry.retryOrElse: ${field} must be`)
    expect(() => retryOrElse!(...given)).toThrow(`${forms.retryOrElse}, got ${got}`)
  })

  it.each([
    ["a promise", promise, "Promise"],
    ["an async function", async () => 1, "AsyncFunction"]
  ])("refuse %s, and say which function retries it", (_, given, got) => {
    const says = (form: string) =>
      `effect must be an effect, ${form}; async functions are retried by Promises.retry, got ${got}`
    expect(() => retry!(given, always)).toThrow(says(forms.retry))
    expect(() => (orStopped!(always) as Call)(given)).toThrow(says(forms.orStopped))
    expect(() => retryOrElse!(given, always, orElse)).toThrow(says(forms.retryOrElse))
  })

  it("refuse a function that returns an effect, and say to pass the effect", () => {
    const says = "; pass the effect itself, not a function that returns it, got Function"
    expect(() => retry!(() => effect, always)).toThrow(`${forms.retry}${says}`)
    expect(() => (orStopped!(always) as Call)(() => effect)).toThrow(`${forms.orStopped}${says}`)
  })

  it.effect("name themselves for a predicate in place of a classifier, when it is asked", () =>
    Effect.gen(function* () {
      const predicate = { ...always, classifier: () => true as never }
      const failing = Effect.fail("no")
      const says = "classifier must be a function that returns a verdict made by Verdict"
      const operations: ReadonlyArray<readonly [owner: string, Effect.Effect<never, unknown>]> = [
        ["Retry.retry", Retry.retry(failing, { ...predicate })],
        ["Retry.orStopped", Retry.orStopped(failing, { ...predicate })],
        ["Policy.make", Retry.retry(failing, Policy.make({ ...predicate }))],
        ["Policy.toSchedule", Effect.retry(failing, Policy.toSchedule({ ...predicate }))],
        ["Promises.retry", Effect.promise(() => Promises.retry(() => Promise.reject("no"), { ...predicate }))]
      ]
      for (const [owner, operation] of operations) {
        expect(Cause.pretty(yield* Effect.flip(Effect.sandbox(operation)))).toContain(`${owner}: ${says}`)
      }
    })
  )

  it("refuse a stored function that is given no effect", () => {
    const stored = [retry!(always), orStopped!(always), retryOrElse!(always, orElse)] as ReadonlyArray<Call>
    for (const call of stored) {
      expect(() => call(promise)).toThrow(/effect must be an effect, as in .*, got Promise$/)
      expect(() => call()).toThrow(/got undefined$/)
    }
  })

  it.effect("take further arguments in a pipe, such as those of Array.map", () =>
    Effect.gen(function* () {
      const attempts = [1, 2].map((n) => Effect.succeed(n)).map(Retry.retry(always))
      expect(yield* Effect.all(attempts)).toEqual([1, 2])
      expect(yield* Effect.succeed(1).pipe(Retry.retryOrElse(always, () => Effect.succeed(2)))).toBe(1)
    })
  )

  it.effect("take any effect, such as an option or a tagged error", () =>
    Effect.gen(function* () {
      expect(yield* Retry.retry(Option.some(1), always)).toBe(1)
      expect(yield* Effect.flip(Retry.retry(new Cause.TimeoutException(), always))).toBeInstanceOf(
        Cause.TimeoutException
      )
    })
  )
})

describe("Retry.retry of judged results", () => {
  type Answer = "ready" | "pending" | "throttled" | "gone"
  const verdicts: { readonly [answer in Answer]: Verdict.Verdict } = {
    ready: Verdict.noOpinion,
    pending: Verdict.server,
    throttled: Verdict.throttling,
    gone: Verdict.terminal("it is gone")
  }
  const judging = { ...funded, result: (answer: Answer) => verdicts[answer] }
  const answers = (...answers: ReadonlyArray<Answer | Word>) =>
    answers.map((answer): Effect.Effect<Answer, Word> => {
      switch (answer) {
        case "ready":
        case "pending":
        case "throttled":
        case "gone":
          return Effect.succeed(answer)
        default:
          return Effect.fail(answer)
      }
    })

  it.effect("counts, pays and records as for errors", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(...answers("pending", "busy", "throttled"))
      const exit = yield* Effect.exit(recording.provide(Retry.retry(attempt, judging)))
      expect(exit).toEqual(Exit.succeed("throttled"))
      expect(recording.lines).toEqual([
        "limiter acquire 1",
        "attempt 1",
        "limiter record 1: Server, granted 1",
        "bucket record 1: Server, granted 0",
        "bucket acquire 2 after Server",
        "sleep 1000",
        "limiter acquire 2 after Server",
        "attempt 2",
        "limiter record 2: Transient, granted 1",
        "bucket record 2: Transient, granted 5",
        "bucket acquire 3 after Transient",
        "sleep 1000",
        "limiter acquire 3 after Transient",
        "attempt 3",
        "limiter record 3: Throttling, granted 1",
        "bucket record 3: Throttling, granted 5"
      ])
    }).pipe(world)
  )

  it.effect("records a result without an opinion as a success", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(...answers("pending", "ready"))
      expect(yield* recording.provide(Retry.retry(attempt, judging))).toBe("ready")
      expect(recording.lines.slice(-2)).toEqual([
        "limiter record 2: Succeeded, granted 1",
        "bucket record 2: Succeeded, granted 5"
      ])
    }).pipe(world)
  )

  it.effect("returns at once a result that is of no use, and records a failure", () =>
    Effect.gen(function* () {
      const recording = make()
      expect(yield* recording.provide(Retry.retry(recording.attempts(...answers("gone")), judging))).toBe("gone")
      expect(recording.lines).toEqual([
        "limiter acquire 1",
        "attempt 1",
        "limiter record 1: Terminal, granted 1",
        "bucket record 1: Terminal, granted 0"
      ])
    }).pipe(world)
  )

  it.effect("returns the last result when it gives up, or fails with the last error", () =>
    Effect.gen(function* () {
      const run = (...script: ReadonlyArray<Answer | Word>) => {
        const recording = make()
        return Effect.exit(recording.provide(Retry.retry(recording.attempts(...answers(...script)), judging)))
      }
      expect(yield* run("busy", "busy", "pending")).toEqual(Exit.succeed("pending"))
      expect(yield* run("pending", "pending", "busy")).toEqual(Exit.fail("busy"))
    }).pipe(world)
  )

  it.effect("carries the result as a rejected one through the other retry functions", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(...answers("busy", "pending"))
      const stopped = yield* Effect.flip(recording.provide(Retry.orStopped(attempt, judging)))
      expect(stopped.error).toEqual(new Retry.ResultRejected({ result: "pending" }))
      expect(stopped.history.map(({ error }) => error)).toEqual([
        "busy",
        new Retry.ResultRejected({ result: "pending" }),
        new Retry.ResultRejected({ result: "pending" })
      ])
      const gone = make()
      const told = yield* gone.provide(
        Retry.retryOrElse(gone.attempts(...answers("gone")), judging, ({ error, reason }) =>
          Effect.succeed({ error, reason })
        )
      )
      expect(told).toEqual({
        error: new Retry.ResultRejected({ result: "gone" }),
        reason: { _tag: "Terminal", why: "it is gone" }
      })
    }).pipe(world)
  )

  it.effect("follows the hint of a result", () =>
    Effect.gen(function* () {
      const result = (answer: Answer) =>
        answer === "pending" ? Verdict.retryable("Server", { hint: "7 seconds" }) : Verdict.noOpinion
      yield* Retry.retry(make().attempts(...answers("pending", "ready")), { ...policy, result })
      expect(yield* nowMillis).toBe(7_000)
    }).pipe(world)
  )
})

describe("Retry.retry number of attempts", () => {
  it.effect.prop(
    "is maxAttempts when all fail, and never more",
    [FastCheck.integer({ min: 1, max: 30 }), FastCheck.integer({ min: 1, max: 40 })],
    ([maxAttempts, until]) =>
      Effect.gen(function* () {
        const bounded = { ...always, maxAttempts }
        const failing = failingUntil(Infinity)
        yield* Effect.flip(Retry.retry(failing.attempt, bounded))
        expect(failing.counted.attempts).toBe(maxAttempts)
        const told = failingUntil(Infinity)
        expect((yield* Effect.flip(Retry.orStopped(told.attempt, bounded))).attempts).toBe(maxAttempts)
        expect(told.counted.attempts).toBe(maxAttempts)
        const succeeding = failingUntil(until)
        yield* Effect.exit(Retry.retry(succeeding.attempt, bounded))
        expect(succeeding.counted.attempts).toBe(Math.min(until, maxAttempts))
      }),
    { fastCheck: { seed: 1, numRuns: runsOf(60) } }
  )

  it.effect("has no bound under Infinity but the end of the back-off", () =>
    Effect.gen(function* () {
      const unbounded = { ...always, maxAttempts: Infinity }
      expect(yield* Retry.retry(failingUntil(1_000).attempt, unbounded)).toBe(1_000)
      const { attempt, counted } = failingUntil(Infinity)
      yield* Effect.flip(Retry.retry(attempt, { ...unbounded, backoff: Backoff.fromDelays([0, 0, 0, 0]) }))
      expect(counted.attempts).toBe(5)
    })
  )

  it.effect("is one under Policy.once", () =>
    Effect.gen(function* () {
      const { attempt, counted } = failingUntil(2)
      yield* Effect.flip(Retry.retry(attempt, { ...Policy.once, classifier: () => Verdict.transient }))
      expect(counted.attempts).toBe(1)
    })
  )

  it.effect("multiplies when a retried effect is retried again", () =>
    Effect.gen(function* () {
      const { attempt, counted } = failingUntil(Infinity)
      const inner = Retry.retry(attempt, { ...always, maxAttempts: 2 })
      yield* Effect.flip(Retry.retry(inner, { ...always, maxAttempts: 3 }))
      expect(counted.attempts).toBe(6)
    })
  )

  it.effect("keeps the two histories of nested retries apart", () =>
    Effect.gen(function* () {
      const { attempt } = failingUntil(Infinity)
      const inner = Retry.orStopped(attempt, { ...policy, maxAttempts: 2 })
      const outer = yield* Effect.flip(Retry.orStopped(inner, { ...always, maxAttempts: 2 }))
      expect(outer.history.map(({ attempt, error }) => [attempt, error._tag, error.attempts])).toEqual([
        [1, "RetryStopped", 2],
        [2, "RetryStopped", 2]
      ])
      expect(outer.error.history.map(({ error }) => error)).toEqual(["busy", "busy"])
    }).pipe(world)
  )

  it.effect("may be hundreds of thousands without a wait", () =>
    Effect.gen(function* () {
      const many = 200_000
      const unbounded = { ...always, maxAttempts: Infinity }
      expect(yield* Retry.retry(failingUntil(many).attempt, unbounded)).toBe(many)
    })
  )

  it.effect("may be tens of thousands under a bucket, a rate limiter and an attempt service", () =>
    Effect.gen(function* () {
      const many = 20_000
      const { attempt } = failingUntil(many)
      const quiet = { ...funded, maxAttempts: Infinity, attempt: Retry.CurrentAttempt, backoff: immediately }
      const provided = Retry.retry(attempt, quiet).pipe(
        Effect.provideService(Bucket, TokenBucket.unlimited),
        Effect.provideService(Limiter, TokenBucket.unlimited)
      )
      expect(yield* provided).toBe(many)
    })
  )
})

describe("Retry.retry when nothing can be interrupted", () => {
  it.effect("waits and retries to its end before the interruption is seen", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(Effect.fail("busy" as const), Effect.void)
      const retried = Effect.zipRight(Retry.retry(attempt, funded), recording.note("done"))
      const fiber = yield* Effect.fork(recording.provide(Effect.uninterruptible(retried)))
      yield* Effect.sleep("100 millis")
      const exit = yield* Fiber.interrupt(fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(recording.lines.slice(-4)).toEqual([
        "attempt 2",
        "limiter record 2: Succeeded, granted 1",
        "bucket record 2: Succeeded, granted 5",
        "done"
      ])
      expect(yield* nowMillis).toBe(1_000)
    }).pipe(world)
  )

  it.effect("is interrupted in a wait that was made interruptible again", () =>
    Effect.gen(function* () {
      const retried = Retry.retry(Effect.fail("busy" as const), policy)
      const fiber = yield* Effect.fork(Effect.uninterruptibleMask((restore) => restore(retried)))
      yield* Effect.sleep("100 millis")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      expect(yield* nowMillis).toBe(100)
    }).pipe(world)
  )
})

describe("Retry.retry laws", () => {
  const failures = FastCheck.array(FastCheck.constantFrom("busy" as const, "slow down" as const), {
    minLength: 1,
    maxLength: 8
  })

  /** When the attempts of an operation started. */
  const startsOf = (backoff: Backoff.Backoff, words: ReadonlyArray<Word>, seed: number) =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const attempt = Effect.gen(function* () {
        const word = words[starts.length]
        starts.push(yield* nowMillis)
        if (word !== undefined) yield* Effect.fail(word)
      })
      yield* Effect.exit(Retry.retry(attempt, { classifier: judge, maxAttempts: Infinity, backoff }))
      return starts
    }).pipe(Effect.provide(SeededRandom.layer(seed)), VirtualClock.run)

  it.effect.prop(
    "the same seed gives the same trace, and the delays that the interpreter simulates under the same draws",
    [Arbitraries.backoff(), failures, FastCheck.nat()],
    ([backoff, words, seed]) =>
      Effect.gen(function* () {
        const starts = yield* startsOf(backoff, words, seed)
        expect(yield* startsOf(backoff, words, seed)).toEqual(starts)
        const random = Random.make(seed)
        const simulated = [0]
        let tree = backoff.tree
        for (const word of words) {
          const u = backoff.draws ? yield* random.next : 0
          const kind = word === "busy" ? "Transient" : "Throttling"
          const elapsedMillis = simulated.at(-1) ?? 0
          const stepped = BackoffTree.step(tree, { u, kind, ranMillis: 0, elapsedMillis })
          if (stepped === undefined) break
          simulated.push((simulated.at(-1) ?? 0) + stepped.delayMillis)
          tree = stepped.rest
        }
        expect(starts).toEqual(simulated)
      }),
    { fastCheck: { seed: 9, numRuns: runsOf(80) } }
  )

  it.effect("other seeds give other traces", () =>
    Effect.gen(function* () {
      const backoff = Backoff.jittered(Backoff.exponential({ base: "1 minute" }), Jitter.full)
      const traces = yield* Effect.forEach([1, 2, 3], (seed) => startsOf(backoff, ["busy", "busy", "busy"], seed))
      expect(new Set(traces.map(String)).size).toBe(3)
    })
  )
})
