/**
 * What every `RetryBucket` promises, as a suite that a custom one can run.
 *
 * Each test makes a bucket of its own, on a `VirtualClock`. Where it matters in which order fibers run, they take turns
 * after every step: a bucket that looks first and takes afterwards is found out.
 */
import { Backoff, Classifier, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Interleaving from "./Interleaving.ts"
import type { Runner } from "./Runner.ts"
import * as VirtualClock from "./VirtualClock.ts"

type Bucket = RetryBucket.RetryBucket

/**
 * Makes a bucket, another one each time: an effect, or a layer of `RetryBucket.Default`.
 *
 * @category models
 */
export type Make = Effect.Effect<Bucket, unknown> | Layer.Layer<RetryBucket.Default, unknown>

/**
 * What sort of bucket it is.
 *
 * @category models
 */
export interface Options {
  /** Most tokens it ever holds; `Infinity` for no limit. @default its level at the start */
  readonly capacity?: number
  /** Which retries it grants: some, until it is empty; all; or none. @default "some" */
  readonly grants?: "some" | "all" | "none"
  /** Whether a take waits for tokens that are not there. @default false */
  readonly waits?: boolean
}

/**
 * Registers the contract as tests under `name`.
 *
 * @category running
 */
export const suite = (runner: Runner, name: string, make: Make, options: Options = {}): void => {
  const { grants = "some", waits = false } = options
  runner.describe(`${name} as a RetryBucket`, () => {
    const contract = contractOf(runner, make, options)
    aboutEvery(contract)
    if (grants === "all") aboutAll(contract)
    if (grants === "none") aboutNone(contract)
    if (grants !== "none") aboutGranted(contract)
    if (grants === "some") aboutSome(contract)
    if (grants === "some" && !waits) aboutRefusing(contract)
    if (grants === "some" && waits) aboutWaiting(contract)
  })
}

interface Contract {
  readonly expect: Runner["expect"]
  readonly make: Make
  readonly test: (
    sentence: string,
    body: (bucket: Bucket) => Effect.Effect<void, unknown, VirtualClock.VirtualClock>
  ) => void
  readonly expectLevel: (bucket: Bucket, expected: number) => Effect.Effect<void>
  /** Looks at the bounds now and whenever the answer is run. */
  readonly bounds: (bucket: Bucket) => Effect.Effect<Effect.Effect<void>>
}

const contractOf = ({ expect, it }: Runner, make: Make, { capacity }: Options): Contract => ({
  expect,
  make,
  test: (sentence, body) => it.effect(sentence, () => VirtualClock.run(withBucket(make, body))),
  expectLevel: (bucket, expected) => Effect.map(bucket.level.get, (level) => expect(level).toBeCloseTo(expected, 5)),
  bounds: (bucket) =>
    Effect.map(bucket.level.get, (initial) => {
      const most = capacity ?? initial
      return Effect.map(bucket.level.get, (level) => {
        expect(level).toBeGreaterThanOrEqual(0)
        expect(level).toBeLessThanOrEqual(most)
      })
    }).pipe(Effect.tap((check) => check))
})

const aboutEvery = ({ bounds, expect, expectLevel, make, test }: Contract): void => {
  test("hears every way in which an attempt can end, and keeps its bounds", (bucket) =>
    Effect.gen(function* () {
      const check = yield* bounds(bucket)
      for (const ended of endings) {
        expect(yield* Effect.exit(bucket.ended(ended))).toEqual(Exit.void)
        yield* check
      }
    }))

  test("is another bucket whenever it is made", (bucket) =>
    Effect.gen(function* () {
      const initial = yield* bucket.level.get
      yield* Effect.replicateEffect(retry(bucket), 20)
      yield* withBucket(make, (other) => expectLevel(other, initial))
    }))

  test("shows the same level to those who read it and to those who follow it", (bucket) =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const follower = yield* Effect.fork(
        Stream.runForEach(bucket.level.changes, (level) => Effect.sync(() => void seen.push(level)))
      )
      const follow = (step: Effect.Effect<unknown>) =>
        Effect.gen(function* () {
          yield* step
          yield* Interleaving.settled
          const now = yield* bucket.level.get
          expect(seen.at(-1)).toBe(now)
          expect(yield* Stream.runHead(bucket.level.changes)).toEqual(Option.some(now))
        })
      yield* follow(Effect.void)
      for (const ended of endings.filter(({ attempt }) => attempt < 3)) {
        const cost = { held: 0 }
        yield* follow(Effect.map(retry(bucket), (taken) => (cost.held = Option.getOrElse(taken, () => 0))))
        yield* follow(bucket.ended(ended))
        yield* follow(bucket.giveBack(cost.held))
      }
      yield* Fiber.interrupt(follower)
    }))

  test("takes what it answers with and keeps its bounds, on any path", () =>
    Effect.forEach(
      FastCheck.sample(FastCheck.array(FastCheck.constantFrom(...moves), { maxLength: 40 }), { seed: 1, numRuns: 50 }),
      (path) =>
        withBucket(make, (bucket) =>
          Effect.gen(function* () {
            const check = yield* bounds(bucket)
            const held: Array<number> = []
            for (const move of path) {
              yield* walk(bucket, move, held, expectLevel)
              yield* check
            }
          })
        ),
      { discard: true }
    ))
}

