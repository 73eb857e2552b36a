/**
 * Fields of effects and of fibers that Effect 4 does not declare. No other module reads them.
 *
 * Those of effects are not needed: where a version of Effect does not have them, the result is the same, but slower. A fiber
 * without its fields counts as one that can be interrupted and is not.
 */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

type View = Pick<Fiber.Fiber<unknown, unknown>, "context">

/** Whether a fiber can be interrupted now. */
export const isInterruptible = (fiber: View & { readonly interruptible?: boolean }): boolean =>
  fiber.interruptible !== false

/** Whether a fiber is interrupted. */
export const isInterrupted = (fiber: View & { readonly _interruptedCause?: unknown }): boolean =>
  fiber._interruptedCause !== undefined

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

interface Kept {
  readonly "~effect/Effect/identifier"?: unknown
  readonly "~effect/Effect/args"?: unknown
}

/** What kind an effect is. What a caller's own service answers may be no effect at all. */
export const kind = (effect: (AnyEffect & Kept) | undefined | null) => effect?.["~effect/Effect/identifier"]

/** What a step calls. */
export const content = (effect: AnyEffect & Kept) => effect["~effect/Effect/args"]
