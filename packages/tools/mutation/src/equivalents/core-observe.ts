import type { Equivalents } from "../Equivalent.ts"

/** Of `core/observe`. */
export const equivalents: Equivalents = {
  "packages/core/src/observe/MetricsObserver.ts": {
    "keeping: ConditionalExpression, call to false, 1":
      "A level that is there is looked at as one that has to be waited for: it only takes longer.",
    "keeping: BlockStatement, block to {}, 4":
      "A level that is there is looked at as one that has to be waited for: it only takes longer."
  }
}
