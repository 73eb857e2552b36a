import { AttemptTimeout, Backoff, Curve, Deadline, Hint, Jitter, Policy, Retry, Verdict } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it, vi } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Duration, Effect, Exit, Schedule } from "effect"
import * as Sources from "../../support/Sources.ts"

type Values = Readonly<Record<string, unknown>>

const upper = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const entries = (values: Values, nameOf: (key: string) => string) =>
  new Map(Object.entries(values).map(([key, value]) => [nameOf(key), String(value)]))

const fromMap = (values: Values) => ConfigProvider.fromMap(entries(values, (key) => `payments.${key}`))

/** As Effect's default provider, which reads the variables of the process. */
const fromVariables = (values: Values) =>
  ConfigProvider.fromMap(
    entries(values, (key) => `PAYMENTS_${upper(key)}`),
    { pathDelim: "_" }
  )

const fromFile = (values: Values) => ConfigProvider.fromJson(JSON.parse(JSON.stringify({ payments: values })))

/** The places a policy is usually configured in. */
const providers: { readonly [name: string]: (values: Values) => ConfigProvider.ConfigProvider } = {
  "a map": fromMap,
  variables: fromVariables,
  "variables in a map": (values) => ConfigProvider.fromMap(entries(values, (key) => `PAYMENTS_${upper(key)}`)),
  "variables in constant case": (values) => ConfigProvider.constantCase(fromVariables(values)),
  "a JSON file": fromFile,
  "a file in kebab case": (values) =>
    ConfigProvider.fromMap(entries(values, (key) => `payments.${upper(key).toLowerCase().replaceAll("_", "-")}`)).pipe(
      ConfigProvider.kebabCase
    ),
  "a file below no variables": (values) => ConfigProvider.orElse(fromVariables({}), () => fromFile(values)),
  "variables above an empty file": (values) => ConfigProvider.orElse(fromVariables(values), () => fromFile({}))
}

const config = <E2 = never>(preset: Policy.Preset<E2>) => Policy.config("payments", preset)

const read = (values: Values, preset: Policy.Preset = Policy.standard) => fromMap(values).load(config(preset))

/** The delays of a preset under one draw. */
const delays = ({ backoff }: Policy.Preset<unknown>, u = 1 - Number.EPSILON, count = 6) => {
  const millis: Array<number> = []
  let tree: BackoffTree.Tree = backoff.tree
  for (let retry = 1; retry <= count; retry++) {
    const stepped = BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    if (stepped === undefined) break
    millis.push(stepped.delayMillis)
    tree = stepped.rest
  }
  return millis
}

/** The keys that a configuration was refused for, in order, with what is allowed. */
const refusals = (values: Values, preset: Policy.Preset = Policy.standard) =>
  Effect.map(Effect.flip(read(values, preset)), flatten)

const flatten = (error: Parameters<typeof Sources.refusals>[0]) => Sources.refusals(error, "payments")

const everything = {
  maxAttempts: 7,
  curve: "exponential",
  base: "250 millis",
  factor: 3,
  cap: "10 seconds",
  jitter: "proportional",
  jitterRatio: 0.5,
  attemptTimeout: "2 seconds",
  deadline: "1 minute",
  deadlineReserve: "3 seconds",
  hintAtMost: "30 seconds",
  hintOtherwise: "clamp"
}

