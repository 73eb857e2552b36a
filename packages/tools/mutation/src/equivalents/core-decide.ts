import type { Equivalents } from "../Equivalent.ts"

/** Of `core/decide`. */
export const equivalents: Equivalents = {
  "packages/core/src/decide/Backoff.ts": {
    'constant: StringLiteral, text to "", 3': "Only a back-off of too many parts is refused, and this one has one.",
    'exponential: StringLiteral, text to "", 5': "Only a back-off of too many parts is refused, and this one has one.",
    'fromDelays: StringLiteral, text to "", 2': "Only a back-off of too many parts is refused, and this one has one.",
    'fromCurve: StringLiteral, text to "", 1': "Only a back-off of too many parts is refused, and this one has one."
  },
  "packages/core/src/decide/BackoffTree.ts": {
    "advanceLeaf: ConditionalExpression, === to false, 2":
      "No interval ends above a cap of `Infinity`, so the draw stays as it is.",
    "advanceMax: ConditionalExpression, === to false, 4":
      "No delay is longer than nothing: the part without a delay is chosen, and with it none.",
    "advanceMin: ConditionalExpression, === to false, 3":
      "Nothing is not shorter than a delay: the other part is chosen, and its cap alone counts.",
    "endsWithin: ConditionalExpression, !== to true": "Nothing does not reach a time.",
    "advanceResetAfter: ConditionalExpression, === to false": "Only saves work: it takes nothing off.",
    "around: ConditionalExpression, === to false": "An end has neither a delay nor a cap."
  },
  "packages/core/src/decide/CappedDraw.ts": {
    "below: EqualityOperator, <= to <": "An interval that ends at the cap is scaled by 1."
  },
  "packages/core/src/decide/Classic.ts": {
    "wholeBelow: ArithmeticOperator, - to +":
      "A draw is below 1, and its product with a whole number below that number."
  },
  "packages/core/src/decide/Curve.ts": {
    "fibonacciNumber: EqualityOperator, < to <=, 2": "Either is far above what a delay can be multiplied by."
  },
  "packages/core/src/decide/HintRule.ts": {
    "draws: ConditionalExpression, === to true": "Only a floor has a ratio, and nothing is not above 0.",
    "startsOver: ConditionalExpression, === to false, 1": "A rule that ignores hints has no `startsOver`.",
    'startsOver: StringLiteral, text to "", 1': "A rule that ignores hints has no `startsOver`.",
    "bend: ConditionalExpression, === to false, 1":
      "A rule that ignores hints has no bound that a hint is compared with: the delay stays.",
    'bend: StringLiteral, text to "", 1':
      "A rule that ignores hints has no bound that a hint is compared with: the delay stays."
  },
  "packages/core/src/decide/Quantile.ts": {
    "add: ConditionalExpression, < to false": "Scales more often, which changes no share of the weights."
  },
  "packages/core/src/decide/TreeShape.ts": {
    "countParts: ConditionalExpression, <= to true": "Only saves work: more than too many are too many."
  }
}
