/**
 * What every `SendRate` promises, as a suite that a custom one can run.
 *
 * Each test makes rates of its own, each on a `VirtualClock` of its own. What must not matter, such as a waiter that is
 * interrupted, is found out by a second rate to which it has not happened: both must send at the same times.
 */
import { Backoff, Classifier, Deadline, Retry, SendRate, Verdict } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Interleaving from "./Interleaving.ts"
import type { Runner } from "./Runner.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as VirtualClock from "./VirtualClock.ts"

type Rate = SendRate.SendRate

/**
 * Makes a send rate, another one each time: an effect, or a layer of `SendRate.Default`.
 *
 * A rate that limits nothing before it has heard of a throttle is to be told of one here.
 *
 * @category models
 */
export type Make = Effect.Effect<Rate, unknown> | Layer.Layer<SendRate.Default, unknown>

/**
 * What sort of send rate it is.
 *
 * @category models
 */
export interface Options {
  /** Which sends it grants: some, until time has passed; all; or those that chance lets through. @default "some" */
  readonly grants?: "some" | "all" | "by chance"
  /** Whether a send waits for its turn where that comes in the time there is. @default true where it grants some */
  readonly waits?: boolean
}

/**
 * Registers the contract as tests under `name`.
 *
 * @category running
 */
export const suite = (runner: Runner, name: string, make: Make, options: Options = {}): void => {
  const { grants = "some" } = options
  const { waits = grants === "some" } = options
  runner.describe(`${name} as a SendRate`, () => {
    const contract = contractOf(runner, make, waits)
    aboutEvery(contract)
    if (grants === "all") aboutAll(contract)
    if (grants === "by chance") aboutChance(contract)
    if (grants !== "by chance") aboutGranted(contract)
    if (grants === "some") aboutSome(contract)
    if (waits) aboutWaiting(contract)
    else aboutPrompt(contract)
  })
}

/** Uses another rate, from time zero. */
interface Fresh {
  <A, E>(use: (rate: Rate) => Effect.Effect<A, E, VirtualClock.VirtualClock>): Effect.Effect<A, unknown>
}

interface Contract {
  readonly expect: Runner["expect"]
  readonly fresh: Fresh
  readonly waits: boolean
  readonly test: (sentence: string, body: () => Effect.Effect<void, unknown>) => void
  /** A test that does with one the first rate. */
  readonly testOne: (
    sentence: string,
    body: (rate: Rate) => Effect.Effect<void, unknown, VirtualClock.VirtualClock>
  ) => void
}

const contractOf = ({ expect, it }: Runner, make: Make, waits: boolean): Contract => {
  const fresh: Fresh = (use) =>
    withRate(make, use).pipe(VirtualClock.run, Effect.provide(SeededRandom.layer("contract")))
  return {
    expect,
    fresh,
    waits,
    test: (sentence, body) => it.effect(sentence, body),
    testOne: (sentence, body) => it.effect(sentence, () => fresh(body))
  }
}

const aboutEvery = ({ expect, fresh, test, testOne }: Contract): void => {
  testOne("hears every result without a failure, and in no time", (rate) =>
    Effect.gen(function* () {
      for (const result of [...results, ...results]) {
        expect(yield* Effect.exit(rate.heard(result))).toEqual(Exit.void)
        yield* rate.acquire(now)
      }
      expect(yield* nowMillis).toBe(0)
    })
  )

  test("is another rate whenever it is made", () =>
    Effect.gen(function* () {
      const answers = fresh((rate) => Effect.replicateEffect(rate.acquire(now), 50))
      const first = yield* answers
      yield* fresh((rate) => Effect.replicateEffect(Effect.zipRight(rate.acquire(now), rate.heard("Throttled")), 50))
      expect(yield* answers).toEqual(first)
    }))

  test("answers within the time there is, and at once where it refuses, on any path", () =>
    Effect.forEach(paths, (path) => fresh((rate) => Effect.forEach(path, (step) => walk(expect, rate, step))), {
      discard: true
    }))

  test("does not call itself fresh where a new one would grant more", () =>
    Effect.gen(function* () {
      const most = yield* fresh(spend)
      const isFresh = yield* fresh((rate) => Effect.zipRight(spend(rate), rate.isFresh ?? Effect.succeed(false)))
      expect(isFresh && most > 0 && most < many).toBe(false)
    }))
}

const aboutAll = ({ expect, testOne }: Contract): void => {
  testOne("grants every send, whatever it has heard", (rate) =>
    Effect.gen(function* () {
      for (const result of results) {
        yield* Effect.replicateEffect(rate.heard(result), 100)
        const granted = yield* Effect.replicateEffect(rate.acquire(now), 100)
        expect(granted.filter((isGranted) => !isGranted)).toEqual([])
      }
    })
  )
}

