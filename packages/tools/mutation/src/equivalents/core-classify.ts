import type { Equivalent } from "../Equivalent.ts"

/** Of `core/classify`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/classify/Classifier.ts",
    line: 'const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined',
    original: "error !== null",
    replacement: "true",
    reason: "To look for a tag in `null` throws, which is caught, and comes to `undefined` as well."
  },
  {
    file: "packages/core/src/classify/Classifier.ts",
    line: "} catch {",
    original: "{ return undefined }",
    replacement: "{}",
    reason: "A function that only ends comes to `undefined` as well."
  },
  {
    file: "packages/core/src/classify/Classifier.ts",
    line: "} catch {",
    original: "{ return false }",
    replacement: "{}",
    reason: "What a function comes to that only ends is as good as `false` where a condition is asked for."
  },
  {
    file: "packages/core/src/classify/Verdict.ts",
    line: "hint === undefined ? Option.none() : Option.map(Argument.decode(hint), orInfinity)",
    original: "hint === undefined",
    replacement: "false",
    reason: "What is absent is no duration either: the check only saves work."
  }
]
