/**
 * The functions of a test run that suites are handed: the module `@effect/vitest` has them.
 *
 * They are handed in, since a module that imports them cannot be loaded outside of a test run:
 * `TokenBucketContract.suite(vitest, "my bucket", layer)` with `import * as vitest from "@effect/vitest"`.
 */
import type * as Effect from "effect/Effect"

/**
 * @category models
 */
export interface Runner {
  readonly describe: (name: string, tests: () => void) => void
  readonly it: { readonly effect: (name: string, test: () => Effect.Effect<void, unknown>) => void }
  readonly expect: (actual: unknown, message?: string) => Expectation
}

/**
 * What is asked of `expect`.
 *
 * @category models
 */
export interface Expectation {
  readonly toBe: (expected: unknown) => void
  readonly toEqual: (expected: unknown) => void
  readonly toContainEqual: (expected: unknown) => void
  readonly toHaveLength: (length: number) => void
  readonly toBeCloseTo: (expected: number, digits: number) => void
  readonly toBeGreaterThanOrEqual: (least: number) => void
  readonly toBeLessThanOrEqual: (most: number) => void
}
