/**
 * May this request be sent again?
 */
import type { HttpClientRequest } from "@effect/platform"
import type { Processing } from "../classify/HttpClassifier.ts"

/**
 * What makes a request repeatable. Names of headers in lower case, of methods in upper case.
 *
 * @category models
 */
export interface Idempotency {
  /** Methods that may be sent again as they are. */
  readonly methods: ReadonlyArray<string>
  /** The header with a key by which the server recognises a repetition. */
  readonly keyHeader: string
  /** Methods whose requests get a key of their own where they carry none: for servers that honour keys. */
  readonly createKeyFor: ReadonlyArray<string>
  /** Headers with a condition that a repetition of a request that was carried out no longer meets. */
  readonly preconditions: ReadonlyArray<string>
}

/**
 * Whether a request may be sent again, and why, in words.
 *
 * @category models
 */
export type Repeatable =
  | { readonly _tag: "Repeatable"; readonly because: string }
  | { readonly _tag: "NotRepeatable"; readonly why: string }

export declare const judge: (
  rules: Idempotency,
  request: HttpClientRequest.HttpClientRequest,
  processing: Processing
) => Repeatable
