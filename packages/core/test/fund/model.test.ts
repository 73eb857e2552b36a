/**
 * The buckets beside models of them: whole operations at once, interrupted anywhere, on a clock that jumps both ways.
 */
import { Backoff, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, FastCheck, Fiber, Option } from "effect"
import { law } from "../support/Laws.ts"
import type { End } from "./Funded.ts"
import { policy } from "./Funded.ts"
import * as SteppedClock from "./SteppedClock.ts"

/** A bucket as simple as its description, without efficiency. All its methods are told the time of the wall clock. */
interface Model {
  readonly take: (kind: Verdict.Kind, now: number) => Option.Option<number>
  readonly giveBack: (cost: number, now: number) => void
  readonly ended: (ended: RetryBucket.Ended, now: number) => void
  readonly level: (now: number) => number
  /** The most that may have been granted by now, in tokens, less what was given back. */
  readonly most: () => number
}

/** Time as a bucket sees it: what lies between its looks, and nothing where the clock stepped back. */
const makeWatch = () => {
  let latest: number | undefined
  let passed = 0
  return (now: number) => {
    passed += Math.max(0, now - (latest ?? now))
    latest = now
    return passed
  }
}

interface Tokens {
  readonly capacity: number
  readonly refillPerSecond: number
  readonly cost: (kind: Verdict.Kind) => number
  readonly credit: (ended: RetryBucket.Ended) => number
}

/** Quota and success ratio. */
const tokenModel = ({ capacity, cost, credit, refillPerSecond }: Tokens): Model => {
  const watch = makeWatch()
  let level = capacity
  let lookedAt = 0
  let credits = 0
  const look = (now: number) => {
    const passed = watch(now)
    level = Math.min(capacity, level + ((passed - lookedAt) / 1000) * refillPerSecond)
    lookedAt = passed
  }
  const add = (tokens: number, now: number) => {
    look(now)
    level = Math.min(capacity, level + tokens)
  }
  return {
    take: (kind, now) => {
      look(now)
      if (level < cost(kind) - 1e-6) return Option.none()
      level = Math.max(0, level - cost(kind))
      return Option.some(cost(kind))
    },
    giveBack: add,
    ended: (ended, now) => {
      // Without a credit it may not look.
      if (credit(ended) === 0) return
      credits += credit(ended)
      add(credit(ended), now)
    },
    level: (now) => {
      look(now)
      return level
    },
    most: () => capacity + credits + (refillPerSecond * lookedAt) / 1000
  }
}

const requestModel = (ratio: number, floorPerSecond: number, windowMillis: number): Model => {
  const reserve = (floorPerSecond * windowMillis) / 1000
  let slot: number | undefined
  let age = 0
  let credits = 0
  const requests: Array<number> = []
  let retries: Array<number> = []
  const watch = makeWatch()
  let passed = 0
  const look = (now: number) => {
    passed = watch(now)
    const nowSlot = Math.floor(now / (windowMillis / 100))
    age += Math.max(0, nowSlot - (slot ?? nowSlot))
    slot = nowSlot
    retries = retries.filter(isRemembered)
  }
  const isRemembered = (at: number) => age - at <= 100
  const level = (now: number) => {
    look(now)
    return Math.max(0, reserve + ratio * requests.filter(isRemembered).length - retries.length)
  }
  return {
    take: (_, now) => {
      if (level(now) < 1 - 1e-6) return Option.none()
      retries.push(age)
      return Option.some(1)
    },
    giveBack: (_, now) => {
      look(now)
      retries.shift()
    },
    ended: ({ attempt }, now) => {
      if (attempt !== 1) return
      look(now)
      requests.push(age)
      credits += ratio
    },
    level,
    most: () => reserve + credits + (floorPerSecond * passed) / 1000
  }
}

