import type { Equivalent } from "../Equivalent.ts"

/** Of `core/observe`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/observe/MetricsObserver.ts",
    line: "if (AtOnce.hasEnded(level)) {",
    original: "AtOnce.hasEnded(level)",
    replacement: "false",
    reason: "A level that is there is looked at as one that has to be waited for: it only takes longer."
  },
  {
    file: "packages/core/src/observe/MetricsObserver.ts",
    line: "if (AtOnce.hasEnded(level)) {",
    original:
      "{ const { gauge, others } = find(event) count(event, others) return Exit.map(level, (tokens) => setLevel(tokens, gauge)) }",
    replacement: "{}",
    reason: "A level that is there is looked at as one that has to be waited for: it only takes longer."
  }
]
