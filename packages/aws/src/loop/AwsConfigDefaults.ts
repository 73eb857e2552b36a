/**
 * What the SDKs do where nothing is configured, as data.
 */
import type { Behaviour, Mode } from "../accept/AwsSettings.ts"

/**
 * The defaults of a service, which come before those of the SDK.
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
  /** Where no gate is set. */
  readonly behaviour: Behaviour
  readonly mode: Readonly<Record<Behaviour, Mode>>
  /** The modes that the SDK knows; every other one is refused. */
  readonly modes: ReadonlyArray<Mode>
  /** Attempts in all. */
  readonly maxAttempts: Readonly<Record<Mode, number>>
  /** The SDK's defaults for DynamoDB and DynamoDB Streams. */
  readonly dynamodb: Service
}

const four = { standard: 4, adaptive: 4 }

/** Of an SDK whose legacy mode is its standard one. */
const standard: Sdk = {
  behaviour: "2.0",
  mode: { "2.0": "standard", "2.1": "standard" },
  modes: ["standard", "adaptive", "legacy"],
  maxAttempts: { standard: 3, adaptive: 3, legacy: 3 },
  dynamodb: { maxAttempts: { "2.1": { ...four, legacy: 4 } } }
}

/** Of an SDK whose legacy mode is one of its own, and its default until the gate is set. */
const legacy = (attempts: number, dynamodb: number = attempts): Sdk => ({
  ...standard,
  mode: { "2.0": "legacy", "2.1": "standard" },
  maxAttempts: { ...standard.maxAttempts, legacy: attempts },
  dynamodb: { maxAttempts: { "2.0": { legacy: dynamodb }, "2.1": { ...four, legacy: dynamodb } } }
})

const withoutLegacy: Sdk = {
  ...standard,
  modes: ["standard", "adaptive"],
  dynamodb: { maxAttempts: { "2.1": four } }
}

/**
 * The SDKs, by the language they are for; `botocore` is Python's, and the AWS CLI's.
 *
 * The one for JavaScript has had no gate since `@smithy/core` 3.40.0: it is 2.1 for every installation. The others are 2.0
 * until theirs is set. DynamoDB's number of attempts is known for the modes `standard` and `adaptive`, and for the legacy
 * modes of `botocore` and `java`.
 *
 * Sources: `@smithy/core` 3.41.0, submodules/retry/util-retry/config · https://github.com/smithy-lang/smithy-kotlin,
 * RetryStrategy · https://github.com/smithy-lang/smithy-rs, default_provider/retry_config.rs ·
 * https://github.com/boto/botocore 1.43.107, configprovider.py, data/_retry.json ·
 * https://github.com/aws/aws-sdk-java-v2, DynamoDbRetryPolicy · AWS SDKs and Tools reference guide,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html (Ruby, PHP, C++).
 *
 * @category constructors
 */
export const sdks = {
  javascript: { ...standard, behaviour: "2.1" },
  kotlin: standard,
  rust: withoutLegacy,
  go: withoutLegacy,
  botocore: /*#__PURE__*/ legacy(5, 10),
  java: /*#__PURE__*/ legacy(4, 9),
  ruby: /*#__PURE__*/ legacy(4),
  php: /*#__PURE__*/ legacy(4),
  cpp: /*#__PURE__*/ legacy(11)
} as const satisfies Readonly<Record<string, Sdk>>

/**
 * The attempts that a service's defaults give.
 *
 * @category destructors
 */
export const attemptsOf = ({ maxAttempts }: Service, behaviour: Behaviour, mode: Mode): number | undefined =>
  typeof maxAttempts === "object" ? maxAttempts[behaviour]?.[mode] : maxAttempts
