/**
 * What every `TokenBucket` promises, as a suite that a bucket of one's own can run.
 *
 * Each test makes buckets of its own, on a `VirtualClock`. Where it matters in which order fibers run, they take turns
 * after every step, so that a bucket that looks first and takes afterwards is caught.
 */
import { TokenBucket, Verdict } from "@effect-retry/core"
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

type Bucket = TokenBucket.TokenBucket
type Answer = Option.Option<TokenBucket.Grant>

/**
 * Makes a bucket, another one each time: an effect, or a layer of `TokenBucket.Default`.
 *
 * A bucket that limits nothing before it has heard of a throttle is to be told of one here.
 *
 * @category models
 */
export type Make = Effect.Effect<Bucket, unknown> | Layer.Layer<TokenBucket.Default, unknown>

/**
 * What the bucket can do.
 *
 * @category models
 */
export interface Options {
  /** Most tokens it ever holds; `Infinity` for no limit. @default its level at the start */
  readonly capacity?: number
  /** Which attempts it grants: some, until it is empty; all; none; or those that chance lets through. @default "some" */
  readonly grants?: "some" | "all" | "none" | "by chance"
  /** Whether it waits for tokens. @default false */
  readonly waits?: boolean
  /** Whether an empty bucket grants again as time passes. @default false */
  readonly refills?: boolean
  /** Whether the tokens of an attempt come back when it ends, however it ends. @default false */
  readonly returns?: boolean
  /** Whether the level falls by what is granted and rises by what is refunded. @default true, but by chance */
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

interface Contract {
  readonly expect: Runner["expect"]
  /** Uses another bucket, at time zero. */
  readonly fresh: <A, E>(
    use: (bucket: Bucket) => Effect.Effect<A, E, VirtualClock.VirtualClock>
  ) => Effect.Effect<A, unknown>
  readonly it: (sentence: string, body: Effect.Effect<void, unknown>) => void
  readonly test: (
    sentence: string,
    body: (bucket: Bucket) => Effect.Effect<void, unknown, VirtualClock.VirtualClock>
  ) => void
  /** Looks at the level of a bucket that is exact. */
  readonly expectLevel: (bucket: Bucket, expected: number) => Effect.Effect<void>
}

const contractOf = ({ expect, it }: Runner, make: Make, isExact: boolean): Contract => {
  const fresh: Contract["fresh"] = (use) =>
    (Effect.isEffect(make)
      ? Effect.flatMap(make, use)
      : Effect.provide(Effect.flatMap(TokenBucket.Default, use), Layer.fresh(make))
    ).pipe(VirtualClock.run, Effect.provide(SeededRandom.layer("contract")))
  return {
    expect,
    fresh,
    it: (sentence, body) => it.effect(sentence, () => body),
    test: (sentence, body) => it.effect(sentence, () => fresh(body)),
    expectLevel: (bucket, expected) =>
      isExact ? Effect.map(bucket.level, (level) => expect(level).toBeCloseTo(expected, 5)) : Effect.void
  }
}

const aboutEvery = ({ expect, expectLevel, fresh, it, test }: Contract): void => {
  test("hears every way in which an attempt can end, without a failure and in no time", (bucket) =>
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
      const granted = Option.getOrElse(held, () => notAsked)
      for (const outcome of [succeeded(1, notAsked), succeeded(2, granted)]) {
        const before = yield* bucket.level
        yield* tell(bucket, outcome)
        expect(yield* bucket.level).toBeGreaterThanOrEqual(before - tolerance)
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

/** What a bucket did at one step of a path. */
interface Observation {
  readonly step: Step
  readonly before: number
  readonly after: number
  readonly waitedMillis: number
  /** To an attempt that asked. */
  readonly answer: Option.Option<Answer>
  /** The tokens of a refund. */
  readonly refunded: Option.Option<number>
}

const aboutPaths = (contract: Contract, { capacity, isExact, refills, waits }: Options): void => {
  const observed = Effect.runSync(
    Effect.cached(
      Effect.gen(function* () {
        const most = capacity ?? (yield* contract.fresh(({ level }) => level))
        const observations = yield* Effect.forEach(paths, (path) => contract.fresh((bucket) => walk(bucket, path)))
        return { most: most + tolerance, observations: observations.flat() }
      })
    )
  )
  const never = (sentence: string, isFault: (observation: Observation, most: number) => boolean) =>
    contract.it(
      sentence,
      Effect.map(observed, ({ most, observations }) =>
        contract.expect(observations.find((observation) => isFault(observation, most))).toBe(undefined)
      )
    )
  never("has a level between zero and its capacity, on any path", ({ after }, most) => !(after >= 0 && after <= most))

  const isSound = (tokens: number, most: number) => tokens >= 0 && tokens <= most
  never("grants a number of tokens between zero and its capacity, on any path", ({ answer }, most) =>
    Option.exists(Option.flatten(answer), ({ tokens }) => !isSound(tokens, most))
  )

  never(waits ? "waits no longer than the request allows, on any path" : "never waits, on any path", (observation) => {
    const { step, waitedMillis } = observation
    return waitedMillis > (waits ? step.atMostMillis : 0)
  })

  if (waits && refills) {
    never(
      "does not wait before a refusal, on any path",
      ({ answer, waitedMillis }) => Option.exists(answer, Option.isNone) && waitedMillis > 0
    )
  }

  if (!isExact) return
  const atOnce =
    (isFault: Parameters<typeof never>[1]): typeof isFault =>
    (observation, most) =>
      observation.waitedMillis === 0 && isFault(observation, most)
  never(
    "takes what it grants, on any path",
    atOnce(({ after, answer, before }, most) =>
      Option.exists(Option.flatten(answer), ({ tokens }) => isSound(tokens, most) && differs(after, before - tokens))
    )
  )

  never(
    "takes and returns nothing where it refuses, on any path",
    atOnce(({ after, answer, before }) => Option.exists(answer, Option.isNone) && differs(after, before))
  )

  never("returns what is refunded, on any path", ({ after, before, refunded }, most) =>
    Option.exists(refunded, (tokens) => {
      const least = most === Infinity ? before : Math.min(most - tolerance, before + tokens)
      return isSound(tokens, most) && (after < least - tolerance || after > before + tokens + tolerance)
    })
  )
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
      const last = (yield* drain(bucket)).at(-1) ?? notAsked
      yield* last.refund
      const answer = yield* acquireNow(bucket)
      expect(tokensOf(answer)).toBeCloseTo(last.tokens, 5)
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
      // A bucket that counts failures instead of retries may have heard of them all before it is asked.
      expect(granted.length).toBeGreaterThanOrEqual((grants.at(-1)?.tokens ?? 0) > 0 ? 1 : 0)
      expect(granted.length).toBeLessThanOrEqual(1)
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
            yield* bucket.started?.(2) ?? Effect.void
            yield* record(bucket, outcomeOf(ending, 2, granted))
          }
          yield* expectLevel(bucket, initial)
        }
      }))
  }
}

