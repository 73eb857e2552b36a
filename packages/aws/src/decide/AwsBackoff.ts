/**
 * Back-offs of the AWS SDKs: those of the standard mode before and after the 2026 revision, and that of the SDK for Kotlin.
 *
 * `LegacyBackoff` has those of the legacy modes. There is one draw per retry, in [0, 1). Delays are whole milliseconds,
 * rounded up unless a comment says otherwise.
 */
import { Backoff, Curve, Jitter } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { times } from "@effect-retry/core/unstable/Millis"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * Doubles up to a cap, with full jitter and a separate base for throttling failures.
 *
 * Formula, for retry `n`: `u * min(base * 2^(n - 1), cap)`. The exponent counts all retries of the operation, not those
 * of one kind. With `rounding` "down" the back-off draws by itself, so `Backoff.jittered` refuses it.
 *
 * @category constructors
 */
export const exponential = (options: {
  /** The bound of the first retry. */
  readonly base: Duration.DurationInput
  /** The bound of the first retry after throttling. @default base */
  readonly throttlingBase?: Duration.DurationInput
  /** @default 20 seconds */
  readonly cap?: Duration.DurationInput
  /** How to round fractions of a millisecond; the SDK for JavaScript rounds down. @default "up" */
  readonly rounding?: "up" | "down"
}): Backoff.Backoff => {
  const owner = "AwsBackoff.exponential"
  const base = Argument.millis(owner, "base", options.base, { min: 0 })
  const throttlingBase = Argument.millis(owner, "throttlingBase", options.throttlingBase ?? base, { min: 0 })
  const cap = Argument.millis(owner, "cap", options.cap ?? "20 seconds", { min: 1 })
  const rounding = Argument.oneOf(owner, "rounding", options.rounding ?? "up", ["up", "down"])
  const part = rounding === "up" ? jittered : roundedDown
  return Backoff.byKind({ Throttling: part(throttlingBase, cap), orElse: part(base, cap) })
}

const jittered = (base: number, cap: number): Backoff.Backoff =>
  Backoff.jittered(Backoff.capped(Backoff.exponential({ base }), cap), Jitter.full)

const roundedDown = (base: number, cap: number): Backoff.Backoff => {
  const bound = (n: number, capMillis: number) => Math.min(times(base, 2 ** (n - 1)), cap, capMillis)
  return Backoff.fromCurve(
    Curve.fromDraw({
      name: "awsRoundedDown",
      delayMillis: (n, capMillis, u) => Math.floor(u * bound(n, capMillis)),
      intervalMillis: (n, capMillis) => [0, Math.floor(bound(n, capMillis))]
    })
  )
}

/**
 * The standard mode since the 2026 revision (2.1). Formula, for retry `n`: `u * min(x * 2^(n - 1), 20 s)`, with `x` 1 second
 * after a throttling failure and 50 milliseconds after any other.
 *
 * Source: AWS SDKs and Tools reference guide, "Retry behavior",
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; boto/botocore 1.43.107,
 * tests/unit/retries/test_standard_retry_v2_1.py; both read 2026-11-20.
 *
 * @category constructors
 */
export const standard: Backoff.Backoff = /*#__PURE__*/ exponential({ base: "50 millis", throttlingBase: "1 second" })

/**
 * `standard` with `x` 25 milliseconds after failures other than throttling: DynamoDB and DynamoDB Streams.
 *
 * Source: boto/botocore 1.43.107, tests/unit/retries/test_standard_retry_v2_1.py, `TestServiceSpecificRetries`.
 *
 * @category constructors
 */
export const dynamodb: Backoff.Backoff = /*#__PURE__*/ exponential({ base: "25 millis", throttlingBase: "1 second" })

/**
 * `standard` as in the SDK for JavaScript: rounded down to whole milliseconds.
 *
 * Source: `@smithy/core` 3.41.0, `DefaultRetryBackoffStrategy`, read 2026-11-20.
 *
 * @category constructors
 */
