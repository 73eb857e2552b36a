import { Classifier, Deadline, Hint, Policy } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import * as GoogleBackoff from "../../../src/decide/GoogleBackoff.ts"
import * as Presets from "../../../src/loop/settings/Presets.ts"
import { last, seconds } from "../../decide/Delays.ts"
import { run } from "../Runs.ts"

interface Row {
  readonly name: keyof typeof Presets
  readonly preset: Policy.Preset<unknown>
  /** Most attempts of the preset. */
  readonly attempts: number
  /** The time for all attempts and waits in seconds. */
  readonly total?: number
  /** The bounds of the first delays in seconds, before the deadline: the least and the greatest. */
  readonly delays: ReadonlyArray<readonly [least: number, greatest: number]>
  readonly source: string
}

const full = (...greatest: ReadonlyArray<number>) => greatest.map((each) => [0, each] as const)
/** Java draws whole milliseconds from below the bound, and cuts fractions off. */
const below = (...bounds: ReadonlyArray<number>) => full(...bounds.map((bound) => bound - 0.001))
const plus = (most: number, ...least: ReadonlyArray<number>) => least.map((each) => [each, each + most] as const)

const rows: ReadonlyArray<Row> = [
  {
    name: "javaHttp",
    preset: Presets.javaHttp,
    attempts: 6,
    total: 50,
    delays: below(1, 2, 4, 8, 16),
    source: "googleapis/sdk-platform-java 56aa343, ServiceOptions.java"
  },
  {
    name: "javaPolling",
    preset: Presets.javaPolling,
    attempts: Infinity,
    total: 300,
    delays: below(5, 7.5, 11.25, 16.875, 25.312, 37.968, 45, 45),
    source: "googleapis/sdk-platform-java 56aa343"
  },
  {
    name: "javaResumable",
    preset: Presets.javaResumable,
    attempts: 6,
    total: 50,
    delays: [
      [1, 2],
      [2, 8],
      [4, 32],
      [8, 32],
      [16, 32]
    ],
    source: "googleapis/java-storage 679cddd, Backoff.java"
  },
  {
    name: "python",
    preset: Presets.python,
    attempts: Infinity,
    total: 120,
    delays: full(1, 2, 4, 8, 16, 32, 60, 60),
    source: "googleapis/python-api-core bfc6651, retry_base.py"
  },
  {
    name: "pythonPolling",
    preset: Presets.pythonPolling,
    attempts: Infinity,
    total: 900,
    delays: full(1, 1.5, 2.25, 3.375, 5.063, 7.594, 11.391, 17.086, 20),
    source: "googleapis/python-api-core bfc6651, google/api_core/future/polling.py"
  },
  {
    name: "go",
    preset: Presets.go,
    attempts: Infinity,
    delays: full(1, 2, 4, 8, 16, 30, 30),
    source: "googleapis/gax-go 5a1e0eb, v2/call_option.go"
  },
  {
    name: "goResumable",
    preset: Presets.goResumable,
    attempts: Infinity,
    total: 32,
    delays: full(0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8),
    source: "googleapis/google-api-go-client, internal/gensupport/retry.go"
  },
  {
    name: "nodeStorage",
    preset: Presets.nodeStorage,
    attempts: 4,
    total: 600,
    delays: plus(0.999, 2, 4, 8),
    source: "googleapis/nodejs-storage 7.22.0, src/storage.ts"
  },
  {
    name: "retryRequest",
    preset: Presets.retryRequest,
    attempts: 3,
    total: 600,
    delays: plus(0.999, 2, 4),
    source: "googleapis/retry-request 7.0.2, index.js"
  },
  {
    name: "nodeResumable",
    preset: Presets.nodeResumable,
    attempts: 4,
    total: 600,
    delays: plus(1, 1, 2, 4),
    source: "googleapis/nodejs-storage 7.22.0, src/resumable-upload.ts"
  },
  {
    name: "gaxios",
    preset: Presets.gaxios,
    attempts: 4,
    delays: plus(0, 0.1, 0.5, 1.5),
    source: "googleapis/gaxios 6.7.1, src/retry.ts"
  },
  {
    name: "gaxNodejs",
    preset: Presets.gaxNodejs,
    attempts: Infinity,
    delays: full(0.1, 0.13, 0.169, 0.22, 0.286, 0.372, 0.483, 0.628),
    source: "googleapis/gax-nodejs acfbe80, gax/src/gax.ts"
  },
  {
    name: "cppStorage",
    preset: Presets.cppStorage,
    attempts: Infinity,
    total: 900,
    delays: [...[1, 2, 4, 8, 16, 32, 64, 128].map((start) => [start, 2 * start] as const), [150, 300], [150, 300]],
    source: "googleapis/google-cloud-cpp, google/cloud/storage/client_options.cc"
  },
  {
    name: "dotnetStorage",
    preset: Presets.dotnetStorage,
    attempts: 3,
    delays: plus(0, 1, 2),
    source: "googleapis/google-cloud-dotnet 2af4cec, RetryTiming.cs"
  },
  {
    name: "recommended",
    preset: Presets.recommended,
    attempts: Infinity,
    total: 600,
    delays: [...plus(1, 1, 2, 4, 8, 16, 32), [64, 64], [64, 64]],
    source: "cloud.google.com/storage/docs/retry-strategy, Exponential backoff algorithm"
  }
]

