/**
 * What every `TokenBucket` promises, as a test suite for your own bucket.
 *
 * Each test makes its own buckets, on a `VirtualClock`. If the order of fibers matters, they take turns after every
 * step, so that a bucket that first checks and later takes is caught.
 */
import type { TokenBucket } from "@effect-retry/core"
import { noTokens } from "@effect-retry/core/unstable/Port"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as BucketCauses from "./BucketCauses.ts"
import * as BucketMaking from "./BucketMaking.ts"
import { aboutPaths } from "./BucketPaths.ts"
import type { Bucket, Contract } from "./BucketTrial.ts"
import {
  acquireNow,
  atOnce,
  beginAcquire,
  drain,
  endAcquire,
  endings,
  fail,
  failThenAcquire,
  interruptAcquires,
  nowMillis,
  outcomeOf,
  outcomes,
  succeeded,
  tell,
  tokensOf,
  tolerance
} from "./BucketTrial.ts"
import { aboutWaiting, aboutWaitingForTime } from "./BucketWaits.ts"
import * as Interleaving from "../run/Interleaving.ts"
import type { Runner } from "../run/Runner.ts"
import * as SeededRandom from "../run/SeededRandom.ts"
import * as VirtualClock from "../run/VirtualClock.ts"

/**
 * Makes a new bucket each time: an effect, or a layer of `TokenBucket.RetryBucket`.
 *
 * A bucket that limits nothing before the first throttle must have recorded one when it is returned.
 *
 * @category models
 */
export type Make = Effect.Effect<Bucket, unknown> | Layer.Layer<TokenBucket.RetryBucket, unknown>

/**
 * What the bucket can do.
 *
 * @category models
 */
export interface Options {
  /** The most tokens that it ever holds; `Infinity` for no limit. @default its initial level */
  readonly capacity?: number
  /** Which attempts it grants: some, until it is empty; all; none; or each with a probability. @default "some" */
  readonly grants?: "some" | "all" | "none" | "by chance"
  /** Whether it waits for tokens. @default false */
  readonly waits?: boolean
  /** Whether an empty bucket grants again as time passes. @default false */
  readonly refills?: boolean
  /** Whether an attempt returns its tokens when it ends, however it ends. @default false */
  readonly returns?: boolean
  /** Whether the level falls by what is granted and rises by what is refunded. @default true, except for grants "by chance" */
  readonly isExact?: boolean
}

/**
 * Registers the contract as tests under `name`.
 *
 * @category running
 */
export const suite = (runner: Runner, name: string, make: Make, options: Options = {}): void => {
  const { grants = "some", refills = false, returns = false, waits = false } = options
  const { isExact = grants !== "by chance" } = options
  runner.describe(`${name} as a TokenBucket`, () => {
    const contract = contractOf(runner, make, isExact)
    aboutEvery(contract)
    aboutPaths(contract, { ...options, waits, refills, isExact })
    if (grants === "all") aboutAll(contract)
    if (grants === "none") aboutNone(contract)
    if (grants === "by chance") aboutChance(contract)
    if (grants === "some" || grants === "all") aboutInterruption(contract)
    if (grants === "some") aboutSome(contract, refills)
    if (returns) aboutReturning(contract)
    if (waits) aboutWaiting(contract, refills)
    if (waits && refills) aboutWaitingForTime(contract)
  })
}

const contractOf = ({ expect, it }: Runner, make: Make, isExact: boolean): Contract => {
  const made = BucketMaking.of(make)
  const fresh: Contract["fresh"] = (use) =>
    Effect.scoped(Effect.flatMap(made, use)).pipe(VirtualClock.run, Effect.provide(SeededRandom.layer("contract")))
  return {
    expect,
    fresh,
    it: (sentence, body) => it.effect(sentence, () => told(sentence, body)),
    test: (sentence, body) => it.effect(sentence, () => told(sentence, fresh(body))),
    // An `expect` takes longer than the comparison, so it is called only for a difference.
    expectLevel: (bucket, expected) =>
      isExact
        ? Effect.map(bucket.level, (level) => {
            if (level !== expected) expect(level, "its level").toBeCloseTo(expected, 5)
          })
        : Effect.void
  }
}

/** A test that names the broken promise. A bucket that cannot be made breaks none: its error is a failure, no defect. */
const told = (sentence: string, body: Effect.Effect<void, unknown>): Effect.Effect<void, unknown> =>
  Effect.catchAllDefect(body, (error) => Effect.die(BucketCauses.explained(sentence, error)))

