/**
 * Runs modules in one process, each when the one before has nothing left to do, and prints a record separator before each:
 * a process of its own for each would load the same packages again.
 *
 *     node inTurn.mjs out/core.js out/http.js
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const modules = process.argv.slice(2)
let begun = 0
let isLoading = false

const next = async () => {
  const module = modules[begun]
  if (isLoading || module === undefined) return
  process.stdout.write("\u001e")
  begun += 1
  isLoading = true
  await import(pathToFileURL(resolve(module)).href)
  isLoading = false
  // A module that leaves nothing to do would be the last one: Node asks only once.
  setImmediate(() => undefined)
}

process.on("beforeExit", next)
process.on("exit", () => {
  // As Node ends a module that waits for what never comes.
  if (isLoading || begun < modules.length) process.exitCode ||= 13
})
await next()
