import {
  AttemptTimeout,
  type Backoff,
  Classifier,
  type Deadline,
  Hint,
  InvalidArgument,
  Retry,
  Verdict
} from "@effect-retry/core"
import { RetrySettings } from "@effect-retry/google"
import { Plan } from "@effect-retry/plan"
import { Laws, SeededRandom, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Clock, Data, Duration, Effect, FastCheck as fc, Option } from "effect"
import { law } from "../../../../core/test/support/Laws.ts"
import { delaysOf, last, same } from "../../decide/Delays.ts"
import { asset, fast, guide, polling, serviceOptions } from "../../support/Settings.ts"

const { describe, expect, expectTypeOf, it } = vitest

class Failed extends Data.TaggedError("Failed")<{ readonly code: string }> {}

interface Attempt {
  /** 0 is none, as in the library. */
  readonly rpcTimeout: number
  readonly invoked: number
  readonly ended: number
}

/** The attempts of a table, or of an operation that runs under the policy; each fails after `takes`, or times out. */
const planned = (settings: RetrySettings.Fields, takes: number | undefined, u: number): ReadonlyArray<Attempt> => {
  const options = { draw: () => u, rows: 20, ...(takes !== undefined && { attemptsTake: takes }) }
  return RetrySettings.table(settings, options).attempts.map(({ ended, invoked, rpcTimeout }) => ({
    rpcTimeout: Option.match(rpcTimeout, { onNone: () => 0, onSome: Duration.toMillis }),
    invoked: Duration.toMillis(invoked),
    ended: Duration.toMillis(ended)
  }))
}

const run = (
  settings: RetrySettings.Fields,
  takes: number | undefined,
  u: number
): Effect.Effect<ReadonlyArray<Attempt>> => {
  const policy = RetrySettings.toPolicy(settings, { codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"] })
  const attempts: Array<Attempt> = []
  const call = Effect.gen(function* () {
    const invoked = yield* Clock.currentTimeMillis
    const { timeLeft } = yield* Retry.CurrentAttempt
    const left = Option.match(yield* timeLeft, { onNone: () => 0, onSome: Duration.toMillis })
    const rpcTimeout = policy.attemptTimeout === undefined ? 0 : left
    const lasts = takes ?? (rpcTimeout === 0 ? 0 : Infinity)
    // The table is cut off there.
    if (attempts.length === 20) return
    const ended = Effect.map(Clock.currentTimeMillis, (ended) => attempts.push({ rpcTimeout, invoked, ended }))
    yield* Effect.ensuring(Effect.sleep(lasts), ended)
    yield* new Failed({ code: "UNAVAILABLE" })
  })
  const operation = Effect.ignore(Retry.retry(call, { ...policy, attempt: Retry.CurrentAttempt }))
  return VirtualClock.run(Effect.as(Effect.provide(operation, SeededRandom.layerConstant(u)), attempts))
}

const rpc = (initialRpcTimeout: number, maxRpcTimeout: number) => ({
  initialRpcTimeout,
  rpcTimeoutMultiplier: 2,
  maxRpcTimeout
})

/** What is run here, and why, is in the tests of the table. */
const cases: ReadonlyArray<{
  readonly name: string
  readonly settings: RetrySettings.Fields
  readonly takes?: number
  readonly attempts: number
}> = [
  { name: "one attempt", settings: { maxAttempts: 1, ...RetrySettings.logicalTimeout(5000) }, attempts: 1 },
  { name: "a logical timeout", settings: RetrySettings.logicalTimeout(5000), attempts: 1 },
  { name: "the guide's retry", settings: { ...guide, ...rpc(1500, 3000), totalTimeout: 5000 }, attempts: 2 },
  { name: "the guide's table", settings: { ...guide, ...rpc(1500, 6000), totalTimeout: 10_000 }, attempts: 3 },
  { name: "the guide's settings", settings: { ...guide, ...rpc(1500, 3000), totalTimeout: 10_000 }, attempts: 4 },
  { name: "limited timeouts", settings: { ...guide, ...rpc(500, 2000), totalTimeout: 4000 }, attempts: 3 },
  { name: "the HTTP services", settings: serviceOptions, takes: 0, attempts: 6 },
  { name: "Cloud Asset", settings: asset, takes: 0, attempts: 20 },
  { name: "polling", settings: polling, takes: 0, attempts: 11 },
  { name: "the library's test", settings: fast, takes: 60, attempts: 6 },
  { name: "a number of attempts alone", settings: { maxAttempts: 3 }, takes: 7, attempts: 3 },
  { name: "a total timeout alone", settings: { totalTimeout: 21 }, takes: 7, attempts: 3 },
  { name: "the builder's defaults", settings: {}, takes: 7, attempts: 1 },
  {
    name: "a first delay beyond the total timeout",
    settings: { totalTimeout: 1000, initialRetryDelay: 2 ** 31 - 1, maxRetryDelay: 2 ** 31 - 1 },
    attempts: 1
  },
  { name: "a slow server", settings: { ...rpc(1500, 3000), totalTimeout: 5000 }, takes: 2000, attempts: 3 }
]

const multiplier = fc.oneof(fc.constantFrom(1, 1.3, 1.5, 2), fc.double({ min: 1, max: 4, noNaN: true }))
const limit = (max: number) => fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(max) })

