/**
 * What a cause is made of.
 */
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"

/** The error of a cause; `None` for an interruption and where there is a defect. */
export const errorOf = <E>(cause: Cause.Cause<E>): Option.Option<E> => {
  // The commonest first.
  const [reason] = cause.reasons
  if (cause.reasons.length === 1 && Cause.isFailReason(reason!)) return Option.some(reason.error)
  return Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause)
}

/** The first defect of a cause. */
export const defectOf = (cause: Cause.Cause<unknown>): Option.Option<unknown> => {
  const die = cause.reasons.find(Cause.isDieReason)
  return die === undefined ? Option.none() : Option.some(die.defect)
}

/** The defects of a cause without all else. */
export const defectsOf = (cause: Cause.Cause<unknown>): Option.Option<Cause.Cause<never>> => {
  const dies = cause.reasons.filter(Cause.isDieReason)
  return dies.length === 0 ? Option.none() : Option.some(Cause.fromReasons(dies))
}

/** The cause of two effects that have ended together. */
export const both = (one: Cause.Cause<never>, other: Cause.Cause<never>): Cause.Cause<never> =>
  Cause.combine(one, other)

/** The same cause, with what `f` answers of its errors and defects. */
export const mapped = (cause: Cause.Cause<unknown>, f: (error: unknown) => unknown): Cause.Cause<unknown> =>
  Cause.fromReasons(
    cause.reasons.map((reason) => {
      switch (reason._tag) {
        case "Fail":
          return Cause.makeFailReason(f(reason.error))
        case "Die":
          return Cause.makeDieReason(f(reason.defect))
        case "Interrupt":
          return reason
      }
    })
  )

/** What a promise rejects with where its operation was interrupted: what `Effect.runPromise` does. */
export const interruption = (): unknown => Cause.squash(Cause.interrupt())
