/**
 * A percentile of recent latencies, measured while operations run.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Argument from "../../accept/Argument.ts"
import * as Quantile from "../../decide/Quantile.ts"
import * as TimedRef from "../../fund/store/TimedRef.ts"

/**
 * A percentile of the latencies of the operations that share it.
 *
 * @category models
 */
export interface Percentile {
  /** The latency that the share `at` of recent operations does not exceed; `None` while it is not known. */
  readonly estimate: Effect.Effect<Option.Option<Duration.Duration>>
  /** Adds the latency of an operation, in milliseconds. Hedges do so themselves. */
  readonly record: (ranMillis: number) => Effect.Effect<void>
}

interface Options {
  /** A share above 0 and below 1: 0.95 is exceeded by one operation in twenty. @default 0.95 */
  readonly at?: number | undefined
}

const owner = "Hedge.percentile"

/** A percentile of fewer samples would be one of chance. */
const leastSamples = 50

/** What is older says little about now. */
const longestPauseMillis = 600_000

interface State {
  readonly histogram: Quantile.Histogram
  /** The latest sample, as the histogram reads at it; `undefined` where there are too few. */
  readonly millis: number | undefined
  readonly atMillis: number
}

const cold: State = { histogram: Quantile.empty, millis: undefined, atMillis: -Infinity }

export const percentile = (options: Options = {}): Effect.Effect<Percentile> => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record of options", options)
  const { at: given = 0.95 }: Options = options
  const at = Argument.number(owner, "at", given, { min: 0, max: 0.9999, exclusive: true })
  return Effect.map(TimedRef.makeUnread(cold), (ref) => ({
    estimate: Effect.map(
      ref.modify((state: State, nowMillis) => {
        const current = nowMillis - state.atMillis > longestPauseMillis ? cold : state
        return [current.millis, current] as const
      }),
      (millis) => Option.map(Option.fromNullable(millis), Duration.millis)
    ),
    record: (ranMillis) =>
      ref.modify((state, nowMillis) => {
        const { histogram } = nowMillis - state.atMillis > longestPauseMillis ? cold : state
        const added = Quantile.add(histogram, ranMillis)
        const millis = added.samples < leastSamples ? undefined : Quantile.read(added, at)
        return [undefined, { histogram: added, millis, atMillis: nowMillis }] as const
      })
  }))
}

export const isPercentile = (given: unknown): given is Percentile =>
  Predicate.hasProperty(given, "estimate") && Predicate.hasProperty(given, "record")
