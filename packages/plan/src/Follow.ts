/**
 * Follows all operations of a policy at once: everything that a failure's kind, the length of attempts and the draws can
 * make of it, as few paths with intervals.
 *
 * Paths part only where the back-off's tree does: by kind, and by attempts long enough to start it over. Paths that
 * arrive at the same tree are one again.
 */
import type { Kind } from "@effect-retry/core/Verdict"
import type { Tree } from "@effect-retry/core/BackoffTree"
import * as BackoffTree from "@effect-retry/core/BackoffTree"
import * as Hint from "@effect-retry/core/Hint"
import * as Extremes from "./Extremes.ts"
import * as Limits from "./Limits.ts"
import type { Explainable } from "./PlanRecord.ts"

/**
 * What is followed.
 *
 * @category models
 */
export interface Journey {
  readonly policy: Explainable
  /** The kinds that the tree tells apart. */
  readonly kinds: ReadonlyArray<Kind>
  /** How long an attempt takes at most, where no timeout ends it before. */
  readonly takesMillis: number
  /** The rule for hints, where every server sends them. */
  readonly hint: Hint.Hint
  /** Attempts of which all is told. */
  readonly rows: number
}

/**
 * An attempt, all times in milliseconds.
 *
 * @category models
 */
export interface Row {
  readonly attempt: number
  readonly timeoutMillis: number | undefined
  readonly delay: Delay | undefined
  readonly earliest: number
  readonly latest: number
  readonly waited: number
}

/**
 * @category models
 */
export interface Delay {
  readonly bound: number
  readonly least: number
  readonly mean: number
  readonly most: number
}

/**
 * What has become of all operations.
 *
 * @category models
 */
export interface Followed {
  readonly rows: ReadonlyArray<Row>
  /** Attempts that can be made; more may follow where it is not `complete`. */
  readonly attempts: number
  readonly complete: boolean
  readonly waitedMillis: number
  readonly elapsedMillis: number
  /** What refused the attempt after the last one. */
  readonly refusedBy: "Backoff" | "Deadline" | undefined
  readonly uncertainFrom: number | undefined
  /** Whether the draw of a step makes a difference. */
  readonly spreads: boolean
}

/** Operations that have come to the same tree. */
interface Path {
  readonly extremes: Extremes.Extremes
  readonly histories: Extremes.Histories
  /** Start of the current attempt; the latest one as if there were no deadline. */
  readonly earliest: number
  readonly latest: number
  /** The least time spent in attempts. */
  readonly ranLeast: number
  /** The most time spent in delays, as if there were no deadline. */
  readonly waitedMost: number
}

/** One way in which the current attempt of a path can fail. */
interface Failure {
  readonly path: Path
  readonly kind: Kind
  readonly ranLeast: number
  readonly ranMost: number
}

/** What follows a failure. `next` is absent where no attempt does. */
interface Step {
  readonly delay: Delay
  readonly next: Path | undefined
  readonly waitedMillis: number
  readonly certain: boolean
}

/**
 * @category destructors
 */
export const follow = (journey: Journey, mostAttempts: number): Followed => {
  const { policy } = journey
  const { tree } = policy.backoff
  const start: Path = {
    extremes: Extremes.make(tree, Math.min(policy.maxAttempts, mostAttempts)),
    histories: Extremes.histories(tree),
    earliest: 0,
    latest: 0,
    ranLeast: 0,
    waitedMost: 0
  }
  const rows = [rowOf(journey, 1, [start], undefined)]
  const key = keys()
  let paths: ReadonlyArray<Path> = [start]
  let attempt = 1
  let work = 0
  let elapsedMillis = endMillis(journey, attempt, start)
  let waitedMillis = 0
  let refusedBy: Followed["refusedBy"]
  let uncertainFrom: number | undefined
  let spreads = false
  while (attempt < policy.maxAttempts && attempt < mostAttempts && work < Extremes.mostFollowed) {
    const failures = paths.flatMap((path) => failuresOf(journey, attempt, path))
    const told = attempt < journey.rows
    const steps = failures.flatMap((failure) => stepOf(journey, attempt, failure, told) ?? [])
    work += failures.length
    spreads ||= steps.some(({ delay }) => delay.least < delay.most)
    waitedMillis = Math.max(waitedMillis, ...steps.map((step) => step.waitedMillis))
    if (steps.some(({ certain }) => !certain)) {
      uncertainFrom ??= attempt + 1
      if (policy.deadline?._tag === "Cut") elapsedMillis = policy.deadline.withinMillis
    }
    const reached = steps.filter(({ next }) => next !== undefined)
    if (reached.length === 0) {
      refusedBy = steps.length === 0 ? "Backoff" : "Deadline"
      break
    }
    attempt += 1
    paths = merged(
      reached.flatMap(({ next }) => next ?? []),
      key
    )
    elapsedMillis = Math.max(elapsedMillis, ...paths.map((path) => endMillis(journey, attempt, path)))
    if (told) rows.push(rowOf(journey, attempt, paths, worstDelay(reached)))
  }
  const complete = attempt >= policy.maxAttempts || refusedBy !== undefined
  return { rows, attempts: attempt, complete, waitedMillis, elapsedMillis, refusedBy, uncertainFrom, spreads }
}

const clippedLatest = ({ policy }: Journey, { latest }: Path): number =>
  Math.min(latest, Limits.latestStart(policy.deadline))

