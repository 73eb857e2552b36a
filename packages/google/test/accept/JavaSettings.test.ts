import * as JavaSettings from "../../src/accept/JavaSettings.ts"
import * as RetrySettings from "../../src/loop/settings/RetrySettings.ts"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option } from "effect"

const source = "googleapis/sdk-platform-java 56aa343"

describe("JavaSettings", () => {
  it.each([
    {
      name: "http",
      settings: JavaSettings.http,
      values: [50_000, 1000, 2, 32_000, 6, true, 50_000, 1, 50_000],
      starts: [0, 1000, 3000, 7000, 15_000, 31_000],
      refused: "totalTimeout"
    },
    {
      name: "polling",
      settings: JavaSettings.polling,
      values: [300_000, 5000, 1.5, 45_000, 0, true, 0, 1, 0],
      starts: [0, 5000, 12_500, 23_750, 40_625, 65_937, 103_905, 148_905, 193_905, 238_905, 283_905],
      refused: "totalTimeout"
    }
  ])(
    `$name has the numbers of ${source}, and its attempts start when there`,
    ({ refused, settings, starts, values }) => {
      const {
        initialRetryDelay,
        initialRpcTimeout,
        jittered,
        maxAttempts,
        maxRetryDelay,
        maxRpcTimeout,
        retryDelayMultiplier,
        rpcTimeoutMultiplier,
        totalTimeout
      } = settings
      expect([
        Duration.toMillis(totalTimeout),
        Duration.toMillis(initialRetryDelay),
        retryDelayMultiplier,
        Duration.toMillis(maxRetryDelay),
        maxAttempts,
        jittered,
        Duration.toMillis(initialRpcTimeout),
        rpcTimeoutMultiplier,
        Duration.toMillis(maxRpcTimeout)
      ]).toEqual(values)
      // Without jitter, and with attempts that fail at once.
      const table = RetrySettings.table(settings, { attemptsTake: 0 })
      expect(table.attempts.map(({ invoked }) => Duration.toMillis(invoked))).toEqual(starts)
      expect(Option.getOrThrow(table.refused).because).toBe(refused)
    }
  )
})
