import * as Core from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"

const { AttemptTimeout, Backoff, CircuitBreaker, Classic, Curve, Deadline, Hint, Jitter } = Core
const { Observe, Policy, Promises, RateLimiter, TokenBucket } = Core

/** The constructors that take their options as a record, as JavaScript can call them. */
const constructors: ReadonlyArray<readonly [owner: string, make: (options: never) => unknown]> = [
  ["Backoff.constant", Backoff.constant],
  ["Backoff.exponential", Backoff.exponential],
  ["Classic.ethernet", Classic.ethernet],
  ["Classic.celery", Classic.celery],
  ["Curve.linear", Curve.linear],
  ["Curve.polynomial", Curve.polynomial],
  ["Curve.fibonacci", Curve.fibonacci],
  ["Curve.decorrelated", Curve.decorrelated],
  ["Curve.decorrelatedSmooth", Curve.decorrelatedSmooth],
  ["Jitter.proportional", Jitter.proportional],
  ["Jitter.additive", Jitter.additive],
  ["Hint.override", Hint.override],
  ["Hint.floor", Hint.floor],
  ["Hint.within", Hint.within],
  ["TokenBucket.quota", TokenBucket.quota],
  ["TokenBucket.successRatio", TokenBucket.successRatio],
  ["TokenBucket.requestRatio", TokenBucket.requestRatio],
  ["TokenBucket.keyed", TokenBucket.keyed],
  ["RateLimiter.fixed", RateLimiter.fixed],
  ["RateLimiter.adaptive", RateLimiter.adaptive],
  ["RateLimiter.adaptiveConcurrency", RateLimiter.adaptiveConcurrency],
  ["RateLimiter.concurrencyLimit", RateLimiter.concurrencyLimit],
  ["RateLimiter.acceptRatio", RateLimiter.acceptRatio],
  ["RateLimiter.serverPause", RateLimiter.serverPause],
  ["CircuitBreaker.make", CircuitBreaker.make],
  ["Observe.metricsByKey", Observe.metricsByKey]
]

const messageOf = (make: () => unknown): string => {
  try {
    make()
    return "accepted"
  } catch (error) {
    return (error as Error).message
  }
}

/** Runs the call that a message shows. */
const run = (call: string): unknown => new Function(...Object.keys(Core), `return ${call}`)(...Object.values(Core))

const growth = { initial: "1 second", maximum: "10 seconds" }

describe("Options that are not a record", () => {
  it.each(constructors)("are refused by %s, with a call that can be copied", (owner, make) => {
    for (const [given, shown] of [
      ["1 minute", '"1 minute"'],
      [5, "5"]
    ] as const) {
      const message = messageOf(() => make(given as never))
      const [, call] = /^.*: options must be a record, as in (.*), got /.exec(message) ?? [message, ""]
      expect(message).toBe(`${owner}: options must be a record, as in ${call}, got ${shown}`)
      expect(call).toMatch(`${owner}(`)
      expect(() => run(call as string)).not.toThrow()
    }
  })

  it.each([
    ["Backoff.constant: delay must be given", () => Backoff.constant({} as never)],
    ["Backoff.exponential: base must be given", () => Backoff.exponential({ factor: 3 } as never)],
    ["Classic.ethernet: slot must be given", () => Classic.ethernet({} as never)],
    ["Classic.celery: factor must be given", () => Classic.celery({} as never)],
    ["Curve.linear: base must be given", () => Curve.linear({ step: "1 second" } as never)],
    ["Curve.linear: step must be given", () => Curve.linear({ base: "1 second" } as never)],
    ["Curve.polynomial: base must be given", () => Curve.polynomial({ degree: 2 } as never)],
    ["Curve.polynomial: degree must be given", () => Curve.polynomial({ base: "1 second" } as never)],
    ["Curve.fibonacci: base must be given", () => Curve.fibonacci({} as never)],
    ["Curve.decorrelated: base must be given", () => Curve.decorrelated({} as never)],
    ["Curve.decorrelatedSmooth: base must be given", () => Curve.decorrelatedSmooth({} as never)],
    ["Jitter.proportional: ratio must be given", () => Jitter.proportional({} as never)],
    ["Jitter.additive: max must be given", () => Jitter.additive({} as never)],
    ["Hint.override: atMost must be given", () => Hint.override({ otherwise: "clamp" } as never)],
    ["Hint.floor: otherwise must be given", () => Hint.floor({ atMost: "1 minute" } as never)],
    ["Hint.within: above must be given", () => Hint.within({} as never)],
    ["AttemptTimeout.growing: initial must be given", () => AttemptTimeout.growing({ maximum: "1 minute" } as never)],
    ["AttemptTimeout.growing: factor must be given", () => AttemptTimeout.growing(growth as never)],
    [
      "AttemptTimeout.growing: maximum must be given",
      () => AttemptTimeout.growing({ initial: "1 second", factor: 2 } as never)
    ],
    ["RateLimiter.fixed: burst must be given", () => RateLimiter.fixed({ rate: 5 } as never)],
    ["RateLimiter.fixed: rate must be given", () => RateLimiter.fixed({ burst: 5 } as never)],
    ["Observe.metricsByKey: maxKeys must be given", () => Observe.metricsByKey({} as never)],
    ["RateLimiter.serverPause: atMost must be given", () => RateLimiter.serverPause({} as never)],
    ["TokenBucket.successRatio: capacity must be given", () => TokenBucket.successRatio({ ratio: 1 } as never)],
    ["TokenBucket.keyed: bucket must be given", () => TokenBucket.keyed({ maxKeys: 1 } as never)]
  ])("%s, as in a call that is shown", (says, make) => {
    const message = messageOf(make)
    expect(message).toMatch(`${says}, as in `)
    expect(() => run(message.slice(message.indexOf("as in ") + 6, message.indexOf(", got ")))).not.toThrow()
  })
})

