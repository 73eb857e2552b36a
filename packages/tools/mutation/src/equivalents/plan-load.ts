import type { Equivalent } from "../Equivalent.ts"

/** Of `plan/load`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/plan/src/load/Amplification.ts",
    line: 'return u < p ? Effect.fail("failed" as const) : Effect.void',
    original: "u < p",
    replacement: "u <= p",
    reason: "No draw of a seed is exactly the probability but for a chance of one in billions."
  },
  {
    file: "packages/plan/src/load/Client.ts",
    line: "Effect.match(Retry.retry(attempt, whole), { onFailure: () => false, onSuccess: () => true })",
    original: "() => false",
    replacement: "() => undefined",
    reason: "Only whether it is true is looked at."
  },
  {
    file: "packages/plan/src/load/Recovery.ts",
    line: "const running = { fromMillis: Infinity, toMillis: Infinity }",
    original: "{ fromMillis: Infinity, toMillis: Infinity }",
    replacement: "{}",
    reason: "No time is after one that is missing, as none is after `Infinity`."
  },
  ...[
    ["only !== undefined && others.length === 0", "false"],
    ["only !== undefined", "true"],
    ["only !== undefined", "only === undefined"]
  ].map(([original = "", replacement = ""]) => ({
    file: "packages/plan/src/load/Recovery.ts",
    line: "if (only !== undefined && others.length === 0) return Effect.succeed(only)",
    original,
    replacement,
    reason: "Only saves a draw: a server has at least one shard, and chance chooses the only one."
  })),
  {
    file: "packages/plan/src/load/Server.ts",
    line: "millis + serviceMillis > outage.fromMillis && millis < outage.toMillis ? outage.toMillis : millis",
    original: "millis < outage.toMillis",
    replacement: "millis <= outage.toMillis",
    reason: "The end of the outage is then that time itself."
  }
]
