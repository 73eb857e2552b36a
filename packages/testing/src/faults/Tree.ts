/**
 * Which fault affects which call: a stateless tree that is evaluated for every call.
 */
import type { Jitter } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Draw from "./Draw.ts"

/** A fault. Times are in milliseconds. */
export type Fault = Ending | Around | OfBody

/** Faults that end the call without making it. */
export type Ending =
  | { readonly _tag: "Fail"; readonly error: unknown; readonly afterMillis: number }
  | { readonly _tag: "Die"; readonly defect: unknown; readonly afterMillis: number }
  | { readonly _tag: "Throttle"; readonly hintMillis: number; readonly afterMillis: number }
  | { readonly _tag: "Hang" }
  | {
      readonly _tag: "Status"
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly afterMillis: number
    }
  | { readonly _tag: "Reset"; readonly afterMillis: number }

/** Faults that leave the call as it is, and take time. */
type Around =
  | {
      readonly _tag: "Latency"
      readonly beforeMillis: number
      readonly afterMillis: number
      readonly jitter: Jitter.Jitter
    }
  | { readonly _tag: "Stuck"; readonly millis: number }

/** Faults that leave the head of a response as it is. */
export type OfBody =
  | { readonly _tag: "Broken"; readonly afterBytes: number }
  | { readonly _tag: "Truncate"; readonly afterBytes: number }
  | { readonly _tag: "Garble"; readonly ratio: number }
  | { readonly _tag: "SlowBody"; readonly bytesPerSecond: number }

/** The request of a call over HTTP. */
export interface Request {
  readonly method: string
  readonly url: string
}

/**
 * A call as predicates see it.
 *
 * @category models
 */
export interface Call {
  /** In the order in which calls arrive, from 1. */
  readonly number: number
  /** The time since the faults were made. */
  readonly elapsed: Duration.Duration
  /** `undefined` if the call is not a request. */
  readonly request: Request | undefined
}

export declare const types: unique symbol

/**
 * Faults, and the calls that they affect. `E` is the error with which they make a call fail; those `Over` HTTP are for
 * clients and `fetch`.
 *
 * @category models
 */
export interface Faults<out E = never, out Over extends "http" = never> {
  readonly tree: Tree
  readonly [types]?: { readonly error: E; readonly over: Over }
}

export type Tree =
  | { readonly _tag: "Leaf"; readonly fault: Fault }
  | { readonly _tag: "FirstOf"; readonly of: ReadonlyArray<Tree> }
  | { readonly _tag: "Script"; readonly of: ReadonlyArray<Tree> }
  | { readonly _tag: "Chance"; readonly ratio: number; readonly of: Tree }
  | { readonly _tag: "Lost"; readonly of: Tree }
  | { readonly _tag: "Where"; readonly isMet: (call: Call) => boolean; readonly of: Tree }

/** The tree of the faults that were given to the function `owner`. */
export const treeOf = (owner: string, faults: Faults<unknown, "http">): Tree =>
  Predicate.hasProperty(faults, "tree") && Predicate.hasProperty(faults.tree, "_tag")
    ? faults.tree
    : Argument.refuseForeign(owner, "faults", "Faults, such as Fault.hang", faults)

/** A fault that affects a call. */
export interface Met {
  readonly fault: Fault
  /** Whether the call is made but its answer lost. */
  readonly isLost: boolean
  /** The seed of the draws that the fault needs. */
  readonly seed: number
}

/** Finds the fault of a call, if any. */
export type Decide = (call: Call) => Met | undefined

/**
 * Compiles a tree. Every part draws by its place in the tree and the number of the call, so neither other parts nor
 * other calls change its draws.
 */
export const compile = (tree: Tree, seed: number): Decide => {
  switch (tree._tag) {
    case "Leaf": {
      const { fault } = tree
      return ({ number }) => ({ fault, isLost: false, seed: Draw.next(seed, number) })
    }
    case "FirstOf": {
      const all = tree.of.map((of, place) => compile(of, Draw.next(seed, place)))
      return (call) => {
        for (const decide of all) {
          const met = decide(call)
          if (met !== undefined) return met
        }
        return undefined
      }
    }
    case "Script": {
      const steps = tree.of.map((of, place) => compile(of, Draw.next(seed, place)))
      return (call) => steps[call.number - 1]?.(call)
    }
    case "Chance": {
      const decide = compile(tree.of, Draw.next(seed, 0))
      return (call) => (Draw.uniform(Draw.next(seed, call.number)) < tree.ratio ? decide(call) : undefined)
    }
    case "Lost": {
      const decide = compile(tree.of, seed)
      return (call) => {
        const met = decide(call)
        return met && { ...met, isLost: true }
      }
    }
    case "Where": {
      const decide = compile(tree.of, seed)
      return (call) => (tree.isMet(call) ? decide(call) : undefined)
    }
  }
}