const grpcModel = (maxTokens: number, thousandths: number): Model => {
  let level = maxTokens * 1000
  return {
    take: () => (level > maxTokens * 500 ? Option.some(0) : Option.none()),
    giveBack: () => {},
    ended: (ended) => {
      if (ended._tag === "Succeeded") level = Math.min(maxTokens * 1000, level + thousandths)
      else if (Option.isSome(ended.kind)) level = Math.max(0, level - 1000)
    },
    level: () => level / 1000,
    most: () => Infinity
  }
}

interface Attempt {
  readonly end: End
  readonly runsMillis: number
}

type Command =
  | {
      readonly _tag: "Start"
      readonly attempts: ReadonlyArray<Attempt>
      readonly maxAttempts: number
      readonly delayMillis: number
      readonly turn: number
    }
  | { readonly _tag: "Advance"; readonly millis: number }
  | { readonly _tag: "Step"; readonly millis: number }
  | { readonly _tag: "Interrupt"; readonly operation: number }
  | { readonly _tag: "Yield"; readonly times: number }

const millis = FastCheck.oneof(
  { weight: 1, arbitrary: FastCheck.constant(0) },
  { weight: 3, arbitrary: FastCheck.integer({ min: 1, max: 5000 }) }
)

const attempt: FastCheck.Arbitrary<Attempt> = FastCheck.record({
  end: FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.constantFrom<Array<End>>(...Verdict.kinds) },
    { weight: 2, arbitrary: FastCheck.constant<End>("ok") },
    { weight: 1, arbitrary: FastCheck.constant<End>("bad request") }
  ),
  runsMillis: millis
})

const start: FastCheck.Arbitrary<Command> = FastCheck.record({
  _tag: FastCheck.constant("Start"),
  attempts: FastCheck.array(attempt, { minLength: 1, maxLength: 4 }),
  maxAttempts: FastCheck.integer({ min: 1, max: 5 }),
  delayMillis: millis,
  turn: FastCheck.integer({ min: 16, max: 60 })
})

const commands = FastCheck.array(
  FastCheck.oneof(
    { weight: 4, arbitrary: start },
    { weight: 3, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Advance" as const), millis }) },
    {
      weight: 1,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("Step" as const),
        millis: FastCheck.integer({ min: -20_000, max: 20_000 })
      })
    },
    {
      weight: 2,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("Interrupt" as const), operation: FastCheck.nat(20) })
    },
    {
      weight: 2,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("Yield" as const), times: FastCheck.nat(6) })
    }
  ),
  { minLength: 5, maxLength: 25, size: "max" }
)

/** A bucket that is compared with its model after each step. */
const compared = (bucket: RetryBucket.RetryBucket, model: Model, clock: SteppedClock.SteppedClock) => {
  const account = { granted: 0, givenBack: 0, refused: 0, tokens: 0 }
  const faults: Array<unknown> = []
  const now = () => clock.unsafeCurrentTimeMillis()
  const compare = (level: number) => {
    try {
      expect(level).toBeCloseTo(model.level(now()), 6)
      expect(account.tokens).toBeLessThanOrEqual(model.most() * (1 + 1e-6) + 1e-6)
    } catch (fault) {
      faults.push(fault)
    }
  }
  /** The step and its comparison, with nobody in between. */
  const step = <A>(self: Effect.Effect<A>, then: (a: A) => void) =>
    Effect.tap(self, (a) => {
      then(a)
      return Effect.map(bucket.level.get, compare)
    }).pipe(Effect.withMaxOpsBeforeYield(100_000), Effect.uninterruptible)
  const watched: RetryBucket.RetryBucket = {
    level: bucket.level,
    take: (kind, restore) =>
      step(bucket.take(kind, restore), (taken) => {
        const expected = model.take(kind, now())
        account[Option.isSome(taken) ? "granted" : "refused"] += 1
        account.tokens += Option.getOrElse(taken, () => 0)
        try {
          expect(taken).toEqual(expected)
        } catch (fault) {
          faults.push(fault)
        }
      }),
    giveBack: (cost) =>
      step(bucket.giveBack(cost), () => {
        account.givenBack += 1
        account.tokens -= cost
        model.giveBack(cost, now())
      }),
    ended: (ended) => step(bucket.ended(ended), () => model.ended(ended, now()))
  }
  return { watched, account, faults }
}

