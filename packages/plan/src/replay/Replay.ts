/**
 * Replays: how recorded operations would have gone under another policy.
 *
 * It reads the lines of `Observe.jsonLines`, or spans with the events of `Observe.spanEvents`, and runs their
 * operations again in virtual time, with the loop and the buckets of core. It calls no server, and reports how many
 * answers it had to assume.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import type { Verdict } from "@effect-retry/core/Verdict"
import * as Classifier from "@effect-retry/core/Classifier"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Draws from "../chance/Draws.ts"
import * as Instant from "../clock/Instant.ts"
import * as Client from "../load/Client.ts"
import * as RandomLine from "../chance/RandomLine.ts"
import type { Quantiles } from "../sample/Sample.ts"
import { quantiles } from "../sample/Sample.ts"
import * as Timekeeper from "../clock/Timekeeper.ts"
import type { UnreadableLine } from "./Fields.ts"
import * as MatchedDraws from "./MatchedDraws.ts"
import type { Attempt, Operation } from "./Recorded.ts"
import { recording } from "./Recorded.ts"

export { UnreadableLine } from "./Fields.ts"

/**
 * The recording, and the policy to try on it.
 *
 * @category models
 */
export interface Options {
  /**
   * The lines that `Observe.jsonLines` has written in one process; or lines of spans with the events of
   * `Observe.spanEvents`, in the JSON of OpenTelemetry's protocol.
   */
  readonly lines: Iterable<string>
  /** The policy under which they were recorded, with its bucket and its rate limiter. */
  readonly recorded: Client.Client
  /** The policy to try. */
  readonly other: Client.Client
  readonly seed: number | string
}

/** How operations went. */
interface Outcome {
  /** The ratio of operations that succeeded in the end. */
  readonly succeeded: number
  /** Mean calls per operation. */
  readonly loadFactor: number
  /** From the start of an operation to its end. */
  readonly took: Quantiles<Duration.Duration>
}

/**
 * The result of a replay.
 *
 * @category models
 */
export interface Replay {
  /** The number of operations recorded from beginning to end. */
  readonly operations: number
  /** The number of incomplete or hedged operations. */
  readonly leftOut: number
  /** The outcome as recorded. */
  readonly recorded: Outcome
  /** The outcome if every unobserved attempt ends like the observed one nearest in time. */
  readonly likely: Outcome
  /** The outcome if all unobserved attempts fail. */
  readonly worst: Outcome
  /** The outcome if all unobserved attempts succeed. */
  readonly best: Outcome
  /** The ratio of attempts of the other policy that were not observed. */
  readonly assumed: number
  /**
   * The ratio of operations that a replay of the recorded policy reproduces; below 1, `recorded` is not the policy that
   * was recorded, or something else took time. A wait that ends late counts as recorded if no rate limiter was recorded.
   */
  readonly faithful: number
}

const owner = "Replay.replay"

/** An operation that would make more attempts is left unfinished, and counts as failed. */
const mostAttempts = 1_000

/** A gap counts as the recorded one if it differs by at most this: times are whole milliseconds. */
const slackMillis = 10

/**
 * Replays recorded operations under another policy, with the loop and the buckets of core.
 *
 * An operation begins when it began, and its first attempt ends as it did. So does every further attempt, as long as
 * the other policy waits as long before it as recorded. What the server would have answered at any other time was not
 * observed: `likely` uses the non-terminal attempt of any operation that began nearest to that time, and `worst` and
 * `best` bound the result. An attempt that was cut off is assumed to fail when it was cut off. The draws of a jitter
 * are those that gave the recorded delays, followed by those of `seed`.
 *
 * Fails with `UnreadableLine` at the first line that neither `Observe.jsonLines` nor an exporter of spans would write.
 *
 * @category running
 */
export const replay = (options: Options): Effect.Effect<Replay, UnreadableLine> => {
  const { lines, other, recorded, seed } = options
  Argument.seed(owner, seed)
  const prepared = PolicyCheck.prepare(owner, { ...recorded.policy, classifier: Classifier.always })
  Client.check(owner, other)
  return Effect.gen(function* () {
    const { leftOut, operations } = yield* Effect.try({
      try: () => recording(lines),
      catch: (error) => error as UnreadableLine
    })
    const draws = Draws.make(seed)
    const drawn = operations.map((operation) => MatchedDraws.match(prepared, operation))
    const isLimited = recorded.rateLimiter !== undefined
    const world = { operations, draws, drawn, isLimited, observed: observed(operations) }
    const run = (client: Client.Client, assume: Assume) =>
      Effect.map(Timekeeper.turn, () => replayed(client, world, assume))
    const again = yield* run(recorded, "nearest")
    const likely = yield* run(other, "nearest")
    const attempts = sum(likely.map(({ attempts }) => attempts))
    return {
      operations: operations.length,
      leftOut,
      recorded: outcomeOf(operations.map(asReplayed)),
      likely: outcomeOf(likely),
      worst: outcomeOf(yield* run(other, "fails")),
      best: outcomeOf(yield* run(other, "succeeds")),
      assumed: attempts === 0 ? 0 : sum(likely.map(({ assumed }) => assumed)) / attempts,
      faithful:
        operations.length === 0 ? 1 : again.filter((one, i) => isSame(one, operations[i])).length / operations.length
    }
  })
}

type Assume = "nearest" | "fails" | "succeeds"

interface World {
  readonly operations: ReadonlyArray<Operation>
  readonly draws: Draws.Draws
  readonly drawn: ReadonlyArray<ReadonlyArray<number>>
  /** Whether a rate limiter may have made the recorded attempts wait. */
  readonly isLimited: boolean
  readonly observed: ReadonlyArray<Observed>
}

