/**
 * What may be shown of a cause, for logs of a bucket, an observer or another service that died.
 */
import type * as Cause from "effect/Cause"
import { InvalidArgument } from "../../accept/InvalidArgument.ts"
import * as Property from "../../accept/Property.ts"
import * as Causes from "../fiber/Causes.ts"

/** The same cause, with what `show` answers of its errors and defects. An `InvalidArgument` is safe as it is. */
export const of = (cause: Cause.Cause<unknown>, show: (error: unknown) => unknown): Cause.Cause<unknown> =>
  Causes.mapped(cause, (error) => shown(error, show))

const shown = (error: unknown, show: (error: unknown) => unknown): unknown =>
  Property.isError(error) && error instanceof InvalidArgument ? error : show(error)
