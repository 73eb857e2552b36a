/** What programs answer otherwise on Effect 4. */
interface Difference {
  readonly file: string
  /** Code of the source that is one expression, and what stands in its place. */
  readonly rows: ReadonlyArray<readonly [three: string, four: string]>
  readonly reason: string
}

/** A refused value of a configuration, as the errors of both lines show it. */
const refused = (at: string, message: string, before = "", after = ""): readonly [string, string] => [
  `'(Invalid data at ${at}: "Policy.config: ${message}")'`,
  `"${before}Policy.config: ${message}${after}"`
]

/** As the message of a config error says them on both lines. */
const refusals = [
  refused(
    "PAYMENTS_MAX_ATTEMPTS",
    "PAYMENTS_MAX_ATTEMPTS must be a whole number >= 1 or Infinity",
    "ConfigError(SourceError: "
  ),
  refused("PAYMENTS_CAP", "PAYMENTS_CAP must be a finite duration >= 1ms"),
  refused("PAYMENTS_DEADLIN", "PAYMENTS_DEADLIN is no key of a policy; did you mean PAYMENTS_DEADLINE?", undefined, ")")
]

/** The answers that no rule derives, each with its reason. */
export const differences: ReadonlyArray<Difference> = [
  {
    file: "tools/examples/src/configured.ts",
    rows: refusals,
    reason: "An error of a configuration of Effect 4 has one message, and no tree."
  },
  {
    file: "tools/examples/src/recipes/environment.ts",
    rows: refusals,
    reason: "An error of a configuration of Effect 4 has one message, and no tree."
  },
  {
    file: "tools/examples/src/http-counts.ts",
    rows: [[`["endless", 1]`, `[1, 1]`]],
    reason: "retryTransient of Effect 4 makes one attempt if it may not retry."
  },
  {
    file: "tools/examples/test/http.test.ts",
    rows: [
      ['"without an end against one"', '"one against one"'],
      ["1001", "1"],
      ['"ignored against waited for"', '"waited for in both"'],
      ["[0, 1000]", "[0, 30_000]"]
    ],
    reason:
      "retryTransient of Effect 4 makes one attempt if it may not retry, and waits as long as the server asks for."
  },
  {
    file: "tools/examples/test/from-native.test.ts",
    rows: [
      ['["down", "down", "down"]', '["down", "down"]'],
      ['"becomes infinite and burns the count of the other side"', '"becomes infinite, and every call is made"'],
      ["[0, 1, 1001]", "[0, 1, ...Array.from({ length: 9 }, (_, n) => 1001 + n * 1000)]"]
    ],
    reason:
      "Schedule.tap of Effect 4 is not called for the last failure, and a count of Effect 4 is not used up by an endless delay."
  },
  {
    file: "tools/examples/src/production.ts",
    rows: [[`"exit code 0"`, `"exit code 130"`]],
    reason: "NodeRuntime.runMain of Effect 4 has an exit code for an interruption."
  }
]
