/**
 * Fits: the policy of least load that does what is wanted of a server.
 *
 * It simulates policies with the loop and the buckets of core, all of them against the same calls. It changes no policy that
 * you have: `Plan` explains one, and `Load` shows what many clients with one do to a server.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Candidates from "./Candidates.ts"
import * as Draws from "../chance/Draws.ts"
import type { Estimate } from "./Estimate.ts"
import * as LatencyModel from "./LatencyModel.ts"
import * as Timekeeper from "../clock/Timekeeper.ts"
import * as Trial from "./Trial.ts"

/**
 * What is known of a server, and of the traffic of one client.
 *
 * @category models
 */
export interface KnownServer {
  /** The probability that an attempt fails outside of an outage, independently of all others: 0..1. */
  readonly failureProbability: number
  readonly latency: LatencyModel.Latencies
  /** While there is one, every attempt fails, after the time that answers take. `every` counts from start to start. */
  readonly outage?: { readonly lasts: Duration.DurationInput; readonly every: Duration.DurationInput }
  /** Operations that one client begins in a second: the process that has the bucket. @default 10 */
  readonly operationsPerSecond?: number
}

/**
 * What is wanted.
 *
 * @category models
 */
export interface Wish {
  /** The ratio of all operations that shall succeed in time. */
  readonly succeeded: number
  /** How long an operation may take. */
  readonly within: Duration.DurationInput
  /** Attempts per operation that are allowed while there is an outage. @default no limit */
  readonly outageLoad?: number
}

/**
 * What is known, and what is wanted.
 *
 * @category models
 */
export interface Options {
  readonly server: KnownServer
  readonly wish: Wish
  readonly seed: number | string
  /** Operations in calm that each simulation has, 100 to 100000. @default 1000 */
  readonly operations?: number
}

/**
 * A policy with what simulations say of it.
 *
 * @category models
 */
export interface Fitted {
  /** To use and to simulate further, as in `Load.recovery(fitted.client, …)`. */
  readonly client: Candidates.FittedClient
  /** The policy, and the bucket where there is one, as TypeScript. */
  readonly code: string
  /** The ratio of operations that succeed in time. */
  readonly succeeded: Estimate
  /** Attempts per operation. */
  readonly load: Estimate
  /** Attempts per operation while there is an outage; `None` where the server has none. */
  readonly outageLoad: Option.Option<Estimate>
}

/**
 * The answer of a fit.
 *
 * @category models
 */
export type Fit =
  | {
      readonly _tag: "Met"
      /** It does what is wanted, and of all that do it has the least load. */
      readonly best: Fitted
      /** The next one of those that do, made of other parts. */
      readonly runnerUp: Option.Option<Fitted>
      readonly simulations: number
    }
  | {
      readonly _tag: "Missed"
      /** It comes nearest to what is wanted. */
      readonly nearest: Fitted
      readonly simulations: number
    }

const owner = "Fit.fit"

/** Operations that may begin around one outage. */
const mostAround = 20_000

/**
 * Searches the policy that does what is wanted with the least load, by simulations with the loop and the buckets of core.
 *
 * It chooses from one to eight attempts, exponential back-off with full jitter from 20 milliseconds, 200 milliseconds or 2
 * seconds, no attempt timeout or one that 90 to 99 of 100 answers stay below, and no bucket or a success-credited one with a
 * ratio of 0.1 or 0.3; the deadline is the time that is allowed. It makes at most 90 simulations, each in a turn of its own of the event loop.
 * All policies meet the same calls.
 * The same seed gives the same answer, and a lower `succeeded` or a higher `outageLoad` never one with more load.
 *
 * Policies are judged by the means; the intervals say how far those can be off. All failures are retryable and carry no hint, and
 * retries do not slow the server down: `Load.recovery` shows what they do to one with a queue.
 *
 * @category running
 */
export const fit = (options: Options): Effect.Effect<Fit> => {
  const setting = settingOf(options)
  const { succeeded, outageLoad } = options.wish
  Argument.number(owner, "wish.succeeded", succeeded, { min: 0, max: 1 })
  if (outageLoad !== undefined) {
    Argument.number(owner, "wish.outageLoad", outageLoad, { min: 1 })
    if (setting.outage === undefined) {
      Argument.refuse(owner, "wish.outageLoad", "absent where server.outage is", outageLoad)
    }
  }
  return search(setting, { succeeded, outageLoad: outageLoad ?? Infinity })
}

const settingOf = ({ operations = 1000, seed, server, wish }: Options): Trial.Setting => {
  if (typeof seed !== "string") Argument.number(owner, "seed", seed, { min: -Infinity })
  const { failureProbability, latency, operationsPerSecond = 10, outage } = server
  const withinMillis = Argument.millis(owner, "wish.within", wish.within, { min: 1 })
  const perSecond = Argument.number(owner, "server.operationsPerSecond", operationsPerSecond, {
    min: 0,
    exclusive: true
  })
  return {
    failureProbability: Argument.number(owner, "server.failureProbability", failureProbability, { min: 0, max: 1 }),
    latency: LatencyModel.make(owner, "server.latency", latency),
    requestsPerMilli: perSecond / 1000,
    withinMillis,
    outage: outage === undefined ? undefined : outageOf(outage, withinMillis, perSecond),
    calm: Argument.number(owner, "operations", operations, { min: 100, max: 100_000, integer: true }) / Trial.runs,
    draws: Draws.make(seed)
  }
}

