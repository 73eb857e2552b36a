/**
 * A row of the tables by which outcomes are judged.
 */
import type { Verdict } from "@effect-retry/core"

/**
 * Whether the request may have had an effect: it was never sent, it was certainly not processed, or this is unknown.
 *
 * @category models
 */
export type Processing = (typeof processings)[number]

export const processings = ["NotSent", "NotProcessed", "Unknown"] as const

/**
 * What a status or an error code means.
 *
 * @category models
 */
export interface Case {
  /** The kind of failure; absent if it is not retryable, or only with a hint. */
  readonly kind?: Verdict.Kind | undefined
  /** The kind if the response says how long to wait. @default `kind` */
  readonly hinted?: Verdict.Kind | undefined
  /** @default "Unknown" */
  readonly processing?: Processing | undefined
}
