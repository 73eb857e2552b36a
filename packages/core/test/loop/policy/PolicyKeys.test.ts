import { AttemptTimeout, Backoff, Curve, Deadline, Hint, Jitter, Policy } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"

const valuesOf = (preset: Policy.Preset<unknown>) =>
  Object.fromEntries(
    Policy.describe("payments", preset).flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))
  )

describe("Policy.describe", () => {
  it("lists every key with its variable, what it may hold, and what the preset has", () => {
    expect(Policy.describe("payments", Policy.standard)).toStrictEqual([
      { key: "maxAttempts", variable: "PAYMENTS_MAX_ATTEMPTS", allowed: "a whole number >= 1 or Infinity", value: "3" },
      {
        key: "curve",
        variable: "PAYMENTS_CURVE",
        allowed: "one of constant, linear, polynomial, exponential, fibonacci, decorrelated, decorrelatedSmooth",
        value: "exponential"
      },
      { key: "base", variable: "PAYMENTS_BASE", allowed: "a finite duration >= 0", value: "100 millis" },
      { key: "step", variable: "PAYMENTS_STEP", allowed: "a finite duration >= 0" },
      { key: "degree", variable: "PAYMENTS_DEGREE", allowed: "> 0" },
      { key: "factor", variable: "PAYMENTS_FACTOR", allowed: ">= 1", value: "2" },
      { key: "cap", variable: "PAYMENTS_CAP", allowed: "a finite duration >= 1ms", value: "20 seconds" },
      {
        key: "jitter",
        variable: "PAYMENTS_JITTER",
        allowed: "one of none, full, equal, proportional, additive",
        value: "full"
      },
      { key: "jitterRatio", variable: "PAYMENTS_JITTER_RATIO", allowed: "> 0 and <= 1" },
      { key: "jitterMax", variable: "PAYMENTS_JITTER_MAX", allowed: "a finite duration > 0" },
      {
        key: "attemptTimeout",
        variable: "PAYMENTS_ATTEMPT_TIMEOUT",
        allowed: "a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms"
      },
      {
        key: "deadline",
        variable: "PAYMENTS_DEADLINE",
        allowed: "a finite duration > 0 and <= 106751d 23h 47m 16s 854ms"
      },
      { key: "deadlineReserve", variable: "PAYMENTS_DEADLINE_RESERVE", allowed: "a finite duration >= 0" },
      { key: "hintAtMost", variable: "PAYMENTS_HINT_AT_MOST", allowed: "a finite duration >= 0", value: "1 minute" },
      {
        key: "hintOtherwise",
        variable: "PAYMENTS_HINT_OTHERWISE",
        allowed: "one of clamp, giveUp, ignore",
        value: "giveUp"
      }
    ])
  })

  const base = "1500 millis"

  it.effect.each<{ readonly name: string; readonly preset: Partial<Policy.Preset<unknown>> }>([
    { name: "the standard one", preset: {} },
    { name: "a constant delay", preset: { backoff: Backoff.constant({ delay: base }) } },
    { name: "a delay of no time", preset: { backoff: Backoff.constant({ delay: 0 }) } },
    { name: "a linear curve", preset: { backoff: Backoff.fromCurve(Curve.linear({ base, step: "1 day" })) } },
    { name: "a polynomial curve", preset: { backoff: Backoff.fromCurve(Curve.polynomial({ base, degree: 1.7 })) } },
    { name: "an exponential curve", preset: { backoff: Backoff.exponential({ base: 0.25, factor: 1.1 }) } },
    { name: "a Fibonacci curve", preset: { backoff: Backoff.fromCurve(Curve.fibonacci({ base })) } },
    { name: "a decorrelated curve", preset: { backoff: Backoff.fromCurve(Curve.decorrelated({ base })) } },
    { name: "a smooth curve", preset: { backoff: Backoff.fromCurve(Curve.decorrelatedSmooth({ base })) } },
    ...[Jitter.none, Jitter.equal, Jitter.proportional({ ratio: 0.2 }), Jitter.additive({ max: 250 })].map(
      (jitter) => ({
        name: `jitter ${jitter.name}`,
        preset: { backoff: Backoff.jittered(Policy.standard.backoff, jitter) }
      })
    ),
    {
      name: "all times",
      preset: {
        maxAttempts: Infinity,
        attemptTimeout: AttemptTimeout.constant("90 seconds"),
        hint: Hint.floor({ atMost: "2 hours", otherwise: "ignore" }),
        deadline: Deadline.refuse("10 minutes", { reserve: "1 second" })
      }
    },
    { name: "a deadline that cuts", preset: { deadline: Deadline.cut("1 hour") } }
  ])("has values that make the same policy when they are read: $name", ({ preset }) =>
    Effect.gen(function* () {
      const own = { ...Policy.standard, ...preset }
      const values = valuesOf(own)
      const provider = ConfigProvider.fromJson({ payments: values })
      // From a preset with other numbers, so that each value has to be read.
      const { attemptTimeout, deadline, hint } = own
      const other = { maxAttempts: 9, backoff: Policy.once.backoff, attemptTimeout, deadline, hint }
      const made = yield* provider.load(Policy.config("payments", other))
      expect(valuesOf(made)).toEqual(values)
      expect(made.maxAttempts).toBe(own.maxAttempts)
      for (const u of [0, 0.3, 0.9]) {
        const [expected, found] = [own, made].map(({ backoff }) => delays(backoff, u))
        expect(found).toEqual(expected)
      }
      expect(made.deadline).toEqual(own.deadline)
      expect(made.hint).toEqual(own.hint ?? Hint.standard)
    })
  )

  it.each<{ readonly name: string; readonly times: Partial<Policy.Preset<unknown>>; readonly values: object }>([
    {
      name: "a deadline that refuses",
      times: { deadline: Deadline.refuse("10 minutes", { reserve: "1 second" }) },
      values: { deadline: "10 minutes", deadlineReserve: "1 second" }
    },
    {
      name: "a deadline that cuts",
      times: { deadline: Deadline.cut("1 hour") },
      values: { deadline: "1 hour" }
    },
    {
      name: "a timeout of attempts",
      times: { attemptTimeout: AttemptTimeout.constant("90 seconds") },
      values: { attemptTimeout: "90 seconds" }
    },
    {
      name: "a bound of hints",
      times: { hint: Hint.override({ atMost: "2 days", otherwise: "clamp" }) },
      values: { hintAtMost: "2 days", hintOtherwise: "clamp" }
    }
  ])("writes the times of $name in the largest unit that gives a whole number", ({ times, values }) => {
    const plain = { maxAttempts: 1, backoff: Policy.once.backoff, hint: Hint.ignore }
    expect(valuesOf({ ...plain, ...times })).toEqual({ ...valuesOf(plain), ...values })
  })

  it("leaves out what a preset has more than one of, or none", () => {
    const values = valuesOf({
      maxAttempts: 3,
      backoff: Backoff.max(
        Backoff.capped(Backoff.constant({ delay: "1 second" }), "5 seconds"),
        Backoff.capped(Backoff.exponential({ base: "1 second" }), "5 seconds")
      ),
      attemptTimeout: AttemptTimeout.growing({ initial: "1 second", factor: 2, maximum: "8 seconds" }),
      hint: Hint.ignore
    })
    expect(values).toEqual({ maxAttempts: "3", base: "1 second", cap: "5 seconds", jitter: "none" })
  })

  it("names a curve of one's own and knows no parameters of it", () => {
    const own = Curve.fromFunction("gaxios", (n) => 100 * 2 ** n)
    expect(valuesOf({ maxAttempts: 2, backoff: Backoff.fromCurve(own), hint: Hint.ignore })).toEqual({
      maxAttempts: "2",
      curve: "gaxios",
      jitter: "none"
    })
  })

  it("refuses a name that is not one", () => {
    expect(() => Policy.describe("_", Policy.standard)).toThrow(
      'Policy.describe: name must be a string with a letter, got "_"'
    )
  })
})

/** The delays of a back-off under one draw. */
const delays = ({ tree }: Backoff.Backoff, u: number) => {
  const millis: Array<number> = []
  let rest: BackoffTree.Tree | undefined = tree
  while (rest !== undefined && millis.length < 6) {
    const stepped: ReturnType<typeof BackoffTree.step> = BackoffTree.step(rest, {
      u,
      kind: undefined,
      ranMillis: 0,
      elapsedMillis: 0
    })
    if (stepped !== undefined) millis.push(stepped.delayMillis)
    rest = stepped?.rest
  }
  return millis
}
