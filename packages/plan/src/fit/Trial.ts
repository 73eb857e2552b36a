/**
 * Tries one policy against the known server: the operations of a client, with the shipped loop and buckets.
 *
 * Each run has a calm period, and then the operations that an outage can affect. All policies meet the same operations.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pcg from "../chance/Pcg.ts"
import * as RandomLine from "../chance/RandomLine.ts"
import * as Client from "../load/Client.ts"
import type { Draws } from "../chance/Draws.ts"
import * as Estimate from "./Estimate.ts"
import * as Instant from "../clock/Instant.ts"
import type { LatencyModel } from "./LatencyModel.ts"

/** Server and goal, in numbers. */
export interface Setting {
  readonly failureProbability: number
  readonly latency: LatencyModel
  readonly requestsPerMilli: number
  readonly withinMillis: number
  /** `everyMillis` is from the start of one outage to that of the next. */
  readonly outage: { readonly lastsMillis: number; readonly everyMillis: number } | undefined
  /** The number of operations in the calm period of each run. */
  readonly calm: number
  readonly draws: Draws
}

/** The results of a trial. */
export interface Figures {
  /** Operations that succeed in time. */
  readonly succeeded: Estimate.Estimate
  /** Attempts per operation. */
  readonly load: Estimate.Estimate
  /** Attempts per operation during an outage. */
  readonly outageLoad: Estimate.Estimate | undefined
  /** The largest number of attempts of an operation. */
  readonly mostAttempts: number
}

/** The number of independent runs of a trial, from whose means intervals are computed. */
export const runs = 5

/** What a draw is for. */
const arrival = 0
const failure = 1
const latency = 2
const chance = 3

/** How an operation went. */
interface Operation {
  readonly startMillis: number
  /** When each of its attempts began. */
  readonly attempts: Array<number>
  /** When it succeeded; infinite if it did not. */
  succeededMillis: number
}

export type Runs = ReadonlyArray<ReadonlyArray<Operation>>

/** Runs the operations of a client. */
export const run = (client: Client.Client, setting: Setting): Runs =>
  Array.from({ length: runs }, (_, index) => runOnce(client, setting, index))

/** The parts of a run, in milliseconds: a calm period, then an outage with the operations around it that it can affect. */
const stretchesOf = ({ calm, outage, requestsPerMilli, withinMillis }: Setting) => {
  const calmMillis = calm / requestsPerMilli
  const fromMillis = outage === undefined ? Infinity : calmMillis + withinMillis
  const toMillis = outage === undefined ? Infinity : fromMillis + outage.lastsMillis
  const endMillis = outage === undefined ? calmMillis : toMillis + withinMillis
  return { calmMillis, endMillis, isOut: (millis: number) => millis >= fromMillis && millis < toMillis }
}

const runOnce = (client: Client.Client, setting: Setting, index: number): ReadonlyArray<Operation> => {
  const { draws, failureProbability, requestsPerMilli } = setting
  const { endMillis, isOut } = stretchesOf(setting)
  const latencyMillis = (i: number, number: number) => setting.latency.quantileMillis(draws(index, i, latency, number))
  const isFailure = (i: number, number: number, atMillis: number) =>
    isOut(atMillis) || draws(index, i, failure, number) < failureProbability
  // A first attempt that succeeds involves only the timeout and the bucket of a policy.
  const isPlain = client.bucket === undefined && client.policy.attemptTimeout === undefined
  const instant = Instant.make()
  const retried = instant.runSync(Client.make(client))

  const start = (operation: Operation, i: number): Effect.Effect<void> => {
    const attempt = Effect.suspend(() => {
      const number = operation.attempts.push(instant.nowMillis()) - 1
      const fails = isFailure(i, number, instant.nowMillis())
      return Effect.zipRight(Effect.sleep(Duration.millis(latencyMillis(i, number))), fails ? failed : Effect.void)
    })
    const ended = Effect.map(retried(attempt), (succeeded) => {
      if (succeeded) operation.succeededMillis = instant.nowMillis()
    })
    return RandomLine.withDraws(ended, Pcg.make(draws(index, i, chance)))
  }

  const operations: Array<Operation> = []
  let atMillis = 0
  for (let i = 0; ; i += 1) {
    atMillis += -Math.log(1 - draws(index, i, arrival)) / requestsPerMilli
    if (atMillis >= endMillis) break
    const operation: Operation = { startMillis: atMillis, attempts: [], succeededMillis: Infinity }
    operations.push(operation)
    if (isPlain && !isFailure(i, 0, atMillis)) {
      operation.attempts.push(atMillis)
      operation.succeededMillis = atMillis + latencyMillis(i, 0)
    } else {
      instant.startAt(atMillis, () => start(operation, i))
    }
  }
  instant.pass()
  return operations
}

