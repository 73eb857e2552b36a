import { Backoff, InvalidArgument, Jitter, type Verdict } from "@effect-retry/core"
import { Laws } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Duration } from "effect"
import * as AwsBackoff from "../../src/decide/AwsBackoff.ts"
import { bySecond, curvesOf, delayAt, delaysOf, rangeAt, samples } from "./Delays.ts"

const { describe, expect, it } = vitest

const botocore = "boto/botocore 1.43.107, tests/unit/retries/test_standard.py"
const botocore21 = "boto/botocore 1.43.107, tests/unit/retries/test_standard_retry_v2_1.py"
const kotlin = "smithy-lang/smithy-kotlin 6373a5f, ExponentialBackoffWithJitterTest.kt"
const smithyRs = "smithy-lang/smithy-rs 56ee88c, retries/strategy/standard.rs"
const javascript = "smithy-lang/smithy-typescript 6815d3e, DefaultRetryBackoffStrategy.spec.ts"
const java = "aws/aws-sdk-java-v2 07c0c61, StandardRetryStrategyV21ConstantsTest.java"

interface Row {
  readonly name: string
  readonly source: string
  readonly backoff: Backoff.Backoff
  readonly kind?: Verdict.Kind
  /** The first retry of the row; the delays are those of it and of the retries after it. */
  readonly from?: number
  /** The delays if each draw is the greatest possible. */
  readonly millis: ReadonlyArray<number>
}

const seconds = (...values: ReadonlyArray<number>) => values.map((value) => value * 1000)

const kotlinFrom10 = { initialDelay: "10 millis", scaleFactor: 2, jitter: 0, maxBackoff: Duration.infinity } as const
const kotlinFrom50 = { initialDelay: "50 millis", scaleFactor: 2, jitter: 0 } as const
const doubling = [10, 20, 40, 80, 160, 320]