/** What the runs have seen so far: paths on which nothing happens prove nothing. */
interface Seen {
  granted: number
  givenBack: number
  refused: number
}

const holds = (
  make: Effect.Effect<RetryBucket.RetryBucket>,
  makeModel: () => Model,
  path: ReadonlyArray<Command>,
  seen: Seen
) => {
  const clock = SteppedClock.make()
  return Effect.gen(function* () {
    const { account, faults, watched } = compared(yield* make, makeModel(), clock)
    const sent = { first: 0, all: 0 }
    const operations: Array<Fiber.RuntimeFiber<unknown, unknown>> = []
    const operation = ({ attempts, delayMillis, maxAttempts, turn }: Extract<Command, { readonly _tag: "Start" }>) => {
      let made = 0
      const attempt = Effect.suspend(() => {
        const { end = "ok", runsMillis = 0 } = attempts[Math.min(made, attempts.length - 1)] ?? {}
        sent.all += 1
        if (made++ === 0) sent.first += 1
        const ended = end === "ok" ? Effect.succeed(end) : Effect.fail(end)
        return runsMillis === 0 ? ended : Effect.zipRight(Effect.sleep(runsMillis), ended)
      })
      const backoff = Backoff.constant({ delay: delayMillis })
      return Retry.retry(attempt, { ...policy, maxAttempts, backoff }).pipe(
        Effect.provideService(RetryBucket.Default, watched),
        Effect.withMaxOpsBeforeYield(turn)
      )
    }
    for (const command of path) {
      switch (command._tag) {
        case "Start":
          operations.push(yield* Effect.fork(operation(command)))
          break
        case "Advance":
          yield* clock.advance(command.millis)
          break
        case "Step":
          yield* clock.step(command.millis)
          break
        case "Interrupt":
          operations[command.operation % Math.max(1, operations.length)]?.unsafeInterruptAsFork(yield* Effect.fiberId)
          break
        case "Yield":
          yield* Effect.replicateEffect(Effect.yieldNow(), command.times)
          break
      }
    }
    // Every other one is interrupted where it is; the rest come to their end.
    for (const [index, fiber] of operations.entries()) {
      if (index % 2 === 0) fiber.unsafeInterruptAsFork(yield* Effect.fiberId)
    }
    const isOver = () => operations.every((fiber) => fiber.unsafePoll() !== null)
    for (let round = 0; round < 12 && !isOver(); round++) {
      yield* SteppedClock.settled
      yield* clock.advance(5000)
    }
    const exits = yield* Effect.forEach(operations, Fiber.poll)
    expect(exits.every(Option.isSome)).toBe(true)
    expect(exits.filter((exit) => Option.exists(exit, isDefect))).toEqual([])
    expect(faults).toEqual([])
    // Granted is spent and returned; nothing is held any more.
    expect(account.granted).toBe(sent.all - sent.first + account.givenBack)
    seen.granted += account.granted
    seen.givenBack += account.givenBack
    seen.refused += account.refused
  }).pipe(Effect.withClock(clock), Effect.runSync)
}

const isDefect = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && exit.cause._tag === "Die"

const quota = (
  options: RetryBucket.Quota & { readonly capacity: number; readonly cost: { readonly orElse: number } }
) => ({
  make: RetryBucket.makeQuota(options),
  makeModel: () =>
    tokenModel({
      capacity: options.capacity,
      refillPerSecond: options.refillPerSecond ?? 0,
      cost: (kind) => options.cost[kind as "orElse"] ?? options.cost.orElse,
      credit: (ended) =>
        ended._tag === "Failed" ? 0 : ended.attempt === 1 ? (options.firstSuccessIncrement ?? 1) : ended.cost
    })
})

