/**
 * A percentile of recent latencies, measured while operations run.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Argument from "../../accept/Argument.ts"
import * as Quantile from "../../decide/Quantile.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as TimedRef from "../../fund/store/TimedRef.ts"

/**
 * A percentile of the latencies of the operations that share it.
 *
 * @category models
 */
export interface Percentile {
  /** The latency that the share `at` of recent operations does not exceed; `None` while it is unknown. */
  readonly estimate: Effect.Effect<Option.Option<Duration.Duration>>
  /** Adds the latency of an operation, in milliseconds. Hedges do this themselves. */
  readonly record: (ranMillis: number) => Effect.Effect<void>
}

interface Options {
  /** A share above 0 and below 1; one operation in twenty is slower than the percentile at 0.95. @default 0.95 */
  readonly at?: number | undefined
}

const owner = "Hedge.percentile"

/** With fewer samples, a percentile would mostly be noise. */
const leastSamples = 50

/** Older samples say little about the present. */
const longestPauseMillis = 600_000

interface State {
  readonly histogram: Quantile.Histogram
  /** The percentile after the latest sample; `undefined` if there are too few. */
  readonly millis: number | undefined
  readonly atMillis: number
}

const cold: State = { histogram: Quantile.empty, millis: undefined, atMillis: -Infinity }

export const percentile = (options: Options = {}): Effect.Effect<Percentile> => {
  const { at: given = 0.95 } = Argument.options(owner, "{ at: 0.95 }", options, { at: false })
  const at = Argument.number(owner, "at", given, { min: 0, max: 0.9999, exclusive: true })
  return Effect.map(TimedRef.makeUnread(cold), (ref) => ({
    estimate: AtOnce.suspend(() => AtOnce.andThen(TimedRef.modify(ref, current), estimated)),
    record: (ranMillis) =>
      TimedRef.modify(ref, (state, nowMillis) => [undefined, added(state, nowMillis, ranMillis, at)])
  }))
}

const recent = (state: State, nowMillis: number): State =>
  nowMillis - state.atMillis > longestPauseMillis ? cold : state

const current: TimedRef.Step<State, number | undefined> = (state, nowMillis) => {
  const found = recent(state, nowMillis)
  return [found.millis, found]
}

const estimated = (millis: number | undefined): Effect.Effect<Option.Option<Duration.Duration>> =>
  Effect.succeed(millis === undefined ? Option.none() : Option.some(Duration.millis(millis)))

const added = (state: State, nowMillis: number, ranMillis: number, at: number): State => {
  const histogram = Quantile.add(recent(state, nowMillis).histogram, ranMillis)
  const millis = histogram.samples < leastSamples ? undefined : Quantile.read(histogram, at)
  return { histogram, millis, atMillis: nowMillis }
}

export const isPercentile = (given: unknown): given is Percentile =>
  Predicate.hasProperty(given, "estimate") && Predicate.hasProperty(given, "record")
