/**
 * The buckets beside models of them: whole operations at once, interrupted anywhere, while the wall clock is set.
 */
import type { TokenBucket } from "@effect-retry/core"
import { Backoff, RateLimiter, Retry, RetryBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import type { Fiber } from "effect"
import { Effect, Exit, FastCheck, Option } from "effect"
import { law } from "../support/Laws.ts"
import { request, succeed } from "./Asking.ts"
import type { End } from "./Funded.ts"
import { policy } from "./Funded.ts"
import * as SteppedClock from "./SteppedClock.ts"

type Options = NonNullable<Parameters<typeof RetryBucket.quota>[0]>

/** A bucket as simple as its description, without efficiency. All its methods are told the time that has passed. */
interface Model {
  readonly acquire: (request: TokenBucket.Request, now: number) => Option.Option<ModelGrant>
  readonly record: (outcome: TokenBucket.Outcome, now: number) => void
  readonly started: (attempt: number, now: number) => void
  readonly level: (now: number) => number
  /** The most that may have been granted by now, in tokens, less what was refunded. */
  readonly most: (now: number) => number
}

interface ModelGrant {
  readonly tokens: number
  readonly refund: (now: number) => void
}

interface Tokens {
  readonly capacity: number
  readonly refillPerSecond: number
  readonly cost: (kind: Verdict.Kind) => number
  readonly credit: (outcome: TokenBucket.Outcome) => number
}

/** Quota and success ratio. */
const tokenModel = ({ capacity, cost, credit, refillPerSecond }: Tokens): Model => {
  let level = capacity
  let lookedAt = 0
  let credits = 0
  const look = (now: number) => {
    level = Math.min(capacity, level + ((now - lookedAt) / 1000) * refillPerSecond)
    lookedAt = now
  }
  const add = (tokens: number, now: number) => {
    look(now)
    level = Math.min(capacity, level + tokens)
  }
  return {
    acquire: ({ kind }, now) => {
      look(now)
      const tokens = cost(Option.getOrThrow(kind))
      if (level < tokens - 1e-6) return Option.none()
      level = Math.max(0, level - tokens)
      return Option.some({ tokens, refund: (now) => add(tokens, now) })
    },
    record: (outcome, now) => {
      credits += credit(outcome)
      add(credit(outcome), now)
    },
    started: () => {},
    level: (now) => {
      look(now)
      return level
    },
    most: (now) => capacity + credits + (refillPerSecond * now) / 1000
  }
}

const requestModel = (ratio: number, floorPerSecond: number, windowMillis: number): Model => {
  const reserve = (floorPerSecond * windowMillis) / 1000
  const slotOf = (now: number) => Math.floor(now / (windowMillis / 100))
  const requests: Array<number> = []
  const retries = new Set<{ readonly slot: number }>()
  const level = (now: number) => {
    const isRemembered = (slot: number) => slotOf(now) - slot <= 100
    const remembered = [...retries].filter(({ slot }) => isRemembered(slot))
    return Math.max(0, reserve + ratio * requests.filter(isRemembered).length - remembered.length)
  }
  return {
    acquire: (_, now) => {
      if (level(now) < 1 - 1e-6) return Option.none()
      const retry = { slot: slotOf(now) }
      retries.add(retry)
      return Option.some({ tokens: 1, refund: () => void retries.delete(retry) })
    },
    record: () => {},
    started: (attempt, now) => {
      if (attempt === 1) requests.push(slotOf(now))
    },
    level,
    most: (now) => reserve + ratio * requests.length + (floorPerSecond * now) / 1000
  }
}

const grpcModel = (maxTokens: number, thousandths: number): Model => {
  let level = maxTokens * 1000
  return {
    acquire: () => (level > maxTokens * 500 ? Option.some({ tokens: 0, refund: () => {} }) : Option.none()),
    record: (outcome) => {
      if (outcome._tag === "Succeeded") level = Math.min(maxTokens * 1000, level + thousandths)
      else if (outcome._tag === "Failed" && outcome.verdict._tag === "Retryable") level = Math.max(0, level - 1000)
    },
    started: () => {},
    level: () => level / 1000,
    most: () => Infinity
  }
}

const concurrencyModel = (limit: number): Model => {
  let inFlight = 0
  return {
    acquire: () => {
      if (inFlight === limit) return Option.none()
      inFlight += 1
      return Option.some({ tokens: 1, refund: () => void (inFlight -= 1) })
    },
    record: ({ granted }) => {
      inFlight -= granted.tokens
    },
    started: () => {},
    level: () => limit - inFlight,
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
const compared = (bucket: TokenBucket.TokenBucket, model: Model, clock: SteppedClock.SteppedClock) => {
  const account = { granted: 0, refunded: 0, refused: 0, tokens: 0, recorded: 0 }
  const grants = new Set<TokenBucket.Grant>()
  const faults: Array<unknown> = []
  const now = () => clock.passedMillis()
  const compare = (level: number) => {
    const expected = model.level(now())
    if (!(level === expected || Math.abs(level - expected) < 5e-7)) faults.push({ level, expected })
    const { tokens } = account
    const most = model.most(now())
    if (!(tokens <= most * (1 + 1e-6) + 1e-6)) faults.push({ tokens, most })
  }
  /** The step and its comparison, with no other fiber in between. */
  const step = <A>(self: Effect.Effect<A>, then: (a: A) => void) =>
    Effect.tap(self, (a) => {
      then(a)
      return Effect.map(bucket.level, compare)
    }).pipe(Effect.withMaxOpsBeforeYield(100_000), Effect.uninterruptible)
  const grantOf = (granted: TokenBucket.Grant, expected: ModelGrant): TokenBucket.Grant => ({
    tokens: granted.tokens,
    refund: step(granted.refund, () => {
      account.refunded += 1
      account.tokens -= granted.tokens
      expected.refund(now())
    })
  })
  const { started } = bucket
  const watched: TokenBucket.TokenBucket = {
    level: bucket.level,
    acquire: (request) =>
      Effect.suspend(() => {
        let answer = Option.none<TokenBucket.Grant>()
        return Effect.map(
          step(bucket.acquire(request), (granted) => {
            const expected = model.acquire(request, now())
            const tokens = Option.getOrUndefined(granted)?.tokens
            const expectedTokens = Option.getOrUndefined(expected)?.tokens
            if (tokens !== expectedTokens) faults.push({ tokens, expectedTokens })
            account[Option.isSome(granted) ? "granted" : "refused"] += 1
            account.tokens += tokens ?? 0
            answer = Option.zipWith(granted, expected, grantOf)
            if (Option.isSome(answer)) grants.add(answer.value)
          }),
          () => answer
        )
      }),
    record: (outcome) =>
      step(bucket.record(outcome), () => {
        if (grants.has(outcome.granted)) account.recorded += 1
        model.record(outcome, now())
      }),
    started: started && ((attempt) => step(started(attempt), () => model.started(attempt, now())))
  }
  return { watched, account, faults }
}

/** What the runs have seen so far: paths on which nothing happens prove nothing. */
interface Seen {
  granted: number
  refunded: number
  refused: number
}

const holds = (
  make: Effect.Effect<TokenBucket.TokenBucket>,
  makeModel: () => Model,
  path: ReadonlyArray<Command>,
  seen: Seen
) => {
  const clock = SteppedClock.make()
  const { account, faults, watched } = compared(clock.run(make), makeModel(), clock)
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
    return Effect.withMaxOpsBeforeYield(
      Retry.retry(attempt, { ...policy, maxAttempts, backoff, bucket: watched }),
      turn
    )
  }
  for (const command of path) {
    switch (command._tag) {
      case "Start":
        operations.push(clock.fork(operation(command)))
        break
      case "Advance":
        clock.advance(command.millis)
        break
      case "Step":
        clock.step(command.millis)
        break
      case "Interrupt":
        SteppedClock.interrupt(operations[command.operation % Math.max(1, operations.length)])
        break
      case "Yield":
        for (let turn = 0; turn < command.times; turn++) clock.turn()
        break
    }
  }
  // Every other one is interrupted where it is; the rest run to their end.
  for (const [index, fiber] of operations.entries()) if (index % 2 === 0) SteppedClock.interrupt(fiber)
  const isOver = () => operations.every((fiber) => fiber.unsafePoll() !== null)
  for (let round = 0; round < 12 && !isOver(); round++) {
    clock.settle()
    clock.advance(5000)
  }
  const exits = operations.map((fiber) => fiber.unsafePoll())
  faults.push(...exits.filter((exit) => exit === null || isDefect(exit)))
  // What was granted is spent or refunded, and nothing is held any more. A bucket that hears of starts also hears how
  // each attempt ended, so what is spent comes back to it with an outcome.
  const spent = watched.started === undefined ? sent.all - sent.first : account.recorded
  if (account.granted !== spent + account.refunded) faults.push({ ...account, spent })
  seen.granted += account.granted
  seen.refunded += account.refunded
  seen.refused += account.refused
  return faults
}

const isDefect = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && exit.cause._tag === "Die"

const quota = (options: Options & { readonly capacity: number; readonly cost: { readonly orElse: number } }) => ({
  make: RetryBucket.quota(options),
  makeModel: () =>
    tokenModel({
      capacity: options.capacity,
      refillPerSecond: options.refillPerSecond ?? 0,
      cost: (kind) => options.cost[kind as "orElse"] ?? options.cost.orElse,
      credit: (outcome) => {
        if (outcome._tag !== "Succeeded") return 0
        return outcome.attempt === 1 ? (options.firstSuccessIncrement ?? 1) : outcome.granted.tokens
      }
    })
})

const models = [
  { name: "quota", runs: 400, ...quota({ capacity: 40, cost: { Throttling: 5, orElse: 14 } }) },
  {
    name: "quota with a refill",
    runs: 400,
    ...quota({ capacity: 7, cost: { Timeout: 7, orElse: 1.3 }, firstSuccessIncrement: 0.1, refillPerSecond: 0.37 })
  },
  {
    name: "successRatio",
    runs: 400,
    make: RetryBucket.successRatio({ ratio: 0.3, capacity: 3, floorPerSecond: 0.2 }),
    makeModel: () =>
      tokenModel({
        capacity: 3,
        refillPerSecond: 0.2,
        cost: () => 1,
        credit: ({ _tag }) => (_tag === "Succeeded" ? 0.3 : 0)
      })
  },
  {
    name: "requestRatio",
    runs: 800,
    make: RetryBucket.requestRatio({ ratio: 0.25, floorPerSecond: 0.4, window: "5 seconds" }),
    makeModel: () => requestModel(0.25, 0.4, 5000)
  },
  {
    name: "grpcThrottle",
    runs: 400,
    make: RetryBucket.grpcThrottle({ maxTokens: 6, tokenRatio: 0.123 }),
    makeModel: () => grpcModel(6, 123)
  },
  {
    name: "concurrencyLimit",
    runs: 700,
    make: RateLimiter.concurrencyLimit({ limit: 1, whenShort: "refuse" }),
    makeModel: () => concurrencyModel(1)
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

/** First come, first served: the first waiter gets its tokens in the first whole millisecond in which they are there. */
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
    credit: (tokens: number) => {
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
    FastCheck.record({ _tag: FastCheck.constant("Credit" as const), tokens: FastCheck.integer({ min: 1, max: 6 }) })
  ),
  { minLength: 5, maxLength: 30, size: "max" }
)

type Moves = typeof moves extends FastCheck.Arbitrary<infer A> ? A : never

const costs = { Throttling: 1.7, Timeout: 6, Server: 3, orElse: 2.5 }

const costOf = (kind: Verdict.Kind) => (kind === "Transient" || kind === "Client" ? costs.orElse : costs[kind])

const waitsAsPredicted = (options: WaitingOptions, path: Moves) => {
  const clock = SteppedClock.make()
  const { capacity, maxWaitMillis, refillPerSecond } = options
  const bucket = clock.run(
    RetryBucket.quota({ capacity, cost: costs, refillPerSecond, whenShort: "wait", maxWait: maxWaitMillis })
  )
  const model = waitingModel(options)
  const fates = new Map<number, Fate>()
  const fibers: Array<Fiber.RuntimeFiber<unknown>> = []
  const fate = (id: number, outcome: Fate[0]) => void fates.set(id, [outcome, clock.passedMillis()])
  const take = (id: number, kind: Verdict.Kind) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.map(bucket.acquire(request({ kind, restore })), (granted) =>
        fate(id, Option.isSome(granted) ? "granted" : "refused")
      )
    ).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (fates.get(id)?.[0] === "waits") fate(id, "interrupted")
        })
      ),
      Effect.withMaxOpsBeforeYield(24)
    )
  for (const move of path) {
    switch (move._tag) {
      case "Take": {
        const id = fibers.length
        fate(id, "waits")
        fibers.push(clock.fork(take(id, move.kind)))
        model.take(id, costOf(move.kind))
        break
      }
      case "Advance":
        clock.advance(move.millis)
        model.advance(move.millis)
        break
      case "Interrupt":
        SteppedClock.interrupt(fibers[move.id])
        model.interrupt(move.id)
        break
      case "Credit":
        clock.run(succeed(bucket, 2, move.tokens))
        model.credit(move.tokens)
        break
    }
    const level = clock.run(bucket.level)
    const isAsPredicted = haveSameFates(fates, model.fates) && Math.abs(level - model.level()) < 5e-6
    if (!isAsPredicted) return { fates, level, expected: { fates: model.fates, level: model.level() } }
  }
  return undefined
}