const models = [
  { name: "makeQuota", runs: 2000, ...quota({ capacity: 40, cost: { Throttling: 5, orElse: 14 } }) },
  {
    name: "makeQuota with a refill",
    runs: 2000,
    ...quota({ capacity: 7, cost: { Timeout: 7, orElse: 1.3 }, firstSuccessIncrement: 0.1, refillPerSecond: 0.37 })
  },
  {
    name: "makeSuccessRatio",
    runs: 1500,
    make: RetryBucket.makeSuccessRatio({ ratio: 0.3, capacity: 3, floorPerSecond: 0.2 }),
    makeModel: () =>
      tokenModel({
        capacity: 3,
        refillPerSecond: 0.2,
        cost: () => 1,
        credit: ({ _tag }) => (_tag === "Succeeded" ? 0.3 : 0)
      })
  },
  {
    name: "makeRequestRatio",
    runs: 1500,
    make: RetryBucket.makeRequestRatio({ ratio: 0.25, floorPerSecond: 0.4, window: "5 seconds" }),
    makeModel: () => requestModel(0.25, 0.4, 5000)
  },
  {
    name: "makeGrpcThrottle",
    runs: 1500,
    make: RetryBucket.makeGrpcThrottle({ maxTokens: 6, tokenRatio: 0.123 }),
    makeModel: () => grpcModel(6, 123)
  }
]

interface Waiter {
  readonly id: number
  readonly cost: number
}

/** What becomes of a take, and when. */
type Fate = readonly [outcome: "granted" | "refused" | "interrupted" | "waits", atMillis: number]

interface WaitingOptions {
  readonly capacity: number
  readonly refillPerSecond: number
  readonly maxWaitMillis: number
}

/** First come, first served, on paper: whoever is first is served in the first whole millisecond in which it can be. */
const waitingModel = ({ capacity, maxWaitMillis, refillPerSecond }: WaitingOptions) => {
  const fates = new Map<number, Fate>()
  let line: ReadonlyArray<Waiter> = []
  let now = 0
  let level = capacity
  const pass = (untilMillis: number) => {
    level = Math.min(capacity, level + ((untilMillis - now) * refillPerSecond) / 1000)
    now = untilMillis
  }
  const millisUntil = (cost: number) => Math.max(0, Math.ceil(((cost - level) / refillPerSecond) * 1000 - 1e-3))
  const serve = () => {
    for (let [first] = line; first !== undefined && millisUntil(first.cost) === 0; [first] = line) {
      line = line.slice(1)
      level = Math.max(0, level - first.cost)
      fates.set(first.id, ["granted", now])
    }
  }
  return {
    fates,
    level: () => level,
    take: (id: number, cost: number) => {
      const demand = line.reduce((sum, waiter) => sum + waiter.cost, cost)
      if (millisUntil(demand) > maxWaitMillis) return fates.set(id, ["refused", now])
      fates.set(id, ["waits", now])
      line = [...line, { id, cost }]
      return serve()
    },
    interrupt: (id: number) => {
      if (fates.get(id)?.[0] === "waits") fates.set(id, ["interrupted", now])
      line = line.filter((waiter) => waiter.id !== id)
      serve()
    },
    giveBack: (tokens: number) => {
      level = Math.min(capacity, level + tokens)
      serve()
    },
    advance: (millis: number) => {
      const untilMillis = now + millis
      for (let [first] = line; first !== undefined; [first] = line) {
        const ready = now + millisUntil(first.cost)
        if (ready > untilMillis) break
        pass(ready)
        serve()
      }
      pass(untilMillis)
    }
  }
}

