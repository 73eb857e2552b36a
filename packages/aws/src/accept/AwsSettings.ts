/**
 * Reads the settings of an AWS SDK from texts, strictly: bad values are refused.
 *
 * The SDKs differ in what they tolerate: the one for JavaScript reads `3abc` as 3 and an unknown mode as `standard`.
 * Here both are refused; whatever all SDKs accept is accepted.
 */
import * as Option from "effect/Option"

/**
 * Source: AWS SDKs and Tools reference guide,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, `retry_mode`.
 *
 * @category models
 */
export type Mode = "standard" | "adaptive" | "legacy"

/**
 * The version of the rules behind the modes: `2.0` from 2020, `2.1` from 2026.
 *
 * Source: https://github.com/boto/botocore, 1.43.107, the behaviour of `AWS_NEW_RETRIES_2026`.
 *
 * @category models
 */
export type Behaviour = (typeof behaviours)[number]

/** All versions, the older one first. */
export const behaviours = ["2.0", "2.1"] as const

/** How to read a value from a text, and the allowed values in words. */
export interface Reading<out A> {
  readonly allowed: string
  readonly read: (text: string) => Option.Option<A>
}

const from = <A>(values: ReadonlyMap<string, A>, allowed: string): Reading<A> => ({
  allowed,
  read: (text) => Option.fromNullable(values.get(text.trim().toLowerCase()))
})

/**
 * One of the modes that an SDK knows, in any case, with white space around it.
 *
 * Source: https://github.com/smithy-lang/smithy-rs, rust-runtime/aws-smithy-types/src/retry.rs, read 2026-08-21.
 */
export const mode = (modes: ReadonlyArray<Mode>): Reading<Mode> =>
  from(new Map(modes.map((name) => [name, name])), `one of ${modes.join(", ")}`)

/**
 * Up to the largest `Int` of the JVM, as which the SDKs for Java and Kotlin read the number of attempts.
 *
 * Source: https://github.com/aws/aws-sdk-kotlin, aws-config, `AwsSdkSetting.AwsMaxAttempts`.
 */
export const attempts = { min: 1, max: 2_147_483_647, integer: true } as const

/** A number of attempts, the first one included: decimal digits, with white space around them. */
export const maxAttempts: Reading<number> = {
  allowed: `a whole number >= ${attempts.min} and <= ${attempts.max}`,
  read: (text) => {
    const digits = text.trim()
    const number = /^\d+$/.test(digits) ? Number(digits) : NaN
    return number >= attempts.min && number <= attempts.max ? Option.some(number) : Option.none()
  }
}

/**
 * The gate of the rules of 2026: `true` in any case is 2.1, `false` is 2.0.
 *
 * Source: the same file of botocore, and smithy-rs, aws/rust-runtime/aws-config/src/default_provider/retry_config.rs,
 * which ignore the case; the SDKs for JavaScript, Go, PHP and Swift do not. All of them read any other text as `false`.
 */
export const gate: Reading<Behaviour> = /*#__PURE__*/ from<Behaviour>(
  /*#__PURE__*/ new Map([
    ["true", "2.1"],
    ["false", "2.0"]
  ]),
  "true or false"
)

/**
 * Whether the clock is corrected, read from the switch that turns the correction off: `true`, in upper or lower case,
 * means no correction.
 *
 * Source: smithy-rs, aws/rust-runtime/aws-config/src/default_provider/disable_clock_skew_correction.rs, which ignores the
 * case; the SDK for JavaScript does not.
 */
export const clockSkewCorrection: Reading<boolean> = /*#__PURE__*/ from<boolean>(
  /*#__PURE__*/ new Map([
    ["true", false],
    ["false", true]
  ]),
  "true or false"
)
