/**
 * Functions that take their subject first or last. Editors show the comment of an overloaded `function` at every call,
 * but not that of a constant, such as one made with `dual` of `effect/Function`.
 */

/** The arguments of a call; the signatures of the function give their types. */
export type Given = ReadonlyArray<any>

/** Calls `body` with all arguments, subject first; if the subject is still missing, returns a function that takes it. */
export const dual = (given: Given, body: (...all: any) => unknown, isWhole = given.length >= body.length): any =>
  isWhole ? body(...given) : (self: unknown) => body(self, ...given)