const settings: fc.Arbitrary<RetrySettings.Fields> = fc
  .record({
    totalTimeout: limit(20_000),
    initialRetryDelay: fc.nat(1_000),
    moreDelay: fc.nat(5_000),
    retryDelayMultiplier: multiplier,
    maxAttempts: limit(8),
    jittered: fc.boolean(),
    initialRpcTimeout: limit(3_000),
    moreTimeout: fc.nat(5_000),
    rpcTimeoutMultiplier: multiplier
  })
  .map(({ moreDelay, moreTimeout, ...some }) => ({
    ...some,
    maxRetryDelay: some.initialRetryDelay + moreDelay,
    maxRpcTimeout: some.initialRpcTimeout + moreTimeout
  }))

const runs = law(60)

describe("RetrySettings.toPolicy", () => {
  it.effect.each(cases)("runs as its table says: $name", ({ attempts, settings, takes }) =>
    Effect.gen(function* () {
      const ran = yield* run({ ...settings, jittered: false }, takes, 0)
      expect(ran).toEqual(planned({ ...settings, jittered: false }, takes, 0))
      expect(ran).toHaveLength(attempts)
    })
  )

  it.effect.prop(
    "runs as its table says, whatever the settings",
    [settings, fc.option(fc.nat(4_000), { nil: undefined }), fc.nat(999).map((u) => u / 1_000)],
    ([settings, takes, u]) =>
      Effect.gen(function* () {
        expect(yield* run(settings, takes, u)).toEqual(planned(settings, takes, u))
      }),
    runs
  )

  it.effect("ends with the latest error, and says which limit was reached", () =>
    Effect.gen(function* () {
      const judge = { classifier: Classifier.always }
      const failing = Effect.fail("busy")
      const stopped = (settings: RetrySettings.Fields) =>
        Effect.flip(VirtualClock.run(Retry.orStopped(failing, RetrySettings.toPolicy(settings, judge))))
      const attempts = yield* stopped({ maxAttempts: 3 })
      expect([attempts.reason._tag, attempts.attempts, attempts.error]).toEqual(["AttemptsSpent", 3, "busy"])
      const time = yield* stopped({ ...guide, jittered: false, totalTimeout: 601 })
      expect([time.reason._tag, time.attempts, Duration.toMillis(time.elapsed)]).toEqual(["DeadlinePassed", 3, 600])
    })
  )

  it.effect("stops at once when the next attempt would start as the total timeout ends", () =>
    Effect.gen(function* () {
      const starts = yield* run({ ...guide, jittered: false, totalTimeout: 600 }, 0, 0)
      expect(starts.map(({ invoked }) => invoked)).toEqual([0, 200])
    })
  )

  it.effect("counts what is left in whole milliseconds", () =>
    Effect.gen(function* () {
      const policy = RetrySettings.toPolicy({ totalTimeout: 10 }, { classifier: Classifier.always })
      const attempts = (takes: number) =>
        VirtualClock.run(
          Effect.map(
            Effect.flip(Retry.orStopped(Effect.delay(Effect.fail("busy"), takes), policy)),
            ({ attempts }) => attempts
          )
        )
      expect([yield* attempts(9.5), yield* attempts(9)]).toEqual([1, 2])
    })
  )

  it.effect.each([
    { codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"], reason: "AttemptsSpent", attempts: 3 },
    { codes: ["UNAVAILABLE"], reason: "Terminal", attempts: 1 },
    { codes: [], reason: "Terminal", attempts: 1 }
  ] as const)("judges a timeout by the codes: $codes", ({ attempts, codes, reason }) =>
    Effect.gen(function* () {
      const settings = { maxAttempts: 3, initialRpcTimeout: 10, maxRpcTimeout: 10 }
      const stopped = yield* Effect.flip(
        VirtualClock.run(Retry.orStopped(Effect.never, RetrySettings.toPolicy(settings, { codes })))
      )
      expect([stopped.reason._tag, stopped.attempts]).toEqual([reason, attempts])
      expect(stopped.error).toBeInstanceOf(AttemptTimeout.AttemptTimedOut)
    })
  )

  it.each([
    ["UNAVAILABLE", "Retryable"],
    ["ABORTED", "Terminal"]
  ])("judges an error by the codes: %s is %s", (code, tag) => {
    const { classifier } = RetrySettings.toPolicy(fast, { codes: ["UNAVAILABLE"] })
    const moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }
    expect(classifier(new Failed({ code }), moment)._tag).toBe(tag)
  })

  it("takes a classifier instead, and a verdict of timeouts", () => {
    const policy = RetrySettings.toPolicy(fast, { classifier: Classifier.always })
    expect(policy.classifier).toBe(Classifier.always)
    expect(policy.attemptTimeout?.verdict).toEqual(Verdict.timeout)
    const timeout = Verdict.terminal("outcome unknown")
    const strict = RetrySettings.toPolicy(fast, { classifier: Classifier.always, timeout })
    expect(strict.attemptTimeout?.verdict).toEqual(timeout)
  })

  it.effect("ignores what a server asks for, unless it has a rule for hints", () =>
    Effect.gen(function* () {
      const classifier: Classifier.Classifier = () => Verdict.retryable("Transient", { hint: "2 seconds" })
      const stopped = (totalTimeout: number, rule: { readonly hint?: Hint.Hint }) => {
        const policy = { ...RetrySettings.toPolicy({ maxAttempts: 2, totalTimeout }, { classifier }), ...rule }
        const operation = Effect.flip(VirtualClock.run(Retry.orStopped(Effect.fail("busy"), policy)))
        return Effect.map(operation, ({ attempts, elapsed }) => [attempts, Duration.toMillis(elapsed)])
      }
      // Source: googleapis/java-bigtable, `ApiResultRetryAlgorithm`: exactly the delay of `google.rpc.RetryInfo`, within
      // the limits of the settings.
      const hint = Hint.override({ atMost: "1 minute", otherwise: "giveUp" })
      expect(yield* stopped(5000, {})).toEqual([2, 0])
      expect(yield* stopped(5000, { hint })).toEqual([2, 2000])
      expect(yield* stopped(2000, { hint })).toEqual([1, 0])
    })
  )

  // Source: https://docs.cloud.google.com/java/docs/client-retries, the delays of 100 milliseconds by 2 up to 500.
  // Contradiction of the source: it writes 1 to 100, 1 to 200 and so on, and the library draws from 0 to one less.
  it("draws whole milliseconds from none to one below the bound", () => {
    const settings = { initialRetryDelay: 100, retryDelayMultiplier: 2, maxRetryDelay: 500, maxAttempts: 6 }
    const { backoff } = RetrySettings.toPolicy(settings, { codes: ["UNAVAILABLE"] })
    expect(delaysOf(backoff, same(0, 5))).toEqual(same(0, 5))
    expect(delaysOf(backoff, same(last, 5))).toEqual([99, 199, 399, 499, 499])
  })

  it("is explained by a plan", () => {
    const { attempts } = Plan.explain(
      RetrySettings.toPolicy({ ...guide, ...rpc(1500, 3000), totalTimeout: 10_000 }, { codes: ["UNAVAILABLE"] })
    )
    expect(attempts.slice(0, 3).map(({ delay }) => Option.map(delay, ({ most }) => Duration.toMillis(most)))).toEqual([
      Option.none(),
      Option.some(199),
      Option.some(399)
    ])
  })

  it.each<{ settings?: object; options: object | null; message: string }>([
    { settings: { maxAttempts: -1 }, options: { codes: [] }, message: "maxAttempts must be a whole number >= 0" },
    { options: { codes: ["BUSY"] }, message: "codes[0] must be one of OK, CANCELLED" },
    { options: { codes: "UNAVAILABLE" }, message: "codes must be a list" },
    { options: {}, message: "classifier must be a function from error to verdict, got undefined" },
    { options: { classifier: Classifier.always, timeout: "x" }, message: 'timeout must be a verdict, got "x"' },
    { options: { classifier: Classifier.always, timeout: null }, message: "timeout must be a verdict, got null" },
    { options: { classifier: Classifier.always, timeout: { _tag: "Retry" } }, message: "timeout must be a verdict" },
    { options: { classifier: null }, message: "classifier must be a function from error to verdict, got null" },
    { options: null, message: "options must be" },
    { options: [], message: "options must be" },
    { options: () => [], message: "options must be" },
    { settings: null as never, options: { codes: [] }, message: "settings must be a record of settings, got null" }
  ])("refuses $options with settings of $settings", ({ message, options, settings = fast }) => {
    const make = () => RetrySettings.toPolicy(settings, options as RetrySettings.Codes)
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`RetrySettings.toPolicy: ${message}`)
  })
})

