import { Headers } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import type { RateLimit } from "../../src/classify/RateLimit.ts"
import * as RateLimits from "../../src/classify/RateLimits.ts"

const nowMillis = Date.UTC(2026, 10, 20, 11)

const read = (headers: Record<string, string>) => RateLimits.read(Headers.fromInput(headers), nowMillis)

/** Remaining, reset, unit, limit and window, in milliseconds. */
type Row = readonly [remaining: number, reset: number, unit: number, limit: number | undefined, window?: number]

const rowOf = ({ limit, remaining, resetMillis, unitMillis, windowMillis }: RateLimit): Row =>
  windowMillis === undefined
    ? [remaining, resetMillis, unitMillis, limit]
    : [remaining, resetMillis, unitMillis, limit, windowMillis]

const epoch = nowMillis / 1000

describe("RateLimits.read", () => {
  it.each<readonly [headers: Record<string, string>, rows: ReadonlyArray<Row>]>([
    [{}, []],
    [{ ratelimit: '"a";r=5;t=30' }, [[5, 30_000, 1000, undefined]]],
    [{ ratelimit: '"a";r=5;t=30', "ratelimit-policy": '"a";q=10;w=60' }, [[5, 30_000, 1000, 10, 60_000]]],
    [{ ratelimit: '"a";r=0', "ratelimit-policy": '"a";q=10;w=60' }, [[0, 60_000, 1000, 10, 60_000]]],
    [
      { ratelimit: '"a";r=5;t=1, "b";r=900;t=3600', "ratelimit-policy": '"a";q=10;w=1, "b";q=1000;w=3600' },
      [
        [5, 1000, 1000, 10, 1000],
        [900, 3_600_000, 1000, 1000, 3_600_000]
      ]
    ],
    [
      { "ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "50", "ratelimit-reset": "30" },
      [[50, 30_000, 1000, 100]]
    ],
    [
      { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "59", "x-ratelimit-reset": String(epoch + 90) },
      [[59, 90_000, 1000, 60]]
    ],
    [{ "x-ratelimit-remaining": "59", "x-ratelimit-reset": String((epoch + 90) * 1000) }, [[59, 90_000, 1, undefined]]],
    [{ "x-ratelimit-remaining": "59.0", "x-ratelimit-reset": "1.5" }, [[59, 1500, 1, undefined]]],
    [
      { "x-rate-limit-limit": "15", "x-rate-limit-remaining": "14", "x-rate-limit-reset": "900" },
      [[14, 900_000, 1000, 15]]
    ],
    [
      {
        "x-ratelimit-limit": "5",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1470173023",
        "x-ratelimit-reset-after": "0.25"
      },
      [[0, 250, 1, 5]]
    ],
    [
      {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s"
      },
      [
        [59, 1000, 1000, 60],
        [149_984, 360_000, 1000, 150_000]
      ]
    ],
    [{ "x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "20ms" }, [[3, 20, 1, undefined]]],
    [
      {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-20T11:01:00Z"
      },
      [[49, 60_000, 1000, 50]]
    ],
    // The server's own clock counts.
    [
      {
        date: "Fri, 20 Nov 2026 12:00:00 GMT",
        "x-ratelimit-remaining": "1",
        "x-ratelimit-reset": String(epoch + 3600 + 10)
      },
      [[1, 10_000, 1000, undefined]]
    ],
    [{ "x-ratelimit-remaining": "1", "x-ratelimit-reset": String(epoch - 10) }, [[1, 0, 1000, undefined]]]
  ])("%j", (headers, rows) => {
    expect(read(headers).map(rowOf)).toEqual(rows)
  })

  it.each<Record<string, string>>([
    { "x-ratelimit-remaining": "5" },
    { "x-ratelimit-reset": "5" },
    { "x-ratelimit-remaining": "-1", "x-ratelimit-reset": "5" },
    { "x-ratelimit-remaining": "1e3", "x-ratelimit-reset": "5" },
    { "x-ratelimit-remaining": "0x10", "x-ratelimit-reset": "5" },
    { "x-ratelimit-remaining": "9".repeat(16), "x-ratelimit-reset": "5" },
    { "x-ratelimit-remaining": "5", "x-ratelimit-reset": "9".repeat(400) },
    { "x-ratelimit-remaining": "5", "x-ratelimit-reset": "soon" },
    { "x-ratelimit-remaining": "5".repeat(2000), "x-ratelimit-reset": "5" },
    { "x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "5 minutes" },
    { ratelimit: "r=5;t=30" },
    { ratelimit: '"a";r=-5;t=30' },
    { ratelimit: '"a";r=5;t=-30' },
    { ratelimit: '"a";r="5";t=30' },
    { ratelimit: '"a";r=5' },
    { ratelimit: '"a";r=5;t=30, "b";r=x' }
  ])("ignores a field that is malformed: %j", (headers) => {
    expect(read(headers)).toEqual([])
  })

  it.each<readonly [header: string, one: string, other: string]>([
    ["x-ratelimit-resource", "core", "search"],
    ["x-ratelimit-bucket", "abcd1234", "ffff0000"]
  ])("tells limits apart by %s", (header, one, other) => {
    const name = (value: string | undefined) =>
      read({
        "x-ratelimit-remaining": "9",
        "x-ratelimit-reset": "60",
        ...(value !== undefined && { [header]: value })
      }).map(({ name }) => name)
    expect(name(one)).toEqual(name(one))
    expect(new Set([name(one), name(other), name(undefined)].flat()).size).toBe(3)
  })
})
