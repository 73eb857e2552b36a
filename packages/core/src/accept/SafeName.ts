/**
 * Names that come from outside: classes, tags and codes; and how a secret key is told apart from a name.
 */

/** Anything longer is not taken for a word. */
export const longestWord = 100

/** The shortest run of letters and digits, and the shortest Base64 word, that look like a key. */
const shortestKey = 20

/**
 * Whether a word looks like a key or a token: it is very long or encoded, has a long run of letters and digits, or is a long
 * Base64 word with digits and letters of both cases.
 */
export const isKey = (word: string): boolean =>
  word.length > longestWord ||
  /%[\da-f]{2}/i.test(word) ||
  (word.match(/[a-z\d]+/gi) ?? []).some((run) => run.length >= shortestKey && /\d/.test(run) && /[a-z]/i.test(run)) ||
  (word.length >= shortestKey &&
    /^[\w+/=~-]+$/.test(word) &&
    /\d/.test(word) &&
    /[a-z]/.test(word) &&
    /[A-Z]/.test(word))

/** The name of a class, a tag or a code; `undefined` if a text is no such name, or must not be shown. */
export const name = (given: unknown): string | undefined =>
  typeof given === "string" && /^[\w$.@/:#-]+$/.test(given) && !isKey(given) ? given : undefined
