/**
 * What a retry costs in a quota, and what a success of a first attempt puts in.
 */
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { Kind } from "../../classify/Verdict.ts"
import { kinds } from "../../classify/Verdict.ts"
import type { Request } from "../port/Port.ts"

/** Options of every quota, in tokens. */
export interface Options {
  /**
   * What a retry costs, by the kind of the failure before it. `orElse` is for all other kinds and for a failure without
   * one, `first` for a first attempt where the quota is asked for it. None is above the capacity.
   *
   * @default { Throttling: 5, orElse: 14 }, or the capacity where that is less
   */
  readonly cost?: { readonly [K in Kind | "first"]?: number } & { readonly orElse: number }
  /** What a success of a first attempt puts in. @default 1 */
  readonly firstSuccessIncrement?: number
}

export interface QuotaCost {
  readonly costOf: (request: Pick<Request, "attempt" | "kind">) => number
  readonly increment: number
}

/** Checks the options. */
export const check = (owner: string, capacity: number, options: Options): QuotaCost => ({
  costOf: costs(owner, capacity, options.cost ?? defaultCost(capacity)),
  increment: Argument.number(owner, "firstSuccessIncrement", options.firstSuccessIncrement ?? 1, { min: 0 })
})

const costs = (owner: string, capacity: number, cost: NonNullable<Options["cost"]>): QuotaCost["costOf"] => {
  const costOf = (field: keyof typeof cost) =>
    Argument.number(owner, `cost.${field}`, cost[field] ?? cost.orElse, { min: 0, max: capacity })
  const orElse = costOf("orElse")
  const first = costOf("first")
  const byKind = new Map(kinds.map((kind) => [kind, costOf(kind)]))
  return ({ attempt, kind }) => {
    if (Option.isSome(kind)) return byKind.get(kind.value) ?? orElse
    return attempt === 1 ? first : orElse
  }
}

/** Of the 2026 revision of the AWS guide. What the caller has not set is not refused in a small bucket. */
const defaultCost = (capacity: number) => ({ Throttling: Math.min(5, capacity), orElse: Math.min(14, capacity) })
