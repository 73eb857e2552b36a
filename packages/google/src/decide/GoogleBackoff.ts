/**
 * Back-offs of Google's clients and documentation, each with its own formula.
 *
 * Many of them apply their maximum after the draw, so that late delays are often exactly the maximum; their comments
 * say so. Those that equal `Backoff.exponential` with a cap and a jitter are in the presets. Delays are whole
 * milliseconds, rounded up unless a comment says otherwise. A cap of `Backoff.capped` replaces a greater maximum, and
 * `Backoff.jittered` refuses those that draw by themselves.
 */
import { Backoff, Curve, Jitter } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { times } from "@effect-retry/core/unstable/Millis"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Options from "../accept/Options.ts"
import * as Defaults from "../accept/PythonDefaults.ts"
import type { Node } from "./Formula.ts"
import { added, checkNode, factor, nonNegative, positive } from "./Formula.ts"

/**
 * The back-off in the documentation of Cloud Storage. Formula, for retry `n`: `min(2^(n - 1) + random, maximumBackoff)`
 * seconds, with `random` up to one second.
 *
 * The maximum applies after the draw: from `2^(n - 1) = maximumBackoff` on, every delay is exactly the maximum.
 * Source: https://cloud.google.com/storage/docs/retry-strategy, "Exponential backoff algorithm", which names 32 and 64
 * seconds as usual maxima, read 2026-11-22.
 *
 * @category constructors
 */
export const truncatedExponential = (
  options: {
    /** The delay of the first retry, before anything is added. @default 1 second */
    readonly base?: Duration.DurationInput
    /** The factor by which it grows. At least 1. @default 2 */
    readonly multiplier?: number
    /** The longest random addition. @default 1 second */
    readonly random?: Duration.DurationInput
    /** @default 64 seconds */
    readonly maximumBackoff?: Duration.DurationInput
  } = {}
): Backoff.Backoff => {
  const owner = "GoogleBackoff.truncatedExponential"
  Options.check(owner, options)
  const base = Argument.millis(owner, "base", options.base ?? "1 second", nonNegative)
  const multiplier = Argument.number(owner, "multiplier", options.multiplier ?? 2, factor)
  const most = Argument.millis(owner, "random", options.random ?? "1 second", nonNegative)
  const maximum = Argument.millis(owner, "maximumBackoff", options.maximumBackoff ?? "64 seconds", positive)
  return added({
    name: "googleTruncatedExponential",
    bound: (n) => times(base, multiplier ** (n - 1)),
    extra: (u) => u * most,
    most,
    maximum
  })
}

/**
 * The package retry-request, with which `@google-cloud/storage` sends its requests. Formula, for retry `n`:
 * `min(retryDelayMultiplier^n * 1000 + floor(u * 1000), maxRetryDelay)` milliseconds: the first retry waits 2 to 3 seconds.
 *
 * The maximum applies after the draw. Its `totalTimeout` is `Deadline.truncate`.
 * Source: https://github.com/googleapis/retry-request, 7.0.2, index.js, `getNextRetryDelay`.
 *
 * @category constructors
 */
export const retryRequest = (options: Node = {}): Backoff.Backoff => {
  const { maximum, multiplier } = checkNode("GoogleBackoff.retryRequest", options)
  return added({
    name: "retryRequest",
    bound: (n) => times(1000, multiplier ** n),
    extra: (u) => Math.floor(u * 1000),
    most: 999,
    maximum
  })
}

/**
 * Resumable uploads of `@google-cloud/storage`. Formula, for retry `n`:
 * `min(retryDelayMultiplier^(n - 1) * 1000 + round(u * 1000), maxRetryDelay)` milliseconds: the first retry waits 1 to
 * 2 seconds.
 *
 * The maximum applies after the draw. Its `totalTimeout` is `Deadline.truncate`.
 * Source: https://github.com/googleapis/nodejs-storage, 7.22.0, src/resumable-upload.ts, `getRetryDelay`.
 *
 * @category constructors
 */
export const nodeResumable = (options: Node = {}): Backoff.Backoff => {
  const { maximum, multiplier } = checkNode("GoogleBackoff.nodeResumable", options)
  return added({
    name: "nodeResumable",
    bound: (n) => times(1000, multiplier ** (n - 1)),
    extra: (u) => Math.round(u * 1000),
    most: 1000,
    maximum
  })
}

/**
 * gaxios, without jitter. Formula, for retry `n`: `(retryDelayMultiplier^(n - 1) - 1) / 2` seconds, to which the first retry
 * adds `retryDelay`: 100, 500, 1500, 3500 milliseconds.
 *
 * Its `maxRetryDelay` is `Backoff.capped`, its `totalTimeout` is `Deadline.truncate`.
 * Source: https://github.com/googleapis/gaxios, 6.7.1, src/retry.ts, `getNextRetryDelay`.
 *
 * @category constructors
 */
