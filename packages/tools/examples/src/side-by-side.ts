/**
 * The same job in plain Effect and by a policy, in ten lines each. The pictures of the README are drawn from these two.
 */
import { SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { AttemptTimeout, Backoff, Classifier, Deadline, Jitter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Clock, Data, Duration, Effect, Exit, Layer, Schedule } from "effect"

export class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.DurationInput }> {}
export class Forbidden extends Data.TaggedError("Forbidden") {}

export const native = <A, R>(call: Effect.Effect<A, Busy | Forbidden, R>) =>
  // #region native
  call.pipe(
    Effect.timeout("3 seconds"),
    Effect.retry({
      while: (error) => error._tag !== "Forbidden",
      schedule: Schedule.exponential("100 millis").pipe(
        Schedule.jittered,
        Schedule.intersect(Schedule.recurs(4)),
        Schedule.upTo("10 seconds")
      )
    })
  )
// #endregion

export const ours = <A, R>(call: Effect.Effect<A, Busy | Forbidden, R>) =>
  // #region ours
  Retry.retry(call, {
    attemptTimeout: AttemptTimeout.constant("3 seconds"),
    classifier: Classifier.fromTags({
      Busy: ({ retryAfter }) => Verdict.retryable("Throttling", { hint: retryAfter })
    }),
    maxAttempts: 5,
    backoff: Backoff.exponential({ base: "100 millis" }).pipe(
      Backoff.capped("2 seconds"),
      Backoff.jittered(Jitter.full)
    ),
    deadline: Deadline.refuse("10 seconds"),
    bucket: TokenBucket.RetryBucket
  })
// #endregion

const budget = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }))

/** A server that answers within 50 milliseconds, for three seconds that it is overloaded. */
const overloaded = Effect.flatMap(Clock.currentTimeMillis, (now) =>
  now < 3000 ? Effect.fail(new Busy({ retryAfter: "3 seconds" })) : Effect.succeed("page")
).pipe(Effect.delay("50 millis"))

/** Runs an operation in virtual time; the draws are those of the seed. */
const record = <E, E2>(call: Effect.Effect<string, E>, retried: (call: Effect.Effect<string, E>) => Retried<E2>) =>
  Timeline.record(retried(Timeline.attempt(call))).pipe(
    Effect.provide([budget, SeededRandom.layer("side by side")]),
    VirtualClock.run
  )

type Retried<E> = Effect.Effect<string, E, TokenBucket.RetryBucket>

/** The same two servers for both: one that says when to come back, and one that never answers. */
export const timelines = Effect.all({
  overloaded: Effect.all({ native: record(overloaded, native), ours: record(overloaded, ours) }),
  hanging: Effect.all({ native: record(Effect.never, native), ours: record(Effect.never, ours) })
})

const shown = (timeline: Timeline.Timeline) => ({
  starts: Timeline.startsMillis(timeline).map(Math.round),
  ended: Math.round(Duration.toMillis(timeline.elapsed)),
  succeeded: Exit.isSuccess(timeline.exit)
})

export const program = Effect.map(timelines, ({ hanging, overloaded }) => ({
  overloaded: { native: shown(overloaded.native), ours: shown(overloaded.ours) },
  hanging: { native: shown(hanging.native), ours: shown(hanging.ours) }
}))

export const expected = {
  overloaded: {
    native: { starts: [0, 155, 425, 857, 1772], ended: 1822, succeeded: false },
    ours: { starts: [0, 4000], ended: 4050, succeeded: true }
  },
  hanging: {
    native: { starts: [0, 3105, 6325, 9707, 13_572], ended: 16_572, succeeded: false },
    ours: { starts: [0, 3064, 6214, 9370], ended: 10_000, succeeded: false }
  }
}