describe("RetrySettings.toPolicy types", () => {
  const call = Effect.fail(new Failed({ code: "UNAVAILABLE" })) as Effect.Effect<string, Failed>

  it("infers in a pipe, and adds the timeout of an attempt", () => {
    const inPipe = () => call.pipe(Retry.retry(RetrySettings.toPolicy(fast, { codes: ["UNAVAILABLE"] })))
    expectTypeOf(inPipe).returns.toEqualTypeOf<Effect.Effect<string, Failed | AttemptTimeout.AttemptTimedOut>>()
    const named = RetrySettings.toPolicy(RetrySettings.make(fast), { codes: ["ABORTED"] })
    expectTypeOf(named).toEqualTypeOf<RetrySettings.Compiled>()
    expectTypeOf(named.backoff).toEqualTypeOf<Backoff.Backoff>()
    expectTypeOf(named.deadline).toEqualTypeOf<Deadline.Deadline | undefined>()
  })

  it("names the unknown code", () => {
    const wrong = () =>
      RetrySettings.toPolicy(fast, {
        codes: [
          "UNAVAILABLE",
          // @ts-expect-error no such code
          "unavailable"
        ]
      })
    expect(wrong).toThrow("RetrySettings.toPolicy: codes[1] must be one of OK, CANCELLED")
  })

  it("keeps the errors that a classifier judges", () => {
    const policy = RetrySettings.toPolicy(fast, { classifier: Classifier.fromTags({ Failed: Verdict.transient }) })
    const dataFirst = () => Retry.retry(call, policy)
    expectTypeOf(dataFirst).returns.toEqualTypeOf<Effect.Effect<string, Failed | AttemptTimeout.AttemptTimedOut>>()
    const narrow = RetrySettings.toPolicy(fast, { classifier: (_error: Failed) => Verdict.transient })
    // @ts-expect-error the classifier judges another error
    expectTypeOf(() => Retry.retry(Effect.fail("busy"), narrow)).returns.toEqualTypeOf<never>()
    const own = () =>
      call.pipe(
        Retry.retry({
          ...RetrySettings.toPolicy(fast, { codes: [] }),
          classifier: (error) => {
            expectTypeOf(error).toEqualTypeOf<Failed>()
            return Verdict.transient
          }
        })
      )
    expectTypeOf(own).returns.toEqualTypeOf<Effect.Effect<string, Failed | AttemptTimeout.AttemptTimedOut>>()
  })
})

for (const settings of [{ ...guide, maxAttempts: 9 }, asset, { ...asset, jittered: false }, { maxAttempts: 2 }]) {
  const { tree } = RetrySettings.toPolicy(settings, { codes: [] }).backoff
  if (tree._tag === "Leaf") Laws.curve(vitest, `RetrySettings ${JSON.stringify(settings)}`, tree.curve)
}
