import { AttemptTimeout, Deadline, Retry, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, FiberRef, Option } from "effect"
import * as Spans from "../../support/Spans.ts"
import { Bucket, make, nowMillis, policy, world } from "../Recording.ts"

const { AttemptTimedOut } = AttemptTimeout

const timed = {
  ...policy,
  classifier: () => Verdict.terminal("not asked"),
  attemptTimeout: AttemptTimeout.constant("3 seconds")
}

const timedOut = (attempt: number, millis: number, deadlineMillis?: number) =>
  new AttemptTimedOut({
    attempt,
    after: Duration.millis(millis),
    ...(deadlineMillis !== undefined && { deadline: Duration.millis(deadlineMillis) })
  })

/** The timeouts of an operation whose attempts never end. */
const timeouts = <E2>(attemptTimeout: AttemptTimeout.AttemptTimeout<E2>, deadline?: Deadline.Deadline) =>
  Effect.gen(function* () {
    const stopped = yield* Effect.flip(
      Retry.orStopped(Effect.never, { ...timed, maxAttempts: 6, attemptTimeout, deadline })
    )
    return stopped.history.map(({ error, failedAfter, startedAfter }) => [
      Duration.toMillis(startedAfter),
      Duration.toMillis(failedAfter),
      error
    ])
  }).pipe(world)

