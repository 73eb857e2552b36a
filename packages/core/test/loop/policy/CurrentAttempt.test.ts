import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Option } from "effect"
import { judge, make, policy, world } from "../Recording.ts"

const known = { attempt: Retry.CurrentAttempt, ...policy }

/** What each attempt of an operation could know about itself. */
const seen = <A>(
  look: (attempt: Retry.Attempt) => Effect.Effect<A>,
  bounds: { readonly deadline?: Deadline.Deadline; readonly attemptTimeout?: AttemptTimeout.AttemptTimeout }
) =>
  Effect.gen(function* () {
    const all: Array<A> = []
    const attempt = Effect.gen(function* () {
      all.push(yield* look(yield* Retry.CurrentAttempt))
      yield* Effect.fail("busy" as const)
    })
    yield* Effect.flip(Retry.retry(attempt, { ...known, ...bounds }))
    return all
  }).pipe(world)

const timeLeft = ({ timeLeft }: Retry.Attempt) => Effect.map(timeLeft, Option.map(Duration.toMillis))

describe("Retry.CurrentAttempt", () => {
  it.effect("knows its number", () =>
    Effect.gen(function* () {
      expect(yield* seen(({ number }) => Effect.succeed(number), {})).toEqual([1, 2, 3])
    })
  )

  it.effect("knows the previous failure, and the wait since", () =>
    Effect.gen(function* () {
      const previous = yield* seen(({ previous }) => Effect.succeed(previous), {})
      const failure = (attempt: number) =>
        new Retry.FailedAttempt({
          attempt,
          error: "busy",
          verdict: judge("busy"),
          startedAfter: Duration.seconds(attempt - 1),
          failedAfter: Duration.seconds(attempt - 1),
          delay: Option.some(Duration.seconds(1)),
          cost: 0
        })
      expect(previous.map(Option.map(({ error }) => error))).toEqual([
        Option.none(),
        Option.some("busy"),
        Option.some("busy")
      ])
      expect(previous).toEqual([Option.none(), Option.some(failure(1)), Option.some(failure(2))])
    })
  )

  it.effect("knows the same failure when the whole history is kept", () =>
    Effect.gen(function* () {
      const previous: Array<Option.Option<number>> = []
      const attempt = Effect.gen(function* () {
        const current = yield* Retry.CurrentAttempt
        previous.push(Option.map(current.previous, ({ attempt }) => attempt))
        yield* Effect.fail("busy" as const)
      })
      yield* Effect.flip(Retry.orStopped(attempt, known))
      expect(previous).toEqual([Option.none(), Option.some(1), Option.some(2)])
    }).pipe(world)
  )

  it.effect("knows no bound if there is none", () =>
    Effect.gen(function* () {
      expect(yield* seen(timeLeft, {})).toEqual([Option.none(), Option.none(), Option.none()])
    })
  )

  it.effect.each([
    { name: "a deadline", bounds: { deadline: Deadline.refuse("10 seconds") }, left: [10_000, 9_000, 8_000] },
    {
      name: "a timeout",
      bounds: { attemptTimeout: AttemptTimeout.constant("4 seconds") },
      left: [4_000, 4_000, 4_000]
    },
    {
      name: "the nearer of the two",
      bounds: { deadline: Deadline.refuse("4500 millis"), attemptTimeout: AttemptTimeout.constant("3 seconds") },
      left: [3_000, 3_000, 2_500]
    }
  ])("knows the time left until $name", ({ bounds, left }) =>
    Effect.gen(function* () {
      expect(yield* seen(timeLeft, bounds)).toEqual(left.map((millis) => Option.some(millis)))
    })
  )

  it.effect("sees the time left shrink, and never below zero", () =>
    Effect.gen(function* () {
      const left: Array<Option.Option<number>> = []
      const attempt = Effect.gen(function* () {
        const current = yield* Retry.CurrentAttempt
        for (const sleep of ["400 millis", "600 millis", "1 hour"] as const) {
          left.push(yield* timeLeft(current))
          yield* Effect.sleep(sleep)
        }
        left.push(yield* timeLeft(current))
      })
      yield* Retry.retry(attempt, { ...known, deadline: Deadline.refuse("1 second") })
      expect(left).toEqual([1_000, 600, 0, 0].map((millis) => Option.some(millis)))
    }).pipe(world)
  )

  it.effect("belongs to the retry that provides it, also inside another retry that does not", () =>
    Effect.gen(function* () {
      const numbers: Array<number> = []
      const attempt = Effect.gen(function* () {
        numbers.push((yield* Retry.CurrentAttempt).number)
        yield* Effect.fail("busy" as const)
      })
      const inner = Retry.retry(attempt, { ...policy, maxAttempts: 2 })
      yield* Effect.flip(Retry.retry(inner, { ...known, maxAttempts: 2 }))
      expect(numbers).toEqual([1, 1, 2, 2])
    }).pipe(world)
  )

  it.effect("comes under any tag of the caller", () =>
    Effect.gen(function* () {
      class Mine extends Context.Tag("test/Mine")<Mine, Retry.Attempt>() {}
      const recording = make()
      const attempt = Effect.flatMap(Mine, ({ number }) =>
        Effect.zipRight(recording.note(`number ${number}`), Effect.fail("busy" as const))
      )
      yield* Effect.flip(Retry.retry(attempt, { ...policy, attempt: Mine }))
      expect(recording.lines).toEqual(["number 1", "number 2", "number 3"])
    }).pipe(world)
  )
})
