/**
 * The manifest of a package in the line for Effect 4.
 */

/** The version of Effect that the line is for. */
const range = "^4.1.0"
const exact = "4.1.0"

/** Libraries that Effect 3 contains and Effect 4 does not: callers pass values of them, so both must use the same copy. */
const beside = { "fast-check": "^3.23.2 || ^4.0.0" }

type Fields = Readonly<Record<string, string>>

interface Written {
  readonly version: string
  readonly peerDependencies?: Fields
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>
  readonly devDependencies?: Fields
}

/** Of a manifest of the line for Effect 3, and of the modules that the derived sources import. */
export const manifest = (text: string, imported: ReadonlySet<string>): string => {
  const written = JSON.parse(text) as Written
  const { devDependencies, peerDependencies, peerDependenciesMeta, version } = written
  const added = Object.entries(beside).filter(([name]) => imported.has(name))
  const meta = withoutPlatform(peerDependenciesMeta ?? {})
  return `${JSON.stringify(
    {
      ...written,
      version: `4.${version.split(".").slice(1).join(".")}`,
      peerDependencies: {
        ...withoutPlatform({ ...peerDependencies, effect: range }),
        ...Object.fromEntries(added)
      },
      peerDependenciesMeta: Object.keys(meta).length > 0 ? meta : undefined,
      devDependencies: withoutPlatform({ ...devDependencies, effect: exact })
    },
    undefined,
    2
  )}\n`
}

/** What imports need of a private package. */
export const manifestOfTool = (text: string): string => {
  const { exports, name, type } = JSON.parse(text) as Readonly<Record<"exports" | "name" | "type", unknown>>
  return `${JSON.stringify({ name, type, exports }, undefined, 2)}\n`
}

/** Effect 4 contains the platform. */
const withoutPlatform = <A>(fields: Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith("@effect/platform")))
