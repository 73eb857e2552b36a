/**
 * Follows all operations of a policy at once: everything that a failure's kind, the length of attempts and the draws can
 * make of it, as few paths with intervals.
 *
 * Paths part only where the back-off's tree does: by kind, by attempts long enough to start it over, and by parts that
 * may have ended by time. Paths that arrive at the same tree are one again. The work is bounded: where there are too many
 * paths to follow, the attempts that remain are bounded instead.
 */
import type { Failure, Step, Telling } from "./Failing.ts"
import { clippedLatest, failuresOf, stepsOf } from "./Failing.ts"
import type { Delay, Followed, Journey, Row } from "./Journey.ts"
import * as Limits from "./Limits.ts"
import type { Path } from "./Paths.ts"
import * as Paths from "./Paths.ts"
import { remainder } from "./Remainder.ts"

/**
 * How many attempts a plan follows.
 *
 * @category constructors
 */
export const mostFollowed = 2_000

/**
 * How many parts of a back-off a plan steps.
 *
 * @category constructors
 */
export const mostWork = 60_000

/** Draws for the means of an attempt, shared by its failures, and the least that each of them has. */
const meanDraws = 1_000
const leastMeanDraws = 8

/**
 * @category destructors
 */
export const follow = (journey: Journey, mostAttempts: number): Followed => {
  const merge = Paths.merger()
  const rows = [rowOf(journey, 1, [journey.start], undefined)]
  let paths: ReadonlyArray<Path> = [journey.start]
  let work = 0
  let elapsedMillis = endMillis(journey, 1, journey.start)
  let waitedMillis = 0
  let uncertainFrom: number | undefined
  let spreads = false
  for (let attempts = 1; ; attempts++) {
    const found = { rows, attempts, waitedMillis, elapsedMillis, refusedBy: undefined, uncertainFrom, spreads }
    const failures = paths.flatMap((path) => failuresOf(journey, attempts, path))
    const retried = failures.filter(({ spent }) => !spent)
    if (retried.length === 0) return { ...found, complete: true }
    const told = attempts < journey.rows
    work += workOf(journey, retried, told)
    const steps =
      attempts < mostAttempts && work <= mostWork
        ? allSteps(journey, retried, { attempts, draws: told ? drawsFor(journey, retried) : undefined })
        : undefined
    if (steps === undefined) return { ...found, complete: false, ...remainder(journey, paths, attempts) }
    spreads ||= steps.some(({ delay }) => delay.least < delay.most)
    waitedMillis = greatest(
      [waitedMillis],
      steps.map((step) => step.waitedMillis)
    )
    if (steps.some(({ certain }) => !certain)) {
      uncertainFrom ??= attempts + 1
      if (journey.policy.deadline?._tag === "Cut") elapsedMillis = journey.policy.deadline.withinMillis
    }
    const reached = steps.filter(({ next }) => next.length > 0)
    if (reached.length === 0) {
      const refusedBy = retried.length < failures.length ? undefined : steps.length === 0 ? "Backoff" : "Deadline"
      return { ...found, waitedMillis, elapsedMillis, uncertainFrom, spreads, refusedBy, complete: true }
    }
    paths = merge(reached.flatMap(({ next }) => next))
    elapsedMillis = greatest(
      [elapsedMillis],
      paths.map((path) => endMillis(journey, attempts + 1, path))
    )
    if (told) rows.push(rowOf(journey, attempts + 1, paths, worstDelay(reached)))
  }
}

/** Parts stepped at most: for the ends of the draw, for bounds, cases and keys, and for means. */
const workOf = ({ parts, timed }: Journey, failures: ReadonlyArray<Failure>, told: boolean): number => {
  const eachTime = 6 + (timed ? 8 : 0) + (told ? 4 + leastMeanDraws : 0)
  return parts * failures.length * eachTime + (told ? meanDraws : 0)
}

/** The more there is to step, the fewer draws: the means of all attempts cost about the same. */
const drawsFor = ({ parts }: Journey, failures: ReadonlyArray<Failure>): number =>
  Math.max(leastMeanDraws, Math.floor(meanDraws / (parts * failures.length)))

/** `undefined` where not all can be followed. */
const allSteps = (
  journey: Journey,
  failures: ReadonlyArray<Failure>,
  telling: Telling
): ReadonlyArray<Step> | undefined => {
  const all: Array<Step> = []
  for (const failure of failures) {
    const steps = stepsOf(journey, failure, telling)
    if (steps === undefined) return undefined
    all.push(...steps)
  }
  return all
}

const greatest = (...lists: ReadonlyArray<ReadonlyArray<number>>): number => Math.max(...lists.flat())

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