export const gaxios = (
  options: {
    /** @default 100 millis */
    readonly retryDelay?: Duration.DurationInput
    /** At least 1. @default 2 */
    readonly retryDelayMultiplier?: number
  } = {}
): Backoff.Backoff => {
  const owner = "GoogleBackoff.gaxios"
  Options.check(owner, options)
  const first = Argument.millis(owner, "retryDelay", options.retryDelay ?? "100 millis", nonNegative)
  const multiplier = Argument.number(owner, "retryDelayMultiplier", options.retryDelayMultiplier ?? 2, factor)
  const millis = (n: number) => (n === 1 ? first : times(500, multiplier ** (n - 1) - 1))
  return Backoff.fromCurve(Curve.fromFunction("gaxios", millis))
}

/**
 * `google.api_core.retry`. Formula, for retry `n`: `u * min(min(initial, maximum) * multiplier^(n - 1), maximum)`.
 *
 * Zeros count: `initial: 0` never waits, `multiplier: 0` waits once.
 * Source: https://github.com/googleapis/python-api-core, 2.30.0, google/api_core/retry/retry_base.py,
 * `exponential_sleep_generator`.
 *
 * @category constructors
 */
export const python = (
  options: {
    /** @default 1 second */
    readonly initial?: Duration.DurationInput
    /** @default 60 seconds */
    readonly maximum?: Duration.DurationInput
    /** At least 0. @default 2 */
    readonly multiplier?: number
  } = {}
): Backoff.Backoff => {
  const owner = "GoogleBackoff.python"
  Options.check(owner, options)
  const maximum = Argument.millis(owner, "maximum", options.maximum ?? Defaults.maximum, nonNegative)
  const initial = Math.min(Argument.millis(owner, "initial", options.initial ?? Defaults.initial, nonNegative), maximum)
  const multiplier = Argument.number(owner, "multiplier", options.multiplier ?? Defaults.multiplier, nonNegative)
  const bound = (n: number) => Math.min(times(initial, multiplier ** (n - 1)), maximum)
  return Backoff.jittered(Backoff.fromCurve(Curve.fromFunction("python", bound)), Jitter.full)
}

/**
 * Resumable uploads and streams of Java's Cloud Storage. Formula, for retry `n`: `min(next * (1 + u), maxRetryDelay)`, where
 * `next` is `initialRetryDelay` at first and then `retryDelayMultiplier` times the delay before: the jitter compounds.
 *
 * The maximum applies after the draw. Its `totalTimeout` is `Deadline.truncate`.
 * Source: https://github.com/googleapis/java-storage, 679cddd, Backoff.java; the defaults are those of `ServiceOptions` in
 * https://github.com/googleapis/sdk-platform-java, 56aa343.
 *
 * @category constructors
 */
export const javaStorage = (
  options: {
    /** @default 1 second */
    readonly initialRetryDelay?: Duration.DurationInput
    /** At least 1. @default 2 */
    readonly retryDelayMultiplier?: number
    /** @default 32 seconds */
    readonly maxRetryDelay?: Duration.DurationInput
    /** Without it `Backoff.jittered` may add another jitter, which then does not compound. @default true */
    readonly jittered?: boolean
  } = {}
): Backoff.Backoff => {
  const owner = "GoogleBackoff.javaStorage"
  Options.check(owner, options)
  const initial = Argument.millis(owner, "initialRetryDelay", options.initialRetryDelay ?? "1 second", nonNegative)
  const multiplier = Argument.number(owner, "retryDelayMultiplier", options.retryDelayMultiplier ?? 2, factor)
  const maximum = Argument.millis(owner, "maxRetryDelay", options.maxRetryDelay ?? "32 seconds", positive)
  const { jittered = true } = options
  if (!Predicate.isBoolean(jittered)) Argument.refuse(owner, "jittered", "a boolean", jittered)
  const most = jittered ? 2 : 1
  const next = (last: number, u: number) => times(times(last, multiplier) || initial, jittered ? 1 + u : 1)
  return Backoff.fromCurve(
    Curve.make<number>({
      name: "javaStorage",
      draws: jittered,
      // Without the maximum: a delay that has reached it stays there, because no step shortens it.
      initial: 0,
      delayMillis: (_, last, capMillis, u) => Math.min(next(last, u), maximum, capMillis),
      next: (_delay, _n, last, _cap, u) => next(last, u),
      intervalMillis: (n, capMillis) => [
        Math.min(times(initial, multiplier ** (n - 1)), maximum, capMillis),
        Math.min(times(initial * most, (most * multiplier) ** (n - 1)), maximum, capMillis)
      ]
    })
  )
}

/**
 * The sliding window of C++. Formula, for retry `n`: drawn from `[start, end)`, with
 * `end = min(initialDelayUpperBound * scalingUpperBound^(n - 1), maximumDelay)` and
 * `start = minimumDelay * scalingLowerBound^(n - 1)`, which stays at `max(minimumDelay, maximumDelay /
 * scalingUpperBound)` once it reaches `maximumDelay / scalingUpperBound`. Fractions of a millisecond are cut off.
 *
 * With the defaults, windows touch: `slidingWindow({ minimumDelay: 10, maximumDelay: 100 })` draws from 10 to 20, 20 to
 * 40, 40 to 80, 50 to 100 and again 50 to 100. With `minimumDelay: 0` and `scalingLowerBound: 1` it is full jitter.
 * Source: https://github.com/googleapis/google-cloud-cpp, google/cloud/internal/backoff_policy.cc,
 * `ExponentialBackoffPolicy`, read 2026-11-22.
 *
 * @category constructors
 */
