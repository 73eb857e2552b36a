/**
 * The manifest of a package in the line for Effect 4.
 */

/** The version of Effect that the line is for. */
const range = "^4.1.0"
const exact = "4.1.0"

type Fields = Readonly<Record<string, string>>

interface Written {
  readonly version: string
  readonly peerDependencies?: Fields
  readonly devDependencies?: Fields
  readonly dependencies?: Fields
}

/** Of a manifest of the line for Effect 3. */
export const manifest = (text: string): string => {
  const written = JSON.parse(text) as Written
  const version = `4.${written.version.split(".").slice(1).join(".")}`
  return `${JSON.stringify(
    {
      ...written,
      version,
      ...(written.peerDependencies && { peerDependencies: onFour(written.peerDependencies, range) }),
      ...(written.devDependencies && { devDependencies: onFour(written.devDependencies, exact) })
    },
    undefined,
    2
  )}\n`
}

/** Effect 4 has the platform in itself. */
const onFour = (fields: Fields, effect: string): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== "@effect/platform")
      .map(([name, range]) => [name, name === "effect" ? effect : range])
  )
