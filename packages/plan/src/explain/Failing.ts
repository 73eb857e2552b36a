/**
 * The ways in which an attempt can fail, as far as its policy distinguishes them, and what follows each.
 */
import type { Failures } from "@effect-retry/core/unstable/Progress"
import { addFailure } from "@effect-retry/core/unstable/Progress"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type { Tree } from "@effect-retry/core/unstable/BackoffTree"
import type * as Hint from "@effect-retry/core/Hint"
import * as HintRule from "@effect-retry/core/unstable/HintRule"
import type { Kind } from "@effect-retry/core/Verdict"
import * as Verdict from "@effect-retry/core/Verdict"
import * as Extremes from "../bounds/Extremes.ts"
import type { Delay, Journey } from "./Journey.ts"
import * as Limits from "./Limits.ts"
import * as Means from "../bounds/Means.ts"
import type { Path } from "../bounds/Paths.ts"
import { casesOf } from "../bounds/Times.ts"
import type { Case } from "../bounds/Times.ts"

/** One way in which the current attempt of a path can fail. */
export interface Failure {
  readonly path: Path
  readonly kind: Kind
  readonly failures: Failures
  /** Whether no attempt is left after it. */
  readonly spent: boolean
  readonly ranLeast: number
  readonly ranMost: number
}

/** What follows a failure. */
export interface Step {
  readonly delay: Delay
  /** Empty if no attempt follows. */
  readonly next: ReadonlyArray<Path>
  readonly waitedMillis: number
  /** Whether an attempt follows in all operations of the path. */
  readonly certain: boolean
}

/** How much to compute for a step. */
export interface Telling {
  /** Attempts so far. */
  readonly attempts: number
  /** The number of draws for a mean; `undefined` if only the extremes are needed. */
  readonly draws: number | undefined
}

/** One failure for every kind, and for every set of parts that a long enough run would start over. */
export const failuresOf = (journey: Journey, attempt: number, path: Path): ReadonlyArray<Failure> => {
  const longest = Limits.longestRun(journey, attempt, path.earliest)
  const starts = journey.resets.filter((afterMillis) => afterMillis <= longest)
  return journey.kinds.flatMap((kind) => {
    const failures = addFailure(journey.prepared, path.failures, Verdict.retryable(kind))
    const spent = Limits.isSpent(journey.prepared, attempt, failures, kind)
    return [0, ...starts].map((ranLeast, i) => ({
      path,
      kind,
      failures,
      spent,
      ranLeast,
      ranMost: starts[i] ?? longest
    }))
  })
}

/** The lengths of a run that matter, in ascending order. */
export const resetsOf = (tree: Tree): ReadonlyArray<number> => {
  const found = new Set<number>()
  BackoffTree.some(tree, (part) => {
    if (part._tag === "ResetAfter") found.add(part.afterMillis)
    return false
  })
  return [...found].toSorted((a, b) => a - b)
}

/** The steps that can follow a failure: none if the back-off has ended, `undefined` if there may be too many. */
export const stepsOf = (journey: Journey, failure: Failure, telling: Telling): ReadonlyArray<Step> | undefined => {
  const { kind, path, ranLeast, ranMost } = failure
  const input: Extremes.Input = {
    kind,
    ranMillis: ranLeast,
    earlyMillis: path.earliest + ranLeast,
    lateMillis: clippedLatest(journey, path) + ranMost
  }
  const cases = casesOf(path.extremes, input)
  const steps = cases?.map((one) => stepOf(journey, failure, one, input, telling))
  const possible = steps?.flatMap((step) => step ?? [])
  const certain = possible?.length === steps?.length
  return certain ? possible : possible?.map((step) => ({ ...step, certain: false }))
}

export const clippedLatest = ({ policy }: Journey, { latest }: Path): number =>
  Math.min(latest, Limits.latestStart(policy.deadline))

/** Steps the back-off in one of its cases; `undefined` if it has ended. */
const stepOf = (
  journey: Journey,
  failure: Failure,
  { input, untilMillis }: Case,
  failed: Extremes.Input,
  telling: Telling
): Step | undefined => {
  const { deadline } = journey.policy
  const { path } = failure
  const range = Extremes.step(path.extremes, input)
  if (range === undefined) return undefined
  const mean = meanOf(failure, input, failed, telling)
  const [addsLeast, addsMost] = hinted(journey.hint, range)
  const waits = Limits.fit(deadline, failed.earlyMillis, addsLeast)
  // A hint can make a wait longer than the back-off's time limit allowed.
  const until = journey.hint._tag === "Ignore" ? Math.ceil(untilMillis) - 1 : Infinity
  const next = {
    extremes: range.rest,
    histories: mean?.rest ?? path.histories,
    failures: failure.failures,
    earliest: failed.earlyMillis + (waits ?? 0),
    latest: Math.min(path.latest + failure.ranMost + addsMost, until),
    ranLeast: path.ranLeast + failure.ranLeast,
    waitedMost: Math.min(path.waitedMost + addsMost, until - path.ranLeast - failure.ranLeast)
  }
  return {
    delay: {
      bound: telling.draws === undefined ? range.most : Extremes.boundMillis(path.extremes, input),
      least: range.least,
      mean: mean?.millis ?? range.most,
      most: range.most
    },
    next: waits === undefined ? [] : startedOver(journey, next),
    waitedMillis: waits !== undefined || deadline?._tag === "Cut" ? waitedWithin(deadline, next) : 0,
    certain: Limits.fit(deadline, failed.lateMillis, addsMost) !== undefined
  }
}

const meanOf = (
  { path, ranLeast }: Failure,
  { earlyMillis, kind }: Extremes.Input,
  failed: Extremes.Input,
  { attempts, draws }: Telling
): ReturnType<typeof Means.mean> => {
  if (draws === undefined) return undefined
  const elapsedMillis = Math.max(earlyMillis, failed.earlyMillis)
  return Means.mean(path.histories, attempts, { kind, ranMillis: ranLeast, elapsedMillis }, draws)
}

/** The longest total wait that a deadline leaves after the runs: with a cut it ends at the deadline, otherwise it ends before. */
const waitedWithin = (deadline: Journey["policy"]["deadline"], { ranLeast, waitedMost }: Path): number => {
  const atMost = deadline?._tag === "Cut" ? deadline.withinMillis : Limits.latestStart(deadline)
  return Math.max(0, Math.min(waitedMost, atMost - ranLeast))
}

/** The same path and, if a hint can start the back-off over, also the path after such a hint. */
const startedOver = ({ hint, start }: Journey, path: Path): ReadonlyArray<Path> =>
  hint._tag !== "Ignore" && hint.startsOver
    ? [path, { ...path, extremes: start.extremes, histories: start.histories }]
    : [path]

/** A server that asks for less asks for zero time, which is no hint unless the rule says so. */
const shortestHint = (hint: Hint.Hint): number => (hint._tag === "Override" && hint.zero === "atOnce" ? 0 : 1)

/** What a delay adds if the server may send any hint, or none. */
const hinted = (hint: Hint.Hint, range: Extremes.Range): readonly [least: number, most: number] => {
  if (hint._tag === "Ignore") return [range.addsLeast, range.addsMost]
  const shortened = HintRule.bend(hint, range.least, shortestHint(hint), 0) ?? range.least
  const lengthened = HintRule.bend(hint, range.most, Limits.longestHint(hint), 1) ?? range.most
  return [Math.min(range.least, shortened), Math.max(range.most, lengthened)]
}
