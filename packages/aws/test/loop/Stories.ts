/**
 * What operations do under the policies of AWS, as data: responses, and what follows each of them.
 *
 * The tests of the package run them, and so do those of its page.
 */
import { Backoff, type Policy, TokenBucket } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { expect } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import type * as AwsRetry from "../../src/loop/AwsRetry.ts"
import type { Response } from "./AwsRetryRuns.ts"
import { operateAll } from "./AwsRetryRuns.ts"

/** Every draw is the greatest possible, so that delays are their bounds. */
export const unjittered = SeededRandom.layerConstant(1 - Number.EPSILON / 2)

export const failed = (status = 500, retryAfter?: string): Response =>
  retryAfter === undefined ? { status } : { status, headers: { "x-amz-retry-after": retryAfter } }
export const throttled: Response = { status: 400, code: "Throttling" }
export const ok: Response = { status: 200 }

/** Outcome, level and, if there is a wait, its seconds. */
type Expected = readonly [outcome: string, level: number, seconds?: number]

export interface Story {
  readonly name: string
  readonly source: string
  readonly given?: {
    readonly maxAttempts?: number
    readonly initial?: number
    readonly cap?: Duration.DurationInput
    readonly longPolling?: true
  }
  readonly steps: ReadonlyArray<readonly [Response, Expected]>
}

const kotlin = "smithy-lang/smithy-kotlin 6373a5f, NewStandardRetryIntegrationTestResources.kt"
const typescript = "smithy-lang/smithy-typescript 6815d3e, retries.integ.spec.ts"
export const go = "aws/aws-sdk-go-v2 058d984, aws/retry/retry2026_test.go"
export const smithyRs = "smithy-lang/smithy-rs 56ee88c, retries/strategy/standard.rs"
export const botocore = "boto/botocore 1.43.107, test_standard_retry_v2_1.py"
export const dynamodbRs = "smithy-lang/smithy-rs 56ee88c, integration-tests/dynamodb/tests/retry-spec.rs"
const sqsRs = "smithy-lang/smithy-rs 56ee88c, integration-tests/sqs/tests/long-polling.rs"

/** Runs a story under a policy. */
export const run = (
  policy: Omit<typeof AwsRetry.standard, "bucket"> & Pick<Policy.Policy<unknown>, "observe">,
  cost: NonNullable<Parameters<typeof TokenBucket.quota>[0]>["cost"],
  { given = {}, steps }: Pick<Story, "given" | "steps">
) =>
  Effect.gen(function* () {
    const { cap, initial, longPolling, maxAttempts = policy.maxAttempts } = given
    const quota = yield* TokenBucket.quota({
      ...(initial !== undefined && { initial }),
      ...(cost !== undefined && { cost })
    })
    const bucket = longPolling === true ? AwsQuota.longPolling(quota) : quota
    const backoff = cap === undefined ? policy.backoff : Backoff.capped(policy.backoff, cap)
    const actual = yield* operateAll(
      { ...policy, maxAttempts, backoff, bucket },
      bucket,
      steps.map(([response]) => response)
    )
    expect(actual).toEqual(steps.map(([, [outcome, level, seconds = 0]]) => ({ outcome, level, seconds })))
  }).pipe(VirtualClock.run, Effect.provide(unjittered))