const aboutWaiting = ({ expect, expectLevel, test }: Contract, refills: boolean): void => {
  const wait = (bucket: Bucket) => Effect.zipLeft(beginAcquire(bucket, atAnyTime), Interleaving.settled)

  test("serves waiting attempts in the order in which they came", (bucket) =>
    Effect.gen(function* () {
      const grants = yield* drain(bucket)
      const served: Array<number> = []
      const waiting = yield* Effect.forEach([0, 1, 2], (place) =>
        Effect.forkDaemon(acquire(bucket, atAnyTime, () => void served.push(place))).pipe(
          Effect.zipLeft(Interleaving.settled)
        )
      )
      yield* Effect.forEach(grants.slice(-3), ({ refund }) => Effect.zipRight(refund, Interleaving.settled))
      if (refills) yield* Effect.sleep("1 day")
      expect(served).toEqual([0, 1, 2].slice(0, refills ? 3 : grants.length))
      yield* Fiber.interruptAll(waiting)
    }))

  for (const [place, where] of ["in front of", "between"].entries()) {
    test(`delays no attempt for one that is interrupted ${where} others`, (bucket) =>
      Effect.gen(function* () {
        const granted = (yield* drain(bucket)).at(-1) ?? notAsked
        const before = yield* bucket.level
        const waiting = yield* Effect.replicateEffect(wait(bucket), 3)
        expect(yield* endAcquire(waiting[place] ?? idle)).toEqual(Option.none())
        yield* granted.refund
        yield* Interleaving.settled
        const areOver = yield* Effect.forEach(waiting, ({ isOver }) => isOver)
        expect(areOver.filter((isOver) => isOver)).toHaveLength(granted.tokens > 0 ? 2 : 1)
        yield* expectLevel(bucket, before)
        yield* Effect.forEach(waiting, endAcquire)
      }))
  }

  test("loses nothing to an attempt that is interrupted while it is served", (bucket) =>
    Effect.gen(function* () {
      const grants = yield* drain(bucket)
      const before = yield* bucket.level
      let granted = grants.at(-1) ?? notAsked
      for (const { early, turns } of Interleaving.moments) {
        const waiting = yield* beginAcquire(bucket, atAnyTime, early)
        yield* Interleaving.settled
        yield* granted.refund
        yield* Effect.replicateEffect(Effect.yieldNow(), turns)
        const answer = yield* endAcquire(waiting)
        granted = Option.getOrElse(Option.isSome(answer) ? answer : yield* acquireNow(bucket), () => notAsked)
        yield* expectLevel(bucket, before)
      }
      expect(granted.tokens).toBeCloseTo(grants.at(-1)?.tokens ?? 0, 5)
    }))

  test("stops to wait as soon as it is interrupted", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      const fiber = yield* Effect.forkDaemon(acquire(bucket, atAnyTime))
      yield* Interleaving.settled
      yield* Fiber.interruptFork(fiber)
      yield* Interleaving.settled
      expect(Option.isSome(yield* Fiber.poll(fiber))).toBe(true)
    }))
}

