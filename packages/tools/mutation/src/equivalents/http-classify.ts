import type { Equivalents } from "../Equivalent.ts"

/** Of `http/classify`. */
export const equivalents: Equivalents = {
  "packages/http/src/classify/ClientLine.ts": {
    "scopedAs: ConditionalExpression, !== to true":
      "A controller that is `undefined` is as good as none to the platform."
  },
  "packages/http/src/classify/ContentRange.ts": {
    'parse: StringLiteral, text to "Stryker was here!"': "Neither text is a range.",
    "parse: ArrayDeclaration, list to list": "The first element of a match is not looked at."
  },
  "packages/http/src/classify/Directive.ts": {
    'said: StringLiteral, text to "Stryker was here!"': "Neither text is `true` or `false`."
  },
  "packages/http/src/classify/HintHeader.ts": {
    "ofOne: ConditionalExpression, === to false": "No header is read from the text `undefined` either.",
    "ofLimits: ConditionalExpression, !== to true, 1": "The text `undefined` is no 0 either.",
    "ofLimits: ConditionalExpression, !== to true, 2": "No header is read from the text `undefined` either.",
    "rateLimit: ConditionalExpression, === to false": "What is no text is no list either.",
    "read: ConditionalExpression, === to false": "The text `undefined` is no date either.",
    "read: ConditionalExpression, !== to true": "`undefined` is not above any number."
  },
  "packages/http/src/classify/HttpClassifier.ts": {
    "judgeResponse: ConditionalExpression, !== to false, 1":
      "Nothing but a number is an integer; the compiler wants to know."
  },
  "packages/http/src/classify/RateLimitFields.ts": {
    'parse: StringLiteral, text to "Stryker was here!"': "Neither text is a list with policies."
  },
  "packages/http/src/classify/Transport.ts": {
    'http2Code: StringLiteral, text to "Stryker was here!"': "Neither text is a message of Node or undici.",
    "proxyStatus: ConditionalExpression, name to default:": "A function that only ends comes to `undefined` as well.",
    "http2Code: ConditionalExpression, name to default:": "A function that only ends comes to `undefined` as well."
  }
}