describe("Retry.retry under an attempt timeout", () => {
  it.effect("interrupts an attempt, retries it and fails with the last timeout", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = Effect.onInterrupt(recording.attempts(Effect.never), () => recording.note("interrupted"))
      expect(yield* Effect.exit(Retry.retry(attempt, timed))).toEqual(Exit.fail(timedOut(3, 3_000)))
      expect(recording.lines).toEqual([1, 2, 3].flatMap((attempt) => [`attempt ${attempt}`, "interrupted"]))
      expect(yield* nowMillis).toBe(3 * 3_000 + 2 * 1_000)
    }).pipe(world)
  )

  it.effect("passes on the result of an attempt that ends in time", () =>
    Effect.gen(function* () {
      expect(yield* Retry.retry(Effect.delay(Effect.succeed("done"), "2999 millis"), timed)).toBe("done")
      const failing = Effect.delay(Effect.fail("own error"), "2999 millis")
      expect(yield* Effect.exit(Retry.retry(failing, timed))).toEqual(Exit.fail("own error"))
      expect(yield* Effect.exit(Retry.retry(Effect.die("defect"), timed))).toEqual(Exit.die("defect"))
    }).pipe(world)
  )

  it.effect("ends an attempt by whichever of timeout and cut comes first", () =>
    Effect.gen(function* () {
      const under = (cut: number) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(Retry.retry(Effect.never, { ...timed, deadline: Deadline.cut(cut) }))
          return [Exit.isFailure(exit) && Option.getOrThrow(Cause.failureOption(exit.cause))._tag, yield* nowMillis]
        }).pipe(world)
      expect(yield* under(60_000)).toEqual(["AttemptTimedOut", 3 * 3_000 + 2 * 1_000])
      expect(yield* under(2_000)).toEqual(["DeadlineExceeded", 2_000])
    })
  )

  it.effect("leaves an attempt behind at a cut, too, if it is disconnected", () =>
    Effect.gen(function* () {
      const attempt = Effect.uninterruptible(Effect.delay(Effect.succeed("late"), "10 seconds"))
      const under = (attemptTimeout: AttemptTimeout.AttemptTimeout) =>
        Effect.zipRight(
          Effect.exit(Retry.retry(attempt, { ...timed, attemptTimeout, deadline: Deadline.cut("2 seconds") })),
          nowMillis
        ).pipe(world)
      expect(yield* under(timed.attemptTimeout)).toBe(10_000)
      expect(yield* under(AttemptTimeout.disconnected(timed.attemptTimeout))).toBe(2_000)
    })
  )

  it.effect("gives every attempt the same time, or more and more of it up to the maximum", () =>
    Effect.gen(function* () {
      expect((yield* timeouts(AttemptTimeout.constant("1 second"))).map(([, , error]) => error)).toEqual(
        [1, 2, 3, 4, 5, 6].map((attempt) => timedOut(attempt, 1_000))
      )
      const growing = AttemptTimeout.growing({ initial: "1 second", factor: 2, maximum: "10 seconds" })
      expect((yield* timeouts(growing)).map(([, , error]) => error)).toEqual(
        [1_000, 2_000, 4_000, 8_000, 10_000, 10_000].map((millis, i) => timedOut(i + 1, millis))
      )
    })
  )

  it.effect(
    "gives an attempt the time that a function derives from its start, in a policy that needs no time otherwise",
    () =>
      Effect.gen(function* () {
        const until = AttemptTimeout.fromFunction("until", (_, startMillis) => Math.max(500, 5_000 - startMillis))
        const policy = { ...timed, maxAttempts: 6, attemptTimeout: until }
        expect(yield* Effect.exit(Retry.retry(Effect.never, policy))).toEqual(Exit.fail(timedOut(6, 500)))
        // 5 seconds, 5 times half a second, and 5 waits of a second.
        expect(yield* nowMillis).toBe(12_500)
      }).pipe(world)
  )

  it.effect.each([
    { name: "refuses", deadline: Deadline.refuse("5500 millis") },
    { name: "truncates", deadline: Deadline.truncate("5500 millis", { reserve: "1500 millis" }) }
  ])("is clipped to the time left until a deadline that $name", ({ deadline }) =>
    Effect.gen(function* () {
      expect(yield* timeouts(AttemptTimeout.constant("3 seconds"), deadline)).toEqual([
        [0, 3_000, timedOut(1, 3_000)],
        [4_000, 5_500, timedOut(2, 1_500, 5_500)]
      ])
    })
  )

  it.effect("is not retried when it is judged terminal", () =>
    Effect.gen(function* () {
      const attemptTimeout = AttemptTimeout.judged(timed.attemptTimeout, Verdict.terminal("outcome unknown"))
      const stopped = yield* Effect.flip(Retry.orStopped(Effect.never, { ...timed, attemptTimeout }))
      expect(stopped).toMatchObject({ reason: { _tag: "Terminal", why: "outcome unknown" }, attempts: 1 })
    }).pipe(world)
  )

  it.effect("counts as a failure of kind Timeout, and is not shown to the classifier", () =>
    Effect.gen(function* () {
      const recording = make()
      const asked: Array<unknown> = []
      const classifier = (error: unknown) => {
        asked.push(error)
        return Verdict.noOpinion
      }
      yield* Effect.flip(
        recording.provide(
          Retry.retry(Effect.never, { ...policy, attemptTimeout: timed.attemptTimeout, classifier, bucket: Bucket })
        )
      )
      expect(recording.lines.filter((line) => line.startsWith("bucket acquire"))).toEqual([
        "bucket acquire 2 after Timeout",
        "bucket acquire 3 after Timeout"
      ])
      expect(recording.lines.at(-1)).toBe("bucket record 3: Timeout, granted 5")
      expect(asked).toEqual([])
    }).pipe(world)
  )

  it.effect("fails with what onTimeout makes of it", () =>
    Effect.gen(function* () {
      const attemptTimeout = AttemptTimeout.constant("3 seconds", {
        onTimeout: ({ after, attempt }) => `attempt ${attempt} lost after ${Duration.format(after)}`
      })
      const exit = yield* Effect.exit(Retry.retry(Effect.never, { ...timed, attemptTimeout }))
      expect(exit).toEqual(Exit.fail("attempt 3 lost after 3s"))
    }).pipe(world)
  )

  it.effect("waits for an attempt that cannot be interrupted, and counts it as timed out whatever its result", () =>
    Effect.gen(function* () {
      const stubborn = Effect.uninterruptible(Effect.delay(Effect.succeed("too late"), "10 seconds"))
      const exit = yield* Effect.exit(Retry.retry(stubborn, { ...timed, maxAttempts: 2 }))
      expect(exit).toEqual(Exit.fail(timedOut(2, 3_000)))
      expect(yield* nowMillis).toBe(10_000 + 1_000 + 10_000)
    }).pipe(world)
  )

  it.effect("goes on without an attempt that cannot be interrupted, if it is disconnected", () =>
    Effect.gen(function* () {
      let ended = 0
      const stubborn = Effect.uninterruptible(
        Effect.delay(
          Effect.sync(() => ended++),
          "10 seconds"
        )
      )
      const attemptTimeout = AttemptTimeout.disconnected(timed.attemptTimeout)
      const exit = yield* Effect.exit(Retry.retry(stubborn, { ...timed, attemptTimeout, maxAttempts: 2 }))
      expect(exit).toEqual(Exit.fail(timedOut(2, 3_000)))
      expect(yield* nowMillis).toBe(3_000 + 1_000 + 3_000)
      expect(ended).toBe(0)
      yield* Effect.sleep("7 seconds")
      expect(ended).toBe(2)
    }).pipe(world)
  )

  it.effect("does not mistake the timeout of a retry inside for its own", () =>
    Effect.gen(function* () {
      const inner = Retry.retry(Effect.never, {
        ...timed,
        maxAttempts: 1,
        attemptTimeout: AttemptTimeout.constant("1 second")
      })
      const asked: Array<unknown> = []
      const classifier = (error: AttemptTimeout.AttemptTimedOut) => {
        asked.push(error)
        return Verdict.terminal("from inside")
      }
      const stopped = yield* Effect.flip(Retry.orStopped(inner, { ...timed, classifier }))
      expect(stopped).toMatchObject({ reason: { _tag: "Terminal", why: "from inside" }, attempts: 1 })
      expect(asked).toEqual([timedOut(1, 1_000)])
    }).pipe(world)
  )

  it.effect("does not mistake an equal timeout of a retry inside for its own", () =>
    Effect.gen(function* () {
      const inner = Effect.fail(timedOut(1, 3_000))
      const stopped = yield* Effect.flip(
        Retry.orStopped(inner, { ...timed, classifier: () => Verdict.terminal("from inside") })
      )
      expect(stopped.reason).toEqual({ _tag: "Terminal", why: "from inside" })
    }).pipe(world)
  )

  it.effect("drops the outcome of the finalizers of a timed-out attempt, as Effect.timeout does", () =>
    Effect.gen(function* () {
      const attempt = Effect.onInterrupt(Effect.never, () => Effect.die("in the finalizer"))
      expect(yield* Effect.exit(Retry.retry(attempt, timed))).toEqual(Exit.fail(timedOut(3, 3_000)))
    }).pipe(world)
  )

  it.effect("ends fibers that the attempt forks with the attempt", () =>
    Effect.gen(function* () {
      const recording = make()
      const child = Effect.onInterrupt(Effect.never, () => recording.note("child interrupted"))
      yield* Retry.retry(Effect.zipRight(Effect.fork(child), Effect.sleep(1)), timed)
      yield* recording.note("done")
      expect(recording.lines.toSorted()).toEqual(["child interrupted", "done"])
    }).pipe(world)
  )

  it.effect("hands the FiberRefs of an attempt that succeeds back, and its services not", () =>
    Effect.gen(function* () {
      const ref = yield* FiberRef.make("before")
      const attempt = Effect.zipRight(FiberRef.set(ref, "after"), Retry.CurrentAttempt)
      const { number } = yield* Retry.retry(attempt, { ...timed, attempt: Retry.CurrentAttempt })
      expect([number, yield* FiberRef.get(ref)]).toEqual([1, "after"])
      expect(Option.isNone(yield* Effect.serviceOption(Retry.CurrentAttempt))).toBe(true)
    }).pipe(Effect.scoped, world)
  )
})

