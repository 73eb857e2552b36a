/** The bill of materials of a package, as pnpm writes it from a clean install. */

interface SbomInput {
  readonly name: string
  readonly version: string
  /** Address of the registry that the packages were installed from, such as `http://127.0.0.1:4873`. */
  readonly registry: string
}

interface Peers {
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The manifest whose install is clean: pnpm would install the optional peers of a project too. */
export const withoutOptionalPeers = (text: string): string => {
  const { peerDependencies = {}, peerDependenciesMeta = {}, ...manifest } = JSON.parse(text) as Peers
  const needed = Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta[name]?.optional !== true)
  return JSON.stringify({ ...manifest, peerDependencies: Object.fromEntries(needed) })
}

/** The addresses of packages are those of the public registry, which will have them. */
export const releasedSbom = (text: string, registry: string): string =>
  text.replaceAll(registry, "https://registry.npmjs.org")

/** A package: its scope, if it has one, is the group. */
interface Component {
  readonly group?: string
  readonly name?: string
  readonly version?: string
  readonly licenses?: ReadonlyArray<unknown>
}

interface Bill {
  readonly bomFormat?: string
  readonly metadata?: { readonly component?: Component }
  readonly components?: ReadonlyArray<Component>
}

const nameOf = ({ group, name }: Component): string => (group === undefined ? `${name}` : `${group}/${name}`)

/** What is wrong with a bill: another package, no peer, no license, or an address that exists on one machine alone. */
export const checkSbom = (text: string, { name, registry, version }: SbomInput): ReadonlyArray<string> => {
  const { bomFormat, components = [], metadata } = JSON.parse(text) as Bill
  const component = metadata?.component ?? {}
  const says = (message: string) => `${name}: its bill of materials ${message}`
  return [
    ...(bomFormat === "CycloneDX" ? [] : [says("is not in the format CycloneDX")]),
    ...(nameOf(component) === name && component.version === version
      ? []
      : [says(`is that of ${nameOf(component)} ${component.version}`)]),
    ...(components.some((each) => nameOf(each) === "effect") ? [] : [says("does not name effect")]),
    ...components
      .filter(({ licenses = [] }) => licenses.length === 0)
      .map((each) => says(`names no license of ${nameOf(each)}`)),
    ...(text.includes(registry) ? [says(`names ${registry}`)] : [])
  ]
}
