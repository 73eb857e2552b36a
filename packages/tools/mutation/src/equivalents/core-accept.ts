import type { Equivalent } from "../Equivalent.ts"

/** Of `core/accept`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/accept/Argument.ts",
    line: 'typeof value === "number" &&',
    original: 'typeof value === "number"',
    replacement: "true",
    reason: "Nothing but a number is finite; the compiler wants to know."
  },
  {
    file: "packages/core/src/accept/Argument.ts",
    line: "const millis = Option.match(decode(value), { onNone: () => NaN, onSome: Duration.toMillis })",
    original: "() => NaN",
    replacement: "() => undefined",
    reason: "Neither is a finite number."
  },
  {
    file: "packages/core/src/accept/HttpDate.ts",
    line: ".find((at) => at !== undefined && at <= nowMillis + 50 * Calendar.yearMillis)",
    original: "at !== undefined",
    replacement: "true",
    reason: "`undefined` is not below any number."
  }
]
