/**
 * Models of buckets, and paths of whole operations on which buckets are held against them.
 */
import { Backoff, Retry, type TokenBucket, Verdict } from "@effect-retry/core"
import type { Fiber } from "effect"
import { Effect, Exit, FastCheck, Option } from "effect"
import type { End } from "./Funded.ts"
import { policy } from "./Funded.ts"
import * as SteppedClock from "./SteppedClock.ts"

/** A bucket as simple as its description, without efficiency. All its methods are told the time that has passed. */
export interface Model {
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
export const tokens = ({ capacity, cost, credit, refillPerSecond }: Tokens): Model => {
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

/** What happens on a path. */
export const commands = FastCheck.array(
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

/** Buckets under watch; an operation gets the next one of them. */
interface Watched {
  readonly buckets: ReadonlyArray<TokenBucket.TokenBucket>
  readonly account: {
    granted: number
    refunded: number
    refused: number
    /** Granted less refunded. */
    tokens: number
    recorded: number
  }
  readonly faults: Array<unknown>
  /** Faults that only the end shows. */
  readonly atEnd: () => ReadonlyArray<unknown>
}

export type Watch = (clock: SteppedClock.SteppedClock) => Watched

const emptyAccount = () => ({ granted: 0, refunded: 0, refused: 0, tokens: 0, recorded: 0 })

const isAboveMost = (tokens: number, most: number) => !(tokens <= most * (1 + 1e-6) + 1e-6)

/** The step and what follows it, with no other fiber in between. */
const inOneStep = <A, B>(self: Effect.Effect<A>, then: (a: A) => Effect.Effect<B>) =>
  Effect.tap(self, then).pipe(Effect.withMaxOpsBeforeYield(100_000), Effect.uninterruptible)

/** A bucket that is compared with its model after each step. */
export const compared =
  (make: Effect.Effect<TokenBucket.TokenBucket>, makeModel: () => Model): Watch =>
  (clock) => {
    const bucket = clock.run(make)
    const model = makeModel()
    const account = emptyAccount()
    const grants = new Set<TokenBucket.Grant>()
    const faults: Array<unknown> = []
    const now = () => clock.passedMillis()
    const compare = (level: number) => {
      const expected = model.level(now())
      if (!(level === expected || Math.abs(level - expected) < 5e-7)) faults.push({ level, expected })
      const { tokens } = account
      const most = model.most(now())
      if (isAboveMost(tokens, most)) faults.push({ tokens, most })
    }
    const step = <A>(self: Effect.Effect<A>, then: (a: A) => void) =>
      inOneStep(self, (a) => {
        then(a)
        return Effect.map(bucket.level, compare)
      })
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
      started: started && ((begun) => step(started(begun), () => model.started(begun.attempt, now())))
    }
    return { buckets: [watched], account, faults, atEnd: () => [] }
  }

/**
 * Buckets that together grant no more than the model of one allows at most. They may ask somewhere else, and answer later.
 *
 * `atEnd` gets the tokens that were granted and not refunded.
 */
export const bounded =
  (
    make: Effect.Effect<ReadonlyArray<TokenBucket.TokenBucket>>,
    makeModel: () => Model,
    atEnd: (spent: number) => Effect.Effect<ReadonlyArray<unknown>>
  ): Watch =>
  (clock) => {
    const model = makeModel()
    const account = emptyAccount()
    const inner = new Map<TokenBucket.Grant, TokenBucket.Grant>()
    const faults: Array<unknown> = []
    const check = () => {
      const { tokens } = account
      const most = model.most(clock.passedMillis())
      if (isAboveMost(tokens, most)) faults.push({ tokens, most })
    }
    const count = (change: "granted" | "refunded" | "refused", tokens: number) =>
      Effect.sync(() => {
        account[change] += 1
        account.tokens += tokens
        check()
      })
    const watch = (bucket: TokenBucket.TokenBucket): TokenBucket.TokenBucket => ({
      level: bucket.level,
      acquire: (request) =>
        Effect.map(
          inOneStep(
            bucket.acquire(request),
            Option.match({ onNone: () => count("refused", 0), onSome: ({ tokens }) => count("granted", tokens) })
          ),
          Option.map((granted) => {
            const refund = Effect.zipRight(count("refunded", -granted.tokens), granted.refund)
            const watched = { tokens: granted.tokens, refund }
            inner.set(watched, granted)
            return watched
          })
        ),
      record: (outcome) => {
        model.record(outcome, clock.passedMillis())
        return bucket.record({ ...outcome, granted: inner.get(outcome.granted) ?? outcome.granted })
      }
    })
    return {
      buckets: clock.run(make).map(watch),
      account,
      faults,
      atEnd: () => {
        // What is under way, and what they do late, ends first.
        clock.advance(10_000)
        return clock.run(atEnd(account.tokens))
      }
    }
  }

/** What the runs have seen so far: paths on which nothing happens prove nothing. */
export interface Seen {
  granted: number
  refunded: number
  refused: number
}

/** Runs a path, and answers what was wrong on it. */
export const run = (watch: Watch, path: ReadonlyArray<Command>, seen: Seen): ReadonlyArray<unknown> => {
  const clock = SteppedClock.make()
  const { account, atEnd, buckets, faults } = watch(clock)
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
      Retry.retry(attempt, { ...policy, maxAttempts, backoff, bucket: buckets[operations.length % buckets.length] }),
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
  const spent = buckets[0]?.started === undefined ? sent.all - sent.first : account.recorded
  if (account.granted !== spent + account.refunded) faults.push({ ...account, spent })
  faults.push(...atEnd())
  seen.granted += account.granted
  seen.refunded += account.refunded
  seen.refused += account.refused
  return faults
}

const isDefect = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) && exit.cause._tag === "Die"
