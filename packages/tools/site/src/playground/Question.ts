/**
 * What the page asks its worker, and what the worker answers.
 */
import type { Operation, Outage, Summary } from "./Operations.ts"
import type { PresetKey } from "./Presets.ts"
import type { Settings } from "./Settings.ts"

export interface Question {
  readonly settings: Settings
  readonly other: PresetKey
}

export type Answer =
  | { readonly _tag: "Operations"; readonly operations: ReadonlyArray<Operation>; readonly outage: Outage }
  | { readonly _tag: "Summary"; readonly ours: Summary; readonly other: Summary }
  | { readonly _tag: "Load"; readonly ours: Recovery; readonly other: Recovery; readonly isLast: boolean }
  | { readonly _tag: "Refused"; readonly message: string }

/** A run of the load simulation, one value for a second; the outage begins at `outageFrom`. */
export interface Recovery {
  readonly recoveredAfterMillis: number | undefined
  readonly attempts: ReadonlyArray<number>
  readonly succeeded: ReadonlyArray<number>
}

/** Seconds of normal traffic that are shown before the outage. */
export const outageFrom = 10
