import { InvalidArgument } from "@effect-retry/core"
import { RetrySettings } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import { asset, fast, guide, polling, serviceOptions } from "../support/Settings.ts"

type Row = readonly [rpcTimeout: number, delay: number, invoked: number, ended: number]
type Refused = readonly [attempt: number, delay: number, invoked: number, because: string]

interface Case {
  readonly name: string
  readonly settings: RetrySettings.Fields
  readonly options?: RetrySettings.Options
  /** Without a timeout is 0, as in the library. */
  readonly rows: ReadonlyArray<Row>
  readonly refused: Refused
}

const { toMillis } = Duration

const rowsOf = ({ attempts }: RetrySettings.AttemptTable) =>
  attempts.map(({ attempt, delay, ended, invoked, rpcTimeout }, i) => {
    expect(attempt).toBe(i + 1)
    const timeout = Option.match(rpcTimeout, { onNone: () => 0, onSome: toMillis })
    return [timeout, toMillis(delay), toMillis(invoked), toMillis(ended)]
  })

const refusedOf = ({ refused }: RetrySettings.AttemptTable) =>
  Option.map(refused, ({ attempt, because, delay, invoked }) => [attempt, toMillis(delay), toMillis(invoked), because])

const rpc = (initialRpcTimeout: number, maxRpcTimeout: number) => ({
  initialRpcTimeout,
  rpcTimeoutMultiplier: 2,
  maxRpcTimeout
})

const secondAndThird: ReadonlyArray<Row> = [
  [1500, 0, 0, 1500],
  [3000, 200, 1700, 4700]
]

// Source: https://docs.cloud.google.com/java/docs/client-retries, "Configure client-side retries", the example tables; the
// attempt that is not made, computed by an independent model of the algorithm.
const examples: ReadonlyArray<Case> = [
  {
    name: "no retry by the number of attempts, with the timeout of the client",
    settings: { totalTimeout: 5000, maxAttempts: 1, initialRpcTimeout: 5000, maxRpcTimeout: 5000 },
    rows: [[5000, 0, 0, 5000]],
    refused: [2, 0, 5000, "totalTimeout"]
  },
  {
    name: "no retry by a logical timeout",
    settings: RetrySettings.logicalTimeout(5000),
    rows: [[5000, 0, 0, 5000]],
    refused: [2, 0, 5000, "totalTimeout"]
  },
  {
    name: "retry",
    settings: { ...guide, ...rpc(1500, 3000), totalTimeout: 5000 },
    rows: secondAndThird,
    refused: [3, 400, 5100, "totalTimeout"]
  },
  {
    name: "longer total timeout, as the guide prints the table",
    settings: { ...guide, ...rpc(1500, 6000), totalTimeout: 10_000 },
    rows: [...secondAndThird, [4900, 400, 5100, 10_000]],
    refused: [4, 500, 10_500, "totalTimeout"]
  },
  {
    name: "longer total timeout, with the settings that the guide prints",
    settings: { ...guide, ...rpc(1500, 3000), totalTimeout: 10_000 },
    rows: [...secondAndThird, [3000, 400, 5100, 8100], [1400, 500, 8600, 10_000]],
    refused: [5, 500, 10_500, "totalTimeout"]
  },
  {
    name: "limited attempt timeout",
    settings: { ...guide, ...rpc(500, 2000), totalTimeout: 4000 },
    rows: [
      [500, 0, 0, 500],
      [1000, 200, 700, 1700],
      [1900, 400, 2100, 4000]
    ],
    refused: [4, 500, 4500, "totalTimeout"]
  }
]

/** Attempts that fail at once; the first has the timeout `whole`, later ones what is left. */
const atOnce = (whole: number, total: number, delays: ReadonlyArray<number>): ReadonlyArray<Row> => {
  let invoked = 0
  return delays.map((delay) => {
    invoked += delay
    return [whole === 0 ? 0 : Math.min(whole, total - invoked), delay, invoked, invoked] as const
  })
}

const failing = { attemptsTake: 0 }

// Source: computed by an independent model of the algorithm.
const traces: ReadonlyArray<Case> = [
  {
    name: "the HTTP services, whose attempts fail at once",
    settings: serviceOptions,
    options: failing,
    rows: atOnce(50_000, 50_000, [0, 1000, 2000, 4000, 8000, 16_000]),
    refused: [7, 32_000, 63_000, "totalTimeout"]
  },
  {
    name: "a method of Cloud Asset, whose attempts fail at once",
    settings: asset,
    options: failing,
    rows: atOnce(
      60_000,
      60_000,
      [0, 100, 130, 169, 219, 284, 369, 479, 622, 808, 1050, 1365, 1774, 2306, 2997, 3896, 5064, 6583, 8557, 11_124]
    ),
    refused: [21, 14_461, 62_357, "totalTimeout"]
  },
  {
    name: "polling of a long-running operation",
    settings: polling,
    rows: atOnce(0, 300_000, [0, 5000, 7500, 11_250, 16_875, 25_312, 37_968, 45_000, 45_000, 45_000, 45_000]),
    refused: [12, 45_000, 328_905, "totalTimeout"]
  },
  {
    name: "attempts that fail at once, by their number",
    settings: { maxAttempts: 3 },
    rows: atOnce(0, 0, [0, 0, 0]),
    refused: [4, 0, 0, "maxAttempts"]
  },
  {
    name: "a delay as long as the greatest integer",
    settings: { totalTimeout: 1000, initialRetryDelay: 2 ** 31 - 1, maxRetryDelay: 2 ** 31 - 1 },
    rows: [[0, 0, 0, 0]],
    refused: [2, 2 ** 31 - 1, 2 ** 31 - 1, "totalTimeout"]
  },
  {
    name: "the defaults of the builder",
    settings: {},
    options: { attemptsTake: "2 seconds" },
    rows: [[0, 0, 0, 2000]],
    refused: [2, 0, 2000, "noLimit"]
  },
  {
    name: "no retry by the number of attempts, with the defaults of the builder",
    settings: { totalTimeout: 5000, maxAttempts: 1 },
    rows: [[0, 0, 0, 0]],
    refused: [2, 0, 0, "maxAttempts"]
  },
  {
    name: "a server that answers after more than the first timeout",
    settings: { ...rpc(1500, 3000), totalTimeout: 5000 },
    options: { attemptsTake: 2000 },
    rows: [
      [1500, 0, 0, 1500],
      [3000, 0, 1500, 3500],
      [1500, 0, 3500, 5000]
    ],
    refused: [4, 0, 5000, "totalTimeout"]
  },
  {
    name: "draws",
    settings: { ...guide, maxAttempts: 5 },
    options: { draw: (n) => n / 6 },
    rows: atOnce(0, 0, [0, 33, 133, 250, 333]),
    refused: [6, 416, 1165, "maxAttempts"]
  },
  {
    name: "draws that the settings turn off",
    settings: { ...guide, maxAttempts: 3, jittered: false },
    options: { draw: () => 0 },
    rows: atOnce(0, 0, [0, 200, 400]),
    refused: [4, 500, 1100, "maxAttempts"]
  }
]

