/**
 * What a plan follows, and what it finds.
 */
import type * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import type * as Hint from "@effect-retry/core/Hint"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import type { Kind } from "@effect-retry/core/Verdict"
import type { Path } from "../bounds/Paths.ts"
import type { Explainable } from "./PlanRecord.ts"

/** What is followed. */
export interface Journey {
  readonly policy: Explainable
  readonly prepared: Prepared
  readonly tree: BackoffTree.Tree
  /** The number of parts of the tree, which bounds the cost of a step. */
  readonly parts: number
  /** The kinds that the policy distinguishes. */
  readonly kinds: ReadonlyArray<Kind>
  /** Whether a part of the back-off distinguishes kinds. */
  readonly byKind: boolean
  /** The lengths of an attempt that start a part of the back-off over, in ascending order. */
  readonly resets: ReadonlyArray<number>
  /** Whether a part of the back-off has a time limit. */
  readonly timed: boolean
  /** All operations before their first failure. */
  readonly start: Path
  /** The longest duration of an attempt, unless a timeout ends it earlier. */
  readonly takesMillis: number
  /** The rule for hints, if every server sends them. */
  readonly hint: Hint.Hint
  /** The number of rows in the table. */
  readonly rows: number
}

/** An attempt, all times in milliseconds. */
export interface Row {
  readonly attempt: number
  readonly timeoutMillis: number | undefined
  readonly delay: Delay | undefined
  readonly earliest: number
  readonly latest: number
  readonly waited: number
}

export interface Delay {
  readonly bound: number
  readonly least: number
  readonly mean: number
  readonly most: number
}

/** The results for all operations together. */
export interface Followed {
  readonly rows: ReadonlyArray<Row>
  /** How many attempts can be made; if not `complete`, more may follow. */
  readonly attempts: number
  readonly complete: boolean
  /** The total wait if `complete`; otherwise a bound on it. */
  readonly waitedMillis: number
  readonly elapsedMillis: number
  /** What refused the attempt after the last one. */
  readonly refusedBy: "Backoff" | "Deadline" | undefined
  /** The first attempt that some operations may not reach; `Infinity` if all of them can. */
  readonly uncertainFrom: number
  /** Whether the draw of a step makes a difference. */
  readonly spreads: boolean
}
