import type { Equivalent } from "../Equivalent.ts"

/** Of `core/fund`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/fund/compose/Keyed.ts",
    line: "if (entry !== shared) return",
    original: "entry !== shared",
    replacement: "false",
    reason: "A key with an attempt under way keeps its bucket, and is only looked for among the others without one."
  },
  {
    file: "packages/core/src/fund/store/RecentlyUsed.ts",
    line: "if (item === newest) return",
    original: "item === newest",
    replacement: "false",
    reason: "The newest one stays where it is when it is moved to the end."
  },
  {
    file: "packages/core/src/fund/bucket/ServerPause.ts",
    line: "return lengthMillis > 0 ? modify((pause, now) => [undefined, paused(pause, now, lengthMillis)]) : Effect.void",
    original: "lengthMillis > 0",
    replacement: "true",
    reason: "A pause of no length is over when it begins."
  },
  {
    file: "packages/core/src/fund/bucket/ServerPause.ts",
    line: "return lengthMillis > 0 ? modify((pause, now) => [undefined, paused(pause, now, lengthMillis)]) : Effect.void",
    original: "lengthMillis > 0",
    replacement: "lengthMillis >= 0",
    reason: "A pause of no length is over when it begins."
  },
  {
    file: "packages/core/src/fund/count/SlidingWindow.ts",
    line: "newest: -Infinity,",
    original: "-Infinity",
    replacement: "+Infinity",
    reason: "A window of zeros stays one, however far it is moved on first."
  },
  {
    file: "packages/core/src/fund/count/SlidingWindow.ts",
    line: "if (newest === self.newest) return self",
    original: "newest === self.newest",
    replacement: "false",
    reason: "To move on by no slot changes nothing: the check only saves work."
  },
  {
    file: "packages/core/src/fund/count/Tokens.ts",
    line: "cost - level > 1e-6 * Math.min(1, cost) ? cost - level : 0",
    original: "cost - level > 1e-6 * Math.min(1, cost)",
    replacement: "cost - level >= 1e-6 * Math.min(1, cost)",
    reason: "For a cost of zero the difference is zero too; otherwise two such numbers are equal only by chance."
  },
  {
    file: "packages/core/src/fund/fiber/AtOnce.ts",
    line: "const succeed = <A>(value: A): Exit.Exit<A> => (value === undefined ? (Exit.void as Exit.Exit<A>) : Exit.succeed(value))",
    original: "value === undefined",
    replacement: "false",
    reason: "The success with nothing is only made once for all."
  },
  {
    file: "packages/core/src/fund/bucket/Quota.ts",
    line: "tokens > 0 ? store.change((state, now) => TokenStore.added(state, limits, now, tokens)) : Effect.void",
    original: "tokens > 0",
    replacement: "tokens >= 0",
    reason: "To put in no tokens changes nothing: the check only saves work."
  },
  {
    file: "packages/core/src/fund/store/WaitingStore.ts",
    line: ": leftMillis + graceMillis",
    original: "leftMillis + graceMillis",
    replacement: "leftMillis - graceMillis",
    reason: "It is looked at sooner, and again until the millisecond has passed."
  },
  {
    file: "packages/core/src/fund/fiber/AtOnce.ts",
    line: "if (hasEnded(self)) return self",
    original: "hasEnded(self)",
    replacement: "false",
    reason: "Only saves work: no exit is marked, and what is not marked is answered as it is."
  },
  {
    file: "packages/core/src/fund/compose/Fallible.ts",
    line: "return AtOnce.hasEnded(asked) && Exit.isSuccess(asked) && Option.isSome(asked.value)",
    original: "AtOnce.hasEnded(asked) && Exit.isSuccess(asked)",
    replacement: "AtOnce.hasEnded(asked) || Exit.isSuccess(asked)",
    reason: "A store that answers at once answers a success, and no other effect is one; the compiler does not know it."
  },
  {
    file: "packages/core/src/fund/store/TokenStore.ts",
    line: "const { isFree = () => false } = arithmetic",
    original: "() => false",
    replacement: "() => undefined",
    reason: "What is absent is as good as `false` where a condition is asked for."
  }
]
