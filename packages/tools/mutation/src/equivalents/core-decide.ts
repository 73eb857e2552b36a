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
    file: "packages/core/src/decide/BackoffTree.ts",
    line: "delayMillis !== undefined && input.elapsedMillis + Math.max(delayMillis, input.atLeastMillis ?? 0) >= withinMillis",
    original: "delayMillis !== undefined",
    replacement: "true",
    reason: "Nothing does not reach a time."
  },
  {
    file: "packages/core/src/decide/BackoffTree.ts",
    line: "const counted = sinceMillis === 0 ? input : { ...input, elapsedMillis: input.elapsedMillis - sinceMillis }",
    original: "sinceMillis === 0",
    replacement: "false",
    reason: "Only saves work: it takes nothing off."
  },
  {
    file: "packages/core/src/decide/BackoffTree.ts",
    line: "stepped.delayMillis === undefined",
    original: "stepped.delayMillis === undefined",
    replacement: "false",
    reason: "An end has neither a delay nor a cap."
  },
  {
    file: "packages/core/src/decide/Classic.ts",
    line: "const wholeBelow = (count: number, u: number): number => Math.min(Math.floor(u * count), count - 1)",
    original: "count - 1",
    replacement: "count + 1",
    reason: "A draw is below 1, and its product with a whole number below that number."
  },
  {
    file: "packages/core/src/decide/TreeShape.ts",
    line: "for (let part = open.pop(); part !== undefined && count <= mostParts; part = open.pop()) {",
    original: "count <= mostParts",
    replacement: "true",
    reason: "Only saves work: more than too many are too many."
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
  ...['self._tag === "Ignore"', '"Ignore"'].map((original) => ({
    file: "packages/core/src/decide/HintRule.ts",
    line: 'if (self._tag === "Ignore") return delayMillis',
    original,
    replacement: original === '"Ignore"' ? '""' : "false",
    reason: "A rule that ignores hints has no bound that a hint is compared with: the delay stays."
  })),
  ...[
    ['"Backoff.constant",', '"Backoff.constant"'],
    ['"Backoff.exponential",', '"Backoff.exponential"'],
    ['"Backoff.fromDelays",', '"Backoff.fromDelays"'],
    ['? leaf("Backoff.fromCurve", curve)', '"Backoff.fromCurve"']
  ].map(([line = "", original = ""]) => ({
    file: "packages/core/src/decide/Backoff.ts",
    line,
    original,
    replacement: '""',
    reason: "Only a back-off of too many parts is refused, and this one has one."
  })),
  {
    file: "packages/core/src/decide/Curve.ts",
    line: "for (let i = 1; i < n && current < greatestFibonacci; i++) {",
    original: "current < greatestFibonacci",
    replacement: "current <= greatestFibonacci",
    reason: "Either is far above what a delay can be multiplied by."
  }
]
