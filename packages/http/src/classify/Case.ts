/**
 * A row of the tables by which outcomes are judged.
 */
import type { Verdict } from "@effect-retry/core"

/**
 * Whether the request can have had an effect: it never left, it certainly was not processed, or it is not known.
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
  /** The kind of failure; absent where it is not retryable, or only with a hint. */
  readonly kind?: Verdict.Kind | undefined
  /** The kind where the response says how long to wait. @default `kind` */
  readonly hinted?: Verdict.Kind | undefined
  /** @default "Unknown" */
  readonly processing?: Processing | undefined
}
