/**
 * The policies to compare with are the packages' own values; those of a vendor are loaded when one is chosen.
 */
import { Classic, Policy, TokenBucket } from "@effect-retry/core"
import type { Client } from "./Client.ts"
import type { PresetKey } from "./Presets.ts"

const aws = async (name: "standard" | "dynamodb" | "legacyBotocore"): Promise<Client> => {
  const { AwsRetry } = await import("@effect-retry/aws")
  return { policy: AwsRetry[name], bucket: TokenBucket.quota() }
}

const clients: Readonly<Record<PresetKey, () => Client | Promise<Client>>> = {
  once: () => ({ policy: Policy.once }),
  standard: () => ({ policy: Policy.standard }),
  awsStandard: () => aws("standard"),
  awsDynamodb: () => aws("dynamodb"),
  awsLegacyBotocore: () => aws("legacyBotocore"),
  celery: () => ({ policy: { maxAttempts: 4, backoff: Classic.celery({ factor: 1 }) } })
}

export const load = async (key: PresetKey): Promise<Client> => clients[key]()
