/**
 * Reads and builds causes.
 */
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"

/** The error of a cause; `None` for an interruption or a defect. */
export const errorOf = <E>(cause: Cause.Cause<E>): Option.Option<E> => {
  // The most common case first.
  if (cause._tag === "Fail") return Option.some(cause.error)
  return Option.isSome(Cause.dieOption(cause)) ? Option.none() : Cause.failureOption(cause)
}

/** The first defect of a cause. */
export const defectOf: (cause: Cause.Cause<unknown>) => Option.Option<unknown> = Cause.dieOption

/** Only the defects of a cause. */
export const defectsOf: (cause: Cause.Cause<unknown>) => Option.Option<Cause.Cause<never>> = Cause.keepDefects

/** Combines the causes of two effects that ended together. */
export const both: (one: Cause.Cause<never>, other: Cause.Cause<never>) => Cause.Cause<never> = Cause.parallel

/** The same cause, with `f` applied to its errors and defects. */
export const mapped = (cause: Cause.Cause<unknown>, f: (error: unknown) => unknown): Cause.Cause<unknown> =>
  Cause.match<Cause.Cause<unknown>, unknown>(cause, {
    onEmpty: Cause.empty,
    onFail: (error) => Cause.fail(f(error)),
    onDie: (defect) => Cause.die(f(defect)),
    onInterrupt: Cause.interrupt,
    onSequential: Cause.sequential,
    onParallel: Cause.parallel
  })

/** What a promise rejects with if its operation was interrupted. */
export const interruption = (): unknown => new Cause.InterruptedException()