const aboutWaitingForTime = ({ expect, fresh, it }: Contract): void => {
  it(
    "grants as soon as time has brought the tokens, and refuses at once where that is too late",
    Effect.gen(function* () {
      const asked = (atMostMillis: number, afterMillis = 0) =>
        fresh((bucket) =>
          Effect.gen(function* () {
            yield* drain(bucket)
            yield* Effect.sleep(afterMillis)
            const answer = yield* acquire(bucket, { ...atOnce, atMostMillis })
            return { isGranted: Option.isSome(answer), atMillis: yield* nowMillis }
          })
        )
      const { atMillis: dueMillis } = yield* asked(Infinity)
      expect(yield* asked(dueMillis)).toEqual({ isGranted: true, atMillis: dueMillis })
      expect(yield* asked(dueMillis / 2)).toEqual({ isGranted: false, atMillis: 0 })
      // What waits no longer than it must is not there earlier for one that comes earlier than that.
      expect(yield* asked(0, dueMillis / 2)).toEqual({ isGranted: false, atMillis: dueMillis / 2 })
    })
  )
}

const { kinds } = Verdict

/** What differs by no more than this is floating-point error. */
const tolerance = 1e-5

const differs = (actual: number, expected: number): boolean => Math.abs(actual - expected) > tolerance

/** Granted to an attempt for which the bucket was not asked. */
const notAsked: TokenBucket.Grant = { tokens: 0, refund: Effect.void }

const tokensOf: (answer: Answer) => number = Option.match({ onNone: () => 0, onSome: ({ tokens }) => tokens })

const endings = ["Succeeded", "Failed", "Abandoned"] as const

const succeeded = (attempt: number, granted: TokenBucket.Grant): TokenBucket.Outcome => ({
  _tag: "Succeeded",
  attempt,
  granted
})

