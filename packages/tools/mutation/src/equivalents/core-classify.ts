import type { Equivalents } from "../Equivalent.ts"

/** Of `core/classify`. */
export const equivalents: Equivalents = {
  "packages/core/src/classify/Classifier.ts": {
    "tagOf: ConditionalExpression, !== to true":
      "To look for a tag in `null` throws, which is caught, and comes to `undefined` as well.",
    "tagOf: BlockStatement, block to {}, 3": "A function that only ends comes to `undefined` as well.",
    "isOf: BlockStatement, block to {}, 3":
      "What a function comes to that only ends is as good as `false` where a condition is asked for."
  },
  "packages/core/src/classify/Verdict.ts": {
    "readHint: ConditionalExpression, === to false": "What is absent is no duration either: the check only saves work."
  }
}
