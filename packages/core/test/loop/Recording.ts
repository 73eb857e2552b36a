/**
 * Fakes that write down what the loop asks of them, as lines that can be read.
 */
import { Backoff, type Classifier, Hint, type TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Clock, Context, Duration, Effect, Option } from "effect"

export class Bucket extends Context.Tag("test/Bucket")<Bucket, TokenBucket.TokenBucket>() {}

export class Limiter extends Context.Tag("test/Limiter")<Limiter, TokenBucket.TokenBucket>() {}

/** What the scripted attempts fail with. */
export type Word =
  | "busy"
  | "slow down"
  | "bad request"
  | "riddle"
  | "come back later"
  | "come back next year"
  | "broken off"

const verdicts: { readonly [word in Word]: Verdict.Verdict } = {
  busy: Verdict.transient,
  "slow down": Verdict.throttling,
  "bad request": Verdict.terminal("the request is wrong"),
  riddle: Verdict.noOpinion,
  "come back later": Verdict.retryable("Throttling", { hint: "5 seconds" }),
  "come back next year": Verdict.retryable("Throttling", { hint: "365 days" }),
  "broken off": Verdict.retryable("Server", { progressed: true })
}

export const judge = (word: Word): Verdict.Verdict => verdicts[word]

export const words = (Object.keys(verdicts) as Array<Word>).toSorted()

/** Three attempts, a second apart; a hint is followed to the millisecond. */
export const policy = {
  classifier: judge as Classifier.Classifier<Word>,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
}

/** The same with a rate limiter and a bucket. */
export const funded = { rateLimiter: Limiter, ...policy, bucket: Bucket }

/** The tokens that a bucket answers with; `None` refuses. */
export type Answer = (request: TokenBucket.Request) => Effect.Effect<Option.Option<number>>

export interface Script {
  /** What the bucket answers; it grants five tokens otherwise. */
  readonly bucket?: Answer
  /** What the rate limiter answers; it grants one token otherwise. */
  readonly limiter?: Answer
  /** Whether bucket and rate limiter hear of starts, and so of abandoned attempts. */
  readonly counts?: boolean
  /** Which of the two takes several steps to be told; the other one is told at once. */
  readonly slow?: "bucket" | "limiter"
}

/** What a bucket granted, in tokens. */
interface Ledger {
  granted: number
  refunded: number
  /** Granted to attempts of which the bucket has heard the end. */
  spent: number
}

export interface Recording {
  readonly lines: Array<string>
  readonly ledgers: { readonly bucket: Ledger; readonly limiter: Ledger }
  readonly note: (line: string) => Effect.Effect<void>
  readonly bucket: TokenBucket.TokenBucket
  readonly limiter: TokenBucket.TokenBucket
  /** Runs the steps one after the other, one per attempt; the last one again and again. */
  readonly attempts: <A, E, R>(...steps: ReadonlyArray<Effect.Effect<A, E, R>>) => Effect.Effect<A, E, R>
  /** Provides the services and writes down every sleep. */
  readonly provide: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<Exclude<R, Bucket>, Limiter>>
}

/** How an attempt ended, in a word. */
const ending = (outcome: TokenBucket.Outcome): string =>
  outcome._tag === "Failed"
    ? Option.getOrElse(Verdict.kindOf(outcome.verdict), () => outcome.verdict._tag)
    : outcome._tag

const asking = ({ atMost, attempt, kind }: TokenBucket.Request): string =>
  [
    `acquire ${attempt}`,
    ...Option.toArray(Option.map(kind, (kind) => `after ${kind}`)),
    ...Option.toArray(Option.map(atMost, (atMost) => `within ${Duration.toMillis(atMost)}`))
  ].join(" ")

const recorded = (name: string, answer: Answer, { counts = false, slow }: Script, lines: Array<string>) => {
  const ledger: Ledger = { granted: 0, refunded: 0, spent: 0 }
  const note = (line: string) => Effect.sync(() => void lines.push(`${name} ${line}`))
  const grant = (tokens: number): TokenBucket.Grant => {
    ledger.granted += tokens
    return {
      tokens,
      refund: Effect.zipRight(
        note(`refund ${tokens}`),
        Effect.sync(() => void (ledger.refunded += tokens))
      )
    }
  }
  const told = (self: Effect.Effect<void>) => (slow === name ? Effect.zipLeft(self, Effect.yieldNow()) : self)
  const bucket: TokenBucket.TokenBucket = {
    acquire: (request) => Effect.zipRight(note(asking(request)), Effect.map(answer(request), Option.map(grant))),
    record: (outcome) =>
      told(
        Effect.sync(() => {
          ledger.spent += outcome.granted.tokens
          lines.push(`${name} record ${outcome.attempt}: ${ending(outcome)}, granted ${outcome.granted.tokens}`)
        })
      ),
    level: Effect.succeed(Infinity),
    started: counts ? ({ attempt }) => told(note(`started ${attempt}`)) : undefined
  }
  return { bucket, ledger }
}

export const make = (script: Script = {}): Recording => {
  const lines: Array<string> = []
  const { bucket: pay = () => Effect.succeedSome(5), limiter: limit = () => Effect.succeedSome(1) } = script
  const bucket = recorded("bucket", pay, script, lines)
  const limiter = recorded("limiter", limit, script, lines)
  const attempts: Recording["attempts"] = (...steps) => {
    let made = 0
    return Effect.suspend(() => {
      made += 1
      lines.push(`attempt ${made}`)
      const step = steps[Math.min(made, steps.length) - 1]
      return step ?? Effect.dieMessage("no step")
    })
  }
  const recordSleeps = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) =>
      Effect.withClock(self, {
        ...clock,
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        sleep: (duration) => {
          lines.push(`sleep ${Duration.toMillis(duration)}`)
          return clock.sleep(duration)
        }
      })
    )
  return {
    lines,
    ledgers: { bucket: bucket.ledger, limiter: limiter.ledger },
    note: (line) => Effect.sync(() => void lines.push(line)),
    bucket: bucket.bucket,
    limiter: limiter.bucket,
    attempts,
    provide: (self) =>
      recordSleeps(self).pipe(
        Effect.provideService(Bucket, bucket.bucket),
        Effect.provideService(Limiter, limiter.bucket)
      )
  }
}

/** A clock of its own and chance that repeats. */
export const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  VirtualClock.run(Effect.provide(self, SeededRandom.layer("loop")))

/** Milliseconds since the virtual clock started. */
export const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** What the attempts of an operation do, one after the other. */
export type Attempts = ReadonlyArray<Effect.Effect<unknown, Word>>