const failed = Effect.fail("failed" as const)

/** Counts of the operations that begin in a stretch of time. */
interface Counts {
  operations: number
  succeeded: number
  attempts: number
}

interface Counted {
  readonly calm: Counts
  readonly outage: Counts
  /** Attempts that the server received during the outage, of any operation, and operations that began in it. */
  readonly during: { attempts: number; operations: number }
}

/**
 * The figures of operations with fewer attempts allowed: without a bucket, such an operation is the same up to its last
 * attempt.
 */
export const figures = (runs: Runs, setting: Setting, maxAttempts: number): Figures => ({
  ...figuresOf(
    runs.map((operations) => count(operations, setting, maxAttempts)),
    setting
  ),
  mostAttempts: runs.reduce((most, run) => run.reduce((most, { attempts }) => Math.max(most, attempts.length), most), 0)
})

const count = (operations: ReadonlyArray<Operation>, setting: Setting, maxAttempts: number): Counted => {
  const { calmMillis, isOut } = stretchesOf(setting)
  const none = () => ({ operations: 0, succeeded: 0, attempts: 0 })
  const counted = { calm: none(), outage: none(), during: { attempts: 0, operations: 0 } }
  for (const { attempts, startMillis, succeededMillis } of operations) {
    const counts = startMillis < calmMillis ? counted.calm : counted.outage
    const made = attempts.length <= maxAttempts ? attempts : attempts.slice(0, maxAttempts)
    const isInTime = made === attempts && succeededMillis - startMillis <= setting.withinMillis
    counts.operations += 1
    counts.attempts += made.length
    if (isInTime) counts.succeeded += 1
    if (isOut(startMillis)) counted.during.operations += 1
    counted.during.attempts += made.filter(isOut).length
  }
  return counted
}

const figuresOf = (
  counted: ReadonlyArray<Counted>,
  { outage, withinMillis }: Setting
): Omit<Figures, "mostAttempts"> => {
  // The share of all operations that an outage can affect.
  const weight = outage === undefined ? 0 : (outage.lastsMillis + 2 * withinMillis) / outage.everyMillis
  const weighed = (calm: number, out: number) => (1 - weight) * calm + weight * out
  const perOperation = (count: "succeeded" | "attempts") =>
    Estimate.ofRuns(counted.map(({ calm, outage }) => weighed(ratio(calm, count), ratio(outage, count))))
  const byCounts = (stretch: "calm" | "outage") => {
    const total = (count: keyof Counts) => Estimate.sum(counted.map((run) => run[stretch][count]))
    return Estimate.ofCounts(total("succeeded"), total("operations"))
  }
  const [calm, out] = [byCounts("calm"), byCounts("outage")]
  const succeeded = perOperation("succeeded")
  const { mean } = succeeded
  return {
    succeeded: Estimate.between(
      Estimate.widest(succeeded, { mean, low: weighed(calm.low, out.low), high: weighed(calm.high, out.high) }),
      0,
      1
    ),
    load: Estimate.between(perOperation("attempts"), 1, Infinity),
    outageLoad: outage === undefined ? undefined : loadOf(counted.map(({ during }) => during))
  }
}

const loadOf = (during: ReadonlyArray<Counted["during"]>): Estimate.Estimate =>
  Estimate.between(
    Estimate.ofRuns(during.map(({ attempts, operations }) => attempts / Math.max(1, operations))),
    0,
    Infinity
  )

const ratio = (counts: Counts, count: "succeeded" | "attempts"): number =>
  counts[count] / Math.max(1, counts.operations)
