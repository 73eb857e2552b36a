/**
 * Functions that take their subject first or last. Hovers show the comment of an overloaded `function` at every call, and
 * none of one that is a constant, as those of `effect/Function` are.
 */

/** What a function is called with: its signatures say the types. */
export type Given = ReadonlyArray<any>

/** Calls `body` with everything, subject first; where the subject is still to come, answers a function of it. */
export const dual = (given: Given, body: (...all: any) => unknown, isWhole = given.length >= body.length): any =>
  isWhole ? body(...given) : (self: unknown) => body(self, ...given)