describe("AwsBackoff", () => {
  it.each<Row>([
    {
      name: "standard2020 doubles from one second",
      source: botocore,
      backoff: AwsBackoff.standard2020,
      millis: seconds(1, 2, 4, 8, 16, 20, 20, 20, 20)
    },
    {
      name: "botocore2020 doubles from one second",
      source: botocore,
      backoff: AwsBackoff.botocore2020,
      millis: seconds(1, 2, 4, 8, 16, 20, 20, 20, 20)
    },
    {
      name: "standard doubles from fifty milliseconds",
      source: botocore21,
      backoff: AwsBackoff.standard,
      millis: seconds(0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20, 20)
    },
    {
      name: "standard doubles from one second after throttling",
      source: "derived; first delay in smithy-kotlin 6373a5f, NewStandardRetryIntegrationTestResources.kt",
      backoff: AwsBackoff.standard,
      kind: "Throttling",
      millis: seconds(1, 2, 4, 8, 16, 20, 20)
    },
    {
      name: "dynamodb doubles from twenty-five milliseconds",
      source: `${botocore21}, TestServiceSpecificRetries; from the fourth on derived`,
      backoff: AwsBackoff.dynamodb,
      millis: seconds(0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20)
    },
    {
      name: "dynamodb doubles from one second after throttling",
      source: "derived",
      backoff: AwsBackoff.dynamodb,
      kind: "Throttling",
      millis: seconds(1, 2, 4, 8, 16, 20, 20)
    },
    {
      name: "kotlin scales",
      source: kotlin,
      backoff: AwsBackoff.kotlin(kotlinFrom10),
      millis: doubling
    },
    {
      name: "kotlin keeps to the longest back-off",
      source: kotlin,
      backoff: AwsBackoff.kotlin({ ...kotlinFrom10, maxBackoff: "100 millis" }),
      millis: [10, 20, 40, 80, 100, 100]
    },
    {
      name: "kotlin begins at the initial delay after a failure of the server",
      source: kotlin,
      backoff: AwsBackoff.kotlin(kotlinFrom50),
      kind: "Server",
      millis: [50, 100, 200, 400, 800]
    },
    {
      name: "kotlin begins at the throttling base after throttling",
      source: kotlin,
      backoff: AwsBackoff.kotlin({ ...kotlinFrom50, throttlingBaseDelay: "1 second" }),
      kind: "Throttling",
      millis: [1000, 2000, 4000]
    },
    {
      name: "kotlin cuts off the fraction of a millisecond",
      source: "AWS SDK for Kotlin developer guide, whose third and fourth are 22.5 and 33.75; truncated in the source",
      backoff: AwsBackoff.kotlin({ jitter: 0 }),
      millis: [10, 15, 22, 33]
    },
    ...[1, 3, 0.03].map((initial) => ({
      name: `exponential doubles from ${initial} seconds`,
      source: smithyRs,
      backoff: AwsBackoff.exponential({ base: initial * 1000 }),
      millis: seconds(initial, 2 * initial, 4 * initial)
    })),
    {
      name: "exponential saturates instead of overflowing",
      source: smithyRs,
      backoff: AwsBackoff.exponential({ base: "10 seconds" }),
      from: 100_001,
      millis: seconds(20)
    },
    {
      name: "botocore2020 is at its cap at attempt thirty-three",
      source: smithyRs,
      backoff: AwsBackoff.botocore2020,
      from: 33,
      millis: seconds(20)
    },
    ...(["Client", "Server", "Throttling", "Transient"] as const).map((kind) => ({
      name: `botocore2020 waits the same after failures of kind ${kind}`,
      source: smithyRs,
      backoff: AwsBackoff.botocore2020,
      kind,
      from: 3,
      millis: seconds(4)
    })),
    {
      name: "javascript doubles from fifty milliseconds",
      source: javascript,
      backoff: AwsBackoff.javascript,
      millis: [50, 100, 200, 400]
    },
    {
      name: "javascriptDynamodb doubles from 25 milliseconds",
      source: "@aws-sdk/client-dynamodb 3.1162.0, DynamoDBClient.js",
      backoff: AwsBackoff.javascriptDynamodb,
      millis: [25, 50, 100, 200]
    },
    {
      name: "javascript2020 doubles from a hundred milliseconds",
      source: javascript,
      backoff: AwsBackoff.javascript2020,
      millis: [100, 200, 400, 800]
    },
    {
      name: "javascript2020 doubles from half a second after throttling",
      source: "@smithy/util-retry 4.2.8, constants.js",
      backoff: AwsBackoff.javascript2020,
      kind: "Throttling",
      millis: [500, 1000, 2000, 4000]
    },
    {
      name: "exponential brings a base above the cap down to it",
      source: javascript,
      backoff: AwsBackoff.exponential({ base: 20_001, rounding: "down" }),
      millis: [20_000]
    },
    {
      name: "exponential stays at the cap",
      source: javascript,
      backoff: AwsBackoff.exponential({ base: 1, rounding: "down" }),
      from: 16,
      millis: [20_000, 20_000]
    }
  ])("$name ($source)", ({ backoff, from = 1, kind, millis }) => {
    expect(millis.map((_, i) => delayAt(backoff, from + i, 1, kind))).toEqual(millis)
  })

  it.each<
    { name: string; source: string; backoff: Backoff.Backoff; n: number; range: readonly [number, number] } & {
      kind?: Verdict.Kind
    }
  >([
    { name: "botocore2020", source: botocore, backoff: AwsBackoff.botocore2020, n: 3, range: [0, 4000] },
    { name: "standard", source: botocore21, backoff: AwsBackoff.standard, n: 3, range: [0, 200] },
    { name: "standard", source: java, backoff: AwsBackoff.standard, n: 1, range: [0, 50] },
    { name: "standard", source: java, backoff: AwsBackoff.standard, n: 1, kind: "Throttling", range: [0, 1000] },
    { name: "java2020", source: java, backoff: AwsBackoff.java2020, n: 1, range: [0, 100] },
    {
      name: "java2020",
      source: "announcement of the 2026 revision",
      backoff: AwsBackoff.java2020,
      n: 1,
      kind: "Throttling",
      range: [0, 1000]
    },
    ...doubling.map((bound, i) => ({
      name: "kotlin with six tenths of jitter",
      source: kotlin,
      backoff: AwsBackoff.kotlin({ ...kotlinFrom10, jitter: 0.6 }),
      n: i + 1,
      range: [bound * 0.4, bound] as const
    }))
  ])("$name draws before retry $n from $range ($source)", ({ backoff, kind, n, range }) => {
    expect(rangeAt(backoff, n, kind)).toEqual(range)
    const drawn = samples(backoff, n, 128, kind)
    expect(drawn.filter((delay) => !(delay >= range[0] && delay <= range[1]))).toEqual([])
  })

  // Source: boto/botocore 1.43.107, test_standard.py and test_standard_retry_v2_1.py: each second has its share, to a fifth.
  it.each([
    ["botocore2020", AwsBackoff.botocore2020],
    ["standard", AwsBackoff.standard]
  ] as const)("%s draws evenly from below its cap", (_, backoff) => {
    const counts = bySecond(samples(backoff, 10, 10_000), 20)
    const mean = counts.reduce((sum, count) => sum + count, 0) / 20
    expect(mean).toBeCloseTo(500, -1)
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(mean / 5)
  })

  it("of the guide before 2026 gathers on the cap what it draws above it", () => {
    const drawn = samples(AwsBackoff.standard2020, 7, 10_000)
    // 64 seconds, of which all above 20 are brought down to it.
    expect(drawn.filter((delay) => delay === 20_000).length / 10_000).toBeCloseTo(44 / 64, 1)
    expect(samples(AwsBackoff.botocore2020, 7, 10_000).filter((delay) => delay === 20_000).length).toBeLessThan(10)
  })

  // Source: derived; stated in the AWS SDKs and Tools reference guide.
  it.each([
    { kind: "Transient", retry: 10 },
    { kind: "Throttling", retry: 6 }
  ] as const)("standard reaches its cap at retry $retry after $kind", ({ kind, retry }) => {
    expect(delayAt(AwsBackoff.standard, retry - 1, 1, kind)).toBeLessThan(20_000)
    expect(delayAt(AwsBackoff.standard, retry, 1, kind)).toBe(20_000)
  })

  it("counts the retries of the operation for all kinds together", () => {
    expect(delaysOf(AwsBackoff.standard, 1, ["Transient", "Throttling", "Timeout", "Throttling", "Server"])).toEqual([
      50, 2000, 200, 8000, 800
    ])
  })

  // Source: aws/aws-sdk-go-v2 058d984, aws/retry/jitter_backoff_test.go; a fraction of a millisecond is rounded up.
  it.each([
    { n: 1, u: 0, millis: 0 },
    { n: 1, u: 1 - 2 ** -53, millis: 2000 },
    { n: 2, u: 0.5, millis: 2000 },
    { n: 4, u: 0.5, millis: 8000 },
    { n: 5, u: 0, millis: 20_000 },
    { n: 10, u: 1 - 2 ** -53, millis: 20_000 }
  ])("go2020 waits $millis milliseconds before retry $n for a draw of $u", ({ millis, n, u }) => {
    expect(delayAt(AwsBackoff.go2020, n, u)).toBe(millis)
  })

  it.each([
    { name: "standard", backoff: AwsBackoff.standard, millis: 25 },
    { name: "javascript", backoff: AwsBackoff.javascript, millis: 24 },
    { name: "kotlin", backoff: AwsBackoff.kotlin({ initialDelay: 49 }), millis: 24 }
  ])("$name makes whole milliseconds of 24.5", ({ backoff, millis, name }) => {
    expect(delayAt(backoff, 1, name === "kotlin" ? 0.5 : 0.49)).toBe(millis)
  })

  it("of Kotlin shortens by chance, and takes everything away when the draw takes the whole jitter", () => {
    const backoff = AwsBackoff.kotlin({ initialDelay: 100, jitter: 0.6 })
    expect([0, 0.25, 0.5, 1].map((u) => delayAt(backoff, 1, u))).toEqual([100, 85, 70, 40])
  })

  it.each([
    ["standard", AwsBackoff.standard],
    ["standard2020", AwsBackoff.standard2020],
    ["go2020", AwsBackoff.go2020],
    ["javascript2020", AwsBackoff.javascript2020],
    ["kotlin", AwsBackoff.kotlin()]
  ] as const)("%s stays below another cap", (_, backoff) => {
    const capped = Backoff.capped(backoff, "150 millis")
    for (const n of [1, 5, 50]) {
      for (const u of [0, 0.5]) expect(delayAt(capped, n, u)).toBeLessThanOrEqual(150)
      expect(delayAt(capped, n, 1)).toBe(Math.min(150, delayAt(backoff, n, 1) ?? NaN))
    }
  })

  it.each([AwsBackoff.standard2020, AwsBackoff.go2020, AwsBackoff.javascript, AwsBackoff.kotlin()])(
    "takes no jitter if it draws by itself",
    (backoff) => {
      expect(() => Backoff.jittered(backoff, Jitter.full)).toThrow(InvalidArgument.InvalidArgument)
    }
  )
})