describe("Policy.config", () => {
  it.effect.each(Object.entries(providers).map(([name, provider]) => ({ name, provider })))(
    "reads every key from $name",
    ({ provider }) =>
      Effect.gen(function* () {
        const preset = yield* provider(everything).load(config(Policy.standard))
        expect(preset.maxAttempts).toBe(7)
        expect(delays(preset, 0)).toEqual([125, 375, 1_125, 3_375, 5_000, 5_000])
        expect([1, 9].map((attempt) => preset.attemptTimeout?.millisOf(attempt, 0))).toEqual([2_000, 2_000])
        expect(preset.deadline).toEqual(Deadline.refuse("1 minute", { reserve: "3 seconds" }))
        expect(preset.hint).toEqual({ ...Hint.standard, atMostMillis: 30_000, otherwise: "clamp" })
      })
  )

  it.effect("reads the variables of the process, without a provider of the program's", () =>
    Effect.gen(function* () {
      vi.stubEnv("PAYMENTS_MAX_ATTEMPTS", "5")
      vi.stubEnv("PAYMENTS_CURVE", "constant")
      vi.stubEnv("PAYMENTS_BASE", "1 second")
      vi.stubEnv("PAYMENTS_JITTER", "none")
      vi.stubEnv("MAX_ATTEMPTS", "9")
      const preset = yield* Policy.config("payments", Policy.standard)
      expect(preset.maxAttempts).toBe(5)
      expect(delays(preset)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1_000])
    }).pipe(Effect.ensuring(Effect.sync(() => vi.unstubAllEnvs())))
  )

  it.effect.each(["paymentsRetry", "payments-retry", "payments.retry", "PAYMENTS_RETRY"])(
    "spells the variables of the policy %s in capitals",
    (name) =>
      Effect.gen(function* () {
        const provider = ConfigProvider.fromMap(new Map([["PAYMENTS_RETRY_MAX_ATTEMPTS", "5"]]), { pathDelim: "_" })
        expect((yield* provider.load(Policy.config(name, Policy.standard))).maxAttempts).toBe(5)
      })
  )

  it.effect("reads below other names, as in a file with more in it", () =>
    Effect.gen(function* () {
      const nested = Config.nested(Policy.config("retry", Policy.standard), "payments")
      const file = { payments: { url: "https://pay.example", retry: { maxAttempts: 5 } } }
      expect((yield* ConfigProvider.fromJson(file).load(nested)).maxAttempts).toBe(5)
      const inCapitals = Config.nested(Policy.config("retry", Policy.standard), "PAYMENTS")
      const variables = new Map([["PAYMENTS_RETRY_MAX_ATTEMPTS", "6"]])
      const preset = yield* ConfigProvider.fromMap(variables, { pathDelim: "_" }).load(inCapitals)
      expect(preset.maxAttempts).toBe(6)
    })
  )

  it.effect("prefers a variable to a file", () =>
    Effect.gen(function* () {
      const file = () => fromFile({ maxAttempts: 5, cap: "3 seconds" })
      const preset = yield* ConfigProvider.orElse(fromVariables({ maxAttempts: 6 }), file).load(config(Policy.standard))
      expect(preset.maxAttempts).toBe(6)
      expect(delays(preset, 1).at(-1)).toBe(3_000)
    })
  )

  it.each([
    [undefined, `preset must be a record, as in Policy.config("payments", Policy.standard), got undefined`],
    ["standard", `preset must be a record, as in Policy.config("payments", Policy.standard), got "standard"`],
    [{}, `preset.backoff must be a Backoff, as in Policy.config("payments", Policy.standard), got undefined`],
    [{ backoff: Schedule.recurs(1) }, "preset.backoff must be a Backoff"]
  ])("refuses %o as a preset", (given, refused) => {
    // @ts-expect-error no preset
    expect(() => Policy.config("payments", given)).toThrow(`Policy.config: ${refused}`)
    // @ts-expect-error no preset
    expect(() => Policy.describe("payments", given)).toThrow(
      `Policy.describe: ${refused.replace(".config(", ".describe(")}`
    )
  })

  it("refuses a name that is not one", () => {
    const refused = "Policy.config: name must be a string with a letter, got"
    expect(() => Policy.config("", Policy.standard)).toThrow(`${refused} ""`)
    // @ts-expect-error a preset in place of the name
    expect(() => Policy.config(Policy.standard, "payments")).toThrow(refused)
  })

  it.effect.each([
    { values: { curve: "constant", base: "1 second" }, expected: [1_000, 1_000, 1_000, 1_000, 1_000, 1_000] },
    {
      values: { curve: "linear", base: "1 second", step: "2 seconds" },
      expected: [1_000, 3_000, 5_000, 7_000, 9_000, 11_000]
    },
    {
      values: { curve: "polynomial", base: "1 second", degree: 2 },
      expected: [1_000, 4_000, 9_000, 16_000, 20_000, 20_000]
    },
    { values: { curve: "exponential", base: "1 second" }, expected: [1_000, 2_000, 4_000, 8_000, 16_000, 20_000] },
    {
      values: { curve: "exponential", base: "1 second", factor: 1.5 },
      expected: [1_000, 1_500, 2_250, 3_375, 5_063, 7_594]
    },
    { values: { curve: "fibonacci", base: "1 second" }, expected: [1_000, 1_000, 2_000, 3_000, 5_000, 8_000] }
  ])("reads the curve $values", ({ expected, values }) =>
    Effect.gen(function* () {
      expect(delays(yield* read({ ...values, jitter: "none" }))).toEqual(expected)
      // Cap and jitter of the preset stay.
      expect(delays(yield* read(values), 0)).toEqual([0, 0, 0, 0, 0, 0])
    })
  )

  it.effect.each(["decorrelated", "decorrelatedSmooth"] as const)(
    "reads the curve %s, which keeps the cap and draws by itself",
    (curve) =>
      Effect.gen(function* () {
        const preset = yield* read({ curve, base: "1 second" })
        const curves = { decorrelated: Curve.decorrelated, decorrelatedSmooth: Curve.decorrelatedSmooth }
        const expected = Backoff.capped(Backoff.fromCurve(curves[curve]({ base: "1 second" })), "20 seconds")
        for (const u of [0, 0.3, 0.9])
          expect(delays(preset, u)).toEqual(delays({ maxAttempts: 1, backoff: expected }, u))
      })
  )

  it.effect.each([
    { values: { jitter: "none" }, jitter: Jitter.none },
    { values: { jitter: "full" }, jitter: Jitter.full },
    { values: { jitter: "equal" }, jitter: Jitter.equal },
    { values: { jitter: "proportional", jitterRatio: 0.2 }, jitter: Jitter.proportional({ ratio: 0.2 }) },
    { values: { jitter: "additive", jitterMax: "500 millis" }, jitter: Jitter.additive({ max: "500 millis" }) }
  ])("reads the jitter $values", ({ jitter, values }) =>
    Effect.gen(function* () {
      const preset = yield* read(values)
      const expected = { maxAttempts: 3, backoff: Backoff.jittered(Policy.standard.backoff, jitter) }
      for (const u of [0, 0.3, 0.9]) expect(delays(preset, u, 10)).toEqual(delays(expected, u, 10))
    })
  )

  it.effect("reads decimals as people write them, with blanks around them too", () =>
    Effect.gen(function* () {
      const attempts = (text: string) => Effect.map(read({ maxAttempts: text }), ({ maxAttempts }) => maxAttempts)
      const texts = ["14", "+14", "14.", "14.00", "140e-1", "1.4E+1", ".14e2", "0.14e02", " 14\n"]
      expect(yield* Effect.forEach(texts, attempts)).toEqual(texts.map(() => 14))
      expect(yield* Effect.forEach(["Infinity", " Infinity\n"], attempts)).toEqual([Infinity, Infinity])
    })
  )

  it.effect("puts a curve in the place of every curve of the preset, under its cap, jitter and bounds", () =>
    Effect.gen(function* () {
      const { capped, constant, exponential, jittered, max, take } = Backoff
      const slow = jittered(capped(exponential({ base: "5 seconds" }), "8 seconds"), Jitter.equal)
      const preset = {
        ...Policy.standard,
        backoff: take(max(slow, capped(constant({ delay: "1 second" }), "2 seconds")), 4)
      }
      const linear = Backoff.fromCurve(Curve.linear({ base: "1 second", step: "3 seconds" }))
      const expected = take(max(jittered(capped(linear, "8 seconds"), Jitter.equal), capped(linear, "2 seconds")), 4)
      const changed = yield* read({ curve: "linear", base: "1 second", step: "3 seconds" }, preset)
      for (const u of [0, 0.3, 0.9])
        expect(delays(changed, u)).toEqual(delays({ maxAttempts: 1, backoff: expected }, u))
      expect(delays(changed, 0)).toEqual([1_000, 2_000, 3_500, 4_000])
    })
  )

  it.effect("lets a cap replace that of the preset, upward as well as downward", () =>
    Effect.gen(function* () {
      expect(delays(yield* read({ cap: "200 millis", jitter: "none" }))).toEqual([100, 200, 200, 200, 200, 200])
      expect(delays(yield* read({ cap: "1 hour", jitter: "none" }), 0, 10).at(-1)).toBe(51_200)
    })
  )

  it.effect("leaves what it does not name as it is in the preset", () =>
    Effect.gen(function* () {
      const preset: Policy.Preset<AttemptTimeout.AttemptTimedOut | Deadline.DeadlineExceeded> = {
        maxAttempts: 4,
        backoff: Backoff.max(
          Backoff.constant({ delay: "1 second" }),
          Backoff.fromCurve(Curve.fibonacci({ base: "300 millis" }))
        ),
        attemptTimeout: AttemptTimeout.constant("9 seconds"),
        hint: Hint.ignore,
        deadline: Deadline.cut("1 hour")
      }
      const same = yield* fromMap({}).load(config(preset))
      expect(same).toEqual(preset)
      const other = yield* fromMap({ maxAttempts: "5" }).load(config(preset))
      expect(other).toEqual({ ...preset, maxAttempts: 5 })
    })
  )

  it.effect("keeps of a timeout and a deadline what they mean, and changes how long they are", () =>
    Effect.gen(function* () {
      const preset = {
        ...Policy.standard,
        attemptTimeout: AttemptTimeout.disconnected(
          AttemptTimeout.judged(
            AttemptTimeout.constant("9 seconds", { onTimeout: () => "mine" }),
            Verdict.terminal("outcome unknown")
          )
        ),
        hint: Hint.override({ atMost: "1 minute", otherwise: "clamp" }),
        deadline: Deadline.cut("1 hour", { onExceeded: () => "cut" })
      }
      const read = yield* fromMap({ attemptTimeout: "2 seconds", deadline: "1 minute", hintAtMost: "5 seconds" }).load(
        config<string>(preset)
      )
      expect(read.attemptTimeout).toEqual({ ...preset.attemptTimeout, millisOf: read.attemptTimeout?.millisOf })
      expect(read.attemptTimeout?.millisOf(1, 0)).toBe(2_000)
      expect(read.deadline).toEqual({ ...preset.deadline, withinMillis: 60_000 })
      expect(read.hint).toEqual(Hint.override({ atMost: "5 seconds", otherwise: "clamp" }))
      const truncating = { ...Policy.standard, deadline: Deadline.truncate("1 hour", { reserve: "5 seconds" }) }
      const shorter = yield* fromMap({ deadline: "1 minute" }).load(config(truncating))
      expect(shorter.deadline).toEqual(Deadline.truncate("1 minute", { reserve: "5 seconds" }))
    })
  )

  const spread = { jitterRatio: 0.25, startsOver: true }
  const floor = Hint.floor({ atMost: "1 minute", otherwise: "ignore", ...spread })
  const atMost = "5 seconds"

  it.effect.each([
    { hint: floor, expected: Hint.floor({ atMost, otherwise: "ignore", ...spread }) },
    { hint: floor, hintOtherwise: "clamp", expected: Hint.floor({ atMost, otherwise: "clamp", ...spread }) },
    { hint: Hint.ignore, expected: Hint.floor({ atMost, otherwise: "giveUp" }) },
    { hint: Hint.within({ above: "1 second" }), expected: Hint.floor({ atMost, otherwise: "giveUp" }) },
    { hint: undefined, expected: { ...Hint.standard, atMostMillis: 5_000 } },
    {
      hint: undefined,
      hintOtherwise: "ignore",
      expected: { ...Hint.standard, atMostMillis: 5_000, otherwise: "ignore" }
    }
  ])("bounds hints by a rule of the preset that has a bound, or by a floor: $hint", ({ expected, hint, ...more }) =>
    Effect.gen(function* () {
      const policy = config({ ...Policy.standard, hint })
      expect((yield* fromMap({ hintAtMost: atMost, ...more }).load(policy)).hint).toEqual(expected)
    })
  )

  it.effect("is used by the functions that retry, with the timeout that it may add", () =>
    Effect.gen(function* () {
      const preset = yield* read({
        maxAttempts: 2,
        curve: "constant",
        base: "1 second",
        jitter: "none",
        attemptTimeout: "3 seconds"
      })
      const retried: Effect.Effect<never, AttemptTimeout.AttemptTimedOut> = Retry.retry(Effect.never, {
        ...preset,
        classifier: () => Verdict.noOpinion
      })
      const exit = yield* Effect.exit(retried)
      expect(exit).toEqual(Exit.fail(new AttemptTimeout.AttemptTimedOut({ attempt: 2, after: Duration.seconds(3) })))
      expect(yield* VirtualClock.now).toEqual(Duration.seconds(7))
    }).pipe(Effect.provide(SeededRandom.layerFixed([])), VirtualClock.run)
  )
})

