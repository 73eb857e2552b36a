/**
 * Fakes that write down what the loop asks of them, as lines that can be read.
 */
import { Backoff, type Classifier, RetryBucket, SendRate, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Clock, Context, Duration, Effect, Option } from "effect"

export class Bucket extends Context.Tag("test/Bucket")<Bucket, RetryBucket.RetryBucket>() {}

export class Rate extends Context.Tag("test/Rate")<Rate, SendRate.SendRate>() {}

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
export const funded = { sendRate: Rate, ...policy, bucket: Bucket }

export interface Script {
  /** What the bucket does; it grants five tokens otherwise. */
  readonly take?: RetryBucket.RetryBucket["take"]
  /** What the send rate does; it grants otherwise. */
  readonly acquire?: SendRate.SendRate["acquire"]
}

export interface Recording {
  readonly lines: ReadonlyArray<string>
  /** How many retries the bucket has granted. */
  readonly granted: () => number
  readonly note: (line: string) => Effect.Effect<void>
  readonly bucket: RetryBucket.RetryBucket
  readonly sendRate: SendRate.SendRate
  /** Runs the steps one after the other, one per attempt; the last one again and again. */
  readonly attempts: <A, E, R>(...steps: ReadonlyArray<Effect.Effect<A, E, R>>) => Effect.Effect<A, E, R>
  /** Provides the services and writes down every sleep. */
  readonly provide: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<Exclude<R, Bucket>, Rate>>
}

export const make = (script: Script = {}): Recording => {
  const lines: Array<string> = []
  let granted = 0
  const note = (line: string) => Effect.sync(() => void lines.push(line))
  const { acquire = () => Effect.succeed(true), take = () => Effect.succeedSome(5) } = script
  const bucket: RetryBucket.RetryBucket = {
    ...RetryBucket.unlimited,
    take: (kind, restore) =>
      Effect.map(Effect.zipRight(note(`take ${kind}`), take(kind, restore)), (cost) => {
        if (Option.isSome(cost)) granted += 1
        return cost
      }),
    giveBack: (cost) => note(`give back ${cost}`),
    ended: (ended) =>
      note(
        ended._tag === "Succeeded"
          ? `ended ${ended.attempt}: success, cost ${ended.cost}`
          : `ended ${ended.attempt}: ${Option.getOrElse(ended.kind, () => "terminal")}`
      )
  }
  const sendRate: SendRate.SendRate = {
    ...SendRate.unlimited,
    acquire: (wanted) =>
      Effect.zipRight(
        note(
          Option.match(wanted.atMost, {
            onNone: () => `acquire ${wanted.attempt}`,
            onSome: (atMost) => `acquire ${wanted.attempt} within ${Duration.toMillis(atMost)}`
          })
        ),
        acquire(wanted)
      ),
    heard: (result) => note(`heard ${result}`)
  }
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
    sendRate,
    attempts,
    provide: (self) =>
      recordSleeps(self).pipe(Effect.provideService(Bucket, bucket), Effect.provideService(Rate, sendRate))
  }
}

/** A clock of its own and chance that repeats. */
export const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  VirtualClock.run(Effect.provide(self, SeededRandom.layer("loop")))

/** Milliseconds since the virtual clock started. */
export const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** What the attempts of an operation do, one after the other. */
export type Attempts = ReadonlyArray<Effect.Effect<unknown, Word>>
