import {
  AttemptTimeout,
  Backoff,
  BackoffTree,
  Deadline,
  Hint,
  Jitter,
  Policy,
  Retry,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Config, ConfigError, ConfigProvider, Duration, Effect, Exit } from "effect"

type Values = Readonly<Record<string, unknown>>

const upper = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** The three places a policy is usually configured in. */
const providers: { readonly [name: string]: (values: Values) => ConfigProvider.ConfigProvider } = {
  "a map": (values) =>
    ConfigProvider.fromMap(new Map(Object.entries(values).map(([key, value]) => [key, String(value)]))),
  "the environment": (values) =>
    ConfigProvider.fromMap(new Map(Object.entries(values).map(([key, value]) => [upper(key), String(value)]))).pipe(
      ConfigProvider.constantCase
    ),
  "a JSON file": (values) => ConfigProvider.fromJson(JSON.parse(JSON.stringify(values)))
}

const fromMap = (values: Values) =>
  ConfigProvider.fromMap(new Map(Object.entries(values).map(([k, v]) => [k, String(v)])))

const read = (values: Values, preset: Policy.Preset = Policy.standard) => fromMap(values).load(Policy.config(preset))

/** The delays of a preset under one draw. */
const delays = ({ backoff }: Policy.Preset<unknown>, u = 1 - Number.EPSILON, count = 6) => {
  const millis: Array<number> = []
  let tree: BackoffTree.Tree = backoff.tree
  for (let retry = 1; retry <= count; retry++) {
    const stepped = BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0 })
    if (stepped === undefined) break
    millis.push(stepped.delayMillis)
    tree = stepped.rest
  }
  return millis
}

/** The values that a configuration was refused for, by name, in order. */
const refusals = (values: Values, preset: Policy.Preset = Policy.standard) =>
  Effect.map(Effect.flip(read(values, preset)), flatten)

