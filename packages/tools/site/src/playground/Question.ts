/**
 * What the page asks its worker, and what the worker answers.
 */
import type { Band } from "./Figures.ts"
import type { Operation, Outage, Summary } from "./Operations.ts"
import type { PresetKey } from "./Presets.ts"
import type { Settings } from "./Settings.ts"

export type Question =
  | { readonly _tag: "Show"; readonly settings: Settings }
  | { readonly _tag: "Fit"; readonly settings: Settings }
  | { readonly _tag: "Take"; readonly preset: PresetKey }

export type Answer =
  | { readonly _tag: "Operations"; readonly operations: ReadonlyArray<Operation>; readonly outage: Outage }
  | { readonly _tag: "Delays"; readonly delays: ReadonlyArray<ReadonlyArray<number>> }
  | { readonly _tag: "Other"; readonly planned: Planned }
  | { readonly _tag: "Summary"; readonly ours: Summary; readonly other: Summary }
  | { readonly _tag: "Storm"; readonly storm: Storm }
  | { readonly _tag: "Guard"; readonly guarded: Guarded | undefined }
  | { readonly _tag: "Load"; readonly ours: Recovery; readonly other: Recovery; readonly isLast: boolean }
  | { readonly _tag: "Fitted"; readonly isMet: boolean; readonly found: ReadonlyArray<Found> }
  | { readonly _tag: "Taken"; readonly taken: Taken }
  | { readonly _tag: "Refused"; readonly message: string }

/** The plan of the policy to compare with. */
export interface Planned {
  readonly bands: ReadonlyArray<Band>
  readonly drawn: ReadonlyArray<ReadonlyArray<number>>
  readonly text: string
}

/** A policy that was searched for, with figures as text. */
export interface Found {
  readonly code: string
  readonly succeeded: string
  readonly load: string
  /** Empty where there is no outage. */
  readonly outageLoad: string
}

/** The policy of a package, as the controls have it. */
export interface Taken {
  /** Only those of the policy matter. */
  readonly settings: Settings
  /** What no control can express. */
  readonly left: ReadonlyArray<string>
  /** Its name, and its package. */
  readonly from: string
}

/** The attempts of clients that fail together, counted in parts of the time. */
export interface Storm {
  readonly binMillis: number
  readonly ours: ReadonlyArray<number>
  readonly other: ReadonlyArray<number>
}

/** What a guard did, counted in parts of the time. */
export interface Guarded {
  readonly rateLimiter: Settings["rateLimiter"]
  readonly binMillis: number
  readonly made: ReadonlyArray<number>
  readonly refused: ReadonlyArray<number>
  /** Whether it would have let no attempt through. */
  readonly shut: ReadonlyArray<boolean>
  readonly outage: Outage
}

/** A run of the load simulation, one value for a second; the outage begins at `outageFrom`. */
export interface Recovery {
  readonly recoveredAfterMillis: number | undefined
  readonly attempts: ReadonlyArray<number>
  readonly succeeded: ReadonlyArray<number>
}

/** Seconds of normal traffic that are shown before the outage. */
export const outageFrom = 10
