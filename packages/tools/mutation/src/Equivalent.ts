/**
 * Mutants that no test can notice, each with its reason.
 *
 * A mutant is found again by its file, what it replaces and by what, and the text of its line, so that it stays known
 * where other lines move.
 */

/**
 * A mutant, and why it is equivalent to the code.
 */
export interface Equivalent {
  /** From the root of the repository. */
  readonly file: string
  /** The line it is on, without the blanks around it. */
  readonly line: string
  /** What stands there. */
  readonly original: string
  readonly replacement: string
  readonly reason: string
}

export const equivalents: ReadonlyArray<Equivalent> = []
