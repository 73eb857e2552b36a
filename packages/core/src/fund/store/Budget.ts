/**
 * Tokens with a capacity and a refill, to which outcomes may add.
 */
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Limits } from "../count/Tokens.ts"
import * as Tokens from "../count/Tokens.ts"
import type { Arithmetic } from "../port/Arithmetic.ts"
import * as Priority from "../port/Priority.ts"
import type * as Waiting from "../port/Waiting.ts"
import * as Store from "./TokenStore.ts"

export interface Budget extends Pick<Store.Steps<Held>, "make" | "acquire" | "level"> {
  /** Refills, then adds tokens. */
  readonly putIn: (self: Store.Stored<Held>, tokens: number) => Effect.Effect<void>
}

/** The options of `make`. */
interface Options extends Limits {
  /** The level at the start. */
  readonly initial: number
  readonly maxWait: Waiting.MaxWait
  readonly costOf?: Arithmetic<unknown>["costOf"]
}

interface Held {
  readonly tokens: Tokens.Tokens
  /** The highest priority that has asked: lower ones leave tokens for it. */
  readonly highest: number
}

/** If attempts do not wait, low priorities leave some tokens to others. */
export const make = ({ costOf, initial, maxWait, ...limits }: Options): Budget => {
  const leaves = Option.isNone(maxWait)
  const refilled = ({ tokens }: Held, now: number) => Tokens.refilled(tokens, limits, now)
  const added = (before: Held, now: number, count: number): Held => {
    const tokens = Tokens.added(refilled(before, now), limits, count)
    return tokens === before.tokens ? before : { tokens, highest: before.highest }
  }
  const arithmetic: Arithmetic<Held> = {
    initial: (atMillis) => ({ tokens: { level: initial, atMillis }, highest: Priority.lowest }),
    isTimeless: limits.refillPerSecond === 0,
    asked: noteLevel,
    take: (before, now, cost) => {
      const { highest } = before
      const tokens = refilled(before, now)
      const left = leaves && cost > 0 ? Priority.leftOf(limits.capacity, highest) : 0
      if (left > 0 && Option.isNone(Tokens.taken(tokens, cost + left))) return undefined
      const after = Tokens.taken(tokens, cost)
      return Option.isSome(after) ? [cost, { tokens: after.value, highest }] : undefined
    },
    put: added,
    millisUntil: (before, now, cost) => Tokens.millisUntil(refilled(before, now), limits, cost),
    level: (before, now) => refilled(before, now).level,
    ...(costOf && { costOf })
  }
  const { acquire, change, level, make } = Store.makeSteps(arithmetic, maxWait)
  return { make, acquire, level, putIn: change(added) }
}

/** Notes the priority of the asking operation. */
const noteLevel = (before: Held): Held => {
  const level = Priority.currentLevel()
  return level > before.highest ? { tokens: before.tokens, highest: level } : before
}