const moves = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({ _tag: FastCheck.constant("Take" as const), kind: FastCheck.constantFrom(...Verdict.kinds) }),
    FastCheck.record({ _tag: FastCheck.constant("Advance" as const), millis: FastCheck.nat(4000) }),
    FastCheck.record({ _tag: FastCheck.constant("Interrupt" as const), id: FastCheck.nat(15) }),
    FastCheck.record({ _tag: FastCheck.constant("GiveBack" as const), tokens: FastCheck.integer({ min: 1, max: 6 }) })
  ),
  { minLength: 5, maxLength: 30, size: "max" }
)

type Moves = typeof moves extends FastCheck.Arbitrary<infer A> ? A : never

const costs = { Throttling: 1.7, Timeout: 6, Server: 3, orElse: 2.5 }

const costOf = (kind: Verdict.Kind) => (kind === "Transient" || kind === "Client" ? costs.orElse : costs[kind])

const waitsAsPredicted = (options: WaitingOptions, path: Moves) => {
  const clock = SteppedClock.make()
  return Effect.gen(function* () {
    const { capacity, maxWaitMillis, refillPerSecond } = options
    const bucket = yield* RetryBucket.makeQuota({
      capacity,
      cost: costs,
      refillPerSecond,
      whenShort: "wait",
      maxWait: maxWaitMillis
    })
    const model = waitingModel(options)
    const fates = new Map<number, Fate>()
    const fibers: Array<Fiber.RuntimeFiber<unknown>> = []
    const fate = (id: number, outcome: Fate[0]) =>
      Effect.sync(() => void fates.set(id, [outcome, clock.passedMillis()]))
    const take = (id: number, kind: Verdict.Kind) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(bucket.take(kind, restore), (taken) => fate(id, Option.isSome(taken) ? "granted" : "refused"))
      ).pipe(
        Effect.onInterrupt(() => (fates.get(id)?.[0] === "waits" ? fate(id, "interrupted") : Effect.void)),
        Effect.withMaxOpsBeforeYield(24)
      )
    for (const move of path) {
      switch (move._tag) {
        case "Take": {
          const id = fibers.length
          yield* fate(id, "waits")
          fibers.push(yield* Effect.fork(take(id, move.kind)))
          model.take(id, costOf(move.kind))
          break
        }
        case "Advance":
          yield* clock.advance(move.millis)
          model.advance(move.millis)
          break
        case "Interrupt":
          fibers[move.id]?.unsafeInterruptAsFork(yield* Effect.fiberId)
          model.interrupt(move.id)
          break
        case "GiveBack":
          yield* bucket.giveBack(move.tokens)
          model.giveBack(move.tokens)
          break
      }
      yield* SteppedClock.settled
      expect(fates).toEqual(model.fates)
      expect(yield* bucket.level.get).toBeCloseTo(model.level(), 5)
    }
    yield* Fiber.interruptAll(fibers)
  }).pipe(Effect.withClock(clock), Effect.runSync)
}

const keys = ["a", "b", "c", "d", "e"]

const keyedMoves = FastCheck.array(
  FastCheck.record({
    key: FastCheck.constantFrom(...keys),
    move: FastCheck.constantFrom("take", "take", "take", "give back", "succeed", "succeed at once"),
    passMillis: FastCheck.oneof(FastCheck.constant(0), FastCheck.nat(3000)),
    stepMillis: FastCheck.oneof(
      { weight: 4, arbitrary: FastCheck.constant(0) },
      { weight: 1, arbitrary: FastCheck.integer({ min: -9000, max: 9000 }) }
    )
  }),
  { minLength: 10, maxLength: 30, size: "max" }
)

interface KeyedOptions {
  readonly maxKeys: number
  readonly refillPerSecond: number
}

