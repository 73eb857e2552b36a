import type { Equivalents } from "../Equivalent.ts"

/** Of `core/fund`. */
export const equivalents: Equivalents = {
  "packages/core/src/fund/bucket/AcceptRatio.ts": {
    "acceptRatio: ConditionalExpression, === to false, 2":
      "Where nothing is refused, nothing is refused at any level: the check only saves work.",
    "advanced: ConditionalExpression, === to false": "Mapping an empty list gives an empty list.",
    "changed: ConditionalExpression, === to false, 1": "Mapping an empty list gives an empty list."
  },
  "packages/core/src/fund/bucket/CircuitBreaker.ts": {
    "arithmeticOf: ConditionalExpression, && to true, 1":
      "A circuit that is not closed has no ticket of its own, and no pass.",
    "arithmeticOf: LogicalOperator, && to ||, 1": "A circuit that is not closed has no ticket of its own.",
    "breakerOf: ConditionalExpression, === to false, 5": "Only keeps the effect that tells of a success.",
    "breakerOf: EqualityOperator, !== to ===, 3": "Only saves a step, which changes nothing.",
    "breakerOf: LogicalOperator, ?? to &&": "Only saves a request, which is granted as well."
  },
  "packages/core/src/fund/bucket/Quota.ts": {
    "quota: EqualityOperator, > to >=, 1": "To put in no tokens changes nothing: the check only saves work."
  },
  "packages/core/src/fund/bucket/ServerPause.ts": {
    "serverPause: ConditionalExpression, > to true, 2": "A pause of no length is over when it begins.",
    "serverPause: EqualityOperator, > to >=, 2": "A pause of no length is over when it begins."
  },
  "packages/core/src/fund/compose/Fallible.ts": {
    "withFallback: LogicalOperator, && to ||, 1":
      "A store that answers at once answers a success, and no other effect is one; the compiler does not know it."
  },
  "packages/core/src/fund/compose/Keyed.ts": {
    "sharedBy: ConditionalExpression, !== to false":
      "A key with an attempt under way keeps its bucket, and is only looked for among the others without one."
  },
  "packages/core/src/fund/count/Circuit.ts": {
    "opened: ConditionalExpression, === to true, 2":
      "A half-open circuit does not say since when it is closed, so the comparison after it is false.",
    "probesOf: ConditionalExpression, === to true, 2":
      "A circuit in another state does not say until when it is open, so the comparison after it is false.",
    "refunded: ConditionalExpression, === to true":
      "Only a half-open circuit holds a ticket; only the compiler does not know it.",
    'needsDraw: StringLiteral, text to ""': "Any text does: a circuit is no text, and the value is only compared.",
    "ignoresSuccess: ConditionalExpression, === to true, 1": "Only a closed circuit has a ticket of its own."
  },
  "packages/core/src/fund/count/Concurrency.ts": {
    "baselineOf: EqualityOperator, < to <=": "A baseline that is equal to the latency rises by nothing."
  },
  "packages/core/src/fund/count/Failures.ts": {
    "areTooMany: ConditionalExpression, === to true, 1":
      "A sample is made by the rule of its circuit, so it is of the same kind; only the compiler does not know it.",
    "areTooMany: ConditionalExpression, === to true, 2":
      "A sample is made by the rule of its circuit, so it is of the same kind; only the compiler does not know it.",
    "areTooMany: ConditionalExpression, === to true, 3":
      "A sample is made by the rule of its circuit, so it is of the same kind; only the compiler does not know it.",
    "reaches: EqualityOperator, >= to >, 2": "A share of whole numbers is never exactly the tolerance below the ratio."
  },
  "packages/core/src/fund/count/SlidingWindow.ts": {
    "make: UnaryOperator, - to +": "A window of zeros stays one, however far it is moved on first.",
    "advanced: ConditionalExpression, === to false, 1":
      "To move on by no slot changes nothing: the check only saves work."
  },
  "packages/core/src/fund/count/Tokens.ts": {
    "missing: EqualityOperator, > to >=":
      "For a cost of zero the difference is zero too; otherwise two such numbers are equal only by chance."
  },
  "packages/core/src/fund/store/Budget.ts": {
    "noteLevel: EqualityOperator, > to >=": "To note an equal level changes nothing: the comparison only saves a copy."
  },
  "packages/core/src/fund/store/TokenStore.ts": {
    "granting: ConditionalExpression, || to true": "Only saves work: a new grant is equal to the latest one.",
    "makeSteps: ConditionalExpression, && to false, 4": "Only saves a step, which grants the same."
  },
  "packages/core/src/fund/store/WaitQueue.ts": {
    "newest: ConditionalExpression, > to true": "The queue has a waiter, which is found first.",
    "newest: EqualityOperator, > to >=": "No waiter has a ticket before the first one."
  },
  "packages/core/src/fund/fiber/AtOnce.ts": {
    "succeed: ConditionalExpression, === to false": "The success with nothing is only made once for all.",
    "run: ConditionalExpression, call to false":
      "Only saves work: no exit is marked, and what is not marked is answered as it is.",
    "andThen: ConditionalExpression, !== to false": "Only saves an exit: the value is the same."
  },
  "packages/core/src/fund/fiber/Child.ts": {
    "begin: EqualityOperator, <= to <": "A stack that holds a hundred effects holds one less or one more.",
    "handing: ConditionalExpression, === to false":
      "Only saves a step: `Effect.tap` takes what is no effect for a value.",
    "fiberRefsOf: ConditionalExpression, && to false":
      "Only saves a copy: what Effect declares answers the same FiberRefs.",
    "fiberRefsOf: OptionalChaining, ?. to .": "A fiber of this version of Effect has this field.",
    "hasChanged: ConditionalExpression, && to false": "Only saves work: the FiberRefs are compared one by one."
  },
  "packages/core/src/fund/fiber/Innermost.ts": {
    'innermost: StringLiteral, text to ""':
      "Any key does that no other package has: it only has to be the same in all copies of this one."
  },
  "packages/core/src/fund/fiber/LiveTimer.ts": {
    "liveScheduler: ConditionalExpression, ! to false": "The live clock of this version of Effect has a scheduler.",
    "liveScheduler: ConditionalExpression, && to true, 2":
      "The live clock of this version of Effect hands its scheduler out at once.",
    "liveScheduler: LogicalOperator, && to ||, 2":
      "The live clock of this version of Effect hands its scheduler out at once.",
    "liveScheduler: ConditionalExpression, && to true, 1":
      "The live clock of this version of Effect hands its scheduler out at once.",
    "liveScheduler: LogicalOperator, && to ||, 1":
      "The live clock of this version of Effect hands its scheduler out at once."
  },
  "packages/core/src/fund/store/PriorityQueue.ts": {
    "isMixed: ConditionalExpression, > to true, 1": "Only saves work: a single waiter has a single level.",
    "isMixed: EqualityOperator, > to >=": "Only saves work: a single waiter has a single level.",
    "first: ConditionalExpression, === to false, 1": "Only saves work: no queue of a level has a first waiter then.",
    "isBefore: EqualityOperator, < to <=": "Two waiters never have the same arrival.",
    "isBefore: EqualityOperator, > to >=": "Where the numbers are compared, the difference is not zero."
  },
  "packages/core/src/fund/store/RecentlyUsed.ts": {
    "make: ConditionalExpression, === to false, 4": "The newest one stays where it is when it is moved to the end."
  },
  "packages/core/src/fund/store/Turns.ts": {
    "make: ArithmeticOperator, + to -, 2": "It is looked at sooner, and again until the millisecond has passed."
  }
}
