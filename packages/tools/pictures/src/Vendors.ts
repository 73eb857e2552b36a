/**
 * The delays of the vendors' curves, as the plan has them.
 */
import { AwsBackoff, LegacyBackoff } from "@effect-retry/aws"
import { Backoff, Jitter } from "@effect-retry/core"
import { GoogleBackoff } from "@effect-retry/google"
import { GrpcRetry } from "@effect-retry/grpc"
import { panel } from "./Delays.ts"
import * as Panels from "./Panels.ts"

const draw = (
  title: string,
  intro: string,
  mostMillis: number,
  curves: Readonly<Record<string, Backoff.Backoff>>
): string =>
  Panels.draw({
    title,
    intro,
    axis: ["retry 1", "retry 8"],
    panels: Object.entries(curves).map(([name, backoff]) => panel(name, backoff, mostMillis))
  })

export const aws = (): string =>
  draw("AwsBackoff", "The delays before each of eight retries that can be drawn, and their mean.", 25_000, {
    standard: AwsBackoff.standard,
    dynamodb: AwsBackoff.dynamodb,
    javascript: AwsBackoff.javascript,
    javascriptDynamodb: AwsBackoff.javascriptDynamodb,
    standard2020: AwsBackoff.standard2020,
    botocore2020: AwsBackoff.botocore2020,
    go2020: AwsBackoff.go2020,
    java2020: AwsBackoff.java2020,
    javascript2020: AwsBackoff.javascript2020,
    kotlin: AwsBackoff.kotlin(),
    exponential: AwsBackoff.exponential({ base: "200 millis" })
  })

export const awsLegacy = (): string =>
  draw("LegacyBackoff", "The delays before each of eight retries that can be drawn, and their mean.", 25_000, {
    botocore: LegacyBackoff.botocore,
    botocoreDynamodb: LegacyBackoff.botocoreDynamodb,
    java: LegacyBackoff.java,
    ruby: LegacyBackoff.ruby,
    php: LegacyBackoff.php,
    cpp: LegacyBackoff.cpp
  })

export const google = (): string =>
  draw("GoogleBackoff", "The delays before each of eight retries that can be drawn, and their mean.", 70_000, {
    truncatedExponential: GoogleBackoff.truncatedExponential(),
    retryRequest: GoogleBackoff.retryRequest(),
    nodeResumable: GoogleBackoff.nodeResumable(),
    gaxios: GoogleBackoff.gaxios(),
    python: GoogleBackoff.python(),
    javaStorage: GoogleBackoff.javaStorage(),
    slidingWindow: GoogleBackoff.slidingWindow({ minimumDelay: "1 second", maximumDelay: "1 minute" }),
    gsutil: GoogleBackoff.gsutil(),
    apitools: GoogleBackoff.apitools()
  })

export const grpc = (): string => {
  const settings = { initialBackoff: "100 millis", maxBackoff: "5 seconds", backoffMultiplier: 2 } as const
  const backoff = GrpcRetry.backoff(settings)
  return draw(
    "GrpcRetry.backoff",
    "The delays with initialBackoff 0.1s, maxBackoff 5s and backoffMultiplier 2, and their mean.",
    7000,
    {
      backoff,
      "with a cap": Backoff.capped(backoff, "5 seconds"),
      "full jitter": GrpcRetry.backoff(settings, Jitter.full)
    }
  )
}