export const javascript: Backoff.Backoff = /*#__PURE__*/ exponential({
  base: "50 millis",
  throttlingBase: "1 second",
  rounding: "down"
})

/**
 * `javascript` with `x` 25 milliseconds after failures other than throttling: DynamoDB and DynamoDB Streams.
 *
 * Source: `@aws-sdk/client-dynamodb` 3.1162.0, `DynamoDBClient`, read 2026-11-24.
 *
 * @category constructors
 */
export const javascriptDynamodb: Backoff.Backoff = /*#__PURE__*/ exponential({
  base: "25 millis",
  throttlingBase: "1 second",
  rounding: "down"
})

/**
 * The standard mode before the 2026 revision (2.0). Formula, for retry `n`: `min(u * 2^(n - 1), 20)` seconds.
 *
 * In this formula the cap applies after the draw, so from the sixth retry on many delays are exactly the cap; in
 * `botocore2020` it applies before. Draws by itself: `Backoff.jittered` refuses it.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior", as published before 2026.
 *
 * @category constructors
 */
export const standard2020: Backoff.Backoff = /*#__PURE__*/ Backoff.fromCurve(
  /*#__PURE__*/ Curve.fromDraw({
    name: "awsStandard2020",
    delayMillis: (n, capMillis, u) => Math.min(u * times(1000, 2 ** (n - 1)), 20_000, capMillis),
    intervalMillis: (n, capMillis) => [0, Math.min(times(1000, 2 ** (n - 1)), 20_000, capMillis)]
  })
)

/**
 * The 2.0 of botocore, of the SDK for Rust and of .NET. Formula, for retry `n`: `u * min(2^(n - 1), 20)` seconds.
 *
 * Source: boto/botocore 1.43.107, tests/unit/retries/test_standard.py; smithy-lang/smithy-rs, strategy/standard.rs, read
 * 2026-11-20.
 *
 * @category constructors
 */
export const botocore2020: Backoff.Backoff = /*#__PURE__*/ exponential({ base: "1 second" })

/**
 * The 2.0 of the SDK for Go. Formula, for retry `n`: `u * 2^n` seconds up to `n` = 4, then exactly 20 seconds.
 *
 * The first retry waits up to 2 seconds, because this exponent counts from 1. Draws by itself: `Backoff.jittered`
 * refuses it. Source: aws/aws-sdk-go-v2 058d984, aws/retry/jitter_backoff_test.go, read 2026-11-20.
 *
 * @category constructors
 */
export const go2020: Backoff.Backoff = /*#__PURE__*/ Backoff.fromCurve(
  /*#__PURE__*/ Curve.fromDraw({
    name: "awsGo2020",
    delayMillis: (n, capMillis, u) => Math.min(n > 4 ? 20_000 : u * 1000 * 2 ** n, capMillis),
    intervalMillis: (n, capMillis) =>
      n > 4 ? [Math.min(20_000, capMillis), Math.min(20_000, capMillis)] : [0, Math.min(1000 * 2 ** n, capMillis)]
  })
)

/**
 * The 2.0 of the SDK for Java. Formula, for retry `n`: `u * min(x * 2^(n - 1), 20 s)`, with `x` 1 second after a throttling
 * failure and 100 milliseconds after any other.
 *
 * Source: aws/aws-sdk-java-v2 07c0c61, StandardRetryStrategyV21ConstantsTest.java, read 2026-11-20.
 *
 * @category constructors
 */
export const java2020: Backoff.Backoff = /*#__PURE__*/ exponential({ base: "100 millis", throttlingBase: "1 second" })

/**
 * The 2.0 of the SDK for JavaScript. Formula, for retry `n`: `floor(u * min(x * 2^(n - 1), 20000))` milliseconds, with `x`
 * 500 after a throttling failure and 100 after any other.
 *
 * Source: `@smithy/util-retry` 4.2.8, `defaultRetryBackoffStrategy`, read 2026-11-20; it applies the cap after the draw.
 *
 * @category constructors
 */
