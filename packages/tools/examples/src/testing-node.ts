/**
 * The suites of the testing package under `node:test`, with its assertions.
 */
// #region runner
import type { Runner } from "@effect-retry/testing"
import { Effect } from "effect"
import * as assert from "node:assert/strict"
import { describe, it } from "node:test"

export const runner: Runner.Runner = {
  describe: (name, tests) => void describe(name, tests),
  it: { effect: (name, test) => void it(name, () => Effect.runPromise(test())) },
  expect: (actual, message) => ({
    toBe: (expected) => assert.equal(actual, expected, message),
    toEqual: (expected) => assert.deepEqual(actual, expected, message),
    toContainEqual: (expected) =>
      assert.ok(
        list(actual).some((item) => isEqual(item, expected)),
        message
      ),
    toHaveLength: (length) => assert.equal(list(actual).length, length, message),
    toBeCloseTo: (expected, digits) => assert.ok(Math.abs(Number(actual) - expected) < 10 ** -digits / 2, message),
    toBeGreaterThanOrEqual: (least) => assert.ok(Number(actual) >= least, message),
    toBeLessThanOrEqual: (most) => assert.ok(Number(actual) <= most, message)
  })
}

const list = (actual: unknown): ReadonlyArray<unknown> => (Array.isArray(actual) ? actual : [])

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}
// #endregion

export const program = Effect.sync(() => {
  const holds = (expectation: () => void) => Effect.runSync(Effect.isSuccess(Effect.try(expectation)))
  const { expect } = runner
  return [
    holds(() => expect([1, { a: 2 }]).toContainEqual({ a: 2 })),
    holds(() => expect([1, { a: 2 }]).toContainEqual({ a: 3 })),
    holds(() => expect(0.1 + 0.2).toBeCloseTo(0.3, 9)),
    holds(() => expect(0.1).toBeCloseTo(0.3, 1))
  ]
})

export const expected = [true, false, true, false]
