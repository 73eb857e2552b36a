import type { Equivalent } from "../Equivalent.ts"

/** Of the files of `core/loop` that do not deal with time. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/loop/policy/ConfiguredPolicy.ts",
    line: 'fromTree("Policy.config", BackoffTree.mapLeaves(tree, f))',
    original: '"Policy.config"',
    replacement: '""',
    reason: "Only a back-off of too many parts is refused, and the preset's has as many."
  },
  {
    file: "packages/core/src/loop/run/Decision.ts",
    line: "attemptsByKind === undefined",
    original: "attemptsByKind === undefined",
    replacement: "false",
    reason: "Only saves work: without limits by kind no failures are counted by kind."
  },
  {
    file: "packages/core/src/loop/run/Progress.ts",
    line: "return kind === undefined || attemptsByKind[kind] === undefined",
    original: "kind === undefined",
    replacement: "false",
    reason: "No kind has no limit either."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "prepared.eager || onStopped !== undefined",
    original: "prepared.eager || onStopped !== undefined",
    replacement: "true",
    reason: "Only saves work: an operation that needs nothing before its first failure may begin before it, too."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "return told === undefined ? runAttempt(op) : Services.andThen(told, () => unlessLate(op, runAttempt))",
    original: "told === undefined",
    replacement: "false",
    reason: "Only saves work: no time has passed that could make the attempt late."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "return op.prepared.eager",
    original: "op.prepared.eager",
    replacement: "true",
    reason: "Only saves work: there is nothing to do after a success."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: 'const found = cause._tag === "Fail" ? Option.some(cause.error) : Stop.failureOf(cause)',
    original: 'cause._tag === "Fail"',
    replacement: "false",
    reason: "Only saves work: a cause that is one failure is no defect, and has that failure."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: 'const found = cause._tag === "Fail" ? Option.some(cause.error) : Stop.failureOf(cause)',
    original: '"Fail"',
    replacement: '""',
    reason: "Only saves work: a cause that is one failure is no defect, and has that failure."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "recorded === undefined && op.prepared.hooks.observers.length === 0",
    original: "recorded === undefined && op.prepared.hooks.observers.length === 0",
    replacement: "false",
    reason: "Only saves work: there is nothing to tell."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "if (told === undefined) return releaseThenWait(op, delayMillis)",
    original: "told === undefined",
    replacement: "false",
    reason: "Only saves a look at the clock: no time has passed that could shorten the wait."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "if (op.open === undefined) return waitThenSend(op, delayMillis)",
    original: "op.open === undefined",
    replacement: "false",
    reason: "Only saves a look at the clock: nothing is released, and no time has passed."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "if (op.delayMillis !== delayMillis) Operation.schedule(op, delayMillis)",
    original: "op.delayMillis !== delayMillis",
    replacement: "true",
    reason: "Only saves work: it notes the same once more."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "if (op.prepared.isBare && !op.isStepped && !Grants.hearsStart(op)) return askAndAttempt(op, rateLimiter)",
    original: "!Grants.hearsStart(op)",
    replacement: "false",
    reason: "Only saves work: the longer way asks, attempts and refunds the same."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "if (op.prepared.isBare && !op.isStepped && !Grants.hearsStart(op)) return askAndAttempt(op, rateLimiter)",
    original: "op.prepared.isBare && !op.isStepped && !Grants.hearsStart(op)",
    replacement: "false",
    reason: "Only saves work: the longer way asks, attempts and refunds the same."
  },
  {
    file: "packages/core/src/loop/run/Loop.ts",
    line: "if (op.prepared.policy.deadline === undefined) return then(delayMillis)",
    original: "op.prepared.policy.deadline === undefined",
    replacement: "false",
    reason: "Only saves a look at the clock: without a deadline every wait fits."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: 'const asksForOuter = prepared.retries && (hooks.observers.length > 0 || policy.whenNested === "standDown")',
    original: 'hooks.observers.length > 0 || policy.whenNested === "standDown"',
    replacement: "true",
    reason:
      "Only saves a look: the operation around this one is told to observers alone, and stood down for where the policy says so."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: 'const asksForOuter = prepared.retries && (hooks.observers.length > 0 || policy.whenNested === "standDown")',
    original: "hooks.observers.length > 0",
    replacement: "hooks.observers.length >= 0",
    reason:
      "Only saves a look: the operation around this one is told to observers alone, and stood down for where the policy says so."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: "const keeps = onStopped !== undefined ? mostRemembered : policy.attempt !== undefined ? 1 : 0",
    original: "onStopped !== undefined",
    replacement: "true",
    reason: "Only saves work: a history is read by `onStopped` and, its last entry, by the service `attempt`."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: "const keeps = onStopped !== undefined ? mostRemembered : policy.attempt !== undefined ? 1 : 0",
    original: "policy.attempt !== undefined",
    replacement: "true",
    reason: "Only saves work: a history is read by `onStopped` and, its last entry, by the service `attempt`."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: 'source: "Curve",',
    original: '"Curve"',
    replacement: '""',
    reason: "Every decision to retry sets it before it is read."
  },
  {
    file: "packages/core/src/loop/run/Progress.ts",
    line: 'if (verdict._tag === "Retryable" && verdict.progressed === true) {',
    original: 'verdict._tag === "Retryable"',
    replacement: "true",
    reason: "No other verdict has `progressed`."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: "if (op.keeps === 0) return",
    original: "op.keeps === 0",
    replacement: "false",
    reason: "Only saves work: a history is read by `onStopped` and, its last entry, by the service `attempt`."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: "if (latest === undefined) return",
    original: "latest === undefined",
    replacement: "false",
    reason: "Only saves work: a history that is not kept is not read."
  },
  {
    file: "packages/core/src/loop/run/Readable.ts",
    line: "if (millis < 9.95) return `${rounded(millis, 1)} ms`",
    original: "millis < 9.95",
    replacement: "millis <= 9.95",
    reason: "Both ways of rounding make 10 of 9.95."
  },
  {
    file: "packages/core/src/loop/policy/CurrentAttempt.ts",
    line: 'export class CurrentAttempt extends Context.Tag("@effect-retry/core/CurrentAttempt")<CurrentAttempt, Attempt>() {}',
    original: '"@effect-retry/core/CurrentAttempt"',
    replacement: '""',
    reason: "Any key does that no other package has: it only has to be the same in all copies of this one."
  },
  {
    file: "packages/core/src/loop/run/Grants.ts",
    line: "delay: delayMillis === 0 ? Duration.zero : Duration.millis(delayMillis),",
    original: "delayMillis === 0",
    replacement: "false",
    reason: "Only saves work: both are no time."
  },
  {
    file: "packages/core/src/loop/run/Grants.ts",
    line: "return AtOnce.hasEnded(asked) && Exit.isSuccess(asked)",
    original: "AtOnce.hasEnded(asked) && Exit.isSuccess(asked)",
    replacement: "false",
    reason: "Only saves steps: the answer is the same."
  },
  {
    file: "packages/core/src/loop/run/Grants.ts",
    line: "if (isOver) return Effect.as(Option.isSome(answer) ? answer.value.refund : Effect.void, false)",
    original: "false",
    replacement: "true",
    reason: "Nothing waits for that answer any longer."
  },
  {
    file: "packages/core/src/loop/run/Grants.ts",
    line: "return AtOnce.hasEnded(told) && Exit.isSuccess(told)",
    original: "AtOnce.hasEnded(told) && Exit.isSuccess(told)",
    replacement: "false",
    reason: "Only saves steps: the level is the same."
  },
  {
    file: "packages/core/src/loop/run/Observers.ts",
    line: "cost: op.bucket?.held?.tokens ?? 0",
    original: "op.bucket?.held?.tokens",
    replacement: "op.bucket?.held.tokens",
    reason: "A retry is announced once its bucket has granted it."
  },
  {
    file: "packages/core/src/loop/run/Operation.ts",
    line: "const cost = op.bucket?.held?.tokens ?? 0",
    original: "op.bucket?.held?.tokens",
    replacement: "op.bucket?.held.tokens",
    reason: "A wait is noted once the bucket has granted what follows it."
  },
  {
    file: "packages/core/src/loop/Promises.ts",
    line: "reject(signal?.reason)",
    original: "signal?.reason",
    replacement: "signal.reason",
    reason: "Only a signal calls it."
  },
  {
    file: "packages/core/src/loop/Promises.ts",
    line: "if (caller.running !== undefined) abortAttempt(caller.running, signal?.reason)",
    original: "signal?.reason",
    replacement: "signal.reason",
    reason: "Only a signal calls it."
  },
  {
    file: "packages/core/src/loop/run/Services.ts",
    line: "const isBounded = op.prepared.policy.deadline !== undefined",
    original: "op.prepared.policy.deadline !== undefined",
    replacement: "true",
    reason:
      "Only saves a step: without a deadline, `safely` sets no bound either, and what it has logged does not die again."
  },
  {
    file: "packages/core/src/loop/run/Stop.ts",
    line: 'const exceeds = reason._tag === "DeadlinePassed" && (deadline?._tag === "Cut" || released)',
    original: "deadline?._tag",
    replacement: "deadline._tag",
    reason: "A deadline that has passed is there."
  },
  {
    file: "packages/core/src/loop/policy/PolicySettings.ts",
    line: 'const owner = "Policy.config"',
    original: '"Policy.config"',
    replacement: '""',
    reason: "Of an argument that is refused, only what is allowed is told."
  }
]