const aboutChance = ({ expect, testOne }: Contract): void => {
  testOne("refuses some operations by the error that says so, and sends others, while all are throttled", (rate) =>
    Effect.gen(function* () {
      const once = { ...policy, classifier: () => Verdict.throttling, maxAttempts: 1 }
      const errors = yield* Effect.replicateEffect(Effect.flip(operate(rate, Retry.retry(down, once))), 1_000)
      expect(errors).toContainEqual("down")
      expect(errors).toContainEqual(refused)
      expect(yield* nowMillis).toBe(0)
    })
  )
}

const aboutGranted = ({ expect, testOne }: Contract): void => {
  testOne("lets an operation through that fails at first", (rate) =>
    Effect.gen(function* () {
      let attempts = 0
      const failsOnce = Effect.suspend(() => (++attempts < 2 ? down : Effect.succeed("up")))
      const patient = { ...policy, backoff: Backoff.constant({ delay: "1 day" }) }
      yield* Effect.sleep("1 day")
      expect(yield* operate(rate, Retry.retry(failsOnce, patient))).toBe("up")
      expect(attempts).toBe(2)
    })
  )
}

const aboutSome = ({ expect, fresh, test, testOne, waits }: Contract): void => {
  /** Under this a rate that is spent refuses: one that waits has too little time to. */
  const hurried = waits
    ? Effect.map(due(fresh), (dueMillis) => ({ ...policy, deadline: Deadline.refuse(dueMillis / 2) }))
    : Effect.succeed(policy)

  testOne("is spent by its sends, and grants again in time", (rate) =>
    Effect.gen(function* () {
      yield* drain(rate)
      expect(yield* rate.acquire(now)).toBe(false)
      yield* Effect.sleep("1 day")
      expect(yield* rate.acquire(now)).toBe(true)
    })
  )

  testOne("grants one of a hundred at once where one is left", (rate) =>
    Effect.gen(function* () {
      const most = yield* fresh((other) => Effect.zipRight(Effect.sleep("1 day"), drain(other)))
      yield* Effect.sleep("1 day")
      yield* Effect.replicateEffect(rate.acquire(now), most - 1)
      const asked = yield* Effect.forEach(Array.from({ length: 100 }), (_, index) =>
        ask(rate, now, 2 * Interleaving.turn - (index % (2 * Interleaving.turn)))
      )
      yield* Interleaving.settled
      const answers = yield* Effect.forEach(asked, ({ ended }) => ended)
      expect(answers.filter(Option.contains(true))).toHaveLength(1)
      expect(answers.filter(Option.contains(false))).toHaveLength(99)
    })
  )

  test("takes nothing for a send that it refuses", () =>
    Effect.gen(function* () {
      const sent = (refusals: number) =>
        fresh((rate) =>
          Effect.zipLeft(drain(rate), Effect.replicateEffect(rate.acquire(now), refusals)).pipe(
            Effect.zipLeft(Effect.sleep("300 millis")),
            Effect.replicateEffect(30)
          )
        )
      expect(yield* sent(9)).toEqual(yield* sent(0))
    }))

  testOne("refuses the first attempt of an operation at once, by the error that says so", (rate) =>
    Effect.gen(function* () {
      const hurriedPolicy = yield* hurried
      yield* drain(rate)
      expect(yield* Effect.flip(operate(rate, Retry.retry(down, hurriedPolicy)))).toEqual(refused)
      expect(yield* nowMillis).toBe(0)
    })
  )

  testOne("refuses a retry at once, which stops the operation with its last error", (rate) =>
    Effect.gen(function* () {
      const hurriedPolicy = yield* hurried
      yield* Effect.sleep("1 day")
      const startedAt = yield* nowMillis
      const failing = Effect.zipRight(drain(rate), down)
      const stopped = yield* Effect.flip(operate(rate, Retry.orStopped(failing, hurriedPolicy)))
      expect([stopped.reason._tag, stopped.attempts, stopped.error]).toEqual(["SendRateRefused", 1, "down"])
      expect((yield* nowMillis) - startedAt).toBe(0)
    })
  )
}

const aboutPrompt = ({ expect, testOne }: Contract): void => {
  testOne("answers at once, however long there is", (rate) =>
    Effect.gen(function* () {
      for (const result of [...results, ...results]) {
        yield* Effect.replicateEffect(rate.acquire(whenever), 50)
        yield* rate.heard(result)
      }
      expect(yield* nowMillis).toBe(0)
    })
  )
}

