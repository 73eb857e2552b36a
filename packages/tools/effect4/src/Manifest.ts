/**
 * The manifest of a package in the line for Effect 4, and its versions.
 */

/** The version of Effect that the line is for. */
export const range = "^4.1.0"
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
  const meta = withoutLibraries(peerDependenciesMeta ?? {})
  return `${JSON.stringify(
    {
      ...written,
      version: versionOf(version),
      peerDependencies: {
        ...withoutLibraries({ ...peerDependencies, effect: range }),
        ...Object.fromEntries(added)
      },
      peerDependenciesMeta: Object.keys(meta).length > 0 ? meta : undefined,
      devDependencies: withoutLibraries({ ...devDependencies, effect: exact })
    },
    undefined,
    2
  )}\n`
}

/** Has the minor and the patch of the version for Effect 3, as long as that one is 0.x: a 1.0 would not come after them. */
export const versionOf = (version: string): string => {
  const [major, ...rest] = version.split(".")
  if (major !== "0") throw new Error(`${version}: only a version 0.x says which one is for Effect 4`)
  return ["4", ...rest].join(".")
}

/** A changelog with the versions for Effect 4. */
export const changelog = (text: string): string => text.replaceAll(/(?<=^## |@effect-retry\/\w+@)0\./gm, "4.")

/** What imports need of a private package. */
export const manifestOfTool = (text: string): string => {
  const { exports, name, type } = JSON.parse(text) as Readonly<Record<"exports" | "name" | "type", unknown>>
  return `${JSON.stringify({ name, type, exports }, undefined, 2)}\n`
}

/** Effect 4 contains most of the libraries of Effect 3; what tests need of the others is installed beside it. */
const withoutLibraries = <A>(fields: Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith("@effect/")))
