import { Backoff, Jitter } from "@effect-retry/core"
import { Laws } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import * as LegacyBackoff from "../../src/decide/LegacyBackoff.ts"
import { curvesOf, delayAt, rangeAt, samples } from "./Delays.ts"

const { describe, expect, it } = vitest

const seconds = (...values: ReadonlyArray<number>) => values.map((value) => Math.round(value * 1000))

describe("LegacyBackoff", () => {
  it.each([
    {
      name: "botocore doubles from one second without a cap",
      source: "boto/botocore 1.43.107, botocore/retryhandler.py",
      backoff: LegacyBackoff.botocore,
      millis: seconds(1, 2, 4, 8, 16, 32, 64)
    },
    {
      name: "botocoreDynamodb doubles from fifty milliseconds",
      source: "boto/botocore 1.43.107, botocore/data/_retry.json",
      backoff: LegacyBackoff.botocoreDynamodb,
      millis: seconds(0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8)
    },
    {
      name: "java doubles from a hundred milliseconds",
      source: "aws/aws-sdk-java-v2, core/retries, LegacyRetryStrategy",
      backoff: LegacyBackoff.java,
      millis: seconds(0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20, 20)
    },
    {
      name: "ruby doubles from three tenths of a second",
      source: "aws/aws-sdk-ruby 006d633, plugins/retry_errors.rb",
      backoff: LegacyBackoff.ruby,
      millis: seconds(0.3, 0.6, 1.2, 2.4, 4.8, 9.6)
    },
    {
      name: "php doubles from a hundred milliseconds",
      source: "aws/aws-sdk-php 00bc53f, src/RetryMiddleware.php",
      backoff: LegacyBackoff.php,
      millis: seconds(0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20, 20)
    },
    {
      name: "cpp retries at once, then doubles",
      source: "aws/aws-sdk-cpp, DefaultRetryStrategy.cpp",
      backoff: LegacyBackoff.cpp,
      millis: [0, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800]
    }
  ])("$name ($source)", ({ backoff, millis }) => {
    expect(millis.map((_, i) => delayAt(backoff, i + 1, 1))).toEqual(millis)
  })

  it.each([
    { name: "botocoreDynamodb", backoff: LegacyBackoff.botocoreDynamodb },
    { name: "ruby", backoff: LegacyBackoff.ruby },
    { name: "cpp", backoff: LegacyBackoff.cpp }
  ])("$name has no jitter", ({ backoff }) => {
    expect(delayAt(backoff, 3, 0)).toBe(delayAt(backoff, 3, 1))
  })

  it("of Java has half of its jitter, and another base, after throttling", () => {
    expect([1, 2, 3, 7].map((n) => rangeAt(LegacyBackoff.java, n, "Throttling"))).toEqual([
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [10_000, 20_000]
    ])
    expect(rangeAt(LegacyBackoff.java, 1, "Transient")).toEqual([0, 100])
  })

  it("of PHP draws whole milliseconds, each equally likely, the bound included", () => {
    const counts = new Map<number, number>()
    for (const delay of samples(LegacyBackoff.php, 1, 20_200)) counts.set(delay, (counts.get(delay) ?? 0) + 1)
    expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 101 }, (_, i) => i))
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(80)
  })

  it("of Ruby takes the jitter that is asked for", () => {
    expect(rangeAt(Backoff.jittered(LegacyBackoff.ruby, Jitter.equal), 2)).toEqual([300, 600])
  })
})

for (const [name, backoff] of Object.entries({ php: LegacyBackoff.php, cpp: LegacyBackoff.cpp })) {
  for (const curve of curvesOf(backoff)) Laws.curve(vitest, `LegacyBackoff.${name}`, curve)
}
