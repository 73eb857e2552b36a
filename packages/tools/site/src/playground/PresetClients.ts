/**
 * The policies to compare with are the packages' own values; those of a vendor are loaded when one is chosen.
 */
import { Classic, Policy } from "@effect-retry/core"
import * as Effect from "effect/Effect"
import type { Client } from "./Client.ts"
import type { PresetKey } from "./Presets.ts"

const aws = async (
  name: "standard" | "dynamodb" | "standard2020" | "legacyBotocore" | "legacyJava"
): Promise<Client> => {
  const { AwsQuota, AwsRetry } = await import("@effect-retry/aws")
  const policy = AwsRetry[name]
  switch (name) {
    case "legacyBotocore":
      return { policy }
    case "legacyJava":
    case "standard2020":
      return { policy, bucket: AwsQuota[name] }
    default:
      return { policy, bucket: AwsQuota.standard }
  }
}

const kotlin = async (): Promise<Client> => {
  const { Kotlin } = await import("@effect-retry/aws")
  const { bucket: _, ...policy } = Effect.runSync(Kotlin.make())
  return { policy, bucket: Kotlin.tokenBucket() }
}

const google = async (name: "javaHttp" | "python" | "nodeStorage" | "cppStorage" | "recommended"): Promise<Client> => {
  const { Presets } = await import("@effect-retry/google")
  return { policy: Presets[name] }
}

/** Calls of the page may be repeated, and have no responses to drain. */
const http = async (name: "standard" | "openai" | "anthropic" | "stripe" | "github"): Promise<Client> => {
  const { Presets } = await import("@effect-retry/http")
  const { drain: _, idempotency: __, ...policy } = Presets[name]
  return { policy }
}

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Retry Policy" and "Throttling". */
const grpc = async (): Promise<Client> => {
  const { GrpcRetry, ServiceConfig, Throttle } = await import("@effect-retry/grpc")
  const config = ServiceConfig.make({
    methodConfig: [
      {
        name: [{ service: "app.Service" }],
        retryPolicy: {
          maxAttempts: 4,
          initialBackoff: "0.1s",
          maxBackoff: "1s",
          backoffMultiplier: 2,
          retryableStatusCodes: ["UNAVAILABLE"]
        }
      }
    ]
  })
  const { bucket: _, deadline: __, ...policy } = Effect.runSync(GrpcRetry.make(config)).policy("/app.Service/Call")
  return { policy, bucket: Throttle.make({ maxTokens: 10, tokenRatio: 0.1 }) }
}

const clients: Readonly<Record<PresetKey, () => Client | Promise<Client>>> = {
  once: () => ({ policy: Policy.once }),
  standard: () => ({ policy: Policy.standard }),
  awsStandard: () => aws("standard"),
  awsDynamodb: () => aws("dynamodb"),
  awsStandard2020: () => aws("standard2020"),
  awsKotlin: kotlin,
  awsLegacyBotocore: () => aws("legacyBotocore"),
  awsLegacyJava: () => aws("legacyJava"),
  googleJava: () => google("javaHttp"),
  googlePython: () => google("python"),
  googleNodeStorage: () => google("nodeStorage"),
  googleCppStorage: () => google("cppStorage"),
  googleStorage: () => google("recommended"),
  grpc,
  httpStandard: () => http("standard"),
  openai: () => http("openai"),
  anthropic: () => http("anthropic"),
  stripe: () => http("stripe"),
  github: () => http("github"),
  celery: () => ({ policy: { maxAttempts: 4, backoff: Classic.celery({ factor: 1 }) } }),
  ethernet: () => ({ policy: { maxAttempts: 16, backoff: Classic.ethernet({ slot: "100 millis" }) } }),
  connectRetry: () => ({ policy: { maxAttempts: 8, backoff: Classic.connectRetry() } })
}

export const load = async (key: PresetKey): Promise<Client> => clients[key]()