const outcomeOf = (
  ending: (typeof endings)[number],
  attempt: number,
  granted: TokenBucket.Grant
): TokenBucket.Outcome =>
  ending === "Failed"
    ? { _tag: "Failed", attempt, granted, verdict: Verdict.transient }
    : { _tag: ending, attempt, granted }

/** Every sort of outcome of an attempt for which the bucket was not asked. */
const outcomes: ReadonlyArray<TokenBucket.Outcome> = /*#__PURE__*/ [1, 2, 1000, Number.MAX_SAFE_INTEGER].flatMap(
  (attempt): ReadonlyArray<TokenBucket.Outcome> => [
    succeeded(attempt, notAsked),
    { _tag: "Abandoned", attempt, granted: notAsked },
    ...[
      ...kinds.flatMap((kind) => [Verdict.retryable(kind), Verdict.retryable(kind, { hint: "1 second" })]),
      Verdict.terminal("not found"),
      Verdict.noOpinion
    ].map((verdict): TokenBucket.Outcome => ({ _tag: "Failed", attempt, granted: notAsked, verdict }))
  ]
)

/** Tells of an attempt that has started already. A bucket without `started` hears of no abandoned one. */
const record = (bucket: Bucket, outcome: TokenBucket.Outcome): Effect.Effect<void> =>
  outcome._tag === "Abandoned" && bucket.started === undefined ? Effect.void : bucket.record(outcome)

/** Tells of an attempt from start to end. */
const tell = (bucket: Bucket, outcome: TokenBucket.Outcome): Effect.Effect<void> =>
  Effect.zipRight(bucket.started?.(outcome.attempt) ?? Effect.void, record(bucket, outcome))

/** Tells of an attempt that failed, and for which the bucket was not asked. */
const fail = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<void> =>
  tell(bucket, { _tag: "Failed", attempt: 2, granted: notAsked, verdict: Verdict.retryable(kind) })

interface Asking {
  readonly attempt: number
  readonly kind: Option.Option<Verdict.Kind>
  readonly atMostMillis: number
}

const atOnce: Asking = { attempt: 2, kind: /*#__PURE__*/ Option.some("Transient"), atMostMillis: 0 }

const atAnyTime: Asking = { ...atOnce, atMostMillis: Infinity }

/** Asks as the loop does. */
const acquire = (
  bucket: Bucket,
  { atMostMillis, attempt, kind }: Asking,
  answer: (answer: Answer) => void = () => {}
): Effect.Effect<Answer> => {
  const atMost = atMostMillis === Infinity ? Option.none() : Option.some(Duration.millis(atMostMillis))
  return Effect.uninterruptibleMask((restore) =>
    Effect.tap(bucket.acquire({ attempt, kind, atMost, restore }), (granted) => answer(granted))
  )
}

type Begun = Interleaving.Begun<Answer>

const idle: Begun = { isOver: Effect.succeed(true), ended: Effect.succeedNone }

/** Begins to ask, `early` steps before the end of a turn. */
const beginAcquire = (bucket: Bucket, asking: Asking, early?: number): Effect.Effect<Begun> =>
  Interleaving.begin((answer) => acquire(bucket, asking, answer), early)

/** Ends it; what it was granted by then. */
const endAcquire = ({ ended }: Begun): Effect.Effect<Answer> => Effect.map(ended, Option.flatten)

/** Asks, and is granted tokens in no time or none. */
const acquireNow = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<Answer> =>
  acquire(bucket, { ...atOnce, kind: Option.some(kind) })

const failThenAcquire = (bucket: Bucket, kind: Verdict.Kind = "Transient"): Effect.Effect<Answer> =>
  Effect.zipRight(fail(bucket, kind), acquireNow(bucket, kind))

/** Asks until it is refused; answers with the grants. */
const drain = (bucket: Bucket): Effect.Effect<ReadonlyArray<TokenBucket.Grant>> =>
  Effect.gen(function* () {
    const grants: Array<TokenBucket.Grant> = []
    for (let answer = yield* failThenAcquire(bucket); Option.isSome(answer); answer = yield* failThenAcquire(bucket)) {
      grants.push(answer.value)
      if (grants.length === 10_000) yield* Effect.dieMessage('it grants 10000 attempts at once: is it grants: "all"?')
    }
    return grants
  })

