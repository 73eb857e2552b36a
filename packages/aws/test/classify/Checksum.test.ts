import { AwsRetry, Checksum } from "@effect-retry/aws"
import { Backoff, Retry } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Verdicts from "../support/Verdicts.ts"

describe("Checksum.dynamodb", () => {
  /** Source: https://github.com/boto/botocore at 0e6e240, tests/unit/retries/test_special.py. */
  const rows: ReadonlyArray<readonly [header: string | undefined, verdict: string]> = [
    ["2356372769", "no opinion"],
    ["2356372768", "Transient"],
    [undefined, "no opinion"],
    ["", "no opinion"],
    ["-1", "no opinion"],
    ["0x8c736521", "no opinion"],
    ["99999999999", "no opinion"]
  ]
  it("retries a response with a damaged body", () => {
    const judged = (body: string | Uint8Array) =>
      rows.map(([header]) => [
        header,
        Verdicts.inWords(Checksum.dynamodb({ headers: header === undefined ? {} : { "X-Amz-CRC32": header }, body }))
      ])
    expect(judged("foo")).toEqual(rows)
    expect(judged(new TextEncoder().encode("foo"))).toEqual(rows)
  })
  it.effect("is the judge of a policy's results", () =>
    Effect.gen(function* () {
      const answers = [
        { headers: { "x-amz-crc32": "2356372768" }, body: "foo" },
        { headers: { "x-amz-crc32": "2356372769" }, body: "foo" }
      ]
      const call = Effect.sync(() => answers.shift())
      const { bucket: _, ...policy } = AwsRetry.dynamodb
      const answer = yield* Retry.retry(call, {
        ...policy,
        backoff: Backoff.fromDelays(["1 milli"]),
        result: (found) => Checksum.dynamodb(found ?? { headers: {}, body: "" })
      })
      expect(answer?.headers).toEqual({ "x-amz-crc32": "2356372769" })
    }).pipe(VirtualClock.run)
  )
})

describe("Checksum.crc32", () => {
  it("is the checksum of the standard", () => {
    const of = (text: string) => Checksum.crc32(new TextEncoder().encode(text))
    // Source: the check value of CRC-32/ISO-HDLC, https://reveng.sourceforge.io/crc-catalogue/17plus.htm.
    expect([of(""), of("123456789"), of("foo")]).toEqual([0, 0xcbf4_3926, 2_356_372_769])
  })
})
