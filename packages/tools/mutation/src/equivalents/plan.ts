import type { Equivalent } from "../Equivalent.ts"

/** Of `plan`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/plan/src/Explain.ts",
    line: 'const neverResets = BackoffTree.some(tree, (part) => part._tag === "ResetAfter" && part.afterMillis > longest)',
    original: 'part._tag === "ResetAfter"',
    replacement: "true",
    reason: "No other part has an `afterMillis`."
  },
  {
    file: "packages/plan/src/Extremes.ts",
    line: "const greatest = 1 - Number.EPSILON / 2",
    original: "1 - Number.EPSILON / 2",
    replacement: "1 + Number.EPSILON / 2",
    reason: "The mutant is 1; rounding to milliseconds hides the difference."
  },
  {
    file: "packages/plan/src/Extremes.ts",
    line: "const greatest = 1 - Number.EPSILON / 2",
    original: "Number.EPSILON / 2",
    replacement: "Number.EPSILON * 2",
    reason: "Delays are rounded up to milliseconds, which hides the difference."
  },
  {
    file: "packages/plan/src/Extremes.ts",
    line: "return { leasts: prepared, greatests: prepared, parted: remembers(prepared) || restartsTimes(prepared) }",
    original: "remembers(prepared) || restartsTimes(prepared)",
    replacement: "true",
    reason: "Where no time is told apart both histories have the same tree, and are only asked more often."
  },
  {
    file: "packages/plan/src/Extremes.ts",
    line: "if (!self.parted) return { least: shortest, most: longest, addsLeast: shortest, addsMost: longest, rest }",
    original: "!self.parted",
    replacement: "false",
    reason: "Where no time is told apart both histories have the same tree, and are only asked more often."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: 'if (part._tag === "ResetAfter") found.add(part.afterMillis)',
    original: 'part._tag === "ResetAfter"',
    replacement: "true",
    reason: "No other part has an `afterMillis`, and no attempt is as long as nothing."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: "telling.draws === undefined ? undefined : Means.mean(path.histories, telling.attempts, meanInput, telling.draws)",
    original: "telling.draws === undefined",
    replacement: "false",
    reason: "A mean over no number of draws is none."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: "bound: telling.draws === undefined ? range.most : Extremes.boundMillis(path.extremes, input),",
    original: "telling.draws === undefined",
    replacement: "false",
    reason: "It is only worked out for a row that is not shown."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: 'waits !== undefined || deadline?._tag === "Cut" ? Math.max(0, Math.min(waitedMost, atMost - spent)) : 0,',
    original: "deadline?._tag",
    replacement: "deadline._tag",
    reason: "Without a deadline every wait fits."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: 'hint._tag !== "Ignore" && hint.startsOver',
    original: 'hint._tag !== "Ignore"',
    replacement: "true",
    reason: "A rule that ignores hints has no `startsOver`."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: 'hint._tag !== "Ignore" && hint.startsOver',
    original: '"Ignore"',
    replacement: '""',
    reason: "A rule that ignores hints has no `startsOver`."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: 'const shortestHint = (hint: Hint.Hint): number => (hint._tag === "Override" && hint.zero === "atOnce" ? 0 : 1)',
    original: 'hint._tag === "Override"',
    replacement: "true",
    reason: "No other rule has a `zero`."
  },
  {
    file: "packages/plan/src/Extremes.ts",
    line: 'BackoffTree.some(tree, (part) => part._tag === "ResetAfter" && hasWithin(part.initial))',
    original: 'part._tag === "ResetAfter" && hasWithin(part.initial)',
    replacement: "true",
    reason: "Where no time starts over both histories have the same tree, and are only asked more often."
  },
  {
    file: "packages/plan/src/Failing.ts",
    line: "return certain ? possible : possible?.map((step) => ({ ...step, certain: false }))",
    original: "possible?.map",
    replacement: "possible.map",
    reason: "Where there are no steps, there are none to compare with them, and that is certain."
  },
  {
    file: "packages/plan/src/Limits.ts",
    line: 'hint._tag === "Ignore" || hint._tag === "Within" ? Infinity : hint.atMostMillis',
    original: 'hint._tag === "Ignore"',
    replacement: "false",
    reason: "A rule that ignores hints makes no use of the longest one."
  },
  {
    file: "packages/plan/src/Limits.ts",
    line: 'hint._tag === "Ignore" || hint._tag === "Within" ? Infinity : hint.atMostMillis',
    original: '"Ignore"',
    replacement: '""',
    reason: "A rule that ignores hints makes no use of the longest one."
  },
  {
    file: "packages/plan/src/Means.ts",
    line: "if (only === undefined || another === undefined) return only && alone(only, input, mostDraws)",
    original: "only === undefined",
    replacement: "false",
    reason: "Without a first history there is no second one either."
  },
  {
    file: "packages/plan/src/Means.ts",
    line: "self.length <= most",
    original: "self.length <= most",
    replacement: "self.length < most",
    reason: "As many as there are, evenly spread, are all of them."
  },
  {
    file: "packages/plan/src/Means.ts",
    line: ": Array.from({ length: most }, (_, i) => self[Math.floor(((i + 0.5) / most) * self.length)]).filter(",
    original:
      "Array.from({ length: most }, (_, i) => self[Math.floor(((i + 0.5) / most) * self.length)]).filter( (tree) => tree !== undefined )",
    replacement: "Array.from({\n  length: most\n}, (_, i) => self[Math.floor((i + 0.5) / most * self.length)])",
    reason: "All of the places are inside the list: what is left out is for the types."
  },
  {
    file: "packages/plan/src/Means.ts",
    line: "(tree) => tree !== undefined",
    original: "tree !== undefined",
    replacement: "true",
    reason: "All of the places are inside the list: what is left out is for the types."
  },
  {
    file: "packages/plan/src/Means.ts",
    line: "const golden = (Math.sqrt(5) - 1) / 2",
    original: "Math.sqrt(5) - 1",
    replacement: "Math.sqrt(5) + 1",
    reason: "The golden section and its reciprocal differ by a whole number."
  },
  {
    file: "packages/plan/src/Means.ts",
    line: "return (u + n * golden) % 1",
    original: "n * golden",
    replacement: "n / golden",
    reason: "The golden section and its reciprocal differ by a whole number."
  },
  {
    file: "packages/plan/src/Paths.ts",
    line: "if (paths.length < 2) return paths",
    original: "paths.length < 2",
    replacement: "false",
    reason: "A single path stays as it is."
  },
  {
    file: "packages/plan/src/PlanText.ts",
    line: "const rows = filled[0]?.length ?? 0",
    original: "filled[0]?.length",
    replacement: "filled[0].length",
    reason: "The column of the numbers is never empty."
  },
  {
    file: "packages/plan/src/PlanText.ts",
    line: 'filled.map((column, i) => (column[row] ?? "").padStart(widths[i] ?? 0)).join("  ")',
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Every column has a cell in every row."
  },
  {
    file: "packages/plan/src/Times.ts",
    line: '(part) => part._tag === "ResetAfter" && ranMillis >= part.afterMillis && Ends.hasWithin(part.initial)',
    original: 'part._tag === "ResetAfter"',
    replacement: "true",
    reason: "No other part has an `afterMillis`."
  },
  {
    file: "packages/plan/src/TreeKey.ts",
    line: '? "ended"',
    original: '"ended"',
    replacement: '""',
    reason: "The text of a back-off is never empty."
  },
  {
    file: "packages/plan/src/TreeKey.ts",
    line: "() => 0",
    original: "() => 0",
    replacement: "() => undefined",
    reason: "Any text does that is the same for all times."
  },
  {
    file: "packages/plan/src/Warnings.ts",
    line: "return firstMillis !== undefined && deadline !== undefined && firstMillis > deadline.withinMillis",
    original: "firstMillis !== undefined",
    replacement: "true",
    reason: "Nothing is not longer than a deadline."
  },
  {
    file: "packages/plan/src/Warnings.ts",
    line: "deadline !== undefined &&",
    original: "deadline !== undefined",
    replacement: "true",
    reason: "Without a deadline every wait fits."
  },
  {
    file: "packages/plan/src/Warnings.ts",
    line: "const baseMillis = capMillis === Infinity ? 0 : baseOf(leaf)",
    original: "capMillis === Infinity",
    replacement: "false",
    reason: "No base is above a cap of `Infinity`."
  },
  {
    file: "packages/plan/src/Simulation.ts",
    line: "const judged = (timedOut && hooks.attemptTimeout?.verdict) || verdict",
    original: "hooks.attemptTimeout?.verdict",
    replacement: "hooks.attemptTimeout.verdict",
    reason: "Without a timeout it is a deadline that ends an attempt, and with it the operation."
  },
  {
    file: "packages/plan/src/Sample.ts",
    line: "const fails = probability === 1 ? Effect.succeed(true) : Effect.map(Random.next, (u) => u < probability)",
    original: "u < probability",
    replacement: "u <= probability",
    reason: "No draw of a seed is exactly the probability but for a chance of one in billions."
  },
  {
    file: "packages/plan/src/ScheduleRuns.ts",
    line: "const hinted = followsHints ? yield* runs(samples, takesMillis, longest) : []",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "Runs with hints are not looked at where no hints are followed."
  },
  {
    file: "packages/plan/src/Endless.ts",
    line: 'case "Within":',
    original: '"Within"',
    replacement: '""',
    reason: "Every other tag answers nothing, which is as good as no."
  },
  {
    file: "packages/plan/src/Endless.ts",
    line: 'case "Take":',
    original: 'case "Take": return false',
    replacement: 'case "Take":',
    reason: "Every other tag answers nothing, which is as good as no."
  },
  {
    file: "packages/plan/src/Endless.ts",
    line: 'case "Take":',
    original: '"Take"',
    replacement: '""',
    reason: "Every other tag answers nothing, which is as good as no."
  }
]
