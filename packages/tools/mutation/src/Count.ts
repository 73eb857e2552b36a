/**
 * How often the tests of each package look for what no example was written for.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const packages = ["core", "plan", "http", "aws", "grpc", "google", "fleet", "testing"]

/** What is counted, and how it is written in tests. */
const kinds = [
  { name: "laws", pattern: /\.prop\(|\b(?:fc|FastCheck)\.assert\(/g },
  {
    name: "suites",
    pattern: /\b(?:TokenBucketContract\.suite|Laws\.(?:jitter|curve|schedule|classifier))\(\s*vitest,/g
  },
  { name: "interrupted before every step", pattern: /\b(?:interruptedBefore|Stepping\.everywhere)\(/g }
]

/** How often each kind is in the text of some tests, in their order. */
export const count = (text: string): ReadonlyArray<number> =>
  kinds.map(({ pattern }) => [...text.matchAll(pattern)].length)

const textOf = (name: string): string =>
  readdirSync(join("packages", name, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readFileSync(join("packages", name, "test", path), "utf8"))
    .join("\n")

/** A row for each package. */
export const table = (): string =>
  [
    ["package", ...kinds.map(({ name }) => name)],
    ["---", ...kinds.map(() => "--:")],
    ...packages.map((name) => [name, ...count(textOf(name))])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