/** However keys come and go: no more than so many full buckets and what time and successes put in. */
const keepsKeyedLaw = (
  { maxKeys, refillPerSecond }: KeyedOptions,
  path: typeof keyedMoves extends FastCheck.Arbitrary<infer A> ? A : never
) => {
  const clock = SteppedClock.make()
  return Effect.gen(function* () {
    const capacity = 3
    const bucket = yield* RetryBucket.makeKeyed({
      bucket: RetryBucket.makeQuota({ capacity, cost: { orElse: 1 }, firstSuccessIncrement: 0.1, refillPerSecond }),
      maxKeys,
      idleTimeToLive: "2 seconds"
    })
    const watch = makeWatch()
    const held: Array<string> = []
    let granted = 0
    let credits = 0
    for (const { key, move, passMillis, stepMillis } of path) {
      yield* clock.advance(passMillis)
      yield* clock.step(stepMillis)
      const passed = watch(clock.unsafeCurrentTimeMillis())
      const before = yield* Effect.provideService(bucket.level.get, RetryBucket.Key, key)
      const isEarned = move !== "take" && move !== "succeed at once" && held.length > 0
      const owner = isEarned ? (held.shift() ?? key) : key
      const done = Effect.gen(function* () {
        if (move === "take") {
          const taken = yield* bucket.take("Server", (wait) => wait)
          expect(Option.isSome(taken)).toBe(before >= 1 - 1e-6)
          if (Option.isSome(taken)) {
            granted += 1
            held.push(key)
          }
        } else if (move === "succeed at once") {
          credits += 0.1
          yield* bucket.ended({ _tag: "Succeeded", attempt: 1, cost: 0 })
        } else if (isEarned) {
          credits += 1
          yield* move === "succeed" ? bucket.ended({ _tag: "Succeeded", attempt: 2, cost: 1 }) : bucket.giveBack(1)
        }
      })
      yield* Effect.provideService(done, RetryBucket.Key, owner)
      const level = yield* Effect.provideService(bucket.level.get, RetryBucket.Key, owner)
      expect(level).toBeGreaterThanOrEqual(0)
      expect(level).toBeLessThanOrEqual(capacity)
      expect(granted).toBeLessThanOrEqual(
        ((maxKeys + 1) * (capacity + (refillPerSecond * passed) / 1000) + credits) * (1 + 1e-6)
      )
    }
  }).pipe(Effect.withClock(clock), Effect.runSync)
}

const runsFor = (numRuns: number) => ({ ...law(numRuns), timeout: 60_000 })

describe("RetryBucket models", () => {
  for (const { make, makeModel, name, runs } of models) {
    const seen: Seen = { granted: 0, givenBack: 0, refused: 0 }

    it.prop(
      `${name} agrees with its model on any path, keeps its law on every prefix, and its accounts to the end`,
      [commands],
      ([path]) => holds(make, makeModel, path, seen),
      runsFor(runs)
    )

    it(`${name} was granted, refused and interrupted on those paths`, () => {
      expect(Math.min(seen.granted, 10 * seen.refused, 10 * seen.givenBack)).toBeGreaterThan(runs)
    })
  }

  it.prop(
    "makeQuota that waits serves whom its model serves, in the same millisecond",
    [
      FastCheck.record({
        capacity: FastCheck.integer({ min: 6, max: 12 }),
        refillPerSecond: FastCheck.constantFrom(0.3, 1, 2.7, 1000),
        maxWaitMillis: FastCheck.constantFrom(0, 1000, 5000, 1_000_000)
      }),
      moves
    ],
    ([options, path]) => waitsAsPredicted(options, path),
    runsFor(1500)
  )

  it.prop(
    "makeKeyed grants no more than so many buckets can, whichever keys come and go",
    [
      FastCheck.record({
        maxKeys: FastCheck.integer({ min: 1, max: 3 }),
        refillPerSecond: FastCheck.constantFrom(0, 0.1, 0.8)
      }),
      keyedMoves
    ],
    ([options, path]) => keepsKeyedLaw(options, path),
    runsFor(1000)
  )
})
