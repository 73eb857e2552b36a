/**
 * What an attempt over HTTP came to: a verdict, and whether the server can have processed the request.
 *
 * The rules are tables: add a row or take one out by spread.
 */
import type { Verdict } from "@effect-retry/core"
import type { HintHeader } from "./HintHeader.ts"

/**
 * Whether the request can have had an effect: it never left, it certainly was not processed, or nobody knows.
 *
 * @category models
 */
export type Processing = "NotSent" | "NotProcessed" | "Unknown"

/**
 * What a status or an error code means.
 *
 * @category models
 */
export interface Case {
  /** The kind of failure; absent where it is retryable only with a hint. */
  readonly kind?: Verdict.Kind | undefined
  /** The kind where the response says how long to wait. @default `kind` */
  readonly hinted?: Verdict.Kind | undefined
  /** @default "Unknown" */
  readonly processing?: Processing | undefined
}

/**
 * Tables of what is retryable. Whatever is not in them is not.
 *
 * @category models
 */
export interface HttpClassifier {
  readonly statuses: { readonly [status: number]: Case | undefined }
  /** Codes of transport errors, such as `ECONNRESET`, wherever in the chain of causes. */
  readonly codes: { readonly [code: string]: Case | undefined }
  /** A transport error without a code that is known. `undefined`: not retryable. */
  readonly transport: Case | undefined
  /** Headers that say how long to wait, the first one with a valid value wins. */
  readonly hints: ReadonlyArray<HintHeader>
  /** Headers by which a server says `true` or `false` to "should this be retried", such as `x-should-retry`. */
  readonly directives: ReadonlyArray<string>
}

/**
 * @category models
 */
export interface Judgement {
  readonly verdict: Verdict.Verdict
  readonly processing: Processing
}