/** The same without the deadline, which would bend a late delay. */
const boundsOf = (preset: Policy.Preset<unknown>, rows: number) =>
  Plan.explain({ ...preset, deadline: undefined }, { rows }).attempts.flatMap(({ delay }) =>
    Option.isNone(delay) ? [] : [[delay.value.least, delay.value.most].map(Duration.toMillis)]
  )

describe("Presets", () => {
  it("has every preset in this table", () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(Presets).toSorted())
  })

  it.each(rows)("$name makes $attempts attempts ($source)", ({ attempts, delays, preset, total }) => {
    expect(preset.maxAttempts).toBe(attempts)
    const { deadline } = preset
    expect(deadline && (deadline.withinMillis - (deadline.withinMillis % 1000)) / 1000).toBe(total)
    expect(boundsOf(preset, delays.length + 1)).toEqual(delays.map((pair) => seconds(...pair)))
  })

  // Source: googleapis/google-cloud-dotnet 2af4cec, RetryTiming.cs, beyond the 3 attempts of Cloud Storage.
  it("dotnetStorage doubles up to its maximum when there are more attempts", () => {
    const bounds = boundsOf({ ...Presets.dotnetStorage, maxAttempts: Infinity }, 8)
    expect(bounds).toEqual(plus(0, 1, 2, 4, 8, 16, 32, 32).map((pair) => seconds(...pair)))
  })

  it.each(rows)("$name may be changed by spread", ({ preset }) => {
    const policy = Policy.make({
      ...preset,
      classifier: Classifier.always,
      maxAttempts: 2,
      deadline: Deadline.refuse("1 second")
    })
    expect([policy.maxAttempts, policy.backoff]).toEqual([2, preset.backoff])
  })
})

interface Ending {
  readonly name: string
  readonly preset: Policy.Preset<unknown>
  /** How long each attempt takes. @default no time */
  readonly takes?: Duration.DurationInput
  /** When attempts start, in seconds, under the greatest draws. */
  readonly starts: ReadonlyArray<number>
  readonly reason: "AttemptsSpent" | "DeadlinePassed"
}

const sums = (...delays: ReadonlyArray<number>) =>
  [0, ...delays].map((_, i) => delays.slice(0, i).reduce((sum, delay) => sum + delay, 0))