const aboutEvery = ({ expect, expectLevel, fresh, it, test }: Contract): void => {
  test("records every way in which an attempt can end, without a failure and in no time", (bucket) =>
    Effect.gen(function* () {
      for (const outcome of outcomes) {
        expect(yield* Effect.exit(tell(bucket, outcome))).toEqual(Exit.void)
        expect(yield* nowMillis).toBe(0)
      }
    }))

  it(
    "is another bucket whenever it is made",
    Effect.gen(function* () {
      const initial = yield* fresh(({ level }) => level)
      yield* fresh((bucket) => Effect.replicateEffect(failThenAcquire(bucket), 20))
      yield* fresh((bucket) => expectLevel(bucket, initial))
    })
  )

  test("loses no tokens to a success", (bucket) =>
    Effect.gen(function* () {
      const held = yield* failThenAcquire(bucket)
      const granted = Option.getOrElse(held, () => noTokens)
      for (const outcome of [succeeded(1, noTokens), succeeded(2, granted)]) {
        const before = yield* bucket.level
        yield* tell(bucket, outcome)
        expect(yield* bucket.level, "its level after a success").toBeGreaterThanOrEqual(before - tolerance)
      }
    }))

  test("neither makes nor loses tokens when the wall clock is set", (bucket) =>
    Effect.gen(function* () {
      for (const change of [VirtualClock.stepBack("1 day"), VirtualClock.setWallTime("1000 days")]) {
        yield* Effect.replicateEffect(failThenAcquire(bucket), 2)
        const before = yield* bucket.level
        yield* change
        yield* expectLevel(bucket, before)
        const answer = yield* acquireNow(bucket)
        yield* expectLevel(bucket, before - tokensOf(answer))
      }
    }))
}

const aboutAll = ({ expect, test }: Contract): void => {
  test("grants every attempt", (bucket) =>
    Effect.gen(function* () {
      for (const outcome of outcomes) {
        yield* tell(bucket, outcome)
        const answers = yield* Effect.replicateEffect(acquireNow(bucket), 20)
        expect(answers.filter(Option.isNone)).toEqual([])
      }
    }))
}

const aboutNone = ({ expect, test }: Contract): void => {
  test("grants no attempt", (bucket) =>
    Effect.gen(function* () {
      for (const outcome of outcomes) {
        yield* tell(bucket, outcome)
        expect(yield* acquireNow(bucket)).toEqual(Option.none())
      }
    }))
}

const aboutChance = ({ expect, test }: Contract): void => {
  test("grants some attempts and refuses others while all are throttled", (bucket) =>
    Effect.gen(function* () {
      const answers = yield* Effect.replicateEffect(failThenAcquire(bucket, "Throttling"), 1_000)
      expect([...new Set(answers.map(({ _tag }) => _tag))].toSorted()).toEqual(["None", "Some"])
    }))
}

const aboutInterruption = ({ expectLevel, test }: Contract): void => {
  test("answers with what it took, at whatever step it is interrupted", (bucket) =>
    Effect.gen(function* () {
      const before = yield* bucket.level
      yield* interruptAcquires(bucket, (taken) => expectLevel(bucket, before - taken))
    }))
}

const aboutSome = ({ expect, expectLevel, fresh, test }: Contract, refills: boolean): void => {
  test("grants again what was refunded, once", (bucket) =>
    Effect.gen(function* () {
      const last = (yield* drain(bucket)).at(-1) ?? noTokens
      yield* last.refund
      const answer = yield* acquireNow(bucket)
      expect(tokensOf(answer), "tokens granted after the refund").toBeCloseTo(last.tokens, 5)
      if (last.tokens > 0) expect(yield* acquireNow(bucket)).toEqual(Option.none())
    }))

  test("grants one of a hundred attempts at once where the tokens of one are left", (bucket) =>
    Effect.gen(function* () {
      const grants = yield* fresh(drain)
      yield* Effect.replicateEffect(failThenAcquire(bucket), grants.length - 1)
      const begun = yield* Effect.forEach(Array.from({ length: 100 }), (_, index) =>
        Effect.zipRight(
          fail(bucket),
          beginAcquire(bucket, atOnce, 2 * Interleaving.turn - (index % (2 * Interleaving.turn)))
        )
      )
      yield* Interleaving.settled
      const granted = (yield* Effect.forEach(begun, endAcquire)).filter(Option.isSome)
      // A bucket that counts failures instead of retries may have recorded them all before it is asked.
      expect(granted.length).toBeGreaterThanOrEqual((grants.at(-1)?.tokens ?? 0) > 0 ? 1 : 0)
      expect(granted.length, "attempts that were granted").toBeLessThanOrEqual(1)
    }))

  test("loses nothing to an attempt that is interrupted when it is empty", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      const before = yield* bucket.level
      yield* interruptAcquires(bucket, (taken) => expectLevel(bucket, before - taken))
    }))

  test(refills ? "grants again as time passes" : "stays empty however much time passes", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      expect(Option.isSome(yield* acquireNow(bucket))).toBe(false)
      yield* Effect.sleep("1 day")
      expect(Option.isSome(yield* acquireNow(bucket))).toBe(refills)
    })
  )
}

const aboutReturning = ({ expect, expectLevel, test }: Contract): void => {
  for (const ending of endings) {
    test(`gets its tokens back from an attempt that ends as ${ending}`, (bucket) =>
      Effect.gen(function* () {
        const initial = yield* bucket.level
        for (let round = 0; round < 3; round++) {
          const grants = yield* drain(bucket)
          expect(grants.length).toBeGreaterThanOrEqual(1)
          for (const granted of grants) {
            yield* tell(bucket, outcomeOf(ending, 2, granted))
          }
          yield* expectLevel(bucket, initial)
        }
      }))
  }
}
