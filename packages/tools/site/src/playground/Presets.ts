/**
 * Policies to compare with: the packages' own, by name. Pure.
 */

export interface Preset {
  readonly name: string
  /** Where the policy, or its back-off, is found: `AwsRetry.standard`. */
  readonly member: string
  readonly from: `@effect-retry/${"core" | "aws" | "google" | "grpc" | "http"}`
}

const of =
  (from: Preset["from"]) =>
  (member: string, name: string): Preset => ({ name, member, from })

const core = of("@effect-retry/core")
const aws = of("@effect-retry/aws")
const google = of("@effect-retry/google")
const grpc = of("@effect-retry/grpc")
const http = of("@effect-retry/http")

export const presets = {
  once: core("Policy.once", "no retry"),
  standard: core("Policy.standard", "Policy.standard"),
  awsStandard: aws("AwsRetry.standard", "AWS SDKs, standard"),
  awsDynamodb: aws("AwsRetry.dynamodb", "AWS SDKs, DynamoDB"),
  awsStandard2020: aws("AwsRetry.standard2020", "AWS SDKs, standard before 2026"),
  awsKotlin: aws("Kotlin.make", "AWS SDK for Kotlin"),
  awsLegacyBotocore: aws("AwsRetry.legacyBotocore", "AWS, legacy mode of botocore"),
  awsLegacyJava: aws("AwsRetry.legacyJava", "AWS, legacy mode of Java"),
  googleJava: google("Presets.javaHttp", "Google Cloud for Java, RetrySettings"),
  googlePython: google("Presets.python", "Google Cloud for Python"),
  googleNodeStorage: google("Presets.nodeStorage", "Cloud Storage for Node"),
  googleCppStorage: google("Presets.cppStorage", "Cloud Storage for C++"),
  googleStorage: google("Presets.recommended", "Cloud Storage, as its documentation asks"),
  grpc: grpc("GrpcRetry.make", "gRPC, the service config of its proposal"),
  httpStandard: http("Presets.standard", "HttpRetry.standard"),
  openai: http("Presets.openai", "OpenAI's client"),
  anthropic: http("Presets.anthropic", "Anthropic's client"),
  stripe: http("Presets.stripe", "Stripe's client"),
  github: http("Presets.github", "GitHub, as its documentation asks"),
  celery: core("Classic.celery", "Celery's back-off"),
  ethernet: core("Classic.ethernet", "Ethernet's back-off, slots of 100 ms"),
  connectRetry: core("Classic.connectRetry", "connect_retry of Stevens and Rago")
} as const satisfies Readonly<Record<string, Preset>>

export type PresetKey = keyof typeof presets
