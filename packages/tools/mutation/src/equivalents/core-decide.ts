import type { Equivalent } from "../Equivalent.ts"

/** Of `core/decide`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/decide/BackoffTree.ts",
    line: "const delay = capMillis === Infinity ? drawn : below(jitter, bound, drawn, capMillis)",
    original: "capMillis === Infinity",
    replacement: "false",
    reason: "No interval ends above a cap of `Infinity`, so the draw stays as it is."
  },
  {
    file: "packages/core/src/decide/BackoffTree.ts",
    line: "if (left.delayMillis === undefined || right.delayMillis === undefined) return { delayMillis: undefined, rest }",
    original: "right.delayMillis === undefined",
    replacement: "false",
    reason: "No delay is longer than nothing: the part without a delay is chosen, and with it none."
  },
  {
    file: "packages/core/src/decide/BackoffTree.ts",
    line: "if (left.delayMillis === undefined) return around(right, rest)",
    original: "left.delayMillis === undefined",
    replacement: "false",
    reason: "Nothing is not shorter than a delay: the other part is chosen, and its cap alone counts."
  },
  {
    file: "packages/core/src/decide/CappedDraw.ts",
    line: "if (high <= capMillis) return drawnMillis",
    original: "high <= capMillis",
    replacement: "high < capMillis",
    reason: "An interval that ends at the cap is scaled by 1."
  },
  {
    file: "packages/core/src/decide/HintRule.ts",
    line: 'if (self._tag === "Ignore" || !self.startsOver) return false',
    original: 'self._tag === "Ignore"',
    replacement: "false",
    reason: "A rule that ignores hints has no `startsOver`."
  },
  {
    file: "packages/core/src/decide/HintRule.ts",
    line: 'if (self._tag === "Ignore" || !self.startsOver) return false',
    original: '"Ignore"',
    replacement: '""',
    reason: "A rule that ignores hints has no `startsOver`."
  },
  {
    file: "packages/core/src/decide/Curve.ts",
    line: "for (let i = 1; i < n && current < greatestFibonacci; i++) {",
    original: "current < greatestFibonacci",
    replacement: "current <= greatestFibonacci",
    reason: "Either is far above what a delay can be multiplied by."
  }
]
