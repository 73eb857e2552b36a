import {
  AttemptTimeout,
  Backoff,
  Classic,
  Curve,
  Deadline,
  Hint,
  InvalidArgument,
  Jitter,
  Verdict
} from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Millis from "@effect-retry/core/unstable/Millis"
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"

/** A bad value, how a message shows it, and the examples that it then has. */
type Bad = readonly [value: unknown, shown: string, such?: string]

const noDurations: ReadonlyArray<Bad> = [
  [NaN, "NaN"],
  [-1, "-1"],
  [-0.5, "-0.5"],
  [Infinity, "Infinity"],
  [-Infinity, "-Infinity"],
  [-1n, "-1"],
  [10n ** 400n, `1${"0".repeat(79)}...`],
  ["-1 seconds", `"-1 seconds"`],
  ["NaN seconds", `"NaN seconds"`],
  ["soon", `"soon"`],
  ["5", `"5"`, `, such as "5 seconds" or "5 millis"`],
  ["1".repeat(100), `"${"1".repeat(79)}...`],
  ["", `""`],
  ["1 parsec", `"1 parsec"`],
  [[NaN, 0], "[NaN, 0]"],
  [[0, NaN], "[0, NaN]"],
  [[-1, 0], "[-1, 0]"],
  [[1, -1], "[1, -1]"],
  [[Infinity, 0], "[Infinity, 0]"],
  [[1e300, 0], "[1e+300, 0]"],
  [[1], "[1]"],
  [[], "[]"],
  [Duration.infinity, "Infinity"],
  [true, "true"],
  [{}, "an object"],
  [Object.create(null), "an object without a text"],
  [Symbol("soon"), "Symbol(soon)"]
]

const noNumbers: ReadonlyArray<Bad> = [
  [NaN, "NaN"],
  [Infinity, "Infinity"],
  [-Infinity, "-Infinity"],
  [-1, "-1"],
  ["3", `"3"`],
  ["", `""`],
  [3n, "3"],
  [true, "true"],
  [[], "[]"],
  [[1], "[1]"],
  [{}, "an object"],
  [Duration.millis(3), "3ms"]
]

const noNames: ReadonlyArray<Bad> = [
  ["", `""`],
  ["other", `"other"`],
  ["x".repeat(78), `"${"x".repeat(78)}"`],
  ["x".repeat(79), `"${"x".repeat(79)}...`],
  [NaN, "NaN"],
  [0, "0"],
  [true, "true"],
  [{}, "an object"],
  [["clamp"], `["clamp"]`],
  [null, "null"],
  [undefined, "undefined"]
]

/** What is absent is bad if the parameter has no default. */
const absent: ReadonlyArray<Bad> = [
  [null, "null"],
  [undefined, "undefined"]
]

/** A parameter of a constructor: what it must be, what else is refused, and what is accepted at its bounds. */
interface Parameter {
  readonly owner: string
  readonly field: string
  readonly must: string
  readonly make: (value: never) => unknown
  readonly refused: ReadonlyArray<Bad>
  readonly accepted: ReadonlyArray<unknown>
}

const shownNumbers = (values: ReadonlyArray<number>): ReadonlyArray<Bad> => values.map((value) => [value, `${value}`])

const duration = (
  name: string,
  must: string,
  make: Parameter["make"],
  bounds: {
    readonly refused?: ReadonlyArray<number>
    readonly accepted: ReadonlyArray<unknown>
    readonly byDefault?: true
  }
): Parameter => {
  const [owner = "", field = ""] = name.split(": ")
  return {
    owner,
    field,
    must: `a finite duration ${must}`,
    make,
    refused: [...noDurations, ...(bounds.byDefault ? [] : absent), ...shownNumbers(bounds.refused ?? [])],
    accepted: bounds.accepted
  }
}

const number = (
  name: string,
  must: string,
  make: Parameter["make"],
  bounds: {
    readonly refused: ReadonlyArray<number>
    readonly accepted: ReadonlyArray<number>
    readonly byDefault?: true
  }
): Parameter => {
  const [owner = "", field = ""] = name.split(": ")
  return {
    owner,
    field,
    must,
    make,
    refused: [...noNumbers, ...(bounds.byDefault ? [] : absent), ...shownNumbers(bounds.refused)],
    accepted: bounds.accepted
  }
}

