import { Kotlin } from "@effect-retry/aws"
import { describe, expect, it } from "@effect/vitest"
import * as Errors from "../support/Errors.ts"

/** Source: the AWS SDK for Kotlin's developer guide, "Retries", and aws/aws-sdk-kotlin at 05ea93b, AwsRetryPolicy.kt. */
const rows: ReadonlyArray<readonly [name: string, error: unknown, isRetryable: boolean]> = [
  ["a code", Errors.exception("ThrottlingException", 400), true],
  ["a code of STS", Errors.exception("IDPCommunicationError", 400), true],
  ["a status", Errors.exception("Odd", 502), true],
  ["a flag", Errors.exception("Odd", 400, { $retryable: {} }), true],
  ["a flag of a caller's own error", { _tag: "Busy", retryable: true }, true],
  ["a connection", Errors.socketError("ECONNRESET"), true],
  ["a refusal", Errors.exception("ValidationException", 400), false],
  ["too many requests without a code", { status: 429 }, false],
  ["an abort", Errors.named("AbortError"), false],
  ["any error", new Error("boom"), false],
  ["nothing", undefined, false]
]

describe("Kotlin.isRetryable", () => {
  it("tells whether an error is retried", () => {
    expect(rows.map(([name, error]) => [name, error, Kotlin.isRetryable(error)])).toEqual(rows)
  })
})