const aboutAll = ({ expect, test }: Contract): void => {
  test("grants every retry", (bucket) =>
    Effect.gen(function* () {
      const granted = yield* Effect.forEach(kinds, (kind) => Effect.replicateEffect(retry(bucket, kind), 200))
      expect(granted.flat().filter(Option.isNone)).toEqual([])
    }))
}

const aboutNone = ({ expect, test }: Contract): void => {
  test("grants no retry, whatever it has heard", (bucket) =>
    Effect.gen(function* () {
      const granted = yield* Effect.forEach(endings, (ended) =>
        Effect.zipRight(
          bucket.ended(ended),
          Effect.forEach(kinds, (kind) => takeNow(bucket, kind))
        )
      )
      expect(granted.flat().filter(Option.isSome)).toEqual([])
    }))
}

const aboutGranted = ({ bounds, expect, expectLevel, test }: Contract): void => {
  for (const kind of kinds) {
    test(`takes back what was not sent, for ${kind}`, (bucket) =>
      Effect.gen(function* () {
        const before = yield* bucket.level.get
        const cost = Option.getOrThrow(yield* takeNow(bucket, kind))
        yield* expectLevel(bucket, before - cost)
        yield* bucket.giveBack(cost)
        yield* expectLevel(bucket, before)
      }))
  }

  test("answers with what it took, wherever it is interrupted", (bucket) =>
    Effect.gen(function* () {
      const before = yield* bucket.level.get
      yield* interruptTakes(bucket, (taken) => expectLevel(bucket, before - taken))
    }))

  test("gets back once what a retry took that was interrupted in its wait", (bucket) =>
    Effect.gen(function* () {
      const { log, watched } = watch(bucket)
      const fiber = yield* Effect.fork(Effect.exit(operate(watched, Retry.retry(down, policy))))
      yield* Interleaving.settled
      const before = log.levels.at(-1) ?? NaN
      yield* expectLevel(bucket, before - (log.taken[0] ?? NaN))
      yield* Fiber.interrupt(fiber)
      expect(log.taken).toHaveLength(1)
      expect(log.givenBack).toEqual(log.taken)
      yield* expectLevel(bucket, before)
    }))

  test("pays for an operation that succeeds in the end", (bucket) =>
    Effect.gen(function* () {
      const check = yield* bounds(bucket)
      const { log, watched } = watch(bucket)
      const failsOnce = Effect.suspend(() => (log.taken.length < 1 ? down : Effect.succeed("up")))
      expect(yield* operate(watched, Retry.retry(failsOnce, policy))).toBe("up")
      expect(log.taken).toHaveLength(1)
      expect(log.givenBack).toEqual([])
      expect(log.ended).toEqual([
        { _tag: "Failed", attempt: 1, kind: Option.some("Transient") },
        { _tag: "Succeeded", attempt: 2, cost: log.taken[0] }
      ])
      yield* check
    }))
}