const name = (title: string, names: ReadonlyArray<string>, make: Parameter["make"]): Parameter => {
  const [owner = "", field = ""] = title.split(": ")
  return { owner, field, must: `one of ${names.join(", ")}`, make, refused: noNames, accepted: names }
}

const fromNothing = { accepted: [0, 0.5, "1 nanos", 1n, [0, 1], "3 weeks", Duration.hours(1), 1e300] }
const aboveNothing = { refused: [0, 1e-9], accepted: ["1 nanos", 0.5, 1, 1e300] }
const fromOneMilli = { refused: [0, 0.5, 0.999_999], accepted: [1, 1.5, 1e300] }
const otherwise = ["clamp", "giveUp", "ignore"]
const timer = "24d 20h 31m 23s 647ms"
const longest = "106751d 23h 47m 16s 854ms"
const timerMillis = Millis.longestTimerMillis

const parameters: ReadonlyArray<Parameter> = [
  name("Verdict.retryable: kind", Verdict.kinds, (kind) => Verdict.retryable(kind)),

  number("Jitter.proportional: ratio", "> 0 and <= 1", (ratio) => Jitter.proportional({ ratio }), {
    refused: [0, 1.000_1, 2],
    accepted: [Number.MIN_VALUE, 0.5, 1]
  }),
  duration("Jitter.additive: max", "> 0", (max) => Jitter.additive({ max }), aboveNothing),

  duration("Backoff.constant: delay", ">= 0", (delay) => Backoff.constant({ delay }), fromNothing),
  duration("Curve.linear: base", ">= 0", (base) => Curve.linear({ base, step: 1 }), fromNothing),
  duration("Curve.linear: step", ">= 0", (step) => Curve.linear({ base: 1, step }), fromNothing),
  duration("Curve.polynomial: base", ">= 0", (base) => Curve.polynomial({ base, degree: 2 }), fromNothing),
  number("Curve.polynomial: degree", "> 0", (degree) => Curve.polynomial({ base: 1, degree }), {
    refused: [0, -0.5],
    accepted: [Number.MIN_VALUE, 0.5, 1, Number.MAX_VALUE]
  }),
  duration("Backoff.exponential: base", ">= 0", (base) => Backoff.exponential({ base }), fromNothing),
  number("Backoff.exponential: factor", ">= 1", (factor) => Backoff.exponential({ base: 1, factor }), {
    refused: [0, 0.5, 1 - Number.EPSILON],
    accepted: [1, 1 + Number.EPSILON, 2, Number.MAX_VALUE],
    byDefault: true
  }),
  duration("Curve.fibonacci: base", ">= 0", (base) => Curve.fibonacci({ base }), fromNothing),
  duration("Backoff.fromDelays: delays[0]", ">= 0", (delay) => Backoff.fromDelays([delay]), fromNothing),
  duration("Backoff.fromDelays: delays[2]", ">= 0", (delay) => Backoff.fromDelays([1, 2, delay]), fromNothing),
  duration("Curve.decorrelated: base", "> 0", (base) => Curve.decorrelated({ base }), aboveNothing),
  duration("Curve.decorrelatedSmooth: base", "> 0", (base) => Curve.decorrelatedSmooth({ base }), aboveNothing),
  duration("Classic.ethernet: slot", "> 0", (slot) => Classic.ethernet({ slot }), aboveNothing),
  number("Classic.celery: factor", "a whole number >= 0", (factor) => Classic.celery({ factor }), {
    refused: [0.1, 1.5, -40],
    accepted: [0, 1, Number.MAX_VALUE]
  }),
  duration("Classic.celery: maximum", ">= 1s", (maximum) => Classic.celery({ factor: 1, maximum }), {
    refused: [0, 1, 999.5],
    accepted: [1_000, 1_000.5, 1e300],
    byDefault: true
  }),
  duration("Classic.connectRetry: maximum", ">= 1s", (maximum) => Classic.connectRetry({ maximum }), {
    refused: [0, 1, 999.5],
    accepted: [1_000, 1_000.5, 1e300],
    byDefault: true
  }),
  duration("Backoff.capped: cap", ">= 1ms", (cap) => Backoff.capped(Backoff.constant({ delay: 1 }), cap), fromOneMilli),
  duration(
    "Backoff.within: duration",
    `> 0 and <= ${longest}`,
    (duration) => Backoff.within(Backoff.constant({ delay: 1 }), duration),
    { refused: [0, 9_223_372_036_855], accepted: ["1 nanos", 0.5, 9_223_372_036_854] }
  ),
  number("Backoff.take: n", "a whole number >= 0", (n) => Backoff.take(Backoff.constant({ delay: 1 }), n), {
    refused: [-1, 0.5],
    accepted: [0, 1, Number.MAX_SAFE_INTEGER]
  }),
  duration(
    "Backoff.resetAfter: inactivity",
    ">= 1ms",
    (inactivity) => Backoff.resetAfter(Backoff.constant({ delay: 1 }), inactivity),
    fromOneMilli
  ),

  duration("Hint.override: atMost", ">= 0", (atMost) => Hint.override({ atMost, otherwise: "clamp" }), fromNothing),
  name("Hint.override: otherwise", otherwise, (otherwise) => Hint.override({ atMost: 1, otherwise })),
  duration("Hint.floor: atMost", ">= 0", (atMost) => Hint.floor({ atMost, otherwise: "clamp" }), fromNothing),
  name("Hint.floor: otherwise", otherwise, (otherwise) => Hint.floor({ atMost: 1, otherwise })),
  number(
    "Hint.floor: jitterRatio",
    ">= 0 and <= 1",
    (jitterRatio) => Hint.floor({ jitterRatio, atMost: 1, otherwise: "clamp" }),
    { refused: [-0.1, 1 + Number.EPSILON, 20], accepted: [0, 0.2, 1], byDefault: true }
  ),
  duration("Hint.within: above", ">= 0", (above) => Hint.within({ above }), fromNothing),

  duration("AttemptTimeout.constant: duration", `>= 1ms and <= ${timer}`, (of) => AttemptTimeout.constant(of), {
    refused: [0, 0.5, timerMillis + 1],
    accepted: [1, 1.5, timerMillis]
  }),
  duration(
    "AttemptTimeout.growing: initial",
    `>= 1ms and <= ${timer}`,
    (initial) => AttemptTimeout.growing({ initial, factor: 1, maximum: timerMillis }),
    { refused: [0, 0.5, timerMillis + 1], accepted: [1, 1.5, timerMillis] }
  ),
  number(
    "AttemptTimeout.growing: factor",
    ">= 1",
    (factor) => AttemptTimeout.growing({ initial: 1, factor, maximum: 10 }),
    { refused: [0, 0.5, 1 - Number.EPSILON], accepted: [1, 1.5, Number.MAX_VALUE] }
  ),
  duration(
    "AttemptTimeout.growing: maximum",
    `>= 10ms and <= ${timer}`,
    (maximum) => AttemptTimeout.growing({ initial: 10, factor: 2, maximum }),
    { refused: [0, 9.5, timerMillis + 1], accepted: [10, 10.5, timerMillis] }
  ),

  duration("Deadline.refuse: within", `> 0 and <= ${longest}`, (within) => Deadline.refuse(within), {
    refused: [0, 9_223_372_036_855],
    accepted: ["1 nanos", 0.5, 9_223_372_036_854]
  }),
  duration("Deadline.refuse: reserve", ">= 0 and <= 1s", (reserve) => Deadline.refuse("1 second", { reserve }), {
    refused: [1_000.5, 2_000],
    accepted: [0, 0.5, 1_000],
    byDefault: true
  }),
  duration(
    "Deadline.truncate: within",
    `> 0 and <= ${longest}`,
    (within) => Deadline.truncate(within, { reserve: "1 nanos" }),
    { refused: [0, 9_223_372_036_855], accepted: ["1 nanos", 0.5, 9_223_372_036_854] }
  ),
  duration("Deadline.truncate: reserve", "> 0 and <= 1s", (reserve) => Deadline.truncate("1 second", { reserve }), {
    refused: [0, 1_000.5, 2_000],
    accepted: ["1 nanos", 0.5, 1_000]
  }),
  duration("Deadline.cut: within", `> 0 and <= ${timer}`, (within) => Deadline.cut(within), {
    refused: [0, timerMillis + 1],
    accepted: ["1 nanos", 0.5, timerMillis]
  })
]