const endMillis = (journey: Journey, attempt: number, path: Path): number => {
  const latest = clippedLatest(journey, path)
  return latest + Limits.longestRun(journey, attempt, latest)
}

/** A failure for every kind, and for every way in which a run is long enough, or not, to start the back-off over. */
const failuresOf = (journey: Journey, attempt: number, path: Path): ReadonlyArray<Failure> => {
  const longest = Limits.longestRun(journey, attempt, path.earliest)
  const starts = resetsOf(path.extremes.leasts).filter((afterMillis) => afterMillis <= longest)
  return [0, ...starts].flatMap((ranLeast, i) =>
    journey.kinds.map((kind) => ({ path, kind, ranLeast, ranMost: starts[i] ?? longest }))
  )
}

/** The lengths of a run that make a difference, in rising order. */
const resetsOf = (tree: Tree): ReadonlyArray<number> => {
  const found = new Set<number>()
  BackoffTree.some(tree, (part) => {
    if (part._tag === "ResetAfter") found.add(part.afterMillis)
    return false
  })
  return [...found].toSorted((a, b) => a - b)
}

/** Steps the back-off after a failure; `undefined` where it has ended. */
const stepOf = (journey: Journey, attempt: number, failure: Failure, told: boolean): Step | undefined => {
  const { kind, path, ranLeast, ranMost } = failure
  const { deadline } = journey.policy
  const input = { kind, ranMillis: ranLeast }
  const range = Extremes.step(path.extremes, input)
  if (range === undefined) return undefined
  const mean = told ? Extremes.mean(path.histories, attempt, input) : undefined
  const delay = {
    bound: told ? Extremes.boundMillis(path.extremes, input) : range.most,
    least: range.least,
    mean: mean?.millis ?? range.most,
    most: range.most
  }
  const [addsLeast, addsMost] = hinted(journey.hint, range)
  const waits = Limits.fit(deadline, path.earliest + ranLeast, addsLeast)
  const latestFailure = clippedLatest(journey, path) + ranMost
  const spent = path.ranLeast + ranLeast
  const unclipped = path.waitedMost + addsMost
  const atMost = deadline?._tag === "Cut" ? deadline.withinMillis : Limits.latestStart(deadline)
  const next = waits !== undefined && {
    extremes: range.rest,
    histories: mean?.rest ?? path.histories,
    earliest: path.earliest + ranLeast + waits,
    latest: path.latest + ranMost + addsMost,
    ranLeast: spent,
    waitedMost: unclipped
  }
  return {
    delay,
    next: next || undefined,
    waitedMillis: next || deadline?._tag === "Cut" ? Math.max(0, Math.min(unclipped, atMost - spent)) : 0,
    certain: Limits.fit(deadline, latestFailure, addsMost) !== undefined
  }
}

/** What a delay adds where a server may ask for anything, or for nothing. */
const hinted = (hint: Hint.Hint, range: Extremes.Range): readonly [least: number, most: number] => {
  if (hint._tag === "Ignore") return [range.addsLeast, range.addsMost]
  const shortened = Hint.bend(hint, range.least, 0, 0) ?? range.least
  const lengthened = Hint.bend(hint, range.most, Limits.longestHint(hint), 1) ?? range.most
  return [Math.min(range.least, shortened), Math.max(range.most, lengthened)]
}

const worstDelay = (steps: ReadonlyArray<Step>): Delay =>
  steps
    .map(({ delay }) => delay)
    .reduce((a, b) => ({
      bound: Math.max(a.bound, b.bound),
      least: Math.min(a.least, b.least),
      mean: Math.max(a.mean, b.mean),
      most: Math.max(a.most, b.most)
    }))

const rowOf = (journey: Journey, attempt: number, paths: ReadonlyArray<Path>, delay: Delay | undefined): Row => {
  const { deadline } = journey.policy
  const earliest = Math.min(...paths.map((path) => path.earliest))
  return {
    attempt,
    timeoutMillis: Limits.timeoutMillis(journey.policy, attempt, earliest),
    delay,
    earliest,
    latest: Math.max(...paths.map((path) => clippedLatest(journey, path))),
    waited: Math.max(...paths.map((path) => Math.min(path.waitedMost, Limits.latestStart(deadline) - path.ranLeast)))
  }
}

/** Makes one of the paths that have come to the same tree. */
const merged = (paths: ReadonlyArray<Path>, key: (extremes: Extremes.Extremes) => string): ReadonlyArray<Path> => {
  if (paths.length < 2) return paths
  const distinct = new Map<string, Path>()
  for (const path of paths) {
    const at = key(path.extremes)
    const known = distinct.get(at) ?? path
    distinct.set(at, {
      ...known,
      earliest: Math.min(known.earliest, path.earliest),
      latest: Math.max(known.latest, path.latest),
      ranLeast: Math.min(known.ranLeast, path.ranLeast),
      waitedMost: Math.max(known.waitedMost, path.waitedMost)
    })
  }
  return [...distinct.values()]
}

/** Trees with the same key are the same; what never changes is told apart by identity. */
const keys = (): ((extremes: Extremes.Extremes) => string) => {
  const ids = new Map<unknown, number>()
  const idOf = (value: unknown) => ids.get(value) ?? ids.set(value, ids.size + 1).size
  const replacer = (key: string, value: unknown) =>
    key === "curve" || key === "jitter" || key === "initial" ? idOf(value) : value === undefined ? "ended" : value
  return (extremes) => JSON.stringify(extremes, replacer)
}
