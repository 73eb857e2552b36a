/**
 * Checks the text of a shared config file before the SDK's library parses it.
 */

/** The longest text that is parsed, in characters: this package's own bound, far above any real file. */
const longest = 1_048_576

/**
 * The members that every plain object inherits: the parser looks up sections in such an object.
 *
 * For a section `[constructor]` the library finds `Object` itself, and writes the keys of the section into it: with
 * `keys = 1` below, `Object.keys` is gone from the process. It refuses only `__proto__`, and then drops the whole file.
 */
const inherited: ReadonlyArray<string> = [...Object.getOwnPropertyNames(Object.prototype), "profile __proto__"]

const inheritedSection = new RegExp(`^\\[(?:${inherited.join("|")})\\]`)

/** Checks line by line, as the library reads: one pattern over the whole text takes quadratic time on blanks. */
const hasInheritedSection = (text: string): boolean =>
  text.split("\n").some((line) => inheritedSection.test(line.trim()))

/** The requirement that a text violates, in words; `undefined` if none. */
export const refusal = (text: string): string | undefined => {
  if (text.length > longest) return `at most ${longest} characters long`
  return hasInheritedSection(text) ? "without a section named after a member of every object" : undefined
}
