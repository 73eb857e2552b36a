import type { Equivalents } from "../Equivalent.ts"

/** Of the rooms of `plan`. */
export const equivalents: Equivalents = {
  "packages/plan/src/explain/Endless.ts": {
    'goesOn: StringLiteral, text to "", 7': "Every other tag answers nothing, which is as good as no.",
    "goesOn: ConditionalExpression, name to name": "Every other tag answers nothing, which is as good as no.",
    'goesOn: StringLiteral, text to "", 8': "Every other tag answers nothing, which is as good as no."
  },
  "packages/plan/src/explain/Explain.ts": {
    "backoffAssumptions: ConditionalExpression, === to true": "No other part has an `afterMillis`."
  },
  "packages/plan/src/bounds/Extremes.ts": {
    "greatest: ArithmeticOperator, - to +": "The mutant is 1; rounding to milliseconds hides the difference.",
    "greatest: ArithmeticOperator, / to *": "Delays are rounded up to milliseconds, which hides the difference.",
    "make: ConditionalExpression, || to true":
      "Where no time is told apart both histories have the same tree, and are only asked more often.",
    "step: ConditionalExpression, ! to false":
      "Where no time is told apart both histories have the same tree, and are only asked more often.",
    "restartsTimes: ConditionalExpression, && to true":
      "Where no time starts over both histories have the same tree, and are only asked more often."
  },
  "packages/plan/src/explain/Failing.ts": {
    "resetsOf: ConditionalExpression, === to true":
      "No other part has an `afterMillis`, and no attempt is as long as nothing.",
    "stepOf: ConditionalExpression, === to false, 3": "It is only worked out for a row that is not shown.",
    "startedOver: ConditionalExpression, !== to true": "A rule that ignores hints has no `startsOver`.",
    'startedOver: StringLiteral, text to ""': "A rule that ignores hints has no `startsOver`.",
    "shortestHint: ConditionalExpression, === to true, 1": "No other rule has a `zero`.",
    "stepsOf: OptionalChaining, ?. to ., 5":
      "Where there are no steps, there are none to compare with them, and that is certain."
  },
  "packages/plan/src/explain/Limits.ts": {
    "longestHint: ConditionalExpression, === to false, 1": "A rule that ignores hints makes no use of the longest one.",
    'longestHint: StringLiteral, text to "", 1': "A rule that ignores hints makes no use of the longest one."
  },
  "packages/plan/src/bounds/Means.ts": {
    "mean: ConditionalExpression, === to false, 1": "Without a first history there is no second one either.",
    "thinned: EqualityOperator, <= to <": "As many as there are, evenly spread, are all of them.",
    "thinned: MethodExpression, / to +": "All of the places are inside the list: what is left out is for the types.",
    "thinned: ConditionalExpression, !== to true":
      "All of the places are inside the list: what is left out is for the types.",
    "golden: ArithmeticOperator, - to +": "The golden section and its reciprocal differ by a whole number.",
    "scattered: ArithmeticOperator, * to /, 2": "The golden section and its reciprocal differ by a whole number."
  },
  "packages/plan/src/bounds/Paths.ts": {
    "merger: ConditionalExpression, < to false": "A single path stays as it is."
  },
  "packages/plan/src/explain/PlanText.ts": {
    "table: OptionalChaining, ?. to .": "The column of the numbers is never empty.",
    'table: StringLiteral, text to "Stryker was here!"': "Every column has a cell in every row."
  },
  "packages/plan/src/sample/Sample.ts": {
    "sample: EqualityOperator, < to <=":
      "No draw of a seed is exactly the probability but for a chance of one in billions."
  },
  "packages/plan/src/sample/ScheduleRuns.ts": {
    "explainSchedule: ArrayDeclaration, list to list, 1":
      "Runs with hints are not looked at where no hints are followed."
  },
  "packages/plan/src/sample/Simulation.ts": {
    "run: OptionalChaining, ?. to ., 2":
      "Without a timeout it is a deadline that ends an attempt, and with it the operation."
  },
  "packages/plan/src/bounds/Times.ts": {
    "startsTimeOver: ConditionalExpression, === to true": "No other part has an `afterMillis`."
  },
  "packages/plan/src/bounds/TreeKey.ts": {
    'shapeOf: StringLiteral, text to ""': "The text of a back-off is never empty.",
    "shapeOf: ArrowFunction, => to =>, 3": "Any text does that is the same for all times."
  },
  "packages/plan/src/explain/Warnings.ts": {
    "timeoutBeyondDeadline: ConditionalExpression, !== to true, 1": "Nothing is not longer than a deadline.",
    "hintBeyondDeadline: ConditionalExpression, !== to true, 1": "Without a deadline every wait fits.",
    "capsBelowBases: ConditionalExpression, === to false": "No base is above a cap of `Infinity`."
  }
}
