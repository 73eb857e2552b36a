/**
 * What a retry costs in a quota, and what a successful first attempt adds.
 */
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { Kind } from "../../classify/Verdict.ts"
import { kinds } from "../../classify/Verdict.ts"
import type { Request } from "../port/Port.ts"

/** Options of every quota, in tokens. */
export interface Options {
  /**
   * What a retry costs, by the kind of the failure before it. `orElse` is for all other kinds and for a failure without a
   * kind; `first` is for first attempts, if the quota is asked for those. No cost may exceed the capacity.
   *
   * @default { Throttling: 5, orElse: 14 }, or the capacity if that is less
   */
  readonly cost?: { readonly [K in Kind | "first"]?: number } & { readonly orElse: number }
  /** How many tokens a successful first attempt adds. @default 1 */
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
  Argument.fields(owner, cost, [...kinds, "first", "orElse"], "costs", { path: "cost." })
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

/** From the 2026 revision of the AWS guide. The defaults shrink to fit a small bucket instead of being refused. */
const defaultCost = (capacity: number) => ({ Throttling: Math.min(5, capacity), orElse: Math.min(14, capacity) })