describe("Retry.retry with a span around each attempt", () => {
  const spanned = { ...policy, name: "fetch", attemptSpan: "attempt" }

  it.effect("makes one child of the current span for each attempt, with its number, and how it ended", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      const busy = Effect.fail("busy" as const)
      const operation = Retry.retry(make().attempts(busy, busy, Effect.succeed("done")), spanned)
      yield* provide(Effect.withSpan(operation, "request"))
      const attempt = (number: number, ended: Spans.Recorded["ended"]) => ({
        name: "attempt",
        parent: "request 1",
        attributes: { "retry.attempt": number, "retry.operation": "fetch" },
        events: [],
        ended
      })
      expect(spans.slice(1)).toEqual([attempt(1, "failed"), attempt(2, "failed"), attempt(3, "succeeded")])
    }).pipe(world)
  )

  it.effect("makes root spans when there is no span around, without the name that a policy does not have", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      yield* provide(Retry.retry(Effect.succeed("done"), { ...spanned, name: undefined }))
      expect(spans).toStrictEqual([
        { name: "attempt", parent: undefined, attributes: { "retry.attempt": 1 }, events: [], ended: "succeeded" }
      ])
    }).pipe(world)
  )

  it.effect("makes none if the policy asks for none", () =>
    Effect.gen(function* () {
      const { provide, spans } = Spans.recording()
      yield* provide(Retry.retry(Effect.succeed("done"), { ...spanned, attemptSpan: undefined }))
      expect(spans).toEqual([])
    }).pipe(world)
  )
})