describe("Presets, to the end", () => {
  it.effect.each<Ending>([
    {
      name: "javaHttp spends its attempts before its time",
      preset: Presets.javaHttp,
      starts: sums(0.999, 1.999, 3.999, 7.999, 15.999),
      reason: "AttemptsSpent"
    },
    {
      name: "javaHttp refuses the wait that would pass its deadline",
      preset: Presets.javaHttp,
      takes: "8 seconds",
      starts: [0, 8.999, 18.998, 30.997, 46.996],
      reason: "DeadlinePassed"
    },
    {
      name: "javaPolling goes on until a wait would pass its deadline",
      preset: Presets.javaPolling,
      starts: sums(4.999, 7.499, 11.249, 16.874, 25.311, 37.967, 44.999, 44.999, 44.999, 44.999),
      reason: "DeadlinePassed"
    },
    {
      name: "javaResumable shortens its last wait",
      preset: Presets.javaResumable,
      starts: [0, 2, 10, 42, 49.999],
      reason: "DeadlinePassed"
    },
    {
      // googleapis/java-storage 679cddd, BackoffTest.java: 14 seconds are left for the last wait, to the deadline itself.
      name: "javaResumable has the waits of Java's own test, a millisecond of the last one apart",
      preset: {
        ...Presets.javaResumable,
        maxAttempts: Infinity,
        backoff: GoogleBackoff.javaStorage({
          initialRetryDelay: "2 seconds",
          maxRetryDelay: "57 seconds",
          jittered: false
        }),
        deadline: Deadline.truncate("418 seconds", { reserve: "1 milli" })
      },
      starts: sums(2, 4, 8, 16, 32, 57, 57, 57, 57, 57, 57, 13.999),
      reason: "DeadlinePassed"
    },
    {
      name: "python refuses the wait that would pass its deadline",
      preset: Presets.python,
      starts: sums(1, 2, 4, 8, 16, 32),
      reason: "DeadlinePassed"
    },
    {
      name: "python sends once more exactly at its deadline",
      preset: Presets.python,
      takes: "9500 millis",
      starts: [0, 10.5, 22, 35.5, 53, 78.5, 120],
      reason: "DeadlinePassed"
    },
    {
      name: "goResumable refuses the wait that would pass its deadline",
      preset: Presets.goResumable,
      starts: sums(0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8),
      reason: "DeadlinePassed"
    },
    {
      name: "nodeStorage spends its attempts before its time",
      preset: Presets.nodeStorage,
      starts: sums(2.999, 4.999, 8.999),
      reason: "AttemptsSpent"
    },
    {
      name: "nodeStorage shortens its last wait",
      preset: Presets.nodeStorage,
      takes: "195 seconds",
      starts: [0, 197.999, 397.998, 599.999],
      reason: "AttemptsSpent"
    },
    {
      name: "nodeResumable shortens its last wait",
      preset: Presets.nodeResumable,
      takes: "198 seconds",
      starts: [0, 200, 401, 599.999],
      reason: "AttemptsSpent"
    },
    {
      name: "cppStorage goes on until a wait would pass its deadline",
      preset: Presets.cppStorage,
      starts: sums(2, 4, 8, 16, 32, 64, 128, 256, 300).map((start, i) => start - i / 1000),
      reason: "DeadlinePassed"
    },
    {
      name: "recommended waits a second more, and then its maximum",
      preset: Presets.recommended,
      starts: sums(2, 3, 5, 9, 17, 33, ...Array.from({ length: 8 }, () => 64)),
      reason: "DeadlinePassed"
    }
  ])("$name", ({ preset, reason, starts, takes }) =>
    Effect.gen(function* () {
      const ran = yield* run(preset, last, takes)
      expect(ran).toMatchObject({ starts: seconds(...starts), reason })
    })
  )

  it.effect("fails at once when there is no time left to wait", () =>
    Effect.gen(function* () {
      const ran = yield* run(Presets.python, last)
      expect(ran.ended).toBe(ran.starts.at(-1))
    })
  )
})

describe("Presets and hints", () => {
  it.each(rows)("$name ignores what a server asks for", ({ preset }) => {
    expect(preset.hint).toBe(Hint.ignore)
  })
})