const aboutWaiting = ({ expect, fresh, test, testOne }: Contract): void => {
  test("sends the next one as soon as it may, and refuses it at once where that is too late", () =>
    Effect.gen(function* () {
      const dueMillis = yield* due(fresh)
      const asked = (atMostMillis: number) =>
        fresh((rate) => Effect.zip(Effect.zipRight(drain(rate), rate.acquire(within(atMostMillis))), nowMillis))
      expect(yield* asked(dueMillis)).toEqual([true, dueMillis])
      expect(yield* asked(dueMillis / 2)).toEqual([false, 0])
    }))

  test("serves those who wait in the order in which they came, and keeps none waiting for another", () =>
    Effect.gen(function* () {
      const expected = yield* sends(fresh, 5)
      yield* fresh((rate) =>
        Effect.gen(function* () {
          const served = yield* lineUp(rate, 5)
          yield* Effect.sleep("1 day")
          expect(served).toEqual(expected.map((atMillis, place) => ({ place, atMillis })))
        })
      )
    }))

  for (const leaves of [0, 1, 2]) {
    const where = ["in front of", "in the middle of", "at the end of"][leaves]
    test(`loses nothing to one that is interrupted ${where} a line, and delays nobody`, () =>
      Effect.gen(function* () {
        const expected = yield* sends(fresh, 2)
        const others = [0, 1, 2].filter((place) => place !== leaves)
        for (const moment of Interleaving.moments) {
          yield* fresh((rate) =>
            Effect.gen(function* () {
              const served = yield* lineUp(rate, 3, { place: leaves, moment })
              yield* Effect.sleep("1 day")
              expect(served).toEqual(others.map((place, i) => ({ place, atMillis: expected[i] })))
            })
          )
        }
      }))
  }

  testOne("loses nothing to one that is refused behind a line, and delays nobody", (rate) =>
    Effect.gen(function* () {
      const expected = yield* sends(fresh, 2)
      const served = yield* lineUp(rate, 2)
      expect(yield* rate.acquire(within((expected[0] ?? 0) / 2))).toBe(false)
      expect(yield* nowMillis).toBe(0)
      yield* Effect.sleep("1 day")
      expect(served.map(({ atMillis }) => atMillis)).toEqual(expected)
    })
  )

  test("loses at most the send of one that is interrupted just when its turn comes", () =>
    Effect.gen(function* () {
      const expected = yield* sends(fresh, 5)
      const [dueMillis = 0] = expected
      for (const { early, turns } of Interleaving.moments) {
        const sent = yield* fresh((rate) =>
          Effect.gen(function* () {
            yield* drain(rate)
            const asked = yield* ask(rate, whenever, early)
            yield* Effect.sleep(dueMillis)
            yield* Effect.replicateEffect(Effect.yieldNow(), turns)
            const isSent = Option.contains(yield* asked.ended, true)
            return [...(isSent ? [dueMillis] : []), ...(yield* sendsOf(rate, 3))]
          })
        )
        for (const [i, atMillis] of sent.entries()) {
          expect(atMillis, "too early").toBeGreaterThanOrEqual(expected[i] ?? NaN)
          expect(atMillis, "too late").toBeLessThanOrEqual(expected[i + 1] ?? NaN)
        }
      }
    }))

  test("makes operations wait for their turns, and loses nothing to one that is interrupted", () =>
    Effect.gen(function* () {
      const starts = (isDisturbed: boolean) =>
        fresh((rate) =>
          Effect.gen(function* () {
            yield* drain(rate)
            const begin = Effect.zipLeft(
              Effect.fork(operate(rate, Retry.retry(nowMillis, policy))),
              Interleaving.settled
            )
            const first = yield* begin
            const between = isDisturbed ? [yield* begin] : []
            const last = yield* begin
            yield* Fiber.interruptAll(between)
            return [yield* Fiber.join(first), yield* Fiber.join(last)]
          })
        )
      const undisturbed = yield* starts(false)
      expect(undisturbed[0]).toBe(yield* due(fresh))
      expect(yield* starts(true)).toEqual(undisturbed)
    }))
}

const results: ReadonlyArray<SendRate.Result> = ["Succeeded", "Failed", "Throttled"]

const wanted = (atMost: Option.Option<Duration.Duration>): SendRate.Wanted => ({ attempt: 1, atMost })

const within = (millis: number) => wanted(Option.some(Duration.millis(millis)))

const now = /*#__PURE__*/ within(0)

const whenever = /*#__PURE__*/ wanted(Option.none())

type Step = SendRate.Result | { readonly passMillis: number } | { readonly atMostMillis: number }