const second = "1 second"
const { unlimited } = TokenBucket
const anything = { ...Policy.standard, classifier: Core.Classifier.always }

const misspelt: ReadonlyArray<
  readonly [owner: string, make: (options: any) => unknown, rest: object, wrong: string, meant: string]
> = [
  ["RateLimiter.fixed", RateLimiter.fixed, { rate: 10, burst: 10 }, "maxWiat", "maxWait"],
  ["RateLimiter.adaptive", RateLimiter.adaptive, {}, "minFilRate", "minFillRate"],
  ["RateLimiter.concurrencyLimit", RateLimiter.concurrencyLimit, { limit: 10 }, "maxWating", "maxWaiting"],
  ["RateLimiter.adaptiveConcurrency", RateLimiter.adaptiveConcurrency, {}, "slowThan", "slowerThan"],
  ["RateLimiter.serverPause", RateLimiter.serverPause, { atMost: second }, "jiterRatio", "jitterRatio"],
  ["RateLimiter.acceptRatio", RateLimiter.acceptRatio, {}, "windows", "window"],
  ["CircuitBreaker.make", CircuitBreaker.make, {}, "openAt", "opensAt"],
  ["TokenBucket.quota", TokenBucket.quota, {}, "capacty", "capacity"],
  ["TokenBucket.successRatio", TokenBucket.successRatio, { ratio: 1, capacity: 10 }, "intial", "initial"],
  ["TokenBucket.requestRatio", TokenBucket.requestRatio, {}, "floorPerSeconds", "floorPerSecond"],
  [
    "TokenBucket.keyed",
    TokenBucket.keyed,
    { bucket: TokenBucket.quota(), maxKeys: 1, idleTimeToLive: second },
    "maxKey",
    "maxKeys"
  ],
  ["TokenBucket.failOpen", (o) => TokenBucket.failOpen(unlimited, o), { within: second }, "onFailur", "onFailure"],
  ["TokenBucket.failClosed", (o) => TokenBucket.failClosed(unlimited, o), { within: second }, "onFailur", "onFailure"],
  [
    "TokenBucket.fallback",
    (o) => TokenBucket.fallback(unlimited, o),
    { local: unlimited, within: second },
    "withn",
    "within"
  ],
  ["Backoff.exponential", Backoff.exponential, { base: second }, "fcator", "factor"],
  ["Jitter.proportional", Jitter.proportional, { ratio: 0.2 }, "ration", "ratio"],
  ["Hint.floor", Hint.floor, { atMost: second, otherwise: "clamp" }, "jitterRation", "jitterRatio"],
  ["Hint.override", Hint.override, { atMost: second, otherwise: "clamp" }, "startOver", "startsOver"],
  ["Deadline.refuse", (options) => Deadline.refuse(second, options), {}, "reserv", "reserve"],
  [
    "AttemptTimeout.growing",
    AttemptTimeout.growing,
    { initial: second, factor: 2, maximum: second },
    "maximun",
    "maximum"
  ],
  ["Observe.metricsByKey", Observe.metricsByKey, { maxKeys: 1 }, "maxKey", "maxKeys"],
  ["Promises.retry", (options) => Promises.retry(async () => 1, anything, options), {}, "signall", "signal"]
]

describe("An option that a constructor does not have", () => {
  it.each(misspelt)("is refused by %s", (owner, make, rest, wrong, meant) => {
    expect(() => make(rest)).not.toThrow()
    const refused = `${owner}: ${wrong} must be absent (did you mean ${meant}?), got 7`
    expect(() => make({ ...rest, [wrong]: 7 })).toThrow(refused)
  })

  it("is refused among the costs of a quota", () => {
    expect(() => TokenBucket.quota({ cost: { orElse: 5, Throtling: 7 } as never })).toThrow(
      "TokenBucket.quota: cost.Throtling must be absent (did you mean Throttling?), got 7"
    )
  })
})
