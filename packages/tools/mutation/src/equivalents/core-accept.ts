import type { Equivalents } from "../Equivalent.ts"

/** Of `core/accept`. */
export const equivalents: Equivalents = {
  "packages/core/src/accept/Argument.ts": {
    "number: ConditionalExpression, === to true, 1": "Nothing but a number is finite; the compiler wants to know.",
    "millis: ArrowFunction, => to =>": "Neither is a finite number."
  },
  "packages/core/src/accept/HttpDate.ts": {
    "inLatestYear: ConditionalExpression, !== to true": "`undefined` is not below any number."
  }
}
