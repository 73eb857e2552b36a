/**
 * Finds the name that was probably meant by a misspelt one.
 */

/**
 * The name in `names` that is nearest to `given`: at most two letters were added, left out or changed, and at most a
 * third of the name's letters. Case is ignored.
 */
export const nearest = <A extends string>(given: string, names: ReadonlyArray<A>): A | undefined =>
  [0, 1, 2].flatMap((letters) => names.filter((name) => isWithin(given, name, letters)))[0]

const isWithin = (given: string, name: string, letters: number): boolean =>
  letters <= name.length / 3 && differ(given.toLowerCase(), name.toLowerCase(), letters)

/** Whether two words differ in at most this many letters. */
const differ = (a: string, b: string, letters: number): boolean => {
  if (a === b) return true
  if (a[0] === b[0]) return differ(a.slice(1), b.slice(1), letters)
  if (letters === 0) return false
  const isWithout = (a: string, b: string) => differ(a, b, letters - 1)
  return isWithout(a.slice(1), b) || isWithout(a, b.slice(1)) || isWithout(a.slice(1), b.slice(1))
}
