/**
 * Measures the workloads of Effect 3, and fails when a target is missed by more than the spread of its row.
 */
import { fileURLToPath } from "node:url"
import { benchmark } from "./Page.ts"
import { write } from "./Tables.ts"

process.exitCode = write({
  node: process.execPath,
  args: ["--expose-gc", fileURLToPath(new URL("one.js", import.meta.url))],
  page: new URL("../../../../../docs/performance.md", import.meta.url),
  part: benchmark
})