describe("AwsBackoff bad arguments", () => {
  it.each([
    {
      make: () => AwsBackoff.exponential({ base: NaN }),
      message: "AwsBackoff.exponential: base must be a finite duration >= 0, got NaN"
    },
    {
      make: () => AwsBackoff.exponential({ base: 1, throttlingBase: -1 }),
      message: "AwsBackoff.exponential: throttlingBase must be a finite duration >= 0, got -1"
    },
    {
      make: () => AwsBackoff.exponential({ base: 1, cap: 0 }),
      message: "AwsBackoff.exponential: cap must be a finite duration >= 1ms, got 0"
    },
    {
      make: () => AwsBackoff.exponential({ base: 1, rounding: "even" as "up" }),
      message: 'AwsBackoff.exponential: rounding must be one of up, down, got "even"'
    },
    {
      make: () => AwsBackoff.kotlin({ initialDelay: Infinity }),
      message: "AwsBackoff.kotlin: initialDelay must be a finite duration >= 0, got Infinity"
    },
    {
      make: () => AwsBackoff.kotlin({ throttlingBaseDelay: -1 }),
      message: "AwsBackoff.kotlin: throttlingBaseDelay must be a finite duration >= 0, got -1"
    },
    {
      make: () => AwsBackoff.kotlin({ scaleFactor: 0.5 }),
      message: "AwsBackoff.kotlin: scaleFactor must be >= 1, got 0.5"
    },
    { make: () => AwsBackoff.kotlin({ jitter: 2 }), message: "AwsBackoff.kotlin: jitter must be >= 0 and <= 1, got 2" },
    {
      make: () => AwsBackoff.kotlin({ maxBackoff: -1 }),
      message: "AwsBackoff.kotlin: maxBackoff must be a duration >= 0, got -1"
    }
  ])("are refused: $message", ({ make, message }) => {
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(message)
  })
})

const own = {
  standard2020: AwsBackoff.standard2020,
  go2020: AwsBackoff.go2020,
  javascript: AwsBackoff.javascript,
  kotlin: AwsBackoff.kotlin()
}
for (const [name, backoff] of Object.entries(own)) {
  for (const curve of curvesOf(backoff).slice(0, 1)) Laws.curve(vitest, `AwsBackoff.${name}`, curve)
}
