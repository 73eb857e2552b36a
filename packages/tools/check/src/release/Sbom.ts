/** The bill of materials of a package, as npm writes it from a clean install. */

export interface SbomInput {
  readonly name: string
  readonly version: string
  /** Address of the registry that the packages were installed from, such as `http://127.0.0.1:4873`. */
  readonly registry: string
}

/** The addresses of packages are those of the public registry, which will have them. */
export const releasedSbom = (text: string, registry: string): string =>
  text.replaceAll(registry, "https://registry.npmjs.org")

interface Bill {
  readonly bomFormat?: string
  readonly metadata?: { readonly component?: { readonly name?: string; readonly version?: string } }
  readonly components?: ReadonlyArray<{ readonly name?: string; readonly version?: string }>
}

/** What is wrong with a bill: another package, no peer, or an address that exists on one machine alone. */
export const checkSbom = (text: string, { name, registry, version }: SbomInput): ReadonlyArray<string> => {
  const { bomFormat, components = [], metadata } = JSON.parse(text) as Bill
  const { component } = metadata ?? {}
  const says = (message: string) => `${name}: its bill of materials ${message}`
  return [
    ...(bomFormat === "CycloneDX" ? [] : [says("is not in the format CycloneDX")]),
    ...(component?.name === name && component.version === version
      ? []
      : [says(`is that of ${component?.name} ${component?.version}`)]),
    ...(components.some((each) => each.name === "effect") ? [] : [says("does not name effect")]),
    ...(text.includes(registry) ? [says(`names ${registry}`)] : [])
  ]
}
