/**
 * Bounds what attempts that are not followed one by one can add.
 */
import type { Leaf, Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type * as Hint from "@effect-retry/core/Hint"
import * as HintRule from "@effect-retry/core/unstable/HintRule"
import { longestMillis, wholeMillis } from "@effect-retry/core/unstable/Millis"
import type { Followed, Journey } from "./Journey.ts"
import * as Limits from "./Limits.ts"
import type { Path } from "../bounds/Paths.ts"
import type { Scheduled } from "./PlanRecord.ts"
import { withinMillis } from "../bounds/Times.ts"

/** How many delays of all curves together are computed. */
const mostDelays = 20_000

/**
 * Bounds the operations that have reached attempt `attempt` on these paths.
 *
 * No delay of a back-off is longer than the longest that one of its curves has given so far. The waits also end with
 * the deadline, or before a time limit of the back-off.
 */
export const remainder = (
  journey: Journey,
  paths: ReadonlyArray<Path>,
  attempt: number
): Pick<Followed, "elapsedMillis" | "waitedMillis"> => {
  const most = Limits.mostAttempts(journey.policy)
  const delays = longestDelays(journey, attempt, most)
  const run = Limits.longestRun(journey, Limits.longestAttempt, 0)
  const runs = run === 0 ? 0 : run * (most - attempt + 1)
  const waited = Math.max(...paths.map(({ waitedMost }) => waitedMost)) + delays
  const elapsed = Math.max(...paths.map(({ latest }) => latest)) + delays + runs
  const bound = bounds(journey, lastStart(journey))
  return {
    waitedMillis: Math.min(bounded(waited), bound.waitedMillis),
    elapsedMillis: Math.min(bounded(elapsed), bound.elapsedMillis)
  }
}

/** The bounds from a policy's deadline and timeout, if its last attempt starts at `lastMillis` or before. */
export const bounds = (
  { policy, takesMillis }: Pick<Journey, "takesMillis"> & { readonly policy: Scheduled<unknown> },
  lastMillis = Limits.latestStart(policy.deadline)
): Pick<Followed, "elapsedMillis" | "waitedMillis"> => {
  const { deadline } = policy
  if (deadline?._tag === "Cut") return { waitedMillis: deadline.withinMillis, elapsedMillis: deadline.withinMillis }
  const longest =
    lastMillis === Infinity ? 0 : Limits.longestRun({ policy, takesMillis }, Limits.longestAttempt, lastMillis)
  return { waitedMillis: lastMillis, elapsedMillis: lastMillis + longest }
}

/** A time longer than any single delay counts as unbounded. */
const bounded = (millis: number): number => (millis > longestMillis ? Infinity : millis)

/** The latest start of an attempt: a hint can make a wait longer than the back-off's time limit allowed. */
const lastStart = ({ hint, policy, tree }: Journey): number =>
  Math.min(Limits.latestStart(policy.deadline), hint._tag === "Ignore" ? Math.ceil(withinMillis(tree)) - 1 : Infinity)

/** The total of the delays from attempt `attempt` on. */
const longestDelays = (journey: Journey, attempt: number, most: number): number => {
  const leaves = leavesOf(journey.tree)
  if (most * leaves.length > mostDelays) return bent(journey.hint, capOf(leaves)) * (most - attempt)
  let longest = 0
  let sum = 0
  for (let retry = 1; retry < most; retry++) {
    for (const leaf of leaves) longest = Math.max(longest, longestDelay(leaf, retry))
    if (retry >= attempt) sum += bent(journey.hint, longest)
  }
  return sum
}

const leavesOf = (tree: Tree): ReadonlyArray<Leaf> => {
  const found: Array<Leaf> = []
  BackoffTree.some(tree, (part) => {
    if (part._tag === "Leaf") found.push(part)
    return false
  })
  return found
}

const capOf = (leaves: ReadonlyArray<Leaf>): number => Math.max(...leaves.map(({ capMillis }) => capMillis))

const longestDelay = ({ capMillis, curve, jitter }: Leaf, retry: number): number => {
  const [, greatest] = curve.intervalMillis(retry, capMillis)
  const [, drawn] = jitter.interval(Math.min(greatest, capMillis))
  return wholeMillis(drawn, capMillis)
}

const bent = (hint: Hint.Hint, delayMillis: number): number =>
  Math.max(delayMillis, HintRule.bend(hint, delayMillis, Limits.longestHint(hint), 1) ?? delayMillis)
