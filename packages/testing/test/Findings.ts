/**
 * What a suite finds, without its tests being registered.
 */
import type { Runner } from "@effect-retry/testing"
import { expect } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"

type Register = (runner: Runner.Runner) => void

/** The tests of a suite that fail, by name, with what they say; of all of them, or of one. */
export const findings = (register: Register, only?: string) => {
  const tests: Array<readonly [string, Effect.Effect<void, unknown>]> = []
  register({
    describe: (_, tests) => tests(),
    it: { effect: (name, test) => tests.push([name, Effect.suspend(test)]) },
    expect
  })
  const run = only === undefined ? tests : tests.filter(([name]) => name === only)
  return Effect.map(
    Effect.forEach(run, ([name, test]) => Effect.map(Effect.exit(test), (exit) => ({ name, exit }))),
    (results) =>
      results.flatMap(({ exit, name }) => (Exit.isFailure(exit) ? [{ name, says: Cause.pretty(exit.cause) }] : []))
  )
}

/** Their names alone. */
export const failing = (register: Register, only?: string) =>
  Effect.map(findings(register, only), (found) => found.map(({ name }) => name))
