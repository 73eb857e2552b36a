/**
 * Fits: the policy with the least load that achieves what you wish from a server.
 *
 * It simulates policies with the loop and the buckets of core, all of them against the same calls. To explain a policy
 * that you have, use `Plan`; to see what many clients with it do to a server, use `Load`.
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
 * What is known about a server, and about the traffic of one client.
 *
 * @category models
 */
export interface KnownServer {
  /** The probability that an attempt fails outside of an outage, independently of all others: 0..1. */
  readonly failureProbability: number
  readonly latency: LatencyModel.Latencies
  /** During an outage every attempt fails, after the time that answers take. `every` counts from start to start. */
  readonly outage?: { readonly lasts: Duration.DurationInput; readonly every: Duration.DurationInput }
  /** Operations per second of one client, the process that has the bucket. @default 10 */
  readonly operationsPerSecond?: number
}

/**
 * The goal of a fit.
 *
 * @category models
 */
export interface Wish {
  /** The ratio of all operations that should succeed in time. */
  readonly succeeded: number
  /** How long an operation may take. */
  readonly within: Duration.DurationInput
  /** The largest number of attempts per operation during an outage. @default no limit */
  readonly outageLoad?: number
}

/**
 * The server, the goal, and how to simulate.
 *
 * @category models
 */
export interface Options {
  readonly server: KnownServer
  readonly wish: Wish
  readonly seed: number | string
  /** The number of operations outside outages in each simulation, 100 to 100000. @default 1000 */
  readonly operations?: number
}

/**
 * A policy with its estimates from simulations.
 *
 * @category models
 */
export interface Fitted {
  /** The client, to use or to simulate further, as in `Load.recovery(fitted.client, …)`. */
  readonly client: Candidates.FittedClient
  /** The policy, and the bucket if there is one, as TypeScript. */
  readonly code: string
  /** The ratio of operations that succeed in time. */
  readonly succeeded: Estimate
  /** Attempts per operation. */
  readonly load: Estimate
  /** Attempts per operation during an outage; `None` if the server has none. */
  readonly outageLoad: Option.Option<Estimate>
}

/**
 * The result of a fit.
 *
 * @category models
 */
export type Fit =
  | {
      readonly _tag: "Met"
      /** The policy with the least load among those that achieve the goal. */
      readonly best: Fitted
      /** The next best one that achieves it, made of other parts. */
      readonly runnerUp: Option.Option<Fitted>
      readonly simulations: number
    }
  | {
      readonly _tag: "Missed"
      /** The policy that comes closest to the goal. */
      readonly nearest: Fitted
      readonly simulations: number
    }

const owner = "Fit.fit"

/** Operations that may begin around one outage. */
const mostAround = 20_000

/**
 * Finds the policy that achieves the goal with the least load, by simulations with core's loop and buckets.
 *
 * It chooses from one to eight attempts, exponential back-off with full jitter from 20 milliseconds, 200 milliseconds or 2
 * seconds, no attempt timeout or one within which 90 to 99 % of the answers arrive, and no bucket or a success-credited
 * one with a ratio of 0.1 or 0.3; the deadline is the allowed time. It makes at most 90 simulations, each in a separate
 * turn of the event loop. All policies meet the same calls.
 * The same seed gives the same result, and a lower `succeeded` or a higher `outageLoad` never gives one with more load.
 *
 * Policies are compared by the means; the intervals show their uncertainty. All failures are retryable and carry no
 * hint, and retries do not slow down the server; to see the effect on a server with a queue, use `Load.recovery`.
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
  Argument.seed(owner, seed)
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

/** A policy that was tried. */
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
    /** Tries a policy, and returns whether more attempts are worth trying. */
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

/** Whether further attempts change nothing, or only add load where there is already enough or too much. */
const isLast = (one: Tried, wanted: Limits, fitting: ReadonlyArray<Tried>): boolean =>
  isMet(one, wanted) ||
  one.figures.mostAttempts < one.parts.maxAttempts ||
  (one.figures.outageLoad?.mean ?? 1) > wanted.outageLoad ||
  (fitting[1] !== undefined && byLoad(one, fitting[1]) > 0)

/**
 * The least load first; for equal loads the one that succeeds more often, then the simplest one, then the one with the
 * longest delay.
 */
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

/** How far a policy misses the goal, relative to the goal. */
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
