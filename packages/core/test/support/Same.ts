/**
 * Equality for laws that compare thousands of values.
 */
import { expect } from "@effect/vitest"
import { isDeepStrictEqual } from "node:util"

/** As `expect(actual).toEqual(expected)`, which is asked only about what differs: it takes longer than the law does. */
export const expectSame = (actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}