/** Stories of `AwsRetry.standard`. */
export const standard: ReadonlyArray<Story> = [
  {
    name: "succeeds on the third attempt",
    source: `${kotlin}; ${typescript}; ${go}; ${smithyRs}`,
    steps: [
      [failed(), ["retry", 486, 0.05]],
      [failed(), ["retry", 472, 0.1]],
      [ok, ["success", 486]]
    ]
  },
  {
    name: "spends its attempts",
    source: `${kotlin}; ${typescript}; ${go}`,
    steps: [
      [failed(502), ["retry", 486, 0.05]],
      [failed(502), ["retry", 472, 0.1]],
      [failed(502), ["AttemptsSpent", 472]]
    ]
  },
  {
    name: "finds the quota empty after one retry",
    source: `${kotlin}; ${typescript}; ${go}`,
    given: { initial: 14 },
    steps: [
      [failed(), ["retry", 0, 0.05]],
      [failed(), ["BucketEmpty", 0]]
    ]
  },
  {
    name: "retries nothing on an empty quota",
    source: `${kotlin}; ${typescript}; ${go}`,
    given: { initial: 0 },
    steps: [[failed(), ["BucketEmpty", 0]]]
  },
  {
    name: "doubles its back-off",
    source: `${kotlin}; ${typescript}; ${go}`,
    given: { maxAttempts: 5 },
    steps: [
      [failed(), ["retry", 486, 0.05]],
      [failed(), ["retry", 472, 0.1]],
      [failed(), ["retry", 458, 0.2]],
      [failed(), ["retry", 444, 0.4]],
      [failed(), ["AttemptsSpent", 444]]
    ]
  },
  {
    name: "caps its back-off",
    source: `${kotlin}; ${go}; ${smithyRs}`,
    given: { maxAttempts: 5, cap: "200 millis" },
    steps: [
      [failed(), ["retry", 486, 0.05]],
      [failed(), ["retry", 472, 0.1]],
      [failed(), ["retry", 458, 0.2]],
      [failed(), ["retry", 444, 0.2]],
      [failed(), ["AttemptsSpent", 444]]
    ]
  },
  {
    name: "stops when the quota runs out",
    source: `${kotlin}; ${typescript}; ${go}`,
    given: { maxAttempts: 5, initial: 20 },
    steps: [
      [failed(), ["retry", 6, 0.05]],
      [failed(502), ["BucketEmpty", 6]]
    ]
  },
  {
    name: "recovers its quota on success, by the cost of the last retry alone",
    source: `${kotlin}; ${typescript}; ${go}`,
    given: { maxAttempts: 5, initial: 30 },
    steps: [
      [failed(), ["retry", 16, 0.05]],
      [failed(502), ["retry", 2, 0.1]],
      [ok, ["success", 16]],
      [failed(), ["retry", 2, 0.05]],
      [ok, ["success", 16]]
    ]
  },
  {
    name: "charges less and waits longer after throttling",
    source: `${kotlin}; ${typescript}; ${go}; ${smithyRs}`,
    steps: [
      [throttled, ["retry", 495, 1]],
      [ok, ["success", 500]]
    ]
  },
  {
    name: "follows the server's wait",
    source: `${kotlin}; ${go}; ${botocore}`,
    steps: [
      [failed(500, "1500"), ["retry", 486, 1.5]],
      [ok, ["success", 500]]
    ]
  },
  {
    name: "waits its back-off where the server asks for less",
    source: `${kotlin}; ${go}; ${botocore}`,
    steps: [
      [failed(500, "0"), ["retry", 486, 0.05]],
      [ok, ["success", 500]]
    ]
  },
  {
    name: "waits at most five seconds longer than its back-off",
    source: `${kotlin}; ${go}; ${botocore}`,
    steps: [
      [failed(500, "10000"), ["retry", 486, 5.05]],
      [ok, ["success", 500]]
    ]
  },
  ...[
    { value: "invalid", source: `${kotlin}; ${go}; ${botocore}` },
    { value: "-100", source: botocore }
  ].map(({ source, value }): Story => ({
    name: `ignores a wait of ${value}`,
    source,
    steps: [
      [failed(500, value), ["retry", 486, 0.05]],
      [ok, ["success", 500]]
    ]
  })),
  ...[
    { name: "inside the window", value: "3000", seconds: 3 },
    { name: "below it", value: "10", seconds: 0.05 },
    { name: "above it", value: "10000", seconds: 5.05 }
  ].map(({ name, seconds, value }): Story => ({
    name: `keeps to the window for a wait ${name}`,
    source: `${smithyRs}, v2_1_retry_after_bounded_between_t_i_and_t_i_plus_5s`,
    steps: [
      [failed(500, value), ["retry", 486, seconds]],
      [ok, ["success", 500]]
    ]
  })),
  {
    name: "waits before it fails a long poll on an empty quota",
    source: `${kotlin}; ${go}; ${sqsRs}`,
    given: { longPolling: true, initial: 0 },
    steps: [[failed(), ["BucketEmpty", 0, 0.05]]]
  },
  {
    // The SDK for Go has 0.05: it takes the failure for one without throttling here.
    name: "waits as long as a retry after throttling before it fails a long poll on an empty quota",
    source: `${kotlin}; ${smithyRs}; ${sqsRs}`,
    given: { longPolling: true, initial: 0 },
    steps: [[throttled, ["BucketEmpty", 0, 1]]]
  },
  {
    name: "does not wait where a long poll has spent its attempts",
    source: `${kotlin}; ${go}`,
    given: { longPolling: true, maxAttempts: 2 },
    steps: [
      [failed(), ["retry", 486, 0.05]],
      [failed(), ["AttemptsSpent", 486]]
    ]
  },
  {
    name: "does not wait where a long poll succeeds",
    source: `${kotlin}; ${go}`,
    given: { longPolling: true, maxAttempts: 2 },
    steps: [
      [failed(), ["retry", 486, 0.05]],
      [ok, ["success", 500]]
    ]
  },
  {
    name: "does not wait where a long poll fails for good",
    source: `${kotlin}; ${go}`,
    given: { longPolling: true, maxAttempts: 2 },
    steps: [[failed(404), ["Terminal", 500]]]
  }
]
