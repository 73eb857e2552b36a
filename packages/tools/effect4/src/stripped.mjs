/**
 * Lets Node load the sources, the tests and the examples of the cache: it drops types itself, but not in modules below
 * `node_modules`. Nothing else of them changes, and no line moves.
 */
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"

/** What stands in the place of `@effect/vitest`. */
const testers = "effect3/vitest"

registerHooks({
  resolve: (name, context, next) => next(name === "@effect/vitest" ? testers : name, context),
  // vitest adds a query to the names of test files.
  load: (url, context, next) =>
    /\.m?ts(?:\?|$)/.test(url)
      ? { format: "module", shortCircuit: true, source: stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8")) }
      : next(url, context)
})
