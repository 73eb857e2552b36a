/**
 * What a plan follows, and what it has found.
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
  /** The parts of the tree: what a step of it costs at most. */
  readonly parts: number
  /** The kinds that the policy tells apart. */
  readonly kinds: ReadonlyArray<Kind>
  /** Whether a part of the back-off tells kinds apart. */
  readonly byKind: boolean
  /** The lengths of an attempt that start a part of the back-off over, in rising order. */
  readonly resets: ReadonlyArray<number>
  /** Whether a part of the back-off ends by time. */
  readonly timed: boolean
  /** All operations before their first failure. */
  readonly start: Path
  /** How long an attempt takes at most, where no timeout ends it before. */
  readonly takesMillis: number
  /** The rule for hints, where every server sends them. */
  readonly hint: Hint.Hint
  /** Attempts that get a row of the table. */
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
  /** Attempts that can be made; more may follow where it is not `complete`. */
  readonly attempts: number
  readonly complete: boolean
  /** What follows where it is `complete`; a bound of what can follow where it is not. */
  readonly waitedMillis: number
  readonly elapsedMillis: number
  /** What refused the attempt after the last one. */
  readonly refusedBy: "Backoff" | "Deadline" | undefined
  /** The first attempt that not every operation may reach; `Infinity` where all of them can. */
  readonly uncertainFrom: number
  /** Whether the draw of a step makes a difference. */
  readonly spreads: boolean
}
