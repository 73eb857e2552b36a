/**
 * Mutants that no test can notice, and why. The folder `equivalents` has a list of them for each folder of sources.
 *
 * A mutant is known by its file, the declaration at the top of that file in which it stands, its mutator and the shape of its
 * change, so that it stays known where names, texts and other lines change. Where a declaration has several alike, each has
 * its number among them: `bend: ConditionalExpression, === to false, 1`.
 */

/** Reasons, by the mutant. */
interface OfFile {
  readonly [mutant: string]: string
}

/** By the path of the file, from the root of the repository. */
export interface Equivalents {
  readonly [file: string]: OfFile
}