const outageOf = (
  outage: NonNullable<KnownServer["outage"]>,
  withinMillis: number,
  perSecond: number
): NonNullable<Trial.Setting["outage"]> => {
  const lastsMillis = Argument.millis(owner, "server.outage.lasts", outage.lasts, { min: 1 })
  const around = ((lastsMillis + 2 * withinMillis) / 1000) * perSecond
  if (around > mostAround) {
    const allowed = `so few that at most ${mostAround} operations begin around an outage: those of one process will do`
    Argument.refuse(owner, "server.operationsPerSecond", allowed, perSecond)
  }
  const everyMillis = Argument.millis(owner, "server.outage.every", outage.every, {
    min: lastsMillis + 2 * withinMillis
  })
  return { lastsMillis, everyMillis }
}

interface Limits {
  readonly succeeded: number
  readonly outageLoad: number
}

/** A policy that was looked at. */
interface Tried {
  readonly parts: Candidates.Parts
  readonly figures: Trial.Figures
}

const search = (setting: Trial.Setting, wanted: Limits): Effect.Effect<Fit> =>
  Effect.gen(function* () {
    const tried: Array<Tried> = []
    let fitting: ReadonlyArray<Tried> = []
    let simulations = 0
    const simulate = (parts: Candidates.Parts) =>
      Effect.map(Timekeeper.turn, () => {
        simulations += 1
        return Trial.run(Candidates.client(parts), setting)
      })
    /** Answers whether more attempts are worth a look. */
    const look = (parts: Candidates.Parts, runs: Trial.Runs): boolean => {
      const one = { parts, figures: Trial.figures(runs, setting, parts.maxAttempts) }
      tried.push(one)
      if (isMet(one, wanted)) fitting = [...fitting, one].toSorted(byLoad).slice(0, 2)
      return !isLast(one, wanted, fitting)
    }
    const { mostAttempts } = Candidates
    for (const family of Candidates.families(setting)) {
      if (family.bucketRatio === undefined) {
        const runs = yield* simulate({ ...family, maxAttempts: mostAttempts })
        for (let maxAttempts = 1; look({ ...family, maxAttempts }, runs) && maxAttempts < mostAttempts;) maxAttempts++
      } else {
        for (let maxAttempts = 2; maxAttempts <= mostAttempts; maxAttempts++) {
          const parts = { ...family, maxAttempts }
          if (!look(parts, yield* simulate(parts))) break
        }
      }
    }
    return answerOf({ tried, fitting, wanted, simulations })
  })

const isMet = ({ figures }: Tried, wanted: Limits): boolean =>
  figures.succeeded.mean >= wanted.succeeded && (figures.outageLoad?.mean ?? 1) <= wanted.outageLoad

/** Whether further attempts change nothing, or only add load to what is enough or too much already. */
const isLast = (one: Tried, wanted: Limits, fitting: ReadonlyArray<Tried>): boolean =>
  isMet(one, wanted) ||
  one.figures.mostAttempts < one.parts.maxAttempts ||
  (one.figures.outageLoad?.mean ?? 1) > wanted.outageLoad ||
  (fitting[1] !== undefined && byLoad(one, fitting[1]) > 0)

/** The least load first; of equal loads what succeeds more often, of those the simplest, and of those the longest delay. */
const byLoad = (one: Tried, other: Tried): number =>
  one.figures.load.mean - other.figures.load.mean ||
  other.figures.succeeded.mean - one.figures.succeeded.mean ||
  partsOf(one.parts) - partsOf(other.parts) ||
  other.parts.baseMillis - one.parts.baseMillis

const partsOf = ({ bucketRatio, timeoutMillis }: Candidates.Parts): number =>
  (bucketRatio === undefined ? 0 : 1) + (timeoutMillis === undefined ? 0 : 1)

interface Searched {
  readonly tried: ReadonlyArray<Tried>
  readonly fitting: ReadonlyArray<Tried>
  readonly wanted: Limits
  readonly simulations: number
}

const answerOf = ({ fitting, simulations, tried, wanted }: Searched): Fit => {
  const [best, runnerUp] = fitting
  if (best !== undefined) {
    return {
      _tag: "Met",
      best: fitted(best),
      runnerUp: Option.map(Option.fromNullable(runnerUp), fitted),
      simulations
    }
  }
  const nearest = tried.toSorted(
    (one, other) => shortfall(one, wanted) - shortfall(other, wanted) || byLoad(one, other)
  )
  return { _tag: "Missed", nearest: fitted(nearest[0]!), simulations }
}

/** How much is missing, as a part of what is wanted. */
const shortfall = ({ figures }: Tried, { outageLoad, succeeded }: Limits): number =>
  Math.max(
    0,
    (succeeded - figures.succeeded.mean) / Math.max(succeeded, Number.MIN_VALUE),
    outageLoad === Infinity ? 0 : (figures.outageLoad?.mean ?? 1) / outageLoad - 1
  )

const fitted = ({ figures, parts }: Tried): Fitted => ({
  client: Candidates.client(parts),
  code: Candidates.code(parts),
  succeeded: figures.succeeded,
  load: figures.load,
  outageLoad: Option.fromNullable(figures.outageLoad)
})
