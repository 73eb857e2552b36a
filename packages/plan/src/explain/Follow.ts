/**
 * Follows all operations of a policy at once: all kinds of failures, attempt lengths and draws, as a few paths with
 * intervals.
 *
 * Paths split only when the back-off's tree does: by kind, by attempts long enough to start it over, and by parts whose
 * time may be up. Paths that reach the same tree are merged. The work is bounded: if there are too many paths to
 * follow, the remaining attempts are bounded instead.
 */
import type { Failure, Step, Telling } from "./Failing.ts"
import { clippedLatest, failuresOf, stepsOf } from "./Failing.ts"
import type { Delay, Followed, Journey, Row } from "./Journey.ts"
import * as Limits from "./Limits.ts"
import type { Path } from "../bounds/Paths.ts"
import * as Paths from "../bounds/Paths.ts"
import { remainder } from "./Remainder.ts"

/** How many attempts a plan follows. */
export const mostFollowed = 2_000

/** How many parts of a back-off are stepped, besides those for means. */
const mostWork = 12_000

/** The number of draws for the means of all attempts, for those of one attempt, and the least for one mean. */
const meanDraws = { ofAll: 20_000, ofAttempt: 1_000, ofFailure: 8 }

/** The findings on the attempts so far, and the paths on which the last of them starts. */
interface State extends Omit<Followed, "complete" | "refusedBy"> {
  readonly paths: ReadonlyArray<Path>
  readonly work: number
}

type Merge = ReturnType<typeof Paths.merger>

export const follow = (journey: Journey, mostAttempts: number): Followed => {
  const merge = Paths.merger()
  let state: State | Followed = {
    rows: [rowOf(journey, 1, [journey.start], undefined)],
    attempts: 1,
    waitedMillis: 0,
    elapsedMillis: endMillis(journey, 1, journey.start),
    uncertainFrom: Infinity,
    spreads: false,
    paths: [journey.start],
    work: 0
  }
  while (!("complete" in state)) state = advance(journey, state, mostAttempts, merge)
  return state
}

/** From one attempt to the next, or to the end. */
const advance = (journey: Journey, state: State, mostAttempts: number, merge: Merge): State | Followed => {
  const { attempts, paths } = state
  const failures = paths.flatMap((path) => failuresOf(journey, attempts, path))
  const retried = failures.filter(({ spent }) => !spent)
  if (retried.length === 0) return { ...state, complete: true, refusedBy: undefined }
  const telling = { attempts, draws: attempts < journey.rows ? drawsFor(journey, retried) : undefined }
  const work = state.work + workOf(journey, retried)
  const steps = attempts < mostAttempts && work <= mostWork ? allSteps(journey, retried, telling) : undefined
  if (steps === undefined) {
    return { ...state, ...remainder(journey, paths, attempts), complete: false, refusedBy: undefined }
  }
  const noted = note(journey, state, steps)
  const reached = steps.filter(({ next }) => next.length > 0)
  if (reached.length === 0) {
    const refusedBy = retried.length < failures.length ? undefined : steps.length === 0 ? "Backoff" : "Deadline"
    return { ...noted, complete: true, refusedBy }
  }
  return start(journey, { ...noted, work, paths: merge(reached.flatMap(({ next }) => next)) }, reached)
}

/** Records what the steps after an attempt show, whether or not another attempt follows. */
const note = (journey: Journey, state: State, steps: ReadonlyArray<Step>): State => {
  const { deadline } = journey.policy
  const certain = steps.every((step) => step.certain)
  return {
    ...state,
    waitedMillis: steps.reduce((most, step) => Math.max(most, step.waitedMillis), state.waitedMillis),
    elapsedMillis: !certain && deadline?._tag === "Cut" ? deadline.withinMillis : state.elapsedMillis,
    uncertainFrom: Math.min(state.uncertainFrom, certain ? Infinity : state.attempts + 1),
    spreads: state.spreads || steps.some(({ delay }) => delay.least < delay.most)
  }
}

/** Starts the next attempt, on the paths that have reached it. */
const start = (journey: Journey, state: State, reached: ReadonlyArray<Step>): State => {
  const attempts = state.attempts + 1
  const ends = state.paths.map((path) => endMillis(journey, attempts, path))
  return {
    ...state,
    attempts,
    elapsedMillis: Math.max(state.elapsedMillis, ...ends),
    rows:
      attempts <= journey.rows
        ? [...state.rows, rowOf(journey, attempts, state.paths, worstDelay(reached))]
        : state.rows
  }
}

/** A bound on the number of stepped parts: for the extremes of the draw, and for cases and keys. */
const workOf = ({ parts, timed }: Journey, failures: ReadonlyArray<Failure>): number =>
  parts * failures.length * (timed ? 14 : 6)

/** The more there is to step, the fewer draws, so that the means of all attempts together cost about the same. */
const drawsFor = ({ parts, rows }: Journey, failures: ReadonlyArray<Failure>): number => {
  const draws = Math.min(meanDraws.ofAttempt, meanDraws.ofAll / rows)
  return Math.max(meanDraws.ofFailure, Math.floor(draws / (parts * failures.length)))
}

/** All steps; `undefined` if not all can be followed. Kinds that the back-off does not distinguish are stepped together. */
const allSteps = (
  journey: Journey,
  failures: ReadonlyArray<Failure>,
  telling: Telling
): ReadonlyArray<Step> | undefined => {
  const all: Array<Step> = []
  const ofKinds = new Map<string, ReadonlyArray<Step>>()
  let latest: Path | undefined
  for (const failure of failures) {
    if (failure.path !== latest) ofKinds.clear()
    latest = failure.path
    const key = journey.byKind ? `${failure.kind} ${failure.ranLeast}` : `${failure.ranLeast}`
    const steps = ofKinds.get(key) ?? stepsOf(journey, failure, telling)
    if (steps === undefined) return undefined
    ofKinds.set(key, steps)
    all.push(...steps.map((step) => after(step, failure)))
  }
  return all
}

/** A step with the failures so far of the kind that it follows. */
const after = (step: Step, { failures }: Failure): Step => ({
  ...step,
  next: step.next.map((path) => ({ ...path, failures }))
})

const endMillis = (journey: Journey, attempt: number, path: Path): number => {
  const latest = clippedLatest(journey, path)
  return latest + Limits.longestRun(journey, attempt, latest)
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
