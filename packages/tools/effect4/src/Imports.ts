/**
 * What a derived source imports of Effect 4: what it uses, each once, in the way in which its source imports.
 */
export interface Used {
  /** Such as `effect/Effect`. */
  readonly module: string
  /** Nothing for the module as a namespace. */
  readonly member?: string
  readonly local: string
  readonly isValue: boolean
}

export interface Imports {
  /** Notes a use, and answers the name that it has in the source. */
  readonly use: (use: Used) => string
  readonly declarations: () => ReadonlyArray<string>
}

const keyOf = ({ local, member, module }: Used): string => `${module} ${member ?? "*"} ${local}`

/** Where it is indexed, modules come from the index of their package. */
export const make = (isIndexed: boolean): Imports => {
  const wanted = new Map<string, Used>()
  return {
    use: (use) => {
      const isValue = use.isValue || wanted.get(keyOf(use))?.isValue === true
      wanted.set(keyOf(use), { ...use, isValue })
      return use.local
    },
    declarations: () =>
      declarations(
        [...wanted.values()].toSorted((a, b) => (a.module < b.module ? -1 : 1)),
        isIndexed
      )
  }
}

interface Part {
  readonly from: string
  /** The whole of a namespace import, or one name between braces. */
  readonly text: string
  readonly isNamespace: boolean
  readonly isValue: boolean
}

/** The indexes that have modules. */
const indexes = ["effect", "effect/http", "effect/http-api", "effect/rpc", "effect/testing", "@effect/platform-node"]

/** The functions that the index of Effect has without their module. */
const ofIndex = ["absurd", "cast", "flow", "hole", "identity", "pipe"]

const renamed = (name: string, local: string): string => (name === local ? name : `${name} as ${local}`)

const partOf = ({ isValue, local, member, module }: Used, isIndexed: boolean): Part => {
  const [, index = "", name = ""] = /^(.*)\/(\w+)$/.exec(module) ?? []
  if (member !== undefined) {
    const isOfIndex = isIndexed && module === "effect/Function" && ofIndex.includes(member)
    return { from: isOfIndex ? "effect" : module, text: renamed(member, local), isNamespace: false, isValue }
  }
  return isIndexed && indexes.includes(index) && !indexes.includes(module)
    ? { from: index, text: renamed(name, local), isNamespace: false, isValue }
    : { from: module, text: `* as ${local}`, isNamespace: true, isValue }
}

const declarations = (used: ReadonlyArray<Used>, isIndexed: boolean): ReadonlyArray<string> => {
  const parts = used.map((use) => partOf(use, isIndexed))
  const namespaces = parts
    .filter(({ isNamespace }) => isNamespace)
    .map(({ from, isValue, text }) => `import ${isValue ? "" : "type "}${text} from "${from}"`)
  const named = parts.filter(({ isNamespace }) => !isNamespace)
  return [
    ...namespaces,
    ...Array.from(new Set(named.map(({ from }) => from)), (from) => {
      const names = named.filter((part) => part.from === from)
      const allTypes = names.every(({ isValue }) => !isValue)
      const texts = names
        .toSorted((a, b) => (a.text < b.text ? -1 : 1))
        .map(({ isValue, text }) => (allTypes || isValue ? text : `type ${text}`))
      return `import ${allTypes ? "type " : ""}{ ${texts.join(", ")} } from "${from}"`
    })
  ]
}
