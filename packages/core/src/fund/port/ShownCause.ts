/**
 * What may be shown of a cause in the log when a bucket, an observer or another service dies.
 */
import type * as Cause from "effect/Cause"
import { InvalidArgument } from "../../accept/InvalidArgument.ts"
import * as Property from "../../accept/Property.ts"
import * as Causes from "../fiber/Causes.ts"

/** The same cause, with `show` applied to its errors and defects. An `InvalidArgument` is safe to show as it is. */
export const of = (cause: Cause.Cause<unknown>, show: (error: unknown) => unknown): Cause.Cause<unknown> =>
  Causes.mapped(cause, (error) => shown(error, show))

const shown = (error: unknown, show: (error: unknown) => unknown): unknown =>
  Property.isError(error) && error instanceof InvalidArgument ? error : show(error)
