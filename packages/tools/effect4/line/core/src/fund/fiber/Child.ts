/**
 * An effect in a fiber beside the one that runs: it begins in the very step that makes it, and an interruption from outside
 * reaches it by the one that waits for it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Interruption from "./Interruption.ts"
import type { AnyFiber, Runner } from "./Line.ts"

/** What a child begins with. */
export interface Parent {
  readonly fiber: AnyFiber
  /** The flags of the fiber, where the child is to be interruptible as that is. */
  readonly runtimeFlags: Interruption.Flags
  /** The context of the child. */
  readonly context: Context.Context<never>
}

export const parentOf = (fiber: AnyFiber, runtimeFlags: Interruption.Flags, handed: Handed | undefined): Parent => ({
  fiber,
  runtimeFlags,
  context: handed === undefined ? fiber.context : handOver(fiber.context, handed)
})

/** Runs what belongs to a child, with what the child has begun with. */
export const runnerOf = ({ context }: Parent): Runner => context

/** A service for the child alone. */
export interface Handed {
  readonly key: Context.Key<any, any>
  readonly value: unknown
  readonly next: Handed | undefined
}

/** A service for the child. */
export const service = <S>(key: Context.Key<any, S>, value: S): Handed => ({ key, value, next: undefined })

const handOver = (context: Context.Context<never>, { key, next, value }: Handed): Context.Context<never> => {
  const handed: Context.Context<never> = Context.add(context, key, value)
  return next === undefined ? handed : handOver(handed, next)
}

/** An effect as its child runs it. */
export type Handing<A, E, R> = Effect.Effect<A, E, R>

/** A child that has begun. */
export type Child<A, E> = Fiber.Fiber<A, E>

/** Receives the exit of an effect in the step in which it ends, so that no interruption comes between. */
export type Note = (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>

/**
 * An effect as a child runs it. It can be interrupted also where its parent cannot, like the effects of `Effect.timeout`
 * and `Effect.race` of Effect 4.
 */
export const handing = <A, E, R>(self: Effect.Effect<A, E, R>, _: Interruption.Flags, note?: Note): Handing<A, E, R> =>
  note === undefined ? self : Effect.onExit(self, note)

/** Effects nested deeper are not started on the stack of their parent, or it would overflow. */
const deepest = 100
let depth = 0

/** Begins a child at once. To be called in a step of the parent that no interruption can follow before the child is watched. */
export const begin = <A, E, R>({ context }: Parent, handing: Handing<A, E, R>): Child<A, E> => {
  const run = Effect.runForkWith(context as Context.Context<R>)
  depth += 1
  try {
    return run(depth <= deepest ? handing : Effect.andThen(Effect.yieldNow, handing))
  } finally {
    depth -= 1
  }
}

/** Begins a child of a fiber that cannot be interrupted. */
export const fork = <A, E, R>(parent: Parent, handing: Handing<A, E, R>): Effect.Effect<Child<A, E>, never, R> =>
  Effect.sync(() => begin(parent, handing))

/** The outcome of a child that has ended, as its parent has it. */
export const joined = <A, E>(_: Parent, child: Child<A, E>): Effect.Effect<A, E> => exitOf(child)!

/** How a child has ended; `undefined` while it runs. */
export const exitOf = <A, E>(child: Child<A, E>): Exit.Exit<A, E> | undefined => child.pollUnsafe()