/** An attempt that shows the state of the server at a time. */
interface Observed extends Attempt {
  readonly atMillis: number
}

const observed = (operations: ReadonlyArray<Operation>): ReadonlyArray<Observed> =>
  operations
    .flatMap(({ attempts, startMillis }) => {
      let atMillis = startMillis
      return attempts.map((attempt) => {
        atMillis += attempt.gapMillis
        const one = { ...attempt, atMillis }
        atMillis += attempt.ranMillis
        return one
      })
    })
    .filter(({ verdict }) => verdict === undefined || verdict._tag === "Retryable")
    .toSorted((one, other) => one.atMillis - other.atMillis)

/** The one that began nearest to a time; of two, the earlier. */
const nearest = (observed: ReadonlyArray<Observed>, atMillis: number): Observed | undefined => {
  let [low, high] = [0, observed.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((observed[middle]?.atMillis ?? 0) < atMillis) low = middle + 1
    else high = middle
  }
  const [before, after] = [observed[low - 1], observed[low]]
  if (before === undefined || after === undefined) return before ?? after
  return atMillis - before.atMillis <= after.atMillis - atMillis ? before : after
}

/** How an operation went. */
interface Replayed {
  readonly succeeded: boolean
  readonly attempts: number
  readonly assumed: number
  readonly tookMillis: number
  /** How much longer the recorded gaps were. */
  readonly lateMillis: number
}

/**
 * Whether an attempt begins as recorded, after the measured gap or, if no rate limiter waited, after the delay that the
 * policy chose: the rest of the gap is a late timer.
 */
const isAsRecorded = (world: World, operation: Operation, number: number, gapMillis: number): boolean => {
  const measured = operation.attempts[number]?.gapMillis ?? NaN
  const chosen = operation.delaysMillis[number - 1] ?? 0
  const isNear = (recorded: number) => Math.abs(gapMillis - recorded) <= slackMillis
  return isNear(measured) || (!world.isLimited && chosen <= measured && isNear(chosen))
}

const asReplayed = ({ attempts, elapsedMillis, succeeded }: Operation): Replayed => ({
  succeeded,
  attempts: attempts.length,
  assumed: 0,
  tookMillis: elapsedMillis,
  lateMillis: 0
})

const isSame = (one: Replayed, recorded: Operation | undefined): boolean =>
  recorded !== undefined &&
  one.succeeded === recorded.succeeded &&
  one.attempts === recorded.attempts.length &&
  one.assumed === 0 &&
  Math.abs(one.tookMillis + one.lateMillis - recorded.elapsedMillis) <= slackMillis * (one.attempts + 1)

const verdictOf: Classifier.Classifier<Verdict> = (verdict) => verdict

const replayed = (client: Client.Client, world: World, assume: Assume): ReadonlyArray<Replayed> => {
  const instant = Instant.make()
  const retried = instant.runSync(Client.make(client, verdictOf))
  const begins = world.operations[0]?.startMillis ?? 0
  const ended: Array<Replayed> = []
  for (const [index, operation] of world.operations.entries()) {
    ended.push({ succeeded: false, attempts: 0, assumed: 0, tookMillis: 0, lateMillis: 0 })
    instant.startAt(operation.startMillis - begins, () => {
      const startMillis = instant.nowMillis()
      const counts = { attempts: 0, assumed: 0, lateMillis: 0 }
      let lastMillis = startMillis
      const note = (succeeded: boolean) => {
        ended[index] = { ...counts, succeeded, tookMillis: instant.nowMillis() - startMillis }
      }
      const attempt = Effect.suspend(() => {
        const number = counts.attempts++
        if (number >= mostAttempts) return Effect.never
        const now = instant.nowMillis()
        const own = counts.assumed === 0 ? operation.attempts[number] : undefined
        const isOwn = own !== undefined && isAsRecorded(world, operation, number, now - lastMillis)
        if (isOwn) counts.lateMillis += own.gapMillis - (now - lastMillis)
        else counts.assumed += 1
        const answer = isOwn ? own : assumed(operation, world.observed, begins + now, assume)
        note(false)
        return Effect.ensuring(
          Effect.zipRight(
            Effect.sleep(Duration.millis(answer.ranMillis)),
            answer.verdict === undefined ? Effect.void : Effect.fail(answer.verdict)
          ),
          Effect.sync(() => {
            lastMillis = instant.nowMillis()
          })
        )
      })
      let draw = 0
      return RandomLine.withDraws(Effect.map(retried(attempt), note), () => {
        const number = draw++
        return world.drawn[index]?.[number] ?? world.draws(index, number)
      })
    })
  }
  instant.pass()
  return ended
}

/** How an unobserved attempt ends. */
const assumed = (
  operation: Operation,
  observed: ReadonlyArray<Observed>,
  atMillis: number,
  assume: Assume
): Pick<Attempt, "ranMillis" | "verdict"> => {
  const last = operation.attempts.at(-1) ?? { ranMillis: 0, verdict: undefined }
  const found = nearest(observed, atMillis) ?? last
  if (assume === "nearest") return found
  if (assume === "succeeds") return { ranMillis: found.ranMillis, verdict: undefined }
  const failure = operation.attempts.findLast(({ verdict }) => verdict?._tag === "Retryable")
  return { ranMillis: found.ranMillis, verdict: failure?.verdict ?? found.verdict }
}

const outcomeOf = (replayed: ReadonlyArray<Replayed>): Outcome => {
  const took = replayed.map(({ tookMillis }) => tookMillis).toSorted((a, b) => a - b)
  const all = Math.max(1, replayed.length)
  return {
    succeeded: replayed.filter(({ succeeded }) => succeeded).length / all,
    loadFactor: sum(replayed.map(({ attempts }) => attempts)) / all,
    took: quantiles(took, Duration.millis)
  }
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)
