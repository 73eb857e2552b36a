import { AttemptTimeout, Backoff, Classic, Curve, Hint, Jitter } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"

const always = Backoff.constant({ delay: 1 })
const longest = "106751d 23h 47m 16s 854ms"

/** What is refused, by the function and its argument, with one value that is just out of bounds. */
const refusals: ReadonlyArray<readonly [message: string, make: () => unknown]> = [
  ["Jitter.proportional: ratio must be > 0 and <= 1, got 0", () => Jitter.proportional({ ratio: 0 })],
  ["Jitter.additive: max must be a finite duration > 0, got 0", () => Jitter.additive({ max: 0 })],
  ["Backoff.constant: delay must be a finite duration >= 0, got -1", () => Backoff.constant({ delay: -1 })],
  ["Backoff.exponential: base must be a finite duration >= 0, got -1", () => Backoff.exponential({ base: -1 })],
  ["Backoff.exponential: factor must be >= 1, got 0.5", () => Backoff.exponential({ base: 1, factor: 0.5 })],
  ["Backoff.fromDelays: delays[1] must be a finite duration >= 0, got -1", () => Backoff.fromDelays([1, -1])],
  ["Backoff.capped: cap must be a finite duration >= 1ms, got 0", () => Backoff.capped(always, 0)],
  [`Backoff.within: duration must be a finite duration > 0 and <= ${longest}, got 0`, () => Backoff.within(always, 0)],
  ["Backoff.take: n must be a whole number >= 0, got 0.5", () => Backoff.take(always, 0.5)],
  ["Backoff.resetAfter: inactivity must be a finite duration >= 1ms, got 0", () => Backoff.resetAfter(always, 0)],
  ["Curve.linear: base must be a finite duration >= 0, got -1", () => Curve.linear({ base: -1, step: 1 })],
  ["Curve.linear: step must be a finite duration >= 0, got -1", () => Curve.linear({ base: 1, step: -1 })],
  ["Curve.polynomial: base must be a finite duration >= 0, got -1", () => Curve.polynomial({ base: -1, degree: 2 })],
  ["Curve.polynomial: degree must be > 0, got 0", () => Curve.polynomial({ base: 1, degree: 0 })],
  ["Curve.fibonacci: base must be a finite duration >= 0, got -1", () => Curve.fibonacci({ base: -1 })],
  ["Curve.decorrelated: base must be a finite duration > 0, got 0", () => Curve.decorrelated({ base: 0 })],
  ["Curve.decorrelatedSmooth: base must be a finite duration > 0, got 0", () => Curve.decorrelatedSmooth({ base: 0 })],
  ["Classic.ethernet: slot must be a finite duration > 0, got 0", () => Classic.ethernet({ slot: 0 })],
  ["Classic.celery: factor must be a whole number >= 0, got 0.5", () => Classic.celery({ factor: 0.5 })],
  [
    "Classic.celery: maximum must be a finite duration >= 1s, got 999",
    () => Classic.celery({ factor: 1, maximum: 999 })
  ],
  [
    "Classic.connectRetry: maximum must be a finite duration >= 1s, got 999",
    () => Classic.connectRetry({ maximum: 999 })
  ],
  [
    "Hint.override: atMost must be a finite duration >= 0, got -1",
    () => Hint.override({ atMost: -1, otherwise: "clamp" })
  ],
  [
    'Hint.override: otherwise must be one of clamp, giveUp, ignore, got "wait"',
    () => Hint.override({ atMost: 1, otherwise: "wait" as never })
  ],
  ["Hint.floor: atMost must be a finite duration >= 0, got -1", () => Hint.floor({ atMost: -1, otherwise: "clamp" })],
  [
    "Hint.floor: jitterRatio must be >= 0 and <= 1, got 1.5",
    () => Hint.floor({ jitterRatio: 1.5, atMost: 1, otherwise: "clamp" })
  ],
  ["Hint.within: above must be a finite duration >= 0, got -1", () => Hint.within({ above: -1 })],
  [
    "AttemptTimeout.constant: duration must be a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms, got 0",
    () => AttemptTimeout.constant(0)
  ]
]

describe("Bounds", () => {
  it.each(refusals)("%s", (message, make) => {
    expect(make).toThrow(expect.objectContaining({ message }))
  })
})