const haveSameFates = (one: ReadonlyMap<number, Fate>, other: ReadonlyMap<number, Fate>): boolean => {
  if (one.size !== other.size) return false
  for (const [id, [outcome, atMillis]] of one) {
    const fate = other.get(id)
    if (fate?.[0] !== outcome || fate[1] !== atMillis) return false
  }
  return true
}

const runsFor = (numRuns: number) => ({ ...law(numRuns), timeout: 60_000 })

describe("RetryBucket models", () => {
  for (const { make, makeModel, name, runs } of models) {
    const seen: Seen = { granted: 0, refunded: 0, refused: 0 }

    it.prop(
      `${name} agrees with its model on any path, keeps its law on every prefix, and its accounts to the end`,
      [commands],
      ([path]) => {
        const faults = holds(make, makeModel, path, seen)
        if (faults.length > 0) expect(faults).toEqual([])
      },
      runsFor(runs)
    )

    it(`${name} was granted, refused and interrupted on those paths`, () => {
      expect(Math.min(seen.granted, 10 * seen.refused, 10 * seen.refunded)).toBeGreaterThan(runs)
    })
  }

  it.prop(
    "quota that waits serves the attempts that its model serves, in the same millisecond",
    [
      FastCheck.record({
        capacity: FastCheck.integer({ min: 6, max: 12 }),
        refillPerSecond: FastCheck.constantFrom(0.3, 1, 2.7, 1000),
        maxWaitMillis: FastCheck.constantFrom(0, 1000, 5000, 1_000_000)
      }),
      moves
    ],
    ([options, path]) => {
      const differing = waitsAsPredicted(options, path)
      if (differing !== undefined) expect(differing).toEqual(differing.expected)
    },
    runsFor(400)
  )
})
