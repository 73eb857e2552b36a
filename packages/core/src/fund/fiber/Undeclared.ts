/**
 * Fields of effects, fibers and clocks that Effect 3 does not declare. No other module reads them.
 *
 * None of them is needed: a field that a version of Effect lacks is `undefined`, and the same result is then reached through
 * declared API, more slowly.
 */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as FiberRefs from "effect/FiberRefs"
import type * as RuntimeFlags from "effect/RuntimeFlags"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** The FiberRefs of a fiber, without the copy that `getFiberRefs` makes to include the flags. */
export const fiberRefs = (fiber: AnyFiber & { readonly _fiberRefs?: FiberRefs.FiberRefs }) => fiber._fiberRefs

/** The flags that a fiber has now. */
export const runtimeFlags = (fiber: AnyFiber & { readonly currentRuntimeFlags?: RuntimeFlags.RuntimeFlags }) =>
  fiber.currentRuntimeFlags

/** The scheduler that a clock sleeps with. */
export const scheduler = (clock: Clock.Clock & { readonly scheduler?: unknown }) => clock.scheduler

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** The kind of an effect. A caller's own service may return something that is no effect. */
export const kind = (effect: (AnyEffect & { readonly _op?: unknown }) | undefined | null) => effect?._op

/** The function that a step calls. */
export const content = (effect: AnyEffect & { readonly effect_instruction_i0?: unknown }) =>
  effect.effect_instruction_i0
