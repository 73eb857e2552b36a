import { AttemptTimeout, Backoff, Classifier, InvalidArgument, Retry } from "@effect-retry/core"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import { Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as PythonTimeout from "../../src/decide/PythonTimeout.ts"

/** What attempts are given that start at these times, in seconds. */
const given = (timeout: AttemptTimeout.AttemptTimeout, starts: ReadonlyArray<number>, leftMillis = Infinity) =>
  starts.map((start, i) => TimeLeft.millisFor(timeout, i + 1, start * 1000, leftMillis) / 1000)

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

const source = "googleapis/python-api-core bfc6651, tests/unit/test_timeout.py"

describe("PythonTimeout", () => {
  it.each([
    {
      name: "timeToDeadline gives what is left, and all of it again below one second",
      timeout: PythonTimeout.timeToDeadline("42 seconds"),
      starts: [0.0009, 1, 39, 42, 43],
      expected: [42, 41, 3, 42, 42]
    },
    {
      name: "timeToDeadline gives a whole second, and not less",
      timeout: PythonTimeout.timeToDeadline("42 seconds"),
      starts: [0, 0.001, 0.5, 40.999, 41, 41.001],
      expected: [42, 41.999, 41.5, 1.001, 1, 42]
    },
    {
      name: "timeToDeadline below a second is a constant",
      timeout: PythonTimeout.timeToDeadline("900 millis"),
      starts: [0, 0.3, 0.6, 0.9, 1.2, 1.5],
      expected: [0.9, 0.9, 0.9, 0.9, 0.9, 0.9]
    },
    {
      name: "exponential has Python's defaults",
      timeout: PythonTimeout.exponential(),
      starts: from(0, 6),
      expected: [5, 10, 20, 30, 30, 30]
    },
    {
      name: "exponential doubles up to its maximum",
      timeout: PythonTimeout.exponential({ initial: "1 second", maximum: "1 minute" }),
      starts: from(0, 8),
      expected: [1, 2, 4, 8, 16, 32, 60, 60]
    },
    {
      name: "exponential gives no more than the seconds until its deadline",
      timeout: PythonTimeout.exponential({ initial: "1 second", maximum: "1 minute", deadline: "30 seconds" }),
      starts: from(1, 14),
      expected: [1, 2, 4, 8, 16, 24, 23, 22, 21, 20, 19, 18, 17, 16]
    },
    {
      name: "exponential counts whole seconds, and ends nothing at its deadline",
      timeout: PythonTimeout.exponential({ deadline: "30 seconds" }),
      starts: [0, 26.5, 28.001, 29.5, 30, 30.001],
      expected: [5, 3, 1, 0.001, 0.001, 30]
    }
  ])(`$name (${source})`, ({ expected, starts, timeout }) => {
    expect(given(timeout, starts)).toEqual(expected)
  })

  it("leaves a deadline of the policy in force", () => {
    expect(given(PythonTimeout.timeToDeadline("42 seconds"), [0, 39, 42], 5000)).toEqual([5, 3, 5])
  })

  it.effect("bounds the attempts of an operation by when they start", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.record(
        Effect.exit(
          Retry.retry(Timeline.attempt(Effect.zipRight(Effect.sleep("4 seconds"), Effect.fail("busy"))), {
            classifier: Classifier.always,
            maxAttempts: 5,
            backoff: Backoff.constant({ delay: "1 second" }),
            attemptTimeout: PythonTimeout.timeToDeadline("12 seconds")
          })
        )
      )
      // 12, 7 and 2 seconds, then 12 again; none again after 19 seconds.
      expect(Timeline.attempts(timeline).map(({ end, start }) => [start, end].map(Duration.toSeconds))).toEqual([
        [0, 4],
        [5, 9],
        [10, 12],
        [13, 17],
        [18, 22]
      ])
    }).pipe(VirtualClock.run)
  )

  it.each([
    [
      () => PythonTimeout.timeToDeadline(0),
      "PythonTimeout.timeToDeadline: timeout must be a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms, got 0"
    ],
    [
      () => PythonTimeout.exponential({ initial: 0 }),
      "PythonTimeout.exponential: initial must be a finite duration >= 1ms"
    ],
    [
      () => PythonTimeout.exponential({ maximum: Infinity }),
      "PythonTimeout.exponential: maximum must be a finite duration >= 1ms"
    ],
    [
      () => PythonTimeout.exponential({ multiplier: 0.5 }),
      "PythonTimeout.exponential: multiplier must be >= 1, got 0.5"
    ],
    [
      () => PythonTimeout.exponential({ deadline: -1 }),
      "PythonTimeout.exponential: deadline must be a finite duration >= 0, got -1"
    ],
    [() => PythonTimeout.timeToDeadline(null as never), "PythonTimeout.timeToDeadline: timeout must be a finite"],
    [() => PythonTimeout.timeToDeadline((() => 5) as never), "PythonTimeout.timeToDeadline: timeout must be a finite"],
    [() => PythonTimeout.exponential(null as never), "PythonTimeout.exponential: options must be a record of options"],
    [() => PythonTimeout.exponential([] as never), "PythonTimeout.exponential: options must be a record of options"],
    [
      () => PythonTimeout.exponential((() => ({})) as never),
      "PythonTimeout.exponential: options must be a record of options"
    ]
  ])("refuses bad arguments", (make, message) => {
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(message)
  })
})
