import type { Equivalents } from "../Equivalent.ts"

/** Of `http/decide`. */
export const equivalents: Equivalents = {
  "packages/http/src/decide/ByteRange.ts": {
    "parse: ArrayDeclaration, list to list": "The first element of a match is not looked at.",
    "endOf: ConditionalExpression, !== to true": "No start is NaN, which is what a length that is not known comes to."
  },
  "packages/http/src/decide/Redirect.ts": {
    "isOfAnother: ConditionalExpression, !== to true, 2":
      "A request has the method and the URL that it has: the check only saves work.",
    "redirectedSource: ConditionalExpression, !== to true": "Nothing has no properties: the loop only ends later.",
    "namesAnother: ConditionalExpression, !== to true, 1": "Nothing has no properties: the loop only ends later."
  },
  "packages/http/src/decide/RequestBody.ts": {
    'whyNotReplayable: StringLiteral, text to "", 1':
      "A body of no case comes to `undefined` as well; the compiler wants all cases.",
    'whyNotReplayable: StringLiteral, text to "", 2':
      "A body of no case comes to `undefined` as well; the compiler wants all cases.",
    'whyNotReplayable: StringLiteral, text to "", 3':
      "A body of no case comes to `undefined` as well; the compiler wants all cases."
  },
  "packages/http/src/decide/Resumption.ts": {
    'rangeOf: StringLiteral, text to "Stryker was here!"': "Neither text is the type of several parts."
  }
}