const flatten = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
    case "Or":
      return [...flatten(error.left), ...flatten(error.right)]
    default:
      return [`${error.path.join(".")}: ${error.message}`]
  }
}

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
        const preset = yield* provider(everything).load(Policy.config(Policy.standard))
        expect(preset.maxAttempts).toBe(7)
        expect(delays(preset, 0)).toEqual([125, 375, 1_125, 3_375, 5_000, 5_000])
        expect(preset.attemptTimeout).toMatchObject({ initialMillis: 2_000, factor: 1, maximumMillis: 2_000 })
        expect(preset.deadline).toEqual(Deadline.refuse("1 minute", { reserve: "3 seconds" }))
        expect(preset.hint).toEqual(Hint.floor({ atMost: "30 seconds", otherwise: "clamp" }))
      })
  )

  it.effect("reads from the environment under a prefix", () =>
    Effect.gen(function* () {
      const environment = new Map([
        ["PAYMENTS_RETRY_MAX_ATTEMPTS", "5"],
        ["PAYMENTS_RETRY_CURVE", "constant"],
        ["PAYMENTS_RETRY_BASE", "1 second"],
        ["PAYMENTS_RETRY_JITTER", "none"],
        ["MAX_ATTEMPTS", "9"]
      ])
      const nested = Policy.config(Policy.standard).pipe(Config.nested("retry"), Config.nested("payments"))
      const provider = ConfigProvider.constantCase(ConfigProvider.fromMap(environment, { pathDelim: "_" }))
      const preset = yield* provider.load(nested)
      expect(preset.maxAttempts).toBe(5)
      expect(delays(preset)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 1_000])
    })
  )

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
        const named = { decorrelated: Backoff.decorrelated, decorrelatedSmooth: Backoff.decorrelatedSmooth }[curve]
        const expected = Backoff.capped(named({ base: "1 second" }), "20 seconds")
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

  it.effect("lets a cap replace that of the preset, upward as well as downward", () =>
    Effect.gen(function* () {
      expect(delays(yield* read({ cap: "200 millis", jitter: "none" }))).toEqual([100, 200, 200, 200, 200, 200])
      expect(delays(yield* read({ cap: "1 hour", jitter: "none" }), 0, 10).at(-1)).toBe(51_200)
    })
  )

  it.effect("leaves what it is not told as it is in the preset", () =>
    Effect.gen(function* () {
      const preset: Policy.Preset<AttemptTimeout.AttemptTimedOut | Deadline.DeadlineExceeded> = {
        maxAttempts: 4,
        backoff: Backoff.longest(Backoff.constant({ delay: "1 second" }), Backoff.fibonacci({ base: "300 millis" })),
        attemptTimeout: AttemptTimeout.constant("9 seconds"),
        hint: Hint.ignore,
        deadline: Deadline.cut("1 hour")
      }
      const same = yield* fromMap({}).load(Policy.config(preset))
      expect(same).toEqual(preset)
      const other = yield* fromMap({ maxAttempts: "5" }).load(Policy.config(preset))
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
        Policy.config<string>(preset)
      )
      expect(read.attemptTimeout).toEqual({ ...preset.attemptTimeout, initialMillis: 2_000, maximumMillis: 2_000 })
      expect(read.deadline).toEqual({ ...preset.deadline, withinMillis: 60_000 })
      expect(read.hint).toEqual(Hint.override({ atMost: "5 seconds", otherwise: "clamp" }))
      const truncating = { ...Policy.standard, deadline: Deadline.truncate("1 hour", { reserve: "5 seconds" }) }
      const shorter = yield* fromMap({ deadline: "1 minute" }).load(Policy.config(truncating))
      expect(shorter.deadline).toEqual(Deadline.truncate("1 minute", { reserve: "5 seconds" }))
    })
  )

  it.effect("is used by the front doors, with the timeout that it may add", () =>
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
    { values: { maxAttempts: "0" }, why: "a whole number >= 1, got 0" },
    { values: { maxAttempts: "-1" }, why: "a whole number >= 1, got -1" },
    { values: { maxAttempts: "1.5" }, why: "a whole number >= 1, got 1.5" },
    { values: { maxAttempts: "Infinity" }, why: "a whole number >= 1, got Infinity" },
    { values: { maxAttempts: "three" }, why: 'a whole number >= 1, got "three"' },
    { values: { maxAttempts: " " }, why: 'a whole number >= 1, got " "' },
    { values: { curve: "quadratic" }, why: `${curves}, got "quadratic"` },
    { values: { base: "5", curve: "constant" }, why: 'a finite duration >= 0, got "5"' },
    { values: { base: "-5 seconds", curve: "constant" }, why: 'a finite duration >= 0, got "-5 seconds"' },
    { values: { base: "Infinity", curve: "constant" }, why: 'a finite duration >= 0, got "Infinity"' },
    { values: { base: "soon", curve: "constant" }, why: 'a finite duration >= 0, got "soon"' },
    { values: { step: "soon", curve: "linear", base: "1 second" }, why: 'a finite duration >= 0, got "soon"' },
    { values: { degree: "0", curve: "polynomial", base: "1 second" }, why: "> 0, got 0" },
    { values: { factor: "0.5", curve: "exponential", base: "1 second" }, why: ">= 1, got 0.5" },
    { values: { cap: "0 millis" }, why: 'a finite duration >= 1ms, got "0 millis"' },
    { values: { jitter: "some" }, why: 'one of none, full, equal, proportional, additive, got "some"' },
    { values: { jitterRatio: "1.1", jitter: "proportional" }, why: "> 0 and <= 1, got 1.1" },
    { values: { jitterRatio: "0", jitter: "proportional" }, why: "> 0 and <= 1, got 0" },
    { values: { jitterMax: "0 millis", jitter: "additive" }, why: 'a finite duration > 0, got "0 millis"' },
    {
      values: { attemptTimeout: "0 millis" },
      why: 'a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms, got "0 millis"'
    },
    {
      values: { attemptTimeout: "25 days" },
      why: 'a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms, got "25 days"'
    },
    { values: { deadline: "0 millis" }, why: 'a finite duration > 0, got "0 millis"' },
    { values: { deadlineReserve: "soon", deadline: "1 minute" }, why: 'a finite duration >= 0, got "soon"' },
    { values: { hintAtMost: "soon" }, why: 'a finite duration >= 0, got "soon"' },
    { values: { hintOtherwise: "wait", hintAtMost: "1 minute" }, why: 'one of clamp, giveUp, got "wait"' },
    // What nothing would use.
    { values: { base: "1 second" }, why: "absent without a curve that reads it, got 1s" },
    {
      values: { step: "1 second", curve: "constant", base: "1 second" },
      why: "absent without a curve that reads it, got 1s"
    },
    {
      values: { degree: "2", curve: "linear", base: "1 second", step: "1 second" },
      why: "absent without a curve that reads it, got 2"
    },
    { values: { factor: "2" }, why: "absent without a curve that reads it, got 2" },
    { values: { jitterRatio: "0.5", jitter: "full" }, why: "absent without jitter proportional, got 0.5" },
    { values: { jitterMax: "1 second" }, why: "absent without jitter additive, got 1s" },
    { values: { deadlineReserve: "1 second" }, why: "absent without deadline, got 1s" },
    { values: { hintOtherwise: "clamp" }, why: 'absent without hintAtMost, got "clamp"' },
    // What something else needs.
    { values: { base: undefined, curve: "constant" }, why: "given with curve constant, got undefined" },
    { values: { step: undefined, curve: "linear", base: "1 second" }, why: "given with curve linear, got undefined" },
    {
      values: { degree: undefined, curve: "polynomial", base: "1 second" },
      why: "given with curve polynomial, got undefined"
    },
    {
      values: { jitterRatio: undefined, jitter: "proportional" },
      why: "given with jitter proportional, got undefined"
    },
    { values: { jitterMax: undefined, jitter: "additive" }, why: "given with jitter additive, got undefined" },
    { values: { deadlineReserve: "2 minutes", deadline: "1 minute" }, why: "a finite duration >= 0 and <= 1m, got 2m" },
    {
      values: { jitter: "full", curve: "decorrelated", base: "1 second" },
      why: 'absent with a curve that draws by itself, got "full"'
    }
  ])("names the value of $values that it is for, and what is allowed", ({ values, why }) =>
    Effect.gen(function* () {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
      const [field = ""] = Object.keys(values)
      expect(yield* refusals(given)).toEqual([`${field}: Policy.config: ${field} must be ${why}`])
    })
  )

  it.effect("refuses a jitter for a preset that draws by itself", () =>
    Effect.gen(function* () {
      const preset = { maxAttempts: 3, backoff: Backoff.decorrelated({ base: "1 second" }) }
      expect(yield* refusals({ jitter: "equal" }, preset)).toEqual([
        'jitter: Policy.config: jitter must be absent with a curve that draws by itself, got "equal"'
      ])
      expect(yield* refusals({ jitter: "equal", curve: "constant" }, preset)).toEqual([
        "base: Policy.config: base must be given with curve constant, got undefined"
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
      why: "deadline: Policy.config: deadline must be a finite duration > 0 and <= 24d 20h 31m 23s 647ms, got 25d"
    },
    {
      preset: Deadline.cut("1 hour"),
      values: { deadline: "1 hour", deadlineReserve: "1 second" },
      why: "deadlineReserve: Policy.config: deadlineReserve must be absent without a deadline that does not cut, got 1s"
    },
    {
      preset: Deadline.truncate("1 hour", { reserve: "1 second" }),
      values: { deadline: "1 hour", deadlineReserve: "0 millis" },
      why: "deadlineReserve: Policy.config: deadlineReserve must be a finite duration > 0 and <= 1h, got 0"
    },
    {
      preset: Deadline.refuse("1 hour", { reserve: "1 minute" }),
      values: { deadline: "1 second" },
      why: "deadlineReserve: Policy.config: deadlineReserve must be a finite duration >= 0 and <= 1s, got 60000"
    }
  ])("refuses what does not fit the deadline of the preset: $values", ({ preset, values, why }) =>
    Effect.gen(function* () {
      const config = Policy.config<Deadline.DeadlineExceeded>({ ...Policy.standard, deadline: preset })
      expect(flatten(yield* Effect.flip(fromMap(values).load(config)))).toEqual([why])
    })
  )

  it.effect("keeps what configuration does not know: name, observers, span and nesting", () =>
    Effect.gen(function* () {
      const own = { name: "fetch", observe: [() => Effect.void], whenNested: "standDown", attemptSpan: "call" } as const
      const config = Policy.config({ ...Policy.standard, ...own })
      expect(yield* fromMap({ maxAttempts: "7" }).load(config)).toMatchObject({ ...own, maxAttempts: 7 })
    })
  )

  it.effect("names the place of a bad value under a prefix", () =>
    Effect.gen(function* () {
      const config = Config.nested(Policy.config(Policy.standard), "retry")
      const error = yield* Effect.flip(ConfigProvider.fromJson({ retry: { maxAttempts: 0 } }).load(config))
      expect(flatten(error)).toEqual([
        "retry.maxAttempts: Policy.config: maxAttempts must be a whole number >= 1, got 0"
      ])
    })
  )

  it.effect("lets a broken source of configuration through as such", () =>
    Effect.gen(function* () {
      const broken = ConfigProvider.fromFlat(
        ConfigProvider.makeFlat({
          load: (path) => Effect.fail(ConfigError.SourceUnavailable([...path], "no file", Cause.die("disk"))),
          enumerateChildren: () => Effect.die("not asked"),
          patch: { _tag: "Empty" }
        })
      )
      const error = yield* Effect.flip(broken.load(Policy.config(Policy.standard)))
      expect(String(error)).toContain("no file")
    })
  )
})
