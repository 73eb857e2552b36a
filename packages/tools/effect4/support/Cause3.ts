/** What tests use of Effect 3's `Cause` that Effect 4 has in another shape. */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"

export const defects = (cause: Cause.Cause<unknown>): Chunk.Chunk<unknown> =>
  Chunk.fromIterable(cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect))

export const failures = <E>(cause: Cause.Cause<E>): Chunk.Chunk<E> =>
  Chunk.fromIterable(cause.reasons.filter(Cause.isFailReason).map(({ error }) => error))

export const dieOption = (cause: Cause.Cause<unknown>): Option.Option<unknown> => Chunk.head(defects(cause))

export const keepDefects = (cause: Cause.Cause<unknown>): Option.Option<Cause.Cause<never>> => {
  const found = cause.reasons.filter(Cause.isDieReason)
  return found.length === 0 ? Option.none() : Option.some(Cause.fromReasons(found))
}

/** Folds over the reasons, of which there is one list. */
export const reduce = <Z, E>(
  cause: Cause.Cause<E>,
  zero: Z,
  f: (accumulator: Z, reason: Cause.Reason<E>) => Option.Option<Z>
): Z => cause.reasons.reduce((found, reason) => Option.getOrElse(f(found, reason), () => found), zero)

export const isEmpty = (cause: Cause.Cause<unknown>): boolean => cause.reasons.length === 0

export const RuntimeException = Error

export const isInterruptedException = (error: unknown): boolean =>
  error instanceof Error && error.message === "All fibers interrupted without error"
