import type { Equivalent } from "../Equivalent.ts"

/** Of `core/loop`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/loop/ConfiguredPolicy.ts",
    line: 'fromTree("Policy.config", BackoffTree.mapLeaves(tree, f))',
    original: '"Policy.config"',
    replacement: '""',
    reason: "Only a back-off of too many parts is refused, and the preset's has as many."
  },
  {
    file: "packages/core/src/loop/PolicySchedule.ts",
    line: 'verdict._tag === "Retryable" && verdict.progressed === true',
    original: 'verdict._tag === "Retryable"',
    replacement: "true",
    reason: "No other verdict has `progressed`."
  },
  {
    file: "packages/core/src/loop/PolicySchedule.ts",
    line: "return kind === undefined || attemptsByKind?.[kind] === undefined",
    original: "kind === undefined",
    replacement: "false",
    reason: "No kind has no limit either."
  },
  {
    file: "packages/core/src/loop/Readable.ts",
    line: "if (millis < 9.95) return `${rounded(millis, 1)} ms`",
    original: "millis < 9.95",
    replacement: "millis <= 9.95",
    reason: "Both ways of rounding make 10 of 9.95."
  },
  {
    file: "packages/core/src/loop/Readable.ts",
    line: "} catch {",
    original: "{ // What has no properties, or none that can be read, says nothing. return undefined }",
    replacement: "{}",
    reason: "A function that returns nothing answers `undefined`."
  }
]
