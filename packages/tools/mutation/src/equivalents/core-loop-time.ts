import type { Equivalent } from "../Equivalent.ts"

/** Of the files of `core/loop` that deal with time: bounds, timers, deadlines, and the attempts that they end. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/loop/run/Elapsed.ts",
    line: "return whole === 0 ? Duration.zero : Duration.millis(whole)",
    original: "whole === 0",
    replacement: "false",
    reason: "Only saves work: both are a duration of no time."
  },
  {
    file: "packages/core/src/fund/fiber/ActiveOperation.ts",
    line: '"@effect-retry/core/ActiveOperation/innermost",',
    original: '"@effect-retry/core/ActiveOperation/innermost"',
    replacement: '""',
    reason: "Any key does that no other package has: it only has to be the same in all copies of this one."
  },
  {
    file: "packages/core/src/fund/fiber/Child.ts",
    line: "immediate: depth <= deepest,",
    original: "depth <= deepest",
    replacement: "depth < deepest",
    reason: "A stack that holds a hundred effects holds one less or one more."
  },
  {
    file: "packages/core/src/loop/policy/Deadline.ts",
    line: 'self._tag === "Cut" ? Math.min(delayMillis, Math.ceil(TimeLeft.untilEnd(self, elapsedMillis))) : delayMillis,',
    original: 'self._tag === "Cut"',
    replacement: "true",
    reason: "The delay under any other deadline was judged to fit into the time that is left."
  },
  {
    file: "packages/core/src/fund/fiber/Timer.ts",
    line: "if (!Predicate.isFunction(madeOfLive)) return undefined",
    original: "!Predicate.isFunction(madeOfLive)",
    replacement: "false",
    reason: "The live clock of this version of Effect has a scheduler."
  },
  {
    file: "packages/core/src/fund/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: 'AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    replacement: "true",
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/fund/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: 'AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    replacement: 'AtOnce.hasEnded(made) && Exit.isSuccess(made) || Predicate.hasProperty(made.value, "unsafeSchedule")',
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/fund/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: "AtOnce.hasEnded(made) && Exit.isSuccess(made)",
    replacement: "true",
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/fund/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: "AtOnce.hasEnded(made) && Exit.isSuccess(made)",
    replacement: "AtOnce.hasEnded(made) || Exit.isSuccess(made)",
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/fund/fiber/Within.ts",
    line: "const handing = note === undefined ? exit : Effect.tap(exit, note)",
    original: "note === undefined",
    replacement: "false",
    reason: "Only saves a step: `Effect.tap` takes what is no effect for a value."
  },
  {
    file: "packages/core/src/fund/fiber/Child.ts",
    line: 'return typeof known === "number" && isSame(known, runtimeFlags) ? fiberRefs! : fiber.getFiberRefs()',
    original: 'typeof known === "number" && isSame(known, runtimeFlags)',
    replacement: "false",
    reason: "Only saves a copy: what Effect declares answers the same FiberRefs."
  },
  {
    file: "packages/core/src/fund/fiber/Child.ts",
    line: "if (Undeclared.fiberRefs(child) === fiberRefs && flags !== undefined && isSame(flags, runtimeFlags)) return false",
    original: "Undeclared.fiberRefs(child) === fiberRefs && flags !== undefined && isSame(flags, runtimeFlags)",
    replacement: "false",
    reason: "Only saves work: the FiberRefs are compared one by one."
  }
]