export const javascript2020: Backoff.Backoff = /*#__PURE__*/ exponential({
  base: "100 millis",
  throttlingBase: "500 millis",
  rounding: "down"
})

/**
 * The settings of the SDK for Kotlin's `delayProvider` that shape its delays, by their Kotlin names; the defaults are
 * those without `newRetries2026`.
 *
 * @category models
 */
export interface KotlinDelay {
  /** The longest delay of the first retry. @default 10 millis */
  readonly initialDelay?: Duration.DurationInput
  /** The factor by which the bound grows. At least 1. @default 1.5 */
  readonly scaleFactor?: number
  /** The largest share of a delay that the jitter removes; 0 for no jitter. In [0, 1]. @default 1 */
  readonly jitter?: number
  /** The longest delay, before jitter; may be infinite. @default 20 seconds */
  readonly maxBackoff?: Duration.DurationInput
  /** Replaces `initialDelay` after a throttling failure. @default 1 second */
  readonly throttlingBaseDelay?: Duration.DurationInput
}

/**
 * The SDK for Kotlin's `ExponentialBackoffWithJitter`.
 *
 * Formula, for retry `n`: `floor(min(initialDelay * scaleFactor^(n - 1), maxBackoff) * (1 - u * jitter))` milliseconds:
 * jitter shortens a delay, and fractions of a millisecond are cut off. Draws by itself, so `Backoff.jittered` refuses
 * it unless `jitter` is 0.
 * Source: smithy-lang/smithy-kotlin 6373a5f, ExponentialBackoffWithJitterTest.kt, read 2026-11-20.
 *
 * @category constructors
 */
export const kotlin = (settings: KotlinDelay = {}): Backoff.Backoff => {
  const owner = "AwsBackoff.kotlin"
  const initialDelay = Argument.millis(owner, "initialDelay", settings.initialDelay ?? "10 millis", { min: 0 })
  const throttlingBaseDelay = Argument.millis(
    owner,
    "throttlingBaseDelay",
    settings.throttlingBaseDelay ?? "1 second",
    { min: 0 }
  )
  const scaleFactor = Argument.number(owner, "scaleFactor", settings.scaleFactor ?? 1.5, { min: 1 })
  const jitter = Argument.number(owner, "jitter", settings.jitter ?? 1, { min: 0, max: 1 })
  const maxBackoff = longestOf(owner, "maxBackoff", settings.maxBackoff ?? "20 seconds")
  const part = (base: number) => subtractive({ base, scaleFactor, jitter, maxBackoff })
  return Backoff.byKind({ Throttling: part(throttlingBaseDelay), orElse: part(initialDelay) })
}

interface Subtractive {
  readonly base: number
  readonly scaleFactor: number
  readonly jitter: number
  readonly maxBackoff: number
}

const subtractive = ({ base, jitter, maxBackoff, scaleFactor }: Subtractive): Backoff.Backoff => {
  const bound = (n: number, capMillis: number) => Math.min(times(base, scaleFactor ** (n - 1)), maxBackoff, capMillis)
  const delay = (n: number, capMillis: number, u: number) => Math.floor(bound(n, capMillis) * (1 - u * jitter))
  return Backoff.fromCurve(
    Curve.fromDraw({
      name: "awsKotlin",
      draws: jitter > 0,
      delayMillis: delay,
      intervalMillis: (n, capMillis) => [delay(n, capMillis, 1), delay(n, capMillis, 0)]
    })
  )
}

/** A duration that may be infinite. */
const longestOf = (owner: string, field: string, value: Duration.DurationInput): number =>
  Option.match(Argument.decode(value), {
    onNone: () => Argument.refuse(owner, field, "a duration >= 0", value),
    onSome: Duration.toMillis
  })