/** Interrupts attempts that ask, each at another step; what each was granted is looked at and refunded. */
const interruptAcquires = (bucket: Bucket, look: (taken: number) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { early, turns } of Interleaving.moments) {
      const begun = yield* beginAcquire(bucket, atAnyTime, early)
      yield* Effect.replicateEffect(Effect.yieldNow(), turns)
      const answer = yield* endAcquire(begun)
      yield* look(tokensOf(answer))
      if (Option.isSome(answer)) yield* answer.value.refund
    }
  })

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

interface Step {
  readonly move: "acquire" | "start" | "refund" | "pass" | (typeof endings)[number]
  readonly attempt: number
  readonly kind: Option.Option<Verdict.Kind>
  readonly atMostMillis: number
}

const paths: ReadonlyArray<ReadonlyArray<Step>> = /*#__PURE__*/ FastCheck.sample(
  FastCheck.array(
    FastCheck.record<Step>({
      move: FastCheck.constantFrom("acquire", "acquire", "acquire", "start", "refund", "pass", ...endings),
      attempt: FastCheck.constantFrom(1, 2, 3),
      kind: FastCheck.constantFrom(Option.none(), ...kinds.map(Option.some)),
      atMostMillis: FastCheck.constantFrom(0, 1, 300, 2_000)
    }),
    { maxLength: 40, size: "max" }
  ),
  { seed: 1, numRuns: 50 }
)

/** An attempt that was granted and has not ended. */
interface Held {
  readonly attempt: number
  readonly granted: TokenBucket.Grant
  isStarted: boolean
}

/** Goes a path of random steps, and writes down what the bucket did. */
const walk = (
  bucket: Bucket,
  path: ReadonlyArray<Step>
): Effect.Effect<ReadonlyArray<Observation>, never, VirtualClock.VirtualClock> =>
  Effect.gen(function* () {
    const held: Array<Held> = []
    const observations: Array<Observation> = []
    for (const step of path) {
      const before = yield* bucket.level
      const askedAt = yield* nowMillis
      const done = yield* take(bucket, step, held)
      observations.push({
        step,
        before,
        after: yield* bucket.level,
        waitedMillis: step.move === "acquire" ? (yield* nowMillis) - askedAt : 0,
        ...done
      })
    }
    return observations
  })

/** Takes one step of a path. */
const take = (bucket: Bucket, step: Step, held: Array<Held>): Effect.Effect<Pick<Observation, "answer" | "refunded">> =>
  Effect.gen(function* () {
    const { attempt, move } = step
    const unstarted = held.find(({ isStarted }) => !isStarted)
    const nothing = { answer: Option.none(), refunded: Option.none() }
    switch (move) {
      case "pass":
        return (yield* Effect.sleep("700 millis"), nothing)
      case "acquire": {
        const answer = yield* acquire(bucket, step)
        if (Option.isSome(answer)) held.push({ attempt, granted: answer.value, isStarted: false })
        return { ...nothing, answer: Option.some(answer) }
      }
      case "start": {
        if (unstarted === undefined) return nothing
        unstarted.isStarted = true
        return (yield* bucket.started?.(unstarted.attempt) ?? Effect.void, nothing)
      }
      case "refund": {
        if (unstarted === undefined) return nothing
        held.splice(held.indexOf(unstarted), 1)
        return (yield* unstarted.granted.refund, { ...nothing, refunded: Option.some(unstarted.granted.tokens) })
      }
      default: {
        const ending = held.shift() ?? { attempt, granted: notAsked, isStarted: false }
        const outcome = outcomeOf(move, ending.attempt, ending.granted)
        return (yield* ending.isStarted ? record(bucket, outcome) : tell(bucket, outcome), nothing)
      }
    }
  })