export const slidingWindow = (options: {
  readonly minimumDelay: Duration.DurationInput
  /** The end of the first window. @default minimumDelay * scalingUpperBound */
  readonly initialDelayUpperBound?: Duration.DurationInput
  readonly maximumDelay: Duration.DurationInput
  /** The factor by which the start grows. At least 1, at most `scalingUpperBound`. @default scalingUpperBound */
  readonly scalingLowerBound?: number
  /** The factor by which the end grows. Above 1. @default 2 */
  readonly scalingUpperBound?: number
}): Backoff.Backoff => {
  const owner = "GoogleBackoff.slidingWindow"
  Options.check(owner, options)
  const upper = Argument.number(owner, "scalingUpperBound", options.scalingUpperBound ?? 2, { min: 1, exclusive: true })
  const lower = Argument.number(owner, "scalingLowerBound", options.scalingLowerBound ?? upper, { min: 1, max: upper })
  const minimum = Argument.millis(owner, "minimumDelay", options.minimumDelay, nonNegative)
  const first = options.initialDelayUpperBound ?? times(minimum, upper)
  const initialEnd = Argument.millis(owner, "initialDelayUpperBound", first, { min: minimum })
  const maximum = Argument.millis(owner, "maximumDelay", options.maximumDelay, { min: Math.max(1, minimum) })
  const window = (n: number, capMillis: number): readonly [start: number, end: number] => {
    const most = Math.min(maximum, capMillis)
    const farthest = most / upper
    const start = times(minimum, lower ** (n - 1))
    const end = Math.min(times(initialEnd, upper ** (n - 1)), most)
    return [start < farthest ? start : minimum > most ? farthest : Math.max(minimum, farthest), end]
  }
  return Backoff.fromCurve(
    Curve.fromDraw({
      name: "slidingWindow",
      delayMillis: (n, capMillis, u) => {
        const [start, end] = window(n, capMillis)
        return Math.floor(start + u * (end - start))
      },
      intervalMillis: (n, capMillis) => {
        const [start, end] = window(n, capMillis)
        return [Math.floor(start), Math.floor(end)]
      }
    })
  )
}

/**
 * Transfers of gsutil. Formula, for retry `n`: `min(u * 2^n, maxRetryDelay)` seconds: the first retry waits up to 2 seconds.
 *
 * The maximum applies after the draw. According to the documentation, the first retry waits up to one second and the maximum
 * applies before the draw.
 * Source: https://github.com/GoogleCloudPlatform/gsutil, cdd4555, gslib/boto_resumable_upload.py and
 * gslib/boto_translation.py; the default is that of `GetMaxRetryDelay` in gslib/utils/boto_util.py.
 *
 * @category constructors
 */
export const gsutil = (
  options: {
    /** @default 32 seconds */
    readonly maxRetryDelay?: Duration.DurationInput
  } = {}
): Backoff.Backoff => {
  const owner = "GoogleBackoff.gsutil"
  Options.check(owner, options)
  const maximum = Argument.millis(owner, "maxRetryDelay", options.maxRetryDelay ?? "32 seconds", positive)
  const bound = (n: number) => times(1000, 2 ** n)
  return Backoff.fromCurve(
    Curve.fromDraw({
      name: "gsutil",
      delayMillis: (n, capMillis, u) => Math.min(u * bound(n), maximum, capMillis),
      intervalMillis: (n, capMillis) => [0, Math.min(bound(n), maximum, capMillis)]
    })
  )
}

/**
 * apitools, with which gsutil and gcloud send single requests. Formula, for retry `n`:
 * `max(1, min(2^n * (0.75 + u / 2), maxRetryWait))` seconds.
 *
 * The maximum applies after the draw.
 * Source: https://github.com/google/apitools, f86cb9d, apitools/base/py/util.py, `CalculateWaitForRetry`.
 *
 * @category constructors
 */
export const apitools = (
  options: {
    /** @default 60 seconds */
    readonly maxRetryWait?: Duration.DurationInput
  } = {}
): Backoff.Backoff => {
  const owner = "GoogleBackoff.apitools"
  Options.check(owner, options)
  const maximum = Argument.millis(owner, "maxRetryWait", options.maxRetryWait ?? "60 seconds", positive)
  const delayMillis = (n: number, capMillis: number, u: number) =>
    Math.min(Math.max(1000, Math.min(times(1000, 2 ** n) * (0.75 + u / 2), maximum)), capMillis)
  return Backoff.fromCurve(
    Curve.fromDraw({
      name: "apitools",
      delayMillis,
      intervalMillis: (n, capMillis) => [delayMillis(n, capMillis, 0), delayMillis(n, capMillis, 1)]
    })
  )
}
