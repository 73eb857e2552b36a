/**
 * Operations to hold a plan against: real runs of `Retry.retry` in virtual time.
 */
import { Retry, Verdict } from "@effect-retry/core"
import { type Plan, SeededRandom, VirtualClock } from "@effect-retry/plan"
import { Arbitraries } from "@effect-retry/testing"
import { Duration, Effect, FastCheck as fc, Option } from "effect"

/** How an attempt fails: after so long, with this kind, and with the wait that the server asks for. */
export interface Failing {
  readonly ranMillis: number
  readonly kind: Verdict.Kind
  readonly hintMillis?: number
}

/** What was seen of an operation, in milliseconds since the start of its first attempt. */
interface Seen {
  readonly starts: ReadonlyArray<number>
  readonly waited: number
  readonly elapsed: number
}

/** Runs an operation of which attempt `n` fails as `failure(n)` says. */
export const operation = (policy: Plan.Explainable, failure: (attempt: number) => Failing) =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    let waited = 0
    let endedAt = 0
    const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)
    const attempt = Effect.gen(function* () {
      const now = yield* nowMillis
      starts.push(now)
      waited += now - endedAt
      const failing = failure(starts.length)
      yield* Effect.sleep(failing.ranMillis)
      return yield* Effect.fail(failing)
    }).pipe(Effect.ensuring(Effect.map(nowMillis, (now) => (endedAt = now))))
    const { attemptTimeout, attemptsByKind, backoff, deadline, hint, maxAttempts } = policy
    const classifier = ({ hintMillis, kind }: Failing) => Verdict.retryable(kind, { hint: hintMillis })
    yield* Effect.ignore(
      Retry.retry(attempt, {
        attemptTimeout,
        attemptsByKind,
        classifier,
        maxAttempts,
        backoff,
        hint,
        deadline
      } as never)
    )
    const elapsed = yield* nowMillis
    // A wait that was cut belongs to the waits as well.
    return { starts, waited: waited + elapsed - endedAt, elapsed }
  }).pipe(VirtualClock.run)

/** The operation that is as fast as it can be: all attempts fail at once, all draws are the least. */
export const fastest = (policy: Plan.Explainable, kind: Verdict.Kind = "Transient") =>
  operation(policy, () => ({ ranMillis: 0, kind })).pipe(Effect.provide(SeededRandom.layerConstant(0)))

/** The operation that is as slow as it can be: all attempts take `takesMillis`, all draws are the greatest. */
export const slowest = (policy: Plan.Explainable, takesMillis: number, kind: Verdict.Kind = "Transient") =>
  operation(policy, () => ({ ranMillis: takesMillis, kind })).pipe(
    Effect.provide(SeededRandom.layerConstant(1 - Number.EPSILON / 2))
  )

/** The times of a plan's attempts in milliseconds. */
export const times = (plan: Plan.Plan) => ({
  earliest: plan.attempts.map(({ earliest }) => Duration.toMillis(earliest)),
  latest: plan.attempts.map(({ latest }) => Duration.toMillis(latest)),
  waited: plan.attempts.map(({ waited }) => Duration.toMillis(waited))
})

/** What an operation did that its plan excludes, in words. */
export const excesses = (plan: Plan.Plan, worst: Plan.Worst, seen: Seen, hinted: boolean): ReadonlyArray<string> => {
  const { earliest, latest } = times(plan)
  // Attempts that were not followed one by one have no row, and the worst case alone bounds them.
  const rows = plan.warnings.some(({ _tag }) => _tag === "NotFollowed") ? earliest.length : Infinity
  const excess = (is: boolean, text: string) => (is ? [text] : [])
  return [
    ...(hinted ? [] : seen.starts.slice(0, rows)).flatMap((start, i) => [
      ...excess(start < (earliest[i] ?? Infinity), `attempt ${i + 1} at ${start}, before ${earliest[i]}`),
      ...excess(start > (latest[i] ?? -Infinity), `attempt ${i + 1} at ${start}, after ${latest[i]}`)
    ]),
    ...excess(seen.starts.length > worst.attempts, `${seen.starts.length} attempts of ${worst.attempts}`),
    ...excess(seen.waited > Duration.toMillis(worst.waited), `waited ${seen.waited} of ${worst.waited}`),
    ...excess(seen.elapsed > Duration.toMillis(worst.elapsed), `took ${seen.elapsed} of ${worst.elapsed}`)
  ]
}

const attemptsByKind = fc
  .uniqueArray(fc.tuple(Arbitraries.kind, fc.integer({ min: 1, max: 4 })), { selector: ([kind]) => kind, maxLength: 3 })
  .map((limits) => Object.fromEntries(limits))

/** Policies of everything, with few attempts. */
export const policies: fc.Arbitrary<Plan.Explainable> = fc
  .tuple(Arbitraries.policy(2_000), fc.option(attemptsByKind, { nil: undefined }))
  .map(([policy, attemptsByKind]) => ({ ...policy, attemptsByKind }))

/** The longest that an attempt of these failures takes. */
export const longestMillis = 3_000

export const failures: fc.Arbitrary<ReadonlyArray<Failing>> = fc.array(
  fc.record({
    ranMillis: fc.oneof(fc.constantFrom(0, 1, 499, 500, longestMillis), fc.integer({ min: 0, max: longestMillis })),
    kind: Arbitraries.kind
  }),
  { minLength: 6, maxLength: 6 }
)

/** Bound, least, mean and most of every delay, in milliseconds. */
export const delaysOf = (plan: Plan.Plan) =>
  plan.attempts.flatMap(({ delay }) =>
    Option.match(delay, {
      onNone: () => [],
      onSome: ({ bound, least, mean, most }) => [[bound, least, mean, most].map(Duration.toMillis)]
    })
  )
