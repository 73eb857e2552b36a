import type { Equivalent } from "../Equivalent.ts"

/** Of `core/fund`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/fund/Keyed.ts",
    line: "if (entry !== shared) return",
    original: "entry !== shared",
    replacement: "false",
    reason: "A key with an attempt under way keeps its bucket, and is only looked for among the others without one."
  },
  {
    file: "packages/core/src/fund/RecentlyUsed.ts",
    line: "if (item === newest) return",
    original: "item === newest",
    replacement: "false",
    reason: "The newest one stays where it is when it is moved to the end."
  },
  {
    file: "packages/core/src/fund/ServerPause.ts",
    line: "return lengthMillis > 0 ? modify((pause, now) => [undefined, paused(pause, now, lengthMillis)]) : Effect.void",
    original: "lengthMillis > 0",
    replacement: "true",
    reason: "A pause of no length is over when it begins."
  },
  {
    file: "packages/core/src/fund/ServerPause.ts",
    line: "return lengthMillis > 0 ? modify((pause, now) => [undefined, paused(pause, now, lengthMillis)]) : Effect.void",
    original: "lengthMillis > 0",
    replacement: "lengthMillis >= 0",
    reason: "A pause of no length is over when it begins."
  },
  {
    file: "packages/core/src/fund/SlidingWindow.ts",
    line: "newest: -Infinity,",
    original: "-Infinity",
    replacement: "+Infinity",
    reason: "A window of zeros stays one, however far it is moved on first."
  },
  {
    file: "packages/core/src/fund/SlidingWindow.ts",
    line: "if (newest === self.newest) return self",
    original: "newest === self.newest",
    replacement: "false",
    reason: "To move on by no slot changes nothing: it is only known sooner."
  },
  {
    file: "packages/core/src/fund/Tokens.ts",
    line: "cost - level > 1e-6 * Math.min(1, cost) ? cost - level : 0",
    original: "cost - level > 1e-6 * Math.min(1, cost)",
    replacement: "cost - level >= 1e-6 * Math.min(1, cost)",
    reason: "But for a cost of zero, two such numbers are the same only by the chance of their rounding."
  }
]
