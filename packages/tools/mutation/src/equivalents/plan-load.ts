import type { Equivalents } from "../Equivalent.ts"

/** Of `plan/load`. */
export const equivalents: Equivalents = {
  "packages/plan/src/load/Amplification.ts": {
    "amplification: EqualityOperator, < to <=, 1":
      "No draw of a seed is exactly the probability but for a chance of one in billions."
  },
  "packages/plan/src/load/Client.ts": {
    "make: ArrowFunction, => to =>, 3": "Only whether it is true is looked at."
  },
  "packages/plan/src/load/Recovery.ts": {
    "requestOf: ObjectLiteral, block to {}, 1": "No time is after one that is missing, as none is after `Infinity`.",
    "requestOf: ConditionalExpression, === to false":
      "Only saves a draw: a server has at least one shard, and chance chooses the only one."
  },
  "packages/plan/src/load/Server.ts": {
    "make: EqualityOperator, < to <=": "The end of the outage is then that time itself."
  }
}