const paths: ReadonlyArray<ReadonlyArray<Step>> = /*#__PURE__*/ FastCheck.sample(
  FastCheck.array(
    FastCheck.oneof(
      FastCheck.constantFrom(...results),
      FastCheck.record({ passMillis: FastCheck.constantFrom(1, 300, 700) }),
      FastCheck.record({ atMostMillis: FastCheck.constantFrom(0, 1, 300, 2_000) })
    ),
    { maxLength: 40 }
  ),
  { seed: 1, numRuns: 50 }
)

/** One step of a random path. */
const walk = (expect: Runner["expect"], rate: Rate, step: Step) =>
  Effect.gen(function* () {
    if (typeof step === "string") return yield* rate.heard(step)
    if ("passMillis" in step) return yield* Effect.sleep(step.passMillis)
    const askedAt = yield* nowMillis
    const granted = yield* rate.acquire(within(step.atMostMillis))
    const waited = (yield* nowMillis) - askedAt
    expect(waited, granted ? "waited before it was granted" : "waited before it was refused").toBeLessThanOrEqual(
      granted ? step.atMostMillis : 0
    )
  })

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

const withRate = <A, E, R>(make: Make, use: (rate: Rate) => Effect.Effect<A, E, R>) =>
  Effect.isEffect(make)
    ? Effect.flatMap(make, use)
    : Effect.provide(Effect.flatMap(SendRate.Default, use), Layer.fresh(make))

/** More sends at once than any rate grants that grants some. */
const many = 10_000

/** Sends until it is refused; answers with how many were sent. */
const spend = (rate: Rate): Effect.Effect<number> =>
  Effect.gen(function* () {
    let sent = 0
    while (sent < many && (yield* rate.acquire(now))) sent += 1
    return sent
  })

/** The same for a rate that grants some. */
const drain = (rate: Rate): Effect.Effect<number> =>
  Effect.filterOrDieMessage(spend(rate), (sent) => sent < many, `it grants ${many} sends at once: is it grants: "all"?`)

/** When it sends, the next one always waiting; virtual time in milliseconds. */
const sendsOf = (rate: Rate, count: number) =>
  Effect.filterOrDieMessage(
    rate.acquire(whenever),
    (granted) => granted,
    "it refuses a send that has time to wait: is it waits: false?"
  ).pipe(Effect.zipRight(nowMillis), Effect.replicateEffect(count))

/** When a rate that is spent sends, if nothing else happens to it. */
const sends = (fresh: Fresh, count: number) => fresh((rate) => Effect.zipRight(drain(rate), sendsOf(rate, count)))

/** How long it is until a rate that is spent sends again. */
const due = (fresh: Fresh) => Effect.map(sends(fresh, 1), ([dueMillis = 0]) => dueMillis)

const ask = (rate: Rate, wanted: SendRate.Wanted, early?: number) =>
  Interleaving.begin<boolean, never, never>((answer) => Effect.map(rate.acquire(wanted), answer), early)

interface Served {
  readonly place: number
  readonly atMillis: number
}

/** Spends a rate and has so many wait for it; one may be interrupted at a moment. Answers with who was served so far. */
const lineUp = (
  rate: Rate,
  count: number,
  leaves?: { readonly place: number; readonly moment: Interleaving.Moment }
): Effect.Effect<ReadonlyArray<Served>, never, VirtualClock.VirtualClock> =>
  Effect.gen(function* () {
    const served: Array<Served> = []
    const wait = (place: number) =>
      Effect.flatMap(rate.acquire(whenever), (granted) =>
        Effect.map(nowMillis, (atMillis) => void served.push({ place, atMillis: granted ? atMillis : NaN }))
      )
    yield* drain(rate)
    for (let place = 0; place < (leaves?.place ?? count); place++) {
      yield* Effect.zipRight(Effect.fork(wait(place)), Interleaving.settled)
    }
    if (leaves === undefined) return served
    const leaving = yield* ask(rate, whenever, leaves.moment.early)
    for (let place = leaves.place + 1; place < count; place++) yield* Effect.fork(wait(place))
    yield* Effect.replicateEffect(Effect.yieldNow(), leaves.moment.turns)
    yield* leaving.ended
    return served
  })

const down = Effect.fail("down")

const refused = /*#__PURE__*/ new Retry.SendRefused({ by: "send rate" })

const policy = {
  sendRate: SendRate.Default,
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: 0 })
}

const operate = <A, E, R>(rate: Rate, operation: Effect.Effect<A, E, R | SendRate.Default>) =>
  Effect.provideService(operation, SendRate.Default, rate)
