/**
 * Effects that end in the step in which they begin, and can therefore run within the caller's step.
 *
 * Composing effects costs more than most buckets do. Within one step nothing can intervene: no other fiber, and no
 * interruption. Effect does not declare how it represents an effect; under a version with another representation a fiber
 * runs the effect, with the same result.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Undeclared from "./Undeclared.ts"

export { currentFiber } from "./Line.ts"

/** Marks the effects of `suspend`. */
const marked = /*#__PURE__*/ Symbol("@effect-retry/core/unstable/AtOnce")

/** An effect made by `suspend`, or any other value: a caller's own service may return something that is no effect. */
interface Marked {
  [marked]?: () => Effect.Effect<never>
}

/** Like `Effect.suspend`, for a call of a caller's own service. Dies if the service returns no effect. */
export const call = <A, E = never>(evaluate: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => run(evaluate()))

/**
 * Like `call`, for an effect that usually ends at once. If `evaluate` returns something other than an exit,
 * it must not have changed anything: the returned effect may run much later, or not at all.
 */
export const suspend = <A, E = never>(evaluate: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const suspended = call(evaluate)
  ;(suspended as Marked)[marked] = evaluate as () => Effect.Effect<never>
  return suspended
}

/**
 * Runs an effect that ends at once, and returns its exit. Any other effect is returned to be run as a whole; a value that is
 * no effect becomes a defect. Call it only while an effect runs, or with an effect that reads no fiber, such as a draw from the
 * default `Random`.
 */
export const run = <A, E = never>(self: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    const kind = Undeclared.kind(self)
    if (isExit(kind)) return self
    const step = contentOf(self, kind)
    if (step !== undefined) return succeed(step())
    const evaluate = (self as Marked | undefined | null)?.[marked]
    if (evaluate !== undefined) return run(evaluate())
    // Effect 4 ends a fiber at once, without its finalizers, if the fiber gets something that is no effect.
    return Effect.isEffect(self) ? self : Exit.die(new TypeError("a service answered no effect"))
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** The function of an effect that is a single step. */
const stepOf = <A>(self: Effect.Effect<A, unknown>): (() => A) | undefined => contentOf(self, Undeclared.kind(self))

const contentOf = <A>(self: Effect.Effect<A, unknown>, kind: unknown): (() => A) | undefined => {
  const step = kind === "Sync" ? Undeclared.content(self) : undefined
  return Predicate.isFunction(step) ? (step as () => A) : undefined
}

const succeed = <A>(value: A): Exit.Exit<A> => (value === undefined ? (Exit.void as Exit.Exit<A>) : Exit.succeed(value))

/** Whether an effect is already an exit. */
export const hasEnded = <A, E = never>(self: Effect.Effect<A, E>): self is Exit.Exit<A, E> =>
  isExit(Undeclared.kind(self))

const isExit = (kind: unknown): boolean => kind === "Success" || kind === "Failure"

/** Whether an effect ends in one step, and reads nothing from the fiber that runs it. */
export const readsNothing = (self: Effect.Effect<unknown, unknown>): boolean =>
  hasEnded(self) || Undeclared.kind(self) === "Sync"

/**
 * Continues with the value of an effect, in the same step if the effect ends at once. Call it only while an effect runs, or
 * with an effect that reads no fiber, such as a draw from the default `Random`.
 */
export const andThen = <A, B, E, R>(
  self: Effect.Effect<A>,
  next: (value: A) => Effect.Effect<B, E, R>
): Effect.Effect<B, E, R> => {
  const step = stepOf(self)
  if (step !== undefined) return stepThen(step, next)
  const left = run(self)
  return hasEnded(left) && Exit.isSuccess(left) ? next(left.value) : Effect.flatMap(left, next)
}

/**
 * The value of an effect that is a single step, such as reading a `Ref`; `undefined` for any other. Call it only while an effect
 * runs.
 */
export const value = <A>(self: Effect.Effect<A>): A | undefined => stepOf(self)?.()

/** The most common case of `andThen`, which makes no exit. */
const stepThen = <A, B, E, R>(step: () => A, next: (value: A) => Effect.Effect<B, E, R>): Effect.Effect<B, E, R> => {
  let value: A
  try {
    value = step()
  } catch (defect) {
    return Exit.die(defect)
  }
  return next(value)
}
