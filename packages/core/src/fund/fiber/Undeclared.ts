/**
 * Fields of effects, of fibers and of clocks that Effect 3 does not declare. No other module reads them.
 *
 * None of them is needed: each is `undefined` if a version of Effect does not have it. The result is then the same, by
 * what Effect declares, but slower.
 */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as FiberRefs from "effect/FiberRefs"
import type * as RuntimeFlags from "effect/RuntimeFlags"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** The FiberRefs of a fiber, of which `getFiberRefs` makes a copy with the flags of the fiber in it. */
export const fiberRefs = (fiber: AnyFiber & { readonly _fiberRefs?: FiberRefs.FiberRefs }) => fiber._fiberRefs

/** The flags that a fiber has now. */
export const runtimeFlags = (fiber: AnyFiber & { readonly currentRuntimeFlags?: RuntimeFlags.RuntimeFlags }) =>
  fiber.currentRuntimeFlags

/** An effect of the scheduler that a clock sleeps by. */
export const scheduler = (clock: Clock.Clock & { readonly scheduler?: unknown }) => clock.scheduler

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** What kind an effect is. What a caller's own service answers may be no effect at all. */
export const kind = (effect: (AnyEffect & { readonly _op?: unknown }) | undefined | null) => effect?._op

/** What a step calls. */
export const content = (effect: AnyEffect & { readonly effect_instruction_i0?: unknown }) =>
  effect.effect_instruction_i0
