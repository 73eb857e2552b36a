/**
 * The SDKs' behaviour without configuration, as data.
 *
 * Sources: `@smithy/core` 3.41.0, submodules/retry/util-retry/config · https://github.com/smithy-lang/smithy-kotlin,
 * RetryStrategy · https://github.com/smithy-lang/smithy-rs, default_provider/retry_config.rs ·
 * https://github.com/boto/botocore 1.43.107, configprovider.py, data/_retry.json ·
 * https://github.com/aws/aws-sdk-java-v2, DynamoDbRetryPolicy · AWS SDKs and Tools reference guide,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html (Ruby, PHP, C++); read 2026-11-20.
 */
import type { Behaviour, Mode } from "./AwsSettings.ts"

/**
 * The defaults of a service, which take precedence over those of the SDK.
 *
 * @category models
 */
export interface Service {
  readonly mode?: Mode | undefined
  /** Attempts in all: for every mode, or by behaviour and mode. */
  readonly maxAttempts?: number | { readonly [B in Behaviour]?: { readonly [M in Mode]?: number } } | undefined
}

/**
 * The defaults of an SDK.
 *
 * @category models
 */
export interface Sdk {
  /** The version of the rules if the gate, `AWS_NEW_RETRIES_2026`, is not set. */
  readonly behaviour: Behaviour
  readonly mode: Readonly<Record<Behaviour, Mode>>
  /** The modes that the SDK knows; any other one is refused. */
  readonly modes: ReadonlyArray<Mode>
  /** Attempts in all. */
  readonly maxAttempts: Readonly<Record<Mode, number>>
  /** The SDK's defaults for DynamoDB and DynamoDB Streams. */
  readonly dynamodb: Service
}

/**
 * The SDK for Kotlin: 2.0 until its gate is set. Its legacy mode is its standard one.
 *
 * @category constructors
 */
export const kotlin: Sdk = {
  behaviour: "2.0",
  mode: { "2.0": "standard", "2.1": "standard" },
  modes: ["standard", "adaptive", "legacy"],
  maxAttempts: { standard: 3, adaptive: 3, legacy: 3 },
  dynamodb: { maxAttempts: { "2.1": { standard: 4, adaptive: 4, legacy: 4 } } }
}

/**
 * The SDK for JavaScript v3: 2.1 since `@smithy/core` 3.40.0, which has no gate. Its legacy mode is its standard one.
 *
 * @category constructors
 */
export const javascript: Sdk = { ...kotlin, behaviour: "2.1" }

/**
 * The SDK for Rust: 2.0 until the gate is set, and no legacy mode.
 *
 * @category constructors
 */
export const rust: Sdk = {
  ...kotlin,
  modes: ["standard", "adaptive"],
  dynamodb: { maxAttempts: { "2.1": { standard: 4, adaptive: 4 } } }
}

/**
 * The SDK for Go: 2.0 until the gate is set, and no legacy mode.
 *
 * @category constructors
 */
export const go: Sdk = rust

/** The defaults of an SDK with its own legacy mode, which is the default mode until the gate is set. */
const withLegacy = (attempts: number, dynamodb: Service): Sdk => ({
  ...kotlin,
  mode: { "2.0": "legacy", "2.1": "standard" },
  maxAttempts: { ...kotlin.maxAttempts, legacy: attempts },
  dynamodb
})

const legacyDynamodb = (legacy: number): Service => ({
  maxAttempts: { "2.0": { legacy }, "2.1": { standard: 4, adaptive: 4, legacy } }
})

/**
 * botocore, for Python and the AWS CLI: legacy until the gate is set.
 *
 * @category constructors
 */
export const botocore: Sdk = /*#__PURE__*/ withLegacy(5, /*#__PURE__*/ legacyDynamodb(10))

/**
 * The SDK for Java 2: legacy until the gate is set.
 *
 * @category constructors
 */
export const java: Sdk = /*#__PURE__*/ withLegacy(4, /*#__PURE__*/ legacyDynamodb(9))

/**
 * The SDK for Ruby: legacy until the gate is set. Its attempts for DynamoDB in legacy mode are not known here.
 *
 * @category constructors
 */
export const ruby: Sdk = /*#__PURE__*/ withLegacy(4, rust.dynamodb)

/**
 * The SDK for PHP: legacy until the gate is set. Its attempts for DynamoDB in legacy mode are not known here.
 *
 * @category constructors
 */
export const php: Sdk = /*#__PURE__*/ withLegacy(4, rust.dynamodb)

/**
 * The SDK for C++: legacy until the gate is set. Its attempts for DynamoDB in legacy mode are not known here.
 *
 * @category constructors
 */
export const cpp: Sdk = /*#__PURE__*/ withLegacy(11, rust.dynamodb)