describe("RetrySettings.table", () => {
  it.each(examples)("is that of the guide's example: $name", ({ refused, rows, settings }) => {
    const table = RetrySettings.table(settings)
    expect(rowsOf(table)).toEqual(rows)
    expect(refusedOf(table)).toEqual(Option.some(refused))
  })

  it.each(traces)("follows $name", ({ options, refused, rows, settings }) => {
    const table = RetrySettings.table(settings, options)
    expect(rowsOf(table)).toEqual(rows)
    expect(refusedOf(table)).toEqual(Option.some(refused))
  })

  it("ends after as many rows as were asked for", () => {
    const endless = { totalTimeout: 1 }
    expect(RetrySettings.table(endless).attempts).toHaveLength(100)
    const short = RetrySettings.table(endless, { rows: 3 })
    expect([short.attempts.length, short.refused]).toEqual([3, Option.none()])
    expect(RetrySettings.table({ maxAttempts: 3 }, { rows: 3 }).refused).toEqual(
      expect.objectContaining({ _tag: "Some" })
    )
  })

  it.each<{ settings?: RetrySettings.Fields; options: object; message: string }>([
    { settings: { maxAttempts: -1 }, options: {}, message: "maxAttempts must be a whole number >= 0" },
    { options: { attemptsTake: -1 }, message: "attemptsTake must be a finite duration >= 0" },
    { options: { rows: 0 }, message: "rows must be a whole number >= 1 and <= 1000" },
    { options: { rows: 1001 }, message: "rows must be a whole number >= 1 and <= 1000" },
    { options: { draw: () => 1 }, message: "draw(1) must be >= 0 and <= 0.9999999999999999, got 1" },
    { options: { draw: 5 }, message: "draw must be a function from a retry's number to a draw, got 5" },
    { options: { draw: null }, message: "draw must be a function from a retry's number to a draw, got null" },
    { options: { attemptsTake: null }, message: "attemptsTake must be a finite duration >= 0, got null" },
    { settings: null as never, options: {}, message: "settings must be a record of settings, got null" },
    { settings: (() => fast) as never, options: {}, message: "settings must be a record of settings" },
    { options: [], message: "options must be a record" },
    { options: null as never, message: "options must be a record" }
  ])("refuses $options with settings of $settings", ({ message, options, settings = fast }) => {
    expect(() => RetrySettings.table(settings, options)).toThrow(`RetrySettings.table: ${message}`)
  })
})

describe("RetrySettings.toText", () => {
  it("has a line for each attempt and one for the end", () => {
    const settings = { ...guide, ...rpc(1500, 3000), totalTimeout: 10_000 }
    expect(RetrySettings.toText(RetrySettings.table(settings)).split("\n")).toEqual([
      "attempt  RPC timeout  delay  invoked  ended",
      "      1         1500      0        0   1500",
      "      2         3000    200     1700   4700",
      "      3         3000    400     5100   8100",
      "      4         1400    500     8600  10000",
      "attempt 5 is not made: after a delay of 500 it would start at 10500 (totalTimeout)"
    ])
  })

  it("says where there is no timeout, and no end", () => {
    const text = RetrySettings.toText(RetrySettings.table({ totalTimeout: 1 }, { rows: 1 }))
    expect(text.split("\n").slice(1)).toEqual(["      1         none      0        0      0", "... and so on"])
  })
  const { attempts, refused } = RetrySettings.table(fast)

  it.each<{ table: unknown }>([
    { table: null },
    { table: undefined },
    { table: fast },
    { table: [] },
    { table: () => attempts },
    { table: { attempts, refused: undefined } },
    { table: { attempts, refused: Option.some(3) } },
    { table: { attempts: "none", refused } },
    { table: { attempts: [null], refused } },
    { table: { attempts: [{ attempt: 1 }], refused } }
  ])("refuses $table", ({ table }) => {
    const toText = () => RetrySettings.toText(table as RetrySettings.AttemptTable)
    expect(toText).toThrow(InvalidArgument.InvalidArgument)
    expect(toText).toThrow("RetrySettings.toText: table must be one of RetrySettings.table")
  })
})
