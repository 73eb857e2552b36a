/**
 * A mutant that no test can notice, and why. The folder `equivalents` has a list of them for each folder of sources.
 *
 * A mutant is found again by its file, what it replaces and by what, and the text of its line, so that it stays known
 * where other lines move.
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