const aboutSome = ({ expect, expectLevel, make, test }: Contract): void => {
  test("takes nothing where it does not grant", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      const before = yield* bucket.level.get
      for (const kind of kinds) {
        const taken = yield* takeNow(bucket, kind)
        yield* expectLevel(bucket, before - Option.getOrElse(taken, () => 0))
        if (Option.isSome(taken)) yield* bucket.giveBack(taken.value)
      }
      expect(yield* takeNow(bucket)).toEqual(Option.none())
      yield* expectLevel(bucket, before)
    }))

  test("grants what was given back, once", (bucket) =>
    Effect.gen(function* () {
      const cost = (yield* drain(bucket)).at(-1) ?? 0
      yield* bucket.giveBack(cost)
      const taken = yield* takeNow(bucket)
      expect(taken).toEqual(cost > 0 ? Option.some(cost) : Option.none())
      expect(yield* takeNow(bucket)).toEqual(Option.none())
    }))

  test("grants one of a hundred at once where one is left", (bucket) =>
    Effect.gen(function* () {
      const costs = yield* withBucket(make, drain)
      yield* Effect.replicateEffect(retry(bucket), costs.length - 1)
      const takes = yield* Effect.forEach(Array.from({ length: 100 }), (_, index) =>
        Effect.zipRight(
          bucket.ended(failed),
          beginTake(bucket, "Transient", 2 * Interleaving.turn - (index % (2 * Interleaving.turn)))
        )
      )
      yield* Interleaving.settled
      const granted = (yield* Effect.forEach(takes, endTake)).filter(Option.isSome)
      // A bucket that counts failures instead of retries may have heard of them all before it is asked.
      expect(granted.length).toBeGreaterThanOrEqual((costs.at(-1) ?? 0) > 0 ? 1 : 0)
      expect(granted.length).toBeLessThanOrEqual(1)
    }))

  test("loses nothing to a take that is interrupted when it is empty", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      const before = yield* bucket.level.get
      yield* interruptTakes(bucket, (taken) => {
        expect(taken).toBe(0)
        return expectLevel(bucket, before)
      })
    }))
}

const aboutRefusing = ({ expect, test }: Contract): void => {
  test("stops an operation at once when it is empty", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      const stopped = yield* Effect.flip(operate(bucket, Retry.orStopped(down, policy)))
      expect(stopped.reason._tag).toBe("BucketEmpty")
      expect(stopped.attempts).toBe(1)
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(0)
    }))
}

const aboutWaiting = ({ expect, expectLevel, test }: Contract): void => {
  const takes = (bucket: Bucket, count: number) =>
    Effect.forEach(Array.from({ length: count }), () => Effect.zipLeft(beginTake(bucket), Interleaving.settled))
  const served = (takings: ReadonlyArray<Taking>) =>
    Effect.zipRight(
      Interleaving.settled,
      Effect.forEach(takings, ({ isOver }) => isOver)
    )

  test("serves those who wait in the order in which they came", (bucket) =>
    Effect.gen(function* () {
      const cost = (yield* drain(bucket)).at(-1) ?? 0
      const takings = yield* takes(bucket, 3)
      for (const expected of [
        [false, false, false],
        [true, false, false],
        [true, true, false],
        [true, true, true]
      ]) {
        expect(yield* served(takings)).toEqual(expected)
        yield* bucket.giveBack(cost)
      }
    }))

  test("delays nobody for one who is interrupted in front of the line", (bucket) =>
    Effect.gen(function* () {
      const cost = (yield* drain(bucket)).at(-1) ?? 0
      const before = yield* bucket.level.get
      const takings = yield* takes(bucket, 3)
      expect(yield* Effect.transposeMapOption(Option.fromNullable(takings[0]), endTake)).toEqual(
        Option.some(Option.none())
      )
      yield* bucket.giveBack(cost)
      expect(yield* served(takings)).toEqual([true, true, false])
      yield* expectLevel(bucket, before)
      yield* Effect.forEach(takings, endTake)
    }))
}

const { kinds } = Verdict

const endings: ReadonlyArray<RetryBucket.Ended> = [1, 2, 3, 1000, Number.MAX_SAFE_INTEGER].flatMap((attempt) => [
  ...[0, 0.5, 1, 14, 1e6].map((cost): RetryBucket.Ended => ({ _tag: "Succeeded", attempt, cost })),
  ...kinds.map((kind): RetryBucket.Ended => ({ _tag: "Failed", attempt, kind: Option.some(kind) })),
  { _tag: "Failed", attempt, kind: Option.none() }
])

const moves = ["retry", "give back", "succeed", "succeed at once", "fail for good", "wait"] as const

