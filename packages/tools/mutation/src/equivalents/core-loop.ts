import type { Equivalents } from "../Equivalent.ts"

/** Of `core/loop`. */
export const equivalents: Equivalents = {
  "packages/core/src/loop/Hedge.ts": {
    "prepared: ConditionalExpression, !== to false": "Only saves the check of a hedge that has been checked."
  },
  "packages/core/src/loop/hedge/HedgeEnd.ts": {
    "finish: ConditionalExpression, && to false":
      "Only saves work: there is nothing to refund and no attempt to await.",
    "toldLast: ConditionalExpression, && to false": "Only saves work: there is nothing to tell and nothing to release."
  },
  "packages/core/src/loop/hedge/HedgeRun.ts": {
    "isPlain: BlockStatement, block to {}": "Only saves work: the steps end in the same way.",
    "isPlain: ConditionalExpression, && to false": "Only saves work: the steps end in the same way.",
    "isDue: EqualityOperator, <= to <": "Differs at one moment, and waits for no time then.",
    "takeEnded: EqualityOperator, < to <=, 2": "No two attempts have the same number.",
    "launch: EqualityOperator, > to >=, 1": "Only saves work: there is no observer to tell.",
    "launch: ConditionalExpression, && to false, 2": "Only saves work: a flat map continues in the same way.",
    "beginAtOnce: ConditionalExpression, || to true": "Only saves work: the steps end in the same way.",
    "takeEnded: ConditionalExpression, < to false, 1": "Only saves work: of one attempt, that one is taken.",
    "launch: ConditionalExpression, > to true, 1": "Only saves work: there is no observer to tell."
  },
  "packages/core/src/loop/hedge/HedgeState.ts": {
    'make: StringLiteral, text to ""': "Every attempt that starts sets it before it is read.",
    "stopOthers: ConditionalExpression, !== to true, 1": "The other one has ended: an interruption does not reach it."
  },
  "packages/core/src/loop/Promises.ts": {
    "begun: OptionalChaining, ?. to ., 1": "Only a signal calls it.",
    "begun: OptionalChaining, ?. to ., 2": "Only a signal calls it."
  },
  "packages/core/src/loop/policy/ConfiguredPolicy.ts": {
    'mapLeaves: StringLiteral, text to ""':
      "Only a back-off of too many parts is refused, and the preset's has as many."
  },
  "packages/core/src/loop/policy/CurrentAttempt.ts": {
    'CurrentAttempt: StringLiteral, text to ""':
      "Any key does that no other package has: it only has to be the same in all copies of this one."
  },
  "packages/core/src/loop/policy/Deadline.ts": {
    "machinery: ConditionalExpression, === to true, 1":
      "The delay under any other deadline was judged to fit into the time that is left."
  },
  "packages/core/src/loop/policy/PolicySettings.ts": {
    'owner: StringLiteral, text to ""': "Of an argument that is refused, only what is allowed is told."
  },
  "packages/core/src/loop/run/Deciding.ts": {
    "fit: ConditionalExpression, === to false": "Only saves a look at the clock: without a deadline every wait fits."
  },
  "packages/core/src/loop/run/Decision.ts": {
    "spent: ConditionalExpression, === to false":
      "Only saves work: without limits by kind no failures are counted by kind."
  },
  "packages/core/src/loop/run/Elapsed.ts": {
    "wholeDuration: ConditionalExpression, === to false": "Only saves work: both are a duration of no time."
  },
  "packages/core/src/loop/run/Grants.ts": {
    "ask: ConditionalExpression, === to false": "Only saves work: both are no time.",
    "askInTime: BooleanLiteral, false to true, 2": "Nothing waits for that answer any longer.",
    "level: ConditionalExpression, && to false": "Only saves steps: the level is the same."
  },
  "packages/core/src/loop/run/Loop.ts": {
    "run: ConditionalExpression, || to true":
      "Only saves work: an operation that needs nothing before its first failure may begin before it, too.",
    "start: ConditionalExpression, === to false":
      "Only saves work: no time has passed that could make the attempt late.",
    "announce: ConditionalExpression, === to false":
      "Only saves a look at the clock: no time has passed that could shorten the wait.",
    "releaseThenWait: ConditionalExpression, === to false":
      "Only saves a look at the clock: nothing is released, and no time has passed.",
    "waitThenSend: ConditionalExpression, !== to true": "Only saves work: it notes the same once more.",
    "askRateLimiter: ConditionalExpression, && to false":
      "Only saves work: the longer way asks, attempts and refunds the same."
  },
  "packages/core/src/loop/run/Observers.ts": {
    "retryScheduled: OptionalChaining, ?. to ., 2": "A retry is announced once its bucket has granted it."
  },
  "packages/core/src/loop/run/Operation.ts": {
    "make: ConditionalExpression, || to true, 1":
      "Only saves a look: the operation around this one is told to observers alone, and stood down for where the policy says so.",
    "make: EqualityOperator, > to >=":
      "Only saves a look: the operation around this one is told to observers alone, and stood down for where the policy says so.",
    "make: ConditionalExpression, !== to true, 1":
      "Only saves work: a history is read by `onStopped` and, its last entry, by the service `attempt`.",
    "make: ConditionalExpression, !== to true, 2":
      "Only saves work: a history is read by `onStopped` and, its last entry, by the service `attempt`.",
    'make: StringLiteral, text to "", 4': "Every decision to retry sets it before it is read.",
    "fail: ConditionalExpression, > to true":
      "Only saves work: a history is read by `onStopped` and, its last entry, by the service `attempt`.",
    "schedule: ConditionalExpression, === to false": "Only saves work: a history that is not kept is not read.",
    "schedule: OptionalChaining, ?. to ., 2": "A wait is noted once the bucket has granted what follows it."
  },
  "packages/core/src/loop/run/Progress.ts": {
    "addFailure: ConditionalExpression, === to false, 2": "No kind has no limit either.",
    "fail: ConditionalExpression, === to true, 1": "No other verdict has `progressed`."
  },
  "packages/core/src/loop/run/Readable.ts": {
    "time: EqualityOperator, < to <=, 1": "Both ways of rounding make 10 of 9.95."
  },
  "packages/core/src/loop/run/Services.ts": {
    "telling: ConditionalExpression, !== to true":
      "Only saves a step: without a deadline, `safely` sets no bound either, and what it has logged does not die again."
  },
  "packages/core/src/loop/run/Stop.ts": {
    "stop: OptionalChaining, ?. to ., 1": "A deadline that has passed is there."
  }
}
