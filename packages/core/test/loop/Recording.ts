/**
 * Fakes that write down what the loop asks of them, as lines that can be read.
 */
import { Backoff, type Classifier, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Clock, Context, Duration, Effect, Option } from "effect"

export class Bucket extends Context.Tag("test/Bucket")<Bucket, TokenBucket.TokenBucket>() {}

export class Limiter extends Context.Tag("test/Limiter")<Limiter, TokenBucket.TokenBucket>() {}

/** What the scripted attempts fail with. */
export type Word = "busy" | "slow down" | "bad request" | "riddle" | "come back later" | "come back next year"

const verdicts: { readonly [word in Word]: Verdict.Verdict } = {
  busy: Verdict.transient,
  "slow down": Verdict.throttling,
  "bad request": Verdict.terminal("the request is wrong"),
  riddle: Verdict.noOpinion,
  "come back later": Verdict.retryable("Throttling", { hint: "5 seconds" }),
  "come back next year": Verdict.retryable("Throttling", { hint: "365 days" })
}

export const judge = (word: Word): Verdict.Verdict => verdicts[word]

export const words = (Object.keys(verdicts) as Array<Word>).toSorted()

/** Three attempts, a second apart. */
export const policy = {
  classifier: judge as Classifier.Classifier<Word>,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

/** The same with both services. */
export const funded = { rateLimiter: Limiter, ...policy, bucket: Bucket }

/** How many tokens a fake grants for a request; `None` refuses it. */
export type Grants = (request: TokenBucket.Request) => Effect.Effect<Option.Option<number>>

export interface Script {
  /** What the bucket grants. @default five tokens */
  readonly bucket?: Grants
  /** What the rate limiter grants. @default one token */
  readonly limiter?: Grants
  /** Whether both hear that attempts begin, and so of abandoned ones. @default false */
  readonly hearsStarts?: boolean
}

export interface Recording {
  readonly lines: ReadonlyArray<string>
  /** How many retries the bucket has granted. */
  readonly granted: () => number
  readonly note: (line: string) => Effect.Effect<void>
  readonly bucket: TokenBucket.TokenBucket
  readonly limiter: TokenBucket.TokenBucket
  /** Runs the steps one after the other, one per attempt; the last one again and again. */
  readonly attempts: <A, E, R>(...steps: ReadonlyArray<Effect.Effect<A, E, R>>) => Effect.Effect<A, E, R>
  /** Provides the services and writes down every sleep. */
  readonly provide: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<Exclude<R, Bucket>, Limiter>>
}

const requested = ({ atMost, attempt, kind }: TokenBucket.Request) =>
  [
    attempt,
    ...Option.toArray(kind),
    ...Option.toArray(Option.map(atMost, (most) => `within ${Duration.toMillis(most)}`))
  ].join(" ")

const ended = (outcome: TokenBucket.Outcome) => {
  const { _tag, attempt, granted } = outcome
  const kind = _tag === "Failed" ? [Option.getOrElse(Verdict.kindOf(outcome.verdict), () => "without a kind")] : []
  return [attempt, _tag, ...kind, ...(granted.tokens === 0 ? [] : [`for ${granted.tokens}`])].join(" ")
}

/** A bucket that writes down the requests and outcomes it hears of, and the refunds of what it grants. */
const fake = (
  name: string,
  note: Recording["note"],
  grants: Grants,
  hearsStarts: boolean
): TokenBucket.TokenBucket => ({
  ...TokenBucket.unlimited,
  acquire: (request) =>
    Effect.map(
      Effect.zipRight(note(`${name} acquire ${requested(request)}`), grants(request)),
      Option.map((tokens) => ({ tokens, refund: note(`${name} refund ${tokens}`) }))
    ),
  record: (outcome) => note(`${name} record ${ended(outcome)}`),
  ...(hearsStarts && { started: (attempt: number) => note(`${name} started ${attempt}`) })
})

export const make = (script: Script = {}): Recording => {
  const lines: Array<string> = []
  let granted = 0
  const note = (line: string) => Effect.sync(() => void lines.push(line))
  const { bucket: ofBucket = () => Effect.succeedSome(5), hearsStarts = false } = script
  const counted: Grants = (request) =>
    Effect.map(ofBucket(request), (tokens) => {
      if (Option.isSome(tokens)) granted += 1
      return tokens
    })
  const bucket = fake("bucket", note, counted, hearsStarts)
  const limiter = fake("limiter", note, script.limiter ?? (() => Effect.succeedSome(1)), hearsStarts)
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
    granted: () => granted,
    note,
    bucket,
    limiter,
    attempts,
    provide: (self) =>
      recordSleeps(self).pipe(Effect.provideService(Bucket, bucket), Effect.provideService(Limiter, limiter))
  }
}

/** A clock of its own and chance that repeats. */
export const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  VirtualClock.run(Effect.provide(self, SeededRandom.layer("loop")))

/** Milliseconds since the virtual clock started. */
export const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** What the attempts of an operation do, one after the other. */
export type Attempts = ReadonlyArray<Effect.Effect<unknown, Word>>
