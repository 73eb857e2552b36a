/**
 * Our errors that wrap another one.
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Untrusted from "../../accept/Untrusted.ts"

/** The class of errors with the fields `A` that wrap an error `E`. */
export interface Wrapping<Tag extends string> {
  new <A extends { readonly cause?: Untrusted.ShownError }, E = unknown>(
    fields: Omit<A, "cause"> & { readonly cause?: unknown }
  ): Cause.YieldableError & Readonly<A> & { readonly _tag: Tag; readonly error: E }
}

/**
 * Like `Data.TaggedError`, with what may be shown of another error as `cause`, and the other error itself as `error`: a
 * getter, which printing leaves out.
 */
export const TaggedError = <Tag extends string>(tag: Tag): Wrapping<Tag> => {
  class Wrapper extends Data.TaggedError(tag)<{ readonly cause?: Untrusted.ShownError }> {
    constructor({ cause, ...fields }: { readonly cause?: unknown }) {
      super({ ...fields, ...Untrusted.asCause(cause) })
    }

    get error(): unknown {
      return this.cause?.original
    }
  }
  return Wrapper as unknown as Wrapping<Tag>
}
