/**
 * What the errors of stores say.
 */
import type { Reason } from "./StoreReason.ts"

/**
 * The bucket, what the reason means for its store, and the code where there is one.
 *
 * @category constructors
 */
export const make = (
  { bucket, code, reason }: { readonly bucket: string; readonly code: string; readonly reason: Reason },
  texts: { readonly [R in Reason]: string }
): string => `${bucket}: ${texts[reason]}${code === "" ? "" : ` (${code})`}`
