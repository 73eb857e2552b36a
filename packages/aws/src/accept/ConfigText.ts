/**
 * The text of a shared config file, before the library of the SDK parses it.
 */

/** The longest text that is parsed, in characters: a bound of this package, far above any real file. */
export const longest = 1_048_576

/**
 * The members that every plain object inherits: the parser looks its sections up in one.
 *
 * For a section `[constructor]` the library finds `Object` itself, and writes the keys of the section into it: with
 * `keys = 1` below, `Object.keys` is gone from the process. It refuses `__proto__` alone, and then drops the whole file.
 */
const inherited: ReadonlyArray<string> = [...Object.getOwnPropertyNames(Object.prototype), "profile __proto__"]

const inheritedSection = new RegExp(`^\\[(?:${inherited.join("|")})\\]`)

/** By lines, as the library reads: one pattern over a whole text takes quadratic time where it is blank. */
const hasInheritedSection = (text: string): boolean =>
  text.split("\n").some((line) => inheritedSection.test(line.trim()))

/** What a text has to be, in words, where it is not. */
export const refusal = (text: string): string | undefined => {
  if (text.length > longest) return `at most ${longest} characters long`
  return hasInheritedSection(text) ? "without a section named after a member of every object" : undefined
}