/** One step of a random path; `held` are the costs of retries that are not settled yet. */
const walk = (
  bucket: Bucket,
  move: (typeof moves)[number],
  held: Array<number>,
  expectLevel: Contract["expectLevel"]
): Effect.Effect<void> =>
  Effect.gen(function* () {
    switch (move) {
      case "retry": {
        yield* bucket.ended(failed)
        const before = yield* bucket.level.get
        const taken = yield* takeNow(bucket, kinds[held.length % kinds.length] ?? "Transient")
        yield* expectLevel(bucket, before - Option.getOrElse(taken, () => 0))
        return (held.push(...Option.toArray(taken)), undefined)
      }
      case "give back":
        return yield* bucket.giveBack(held.pop() ?? 0)
      case "succeed":
        return yield* bucket.ended({ _tag: "Succeeded", attempt: 2, cost: held.pop() ?? 0 })
      case "succeed at once":
        return yield* bucket.ended({ _tag: "Succeeded", attempt: 1, cost: 0 })
      case "fail for good":
        return yield* bucket.ended({ _tag: "Failed", attempt: 1, kind: Option.none() })
      case "wait":
        return yield* Effect.sleep("700 millis")
    }
  })

const failed: RetryBucket.Ended = { _tag: "Failed", attempt: 2, kind: Option.some("Transient") }

const withBucket = <A, E, R>(make: Make, body: (bucket: Bucket) => Effect.Effect<A, E, R>) =>
  Effect.isEffect(make)
    ? Effect.flatMap(make, body)
    : Effect.provide(Effect.flatMap(RetryBucket.Default, body), Layer.fresh(make))

type Taking = Interleaving.Begun<Option.Option<number>>

/** Begins a take as the loop makes it, `early` steps before the end of a turn. */
const beginTake = (bucket: Bucket, kind: Verdict.Kind = "Transient", early?: number): Effect.Effect<Taking> =>
  Interleaving.begin(
    (answer) => Effect.uninterruptibleMask((restore) => Effect.map(bucket.take(kind, restore), answer)),
    early
  )

/** Ends a take; what it has taken by then, and nothing any more after that. */
const endTake = ({ ended }: Taking): Effect.Effect<Option.Option<number>> => Effect.map(ended, Option.flatten)

/** Takes in no time, or gives up. */
const takeNow = (bucket: Bucket, kind?: Verdict.Kind): Effect.Effect<Option.Option<number>> =>
  Effect.flatMap(beginTake(bucket, kind), (taking) => Effect.zipRight(Interleaving.settled, endTake(taking)))

/** Interrupts takes, each at another of its steps; what each took is looked at and given back. */
const interruptTakes = (bucket: Bucket, look: (taken: number) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { early, turns } of Interleaving.moments) {
      const taking = yield* beginTake(bucket, "Transient", early)
      yield* Effect.replicateEffect(Effect.yieldNow(), turns)
      const cost = Option.getOrElse(yield* endTake(taking), () => 0)
      yield* look(cost)
      yield* bucket.giveBack(cost)
    }
  })

/** A failure that is heard, and the retry after it. */
const retry = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<Option.Option<number>> =>
  Effect.zipRight(bucket.ended(failed), takeNow(bucket, kind))

/** Retries until it is refused; answers with what each retry took. */
const drain = (bucket: Bucket): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const costs: Array<number> = []
    for (let taken = yield* retry(bucket); Option.isSome(taken); taken = yield* retry(bucket)) {
      costs.push(taken.value)
      if (costs.length === 10_000) yield* Effect.dieMessage('it grants more than 10000 retries: is it grants: "all"?')
    }
    return costs
  })

const down = Effect.fail("down")

const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 hour" }),
  bucket: RetryBucket.Default
}

const operate = <A, E>(bucket: Bucket, operation: Effect.Effect<A, E, RetryBucket.Default>) =>
  Effect.provideService(operation, RetryBucket.Default, bucket)

/** Writes down what the loop asks of a bucket, and the levels at which it takes. */
const watch = (bucket: Bucket) => {
  const log = {
    levels: new Array<number>(),
    taken: new Array<number>(),
    givenBack: new Array<number>(),
    ended: new Array<RetryBucket.Ended>()
  }
  const watched: Bucket = {
    level: bucket.level,
    take: (kind, restore) =>
      Effect.zipRight(
        Effect.map(bucket.level.get, (level) => log.levels.push(level)),
        Effect.tap(bucket.take(kind, restore), (taken) => Effect.sync(() => log.taken.push(...Option.toArray(taken))))
      ),
    giveBack: (cost) =>
      Effect.zipRight(
        Effect.sync(() => log.givenBack.push(cost)),
        bucket.giveBack(cost)
      ),
    ended: (ended) =>
      Effect.zipRight(
        Effect.sync(() => log.ended.push(ended)),
        bucket.ended(ended)
      )
  }
  return { log, watched }
}
