/**
 * The functions of a test runner that suites need: the module `@effect/vitest` has them.
 *
 * They are passed in, because a module that imports them cannot be loaded outside a test run:
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
 * The part of `expect` that is used.
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
