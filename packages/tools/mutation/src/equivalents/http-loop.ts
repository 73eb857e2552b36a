import type { Equivalents } from "../Equivalent.ts"

/** Of `http/loop`. */
export const equivalents: Equivalents = {
  "packages/http/src/loop/Progress.ts": {
    "make: ObjectLiteral, block to {}, 2": "A field that is absent is `undefined` as well.",
    'make: StringLiteral, text to "Stryker was here!", 2': "The first answer writes it before it is read.",
    "read: AssignmentOperator, + to -": "The numbers of readings only have to differ.",
    "read: ConditionalExpression, === to false, 1": "Nothing was received then: the other case has ended above."
  },
  "packages/http/src/loop/client/BodyBytes.ts": {
    'announced: StringLiteral, text to "Stryker was here!"': "No text but one of digits is a length."
  },
  "packages/http/src/loop/client/Discard.ts": {
    "replaced: ConditionalExpression, !== to true":
      "Only forms are read by the type of this response, and none is read by the type `undefined`."
  },
  "packages/http/src/loop/exchange/EventDetails.ts": {
    "observing: ConditionalExpression, === to false": "Mapping an empty list gives an empty list.",
    "ofRequest: Regex, ^ to nothing": "A host has brackets at both ends, or none.",
    "ofRequest: Regex, name to nothing": "A host has brackets at both ends, or none.",
    "statusOf: ConditionalExpression, === to true": "Nothing but a number is an integer; the compiler wants to know."
  },
  "packages/http/src/loop/exchange/Exchange.ts": {
    "whyNot: ConditionalExpression, === to true": "What is repeatable has no `why`.",
    "attempt: ConditionalExpression, ! to false":
      "What is known of the attempt is worked out and not used: it only takes longer.",
    "judgeResponse: ConditionalExpression, && to false":
      "The classifier says nothing of a response that is fine either: it only takes longer.",
    "judge: ConditionalExpression, === to true, 2":
      "Of what is not retryable nothing is asked that depends on it: it only takes longer.",
    "judgedAs: ConditionalExpression, === to true, 1": "No other verdict has a kind that is a text.",
    "combine: ConditionalExpression, === to false, 3":
      "A kind that is no option is left as it is where an option is looked for.",
    'combine: StringLiteral, text to "", 3': "A kind that is no option is left as it is where an option is looked for."
  },
  "packages/http/src/loop/exchange/ExchangePolicy.ts": {
    "preparedOf: ArrowFunction, => to =>, 2":
      "Stands for the function of an exchange, which takes its place before an attempt.",
    "preparedOf: ArrowFunction, => to =>, 3":
      "Stands for the function of an exchange, which takes its place before an attempt.",
    "preparedOf: ArrowFunction, => to =>, 4":
      "Stands for the function of an exchange, which takes its place before an attempt.",
    'preparedOf: StringLiteral, text to ""': "The policy has been checked under the name of its own function."
  },
  "packages/http/src/loop/exchange/Known.ts": {
    'messagesOf: StringLiteral, text to "", 3': "Every text shows all messages but the two that are compared with."
  },
  "packages/http/src/loop/exchange/Reader.ts": {
    "boundOf: ConditionalExpression, === to false, 3": "Such a timer never fires; leaving it out only saves work.",
    "verdictOfLast: OptionalChaining, ?. to .": "What is answered has been judged; the compiler does not know it."
  },
  "packages/http/src/loop/exchange/Retrying.ts": {
    "retrying: ConditionalExpression, ! to false":
      "What nothing has asked for is looked for, and not found: it only takes longer.",
    "isAsking: ConditionalExpression, || to true":
      "What nothing has asked for is looked for, and not found: it only takes longer.",
    "running: ConditionalExpression, && to false, 1":
      "The loop begins with the first attempt instead of after it: it only takes longer.",
    "running: ConditionalExpression, === to false":
      "The loop begins with the first attempt instead of after it: it only takes longer."
  },
  "packages/http/src/loop/fetch/FetchCall.ts": {
    "webOf: OptionalChaining, ?. to ., 1":
      "A call that has come to a response has received one; the compiler does not know it.",
    "webOf: OptionalChaining, ?. to ., 2":
      "A call that has come to a response has received one; the compiler does not know it."
  },
  "packages/http/src/loop/fetch/FetchInput.ts": {
    "headersOf: ConditionalExpression, === to false": "No headers given are no headers: the check only saves work.",
    'request: StringLiteral, text to "", 2': "A request that is given no method is a GET."
  },
  "packages/http/src/loop/policy/Attempt.ts": {
    "isWanted: ConditionalExpression, || to true":
      "What is known of the attempt is worked out and not used: it only takes longer.",
    "isTimed: ConditionalExpression, && to true":
      "Core knows of an attempt what is known here as well: it only takes longer to ask.",
    "isTimed: LogicalOperator, && to ||":
      "Core knows of an attempt what is known here as well: it only takes longer to ask.",
    "isTimed: ConditionalExpression, || to true":
      "Core knows of an attempt what is known here as well: it only takes longer to ask."
  },
  "packages/http/src/loop/policy/HttpPolicy.ts": Object.fromEntries(
    Array.from({ length: 19 }, (_, i) => [
      `fields: BooleanLiteral, true to false, ${i + 1}`,
      "Only the names are read; the record has the compiler check that all are there."
    ])
  ),
  "packages/http/src/loop/policy/Unauthorized.ts": {
    "Running: ArrayDeclaration, list to list": "A text is no renewal, and only renewals are looked for."
  }
}
