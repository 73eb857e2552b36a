import type { Equivalent } from "../Equivalent.ts"

/** Of the files of `core/loop` that deal with time: bounds, timers, deadlines, and the attempts that they end. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/loop/Elapsed.ts",
    line: "return whole === 0 ? Duration.zero : Duration.millis(whole)",
    original: "whole === 0",
    replacement: "false",
    reason: "Only saves work: both are a duration of no time."
  },
  {
    file: "packages/core/src/loop/fiber/ActiveOperation.ts",
    line: '"@effect-retry/core/ActiveOperation/innermost",',
    original: '"@effect-retry/core/ActiveOperation/innermost"',
    replacement: '""',
    reason: "Any key does that no other package has: it only has to be the same in all copies of this one."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "return Runtime.runFork(runtime, self, { immediate: depth <= deepest })",
    original: "depth <= deepest",
    replacement: "depth < deepest",
    reason: "A stack that holds a hundred effects holds one less or one more."
  },
  {
    file: "packages/core/src/loop/Deadline.ts",
    line: 'self._tag === "Cut" ? Math.min(delayMillis, Math.ceil(TimeLeft.untilEnd(self, elapsedMillis))) : delayMillis,',
    original: 'self._tag === "Cut"',
    replacement: "true",
    reason: "The delay under any other deadline was judged to fit into the time that is left."
  },
  {
    file: "packages/core/src/loop/fiber/Timer.ts",
    line: "if (!Predicate.isFunction(live.scheduler)) return undefined",
    original: "!Predicate.isFunction(live.scheduler)",
    replacement: "false",
    reason: "The live clock of this version of Effect has a scheduler."
  },
  {
    file: "packages/core/src/loop/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: 'AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    replacement: "true",
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/loop/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: 'AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    replacement: 'AtOnce.hasEnded(made) && Exit.isSuccess(made) || Predicate.hasProperty(made.value, "unsafeSchedule")',
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/loop/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: "AtOnce.hasEnded(made) && Exit.isSuccess(made)",
    replacement: "true",
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/loop/fiber/Timer.ts",
    line: 'return AtOnce.hasEnded(made) && Exit.isSuccess(made) && Predicate.hasProperty(made.value, "unsafeSchedule")',
    original: "AtOnce.hasEnded(made) && Exit.isSuccess(made)",
    replacement: "AtOnce.hasEnded(made) || Exit.isSuccess(made)",
    reason: "The live clock of this version of Effect hands its scheduler out at once."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "return fiberRefs === undefined || bound.disconnected || !isLikeAChild(fiber, fiberRefs, runtimeFlags)",
    original: "fiberRefs === undefined",
    replacement: "false",
    reason: "The fibers of this version of Effect have them."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "if (run.timeBound !== undefined) hear(run)",
    original: "run.timeBound !== undefined",
    replacement: "true",
    reason: "Only saves work: nothing asks what a child has heard."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "else if (tell !== undefined) {",
    original: "tell !== undefined",
    replacement: "true",
    reason: "The fibers of this version of Effect have it."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "if (told === Effect.void && childrenOf(run.fiber)?.size === 0) return joined(run, exit, onTimeout)",
    original: "told === Effect.void && childrenOf(run.fiber)?.size === 0",
    replacement: "false",
    reason: "Only saves steps: there is nothing to tell and nothing to interrupt."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "if (told === Effect.void && childrenOf(run.fiber)?.size === 0) return joined(run, exit, onTimeout)",
    original: "childrenOf(run.fiber)?.size",
    replacement: "childrenOf(run.fiber).size",
    reason: "A fiber that does not tell of its children runs the effect in one."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "const forked = Effect.suspend(() => Fiber.interruptAll(childrenOf(run.fiber) ?? []))",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "A fiber that does not tell of its children runs the effect in one."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "const handed = note === undefined ? exit : Effect.tap(exit, note)",
    original: "note === undefined",
    replacement: "false",
    reason: "Only saves a step: `Effect.tap` takes what is no effect for a value."
  },
  {
    file: "packages/core/src/loop/fiber/ActiveOperation.ts",
    line: "if (!isWritable(fiber)) return Effect.flatMap(FiberRef.set(innermost, active), () => self)",
    original: "!isWritable(fiber)",
    replacement: "true",
    reason: "Only saves steps: the FiberRef is written either way."
  },
  {
    file: "packages/core/src/loop/fiber/ActiveOperation.ts",
    line: 'const isWritable = (fiber: FiberView | undefined): fiber is Writable => fiber !== undefined && "setFiberRefs" in fiber',
    original: "fiber !== undefined",
    replacement: "true",
    reason: "An attempt that begins or ends has a fiber."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "isAlike &&= fork === identity || ref === FiberRef.interruptedCause || patch(fork)(value) === value",
    original: "fork === identity",
    replacement: "false",
    reason: "Only saves calls: by `identity` a value stays what it is."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "isAlike &&= fork === identity || ref === FiberRef.interruptedCause || patch(fork)(value) === value",
    original: "ref === FiberRef.interruptedCause",
    replacement: "false",
    reason: "Only saves a child: a fiber that is interrupted already begins the effect in neither."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "isAlike &&= fork === identity || ref === FiberRef.interruptedCause || patch(fork)(value) === value",
    original: "fork === identity || ref === FiberRef.interruptedCause",
    replacement: "false",
    reason: "Only saves calls and a child, as each of the two does."
  },
  {
    file: "packages/core/src/loop/fiber/Within.ts",
    line: "isAlike &&= fork === identity || ref === FiberRef.interruptedCause || patch(fork)(value) === value",
    original: "fork === identity || ref === FiberRef.interruptedCause",
    replacement: "fork === identity && ref === FiberRef.interruptedCause",
    reason: "Only saves calls and a child, as each of the two does."
  }
]
