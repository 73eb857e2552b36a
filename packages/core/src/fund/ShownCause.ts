/**
 * What may be shown of a cause, for logs of a bucket, an observer or another service that died.
 */
import * as Cause from "effect/Cause"
import * as Untrusted from "../accept/Untrusted.ts"

/**
 * The same cause, with what may be shown of its errors and defects.
 *
 * @category conversions
 */
export const of = (cause: Cause.Cause<unknown>): Cause.Cause<Untrusted.ShownError> =>
  Cause.match<Cause.Cause<Untrusted.ShownError>, unknown>(cause, {
    onEmpty: Cause.empty,
    onFail: (error) => Cause.fail(Untrusted.shown(error)),
    onDie: (defect) => Cause.die(Untrusted.shown(defect)),
    onInterrupt: Cause.interrupt,
    onSequential: Cause.sequential,
    onParallel: Cause.parallel
  })