/** These take their arguments one by one. The others take a record; what it lacks is tested in Options.test.ts. */
const positional = [
  "Verdict.retryable",
  "Backoff.fromDelays",
  "Backoff.capped",
  "Backoff.within",
  "Backoff.take",
  "Backoff.resetAfter",
  "AttemptTimeout.constant",
  "Deadline.refuse",
  "Deadline.truncate",
  "Deadline.cut"
]

describe("InvalidArgument", () => {
  describe.each(parameters)("$owner, $field", ({ accepted, field, make, must, owner, refused }) => {
    it("refuses a value out of bounds, and says what is allowed and what was given", () => {
      const judged = refused.filter(([value]) => value !== undefined || positional.includes(owner))
      expect(judged.map(([value]) => failureOf(() => make(value as never)))).toEqual(
        judged.map(([, shown, such = ""]) => ({
          _tag: "InvalidArgument",
          message: `${owner}: ${field} must be ${must}${such}, got ${shown}`,
          owner,
          field
        }))
      )
    })

    it("accepts its bounds and the values between them", () => {
      expect(accepted.map((value) => failureOf(() => make(value as never)))).toEqual(accepted.map(() => undefined))
    })
  })

  it("shows a duration that is too long to be formatted", () => {
    expect(failureOf(() => AttemptTimeout.constant(Duration.millis(Number.MAX_VALUE)))).toMatchObject({
      message: `AttemptTimeout.constant: duration must be a finite duration >= 1ms and <= ${timer}, got more time than can be written`
    })
  })

  it("has a default for each option that may be absent", () => {
    const delays = ({ tree }: Backoff.Backoff) => {
      const found: Array<number | undefined> = []
      let rest: BackoffTree.Tree | undefined = tree
      while (rest !== undefined && found.length < 12) {
        const stepped: BackoffTree.Step | undefined = BackoffTree.step(rest, {
          u: 0.9,
          kind: undefined,
          ranMillis: 0,
          elapsedMillis: 0
        })
        found.push(stepped?.delayMillis)
        rest = stepped?.rest
      }
      return found
    }
    expect(delays(Backoff.exponential({ base: 1, factor: undefined as never }))).toEqual(
      delays(Backoff.exponential({ base: 1, factor: 2 }))
    )
    expect(delays(Classic.celery({ factor: 1 }))).toEqual(
      delays(Classic.celery({ factor: 1, maximum: "10 minutes", jitter: true }))
    )
    expect(delays(Classic.connectRetry({ maximum: undefined as never }))).toEqual(
      delays(Classic.connectRetry({ maximum: "128 seconds" }))
    )
    expect(Hint.floor({ atMost: 1, otherwise: "clamp" })).toEqual(
      Hint.floor({ jitterRatio: 0, atMost: 1, otherwise: "clamp" })
    )
    expect(Deadline.refuse(1)).toEqual(Deadline.refuse(1, { reserve: 0 }))
  })
})

/** The parts of an `InvalidArgument` that are the same from one to the other; undefined if nothing is thrown. */
function failureOf(make: () => unknown) {
  try {
    make()
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    const { _tag, field, message, owner } = error
    return { _tag, message, owner, field }
  }
  return undefined
}

describe("the message of an InvalidArgument", () => {
  const revoked = Proxy.revocable([], {})
  revoked.revoke()
  const refuses = (): never => {
    throw new Error("no")
  }
  it.each<readonly [name: string, value: object]>([
    ["a revoked proxy", revoked.proxy],
    ["a proxy that throws", new Proxy({}, { get: refuses, has: refuses, getPrototypeOf: refuses, ownKeys: refuses })],
    ["an array with one", [revoked.proxy]]
  ])("can be read if the value is %s", (_, value) => {
    const { message } = new InvalidArgument.InvalidArgument({ owner: "a.b", field: "c", allowed: "d", value })
    expect(message).toBe("a.b: c must be d, got an object that cannot be read")
  })
})