const oneOf = (names: string) => `one of ${names}`
const curves = oneOf("constant, linear, polynomial, exponential, fibonacci, decorrelated, decorrelatedSmooth")

describe("Policy.config refusal", () => {
  it.effect.each([
    { values: { maxAttempts: "0" }, why: "a whole number >= 1 or Infinity" },
    { values: { maxAttempts: "-1" }, why: "a whole number >= 1 or Infinity" },
    { values: { maxAttempts: "1.5" }, why: "a whole number >= 1 or Infinity" },
    { values: { maxAttempts: "0x10" }, why: "a whole number >= 1 or Infinity" },
    { values: { maxAttempts: "-Infinity" }, why: "a whole number >= 1 or Infinity" },
    { values: { maxAttempts: "three" }, why: "a whole number >= 1 or Infinity" },
    { values: { maxAttempts: " " }, why: "a whole number >= 1 or Infinity" },
    { values: { curve: "quadratic" }, why: `${curves}` },
    // What belongs to a key that cannot be read is not judged.
    { values: { curve: "quadratic", base: "1 second" }, why: `${curves}` },
    { values: { jitter: "some", jitterRatio: "0.5" }, why: "one of none, full, equal, proportional, additive" },
    {
      values: { base: "5", curve: "constant" },
      why: 'a finite duration >= 0, such as "5 seconds" or "5 millis"'
    },
    { values: { base: "-5 seconds", curve: "constant" }, why: "a finite duration >= 0" },
    { values: { base: "Infinity", curve: "constant" }, why: "a finite duration >= 0" },
    { values: { base: "soon", curve: "constant" }, why: "a finite duration >= 0" },
    { values: { step: "soon", curve: "linear", base: "1 second" }, why: "a finite duration >= 0" },
    { values: { degree: "0", curve: "polynomial", base: "1 second" }, why: "> 0" },
    { values: { factor: "0b11", curve: "exponential", base: "1 second" }, why: ">= 1" },
    { values: { factor: "Infinity", curve: "exponential", base: "1 second" }, why: ">= 1" },
    { values: { factor: "0.5", curve: "exponential", base: "1 second" }, why: ">= 1" },
    { values: { cap: "0 millis" }, why: "a finite duration >= 1ms" },
    { values: { jitter: "some" }, why: "one of none, full, equal, proportional, additive" },
    { values: { jitterRatio: "1.1", jitter: "proportional" }, why: "> 0 and <= 1" },
    { values: { jitterRatio: "0", jitter: "proportional" }, why: "> 0 and <= 1" },
    { values: { jitterMax: "0 millis", jitter: "additive" }, why: "a finite duration > 0" },
    {
      values: { attemptTimeout: "0 millis" },
      why: "a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms"
    },
    {
      values: { attemptTimeout: "25 days" },
      why: "a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms"
    },
    { values: { deadline: "0 millis" }, why: "a finite duration > 0 and <= 106751d 23h 47m 16s 854ms" },
    { values: { deadlineReserve: "soon", deadline: "1 minute" }, why: "a finite duration >= 0" },
    { values: { hintAtMost: "soon" }, why: "a finite duration >= 0" },
    { values: { hintOtherwise: "wait", hintAtMost: "1 minute" }, why: "one of clamp, giveUp, ignore" },
    // Keys that nothing would use.
    { values: { base: "1 second" }, why: "absent without a curve that reads it; set curve as well" },
    {
      values: { step: "1 second", curve: "constant", base: "1 second" },
      why: "absent without a curve that reads it"
    },
    {
      values: { degree: "2", curve: "linear", base: "1 second", step: "1 second" },
      why: "absent without a curve that reads it"
    },
    { values: { factor: "2" }, why: "absent without a curve that reads it; set curve as well" },
    { values: { jitterRatio: "0.5", jitter: "full" }, why: "absent without jitter proportional" },
    { values: { jitterMax: "1 second" }, why: "absent without jitter additive" },
    { values: { deadlineReserve: "1 second" }, why: "absent without deadline" },
    { values: { hintOtherwise: "clamp" }, why: "absent without hintAtMost" },
    // Keys that another one needs.
    { values: { base: undefined, curve: "constant" }, why: "given with curve constant" },
    { values: { step: undefined, curve: "linear", base: "1 second" }, why: "given with curve linear" },
    {
      values: { degree: undefined, curve: "polynomial", base: "1 second" },
      why: "given with curve polynomial"
    },
    {
      values: { jitterRatio: undefined, jitter: "proportional" },
      why: "given with jitter proportional"
    },
    { values: { jitterMax: undefined, jitter: "additive" }, why: "given with jitter additive" },
    { values: { deadlineReserve: "2 minutes", deadline: "1 minute" }, why: "a finite duration >= 0 and <= 1m" },
    {
      values: { jitter: "full", curve: "decorrelated", base: "1 second" },
      why: "absent with a curve that draws by itself"
    },
    {
      values: { jitter: "full", curve: "decorrelatedSmooth", base: "1 second" },
      why: "absent with a curve that draws by itself"
    }
  ])("names the key of $values that is at fault, and what is allowed", ({ values, why }) =>
    Effect.gen(function* () {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
      const [field = ""] = Object.keys(values)
      expect(yield* refusals(given)).toEqual([`${field}: Policy.config: ${field} must be ${why}`])
    })
  )

  it.effect("refuses a jitter for a preset that draws by itself", () =>
    Effect.gen(function* () {
      const drawing = Backoff.fromCurve(Curve.decorrelated({ base: "1 second" }))
      const preset = { maxAttempts: 3, backoff: Backoff.max(Policy.standard.backoff, drawing) }
      expect(yield* refusals({ jitter: "equal" }, preset)).toEqual([
        "jitter: Policy.config: jitter must be absent with a curve that draws by itself"
      ])
      expect(yield* refusals({ jitter: "equal", curve: "constant" }, preset)).toEqual([
        "base: Policy.config: base must be given with curve constant"
      ])
    })
  )

  it.effect("names all that is bad at once: unreadable, unused, missing", () =>
    Effect.gen(function* () {
      const named = yield* refusals({
        maxAttempts: "0",
        curve: "linear",
        base: "soon",
        factor: "3",
        degree: "2",
        jitter: "proportional",
        jitterMax: "1 second",
        deadlineReserve: "1 second",
        hintAtMost: "-1 second",
        attemptTimeout: "never"
      })
      const fields = named.map((refusal) => refusal.slice(0, refusal.indexOf(":")))
      expect(fields.toSorted()).toEqual([
        "attemptTimeout",
        "base",
        "deadlineReserve",
        "degree",
        "factor",
        "hintAtMost",
        "jitterMax",
        "jitterRatio",
        "maxAttempts",
        "step"
      ])
    })
  )

  it.effect.each([
    {
      preset: Deadline.cut("1 hour"),
      values: { deadline: "25 days" },
      why: "deadline: Policy.config: deadline must be a finite duration > 0 and <= 24d 20h 31m 23s 647ms"
    },
    {
      preset: Deadline.cut("1 hour"),
      values: { deadline: "1 hour", deadlineReserve: "1 second" },
      why: "deadlineReserve: Policy.config: deadlineReserve must be absent without a deadline that does not cut"
    },
    {
      preset: Deadline.cut("1 hour"),
      values: { deadline: "0 millis", deadlineReserve: "1 second" },
      why: [
        "deadline: Policy.config: deadline must be a finite duration > 0 and <= 106751d 23h 47m 16s 854ms",
        "deadlineReserve: Policy.config: deadlineReserve must be absent without a deadline that does not cut"
      ]
    },
    {
      preset: Deadline.truncate("1 hour", { reserve: "1 second" }),
      values: { deadline: "1 hour", deadlineReserve: "0 millis" },
      why: "deadlineReserve: Policy.config: deadlineReserve must be a finite duration > 0 and <= 1h"
    },
    {
      preset: Deadline.refuse("1 hour", { reserve: "1 minute" }),
      values: { deadline: "1 second" },
      why: "deadlineReserve: Policy.config: deadlineReserve must be a finite duration >= 0 and <= 1s"
    }
  ])("refuses times that do not fit the deadline of the preset: $values", ({ preset, values, why }) =>
    Effect.gen(function* () {
      const policy = config<Deadline.DeadlineExceeded>({ ...Policy.standard, deadline: preset })
      expect(flatten(yield* Effect.flip(fromMap(values).load(policy)))).toEqual([why].flat())
    })
  )

  it.effect("keeps what has no key: name, observers, span and nesting", () =>
    Effect.gen(function* () {
      const own = { name: "fetch", observe: [() => Effect.void], whenNested: "standDown", attemptSpan: "call" } as const
      const policy = config({ ...Policy.standard, ...own })
      expect(yield* fromMap({ maxAttempts: "7" }).load(policy)).toMatchObject({ ...own, maxAttempts: 7 })
    })
  )

  it.effect.each(["variables", "variables in a map", "variables in constant case"])(
    "names keys as %s spell them",
    (name) =>
      Effect.gen(function* () {
        const values = { maxAttempts: 0, curve: "linear", base: "1 second", jitterRatio: 0.5, hintOtherwise: "clamp" }
        const refused = yield* Effect.flip((providers[name] ?? fromVariables)(values).load(config(Policy.standard)))
        expect(flatten(refused)).toEqual(
          [
            ["MAX_ATTEMPTS", "a whole number >= 1 or Infinity"],
            ["STEP", "given with PAYMENTS_CURVE linear"],
            ["JITTER_RATIO", "absent without PAYMENTS_JITTER proportional"],
            ["HINT_OTHERWISE", "absent without PAYMENTS_HINT_AT_MOST"]
          ].map(([key, why]) => `PAYMENTS_${key}: Policy.config: PAYMENTS_${key} must be ${why}`)
        )
      })
  )

  it.effect.each(["variables", "variables in a map", "variables in constant case"])(
    "finds misspelt keys among %s",
    (name) =>
      Effect.gen(function* () {
        const values = { maxAtempts: 5, deadlin: "1 minute", cap: "1 second", url: "https://pay.example", port: 80 }
        const refused = yield* Effect.flip((providers[name] ?? fromVariables)(values).load(config(Policy.standard)))
        expect(flatten(refused).toSorted()).toEqual(
          [
            ["DEADLIN", "DEADLINE"],
            ["MAX_ATEMPTS", "MAX_ATTEMPTS"]
          ].map(
            ([key, meant]) =>
              `PAYMENTS_${key}: Policy.config: PAYMENTS_${key} is no key of a policy; did you mean PAYMENTS_${meant}?`
          )
        )
      })
  )

  it.effect("finds misspelt keys in a file, among them one in the case of a variable", () =>
    Effect.gen(function* () {
      const values = {
        maxAtempts: 5,
        jitter_ratio: 0.5,
        cap: "1 second",
        url: "https://pay.example",
        caps: { lock: "on" },
        // What stands deeper is no key, though its words are those of one.
        hint: { atMost: "1 minute" }
      }
      const refused = yield* Effect.flip(fromFile(values).load(config(Policy.standard)))
      expect(flatten(refused).toSorted()).toEqual([
        "jitter_ratio: Policy.config: jitter_ratio is no key of a policy; did you mean jitterRatio?",
        "maxAtempts: Policy.config: maxAtempts is no key of a policy; did you mean maxAttempts?"
      ])
    })
  )

  it.effect("leaves alone other variables under the prefix, such as those of Kubernetes", () =>
    Effect.gen(function* () {
      const variables = {
        PAYMENTS_SERVICE_HOST: "10.0.0.1",
        PAYMENTS_PORT: "tcp://10.0.0.1:80",
        PAYMENTS_PORT_80_TCP_ADDR: "10.0.0.1",
        PAYMENTS_API: "https://pay.example",
        PAYMENTS_CAPS_LOCK: "on",
        PAYMENTSMAX_ATEMPTS: "1",
        MAX_ATEMPTS: "1"
      }
      const provider = ConfigProvider.fromMap(new Map(Object.entries(variables)), { pathDelim: "_" })
      expect((yield* provider.load(config(Policy.standard))).maxAttempts).toBe(3)
    })
  )

  it.effect("reads from a source that cannot list its keys", () =>
    Effect.gen(function* () {
      const unlisted = Sources.withoutList(fromVariables({ maxAttempts: 5 }))
      expect((yield* unlisted.load(config(Policy.standard))).maxAttempts).toBe(5)
    })
  )

  it.effect("shows no value, which may be a secret in the wrong place", () =>
    Effect.gen(function* () {
      const secret = "AKIA-not-for-logs"
      const error = yield* Effect.flip(read(Object.fromEntries(Object.keys(everything).map((key) => [key, secret]))))
      expect(flatten(error).length).toBe(Object.keys(everything).length)
      expect(String(error)).not.toContain(secret)
      expect(Cause.pretty(Cause.fail(error))).not.toContain(secret)
      expect(JSON.stringify(error)).not.toContain(secret)
    })
  )

  it.effect("names the place of a bad value under a prefix", () =>
    Effect.gen(function* () {
      const nested = Config.nested(Policy.config("retry", Policy.standard), "http")
      const error = yield* Effect.flip(ConfigProvider.fromJson({ http: { retry: { maxAttempts: 0 } } }).load(nested))
      expect(flatten(error)).toEqual([
        "http.retry.maxAttempts: Policy.config: retry.maxAttempts must be a whole number >= 1 or Infinity"
      ])
    })
  )

  it.effect("lets a broken source of configuration through as such", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Sources.broken("no file").load(config(Policy.standard)))
      expect(String(error)).toContain("no file")
    })
  )
})
