/**
 * Names out of what comes from outside: classes, tags and codes; and how a key is told from a name.
 */

/** A longer word is no word. */
export const longestWord = 100

/** The shortest run of letters and digits, and the shortest word in Base64, that look like a key. */
const shortestKey = 20

/**
 * Whether a word looks like a key or a token: it is long, or encoded, or has a long run of letters and digits, or is long,
 * has letters of both cases and digits and otherwise nothing but what Base64 has.
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

/** The name of a class, a tag or a code; `undefined` if a text is no such name, or cannot be shown. */
export const name = (given: unknown): string | undefined =>
  typeof given === "string" && /^[\w$.@/:#-]+$/.test(given) && !isKey(given) ? given : undefined
