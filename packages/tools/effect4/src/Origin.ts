/**
 * What a name in a source stands for: a module of Effect 3, or a member of one.
 */
import ts from "typescript5"

export interface Origin {
  /** A module of its own, such as `effect/Effect`, even if the index of `effect` is imported. */
  readonly module: string
  /** Nothing for the module itself. */
  readonly member?: string
}

/** Reads the names of one source. */
export interface Names {
  readonly origin: (identifier: ts.Identifier) => Origin | undefined
  /** The type and name of a member of a value of Effect, such as `Effect.Latch.unsafeOpen`. */
  readonly method: (name: ts.Node) => string | undefined
}

/** The packages whose index has modules. */
export const indexes = ["effect", "@effect/platform", "@effect/platform-node", "@effect/rpc"]

/** The libraries whose modules are among those of Effect 4. */
const libraries = [...indexes, "@effect/experimental", "@effect/opentelemetry", "@effect/sql"]

const isOfEffect = (specifier: string): boolean =>
  libraries.some((library) => specifier === library || specifier.startsWith(`${library}/`))

export const isEffectImport = (node: ts.Node): node is ts.ImportDeclaration =>
  ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier) && isOfEffect(node.moduleSpecifier.text)

/** What the declaration of an import stands for. */
export const originOfImport = (declaration: ts.Node): Origin | undefined => {
  if (ts.isNamespaceImport(declaration)) return fromSpecifier(declaration.parent.parent)
  if (!ts.isImportSpecifier(declaration)) return undefined
  const from = fromSpecifier(declaration.parent.parent.parent)
  if (from === undefined) return undefined
  const name = (declaration.propertyName ?? declaration.name).text
  if (!indexes.includes(from.module)) return { ...from, member: name }
  return /^[A-Z]/.test(name)
    ? { module: `${from.module}/${name}` }
    : { module: `${from.module}/Function`, member: name }
}

const fromSpecifier = (declaration: ts.Node): Origin | undefined =>
  ts.isImportDeclaration(declaration) &&
  ts.isStringLiteral(declaration.moduleSpecifier) &&
  isOfEffect(declaration.moduleSpecifier.text)
    ? { module: declaration.moduleSpecifier.text }
    : undefined

/** The names that a file imports of Effect, by what they are called there. */
const importedBy = (file: ts.SourceFile): ReadonlyMap<string, Origin> => {
  const known = new Map<string, Origin>()
  for (const statement of file.statements) {
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined
    if (bindings === undefined) continue
    for (const binding of ts.isNamespaceImport(bindings) ? [bindings] : bindings.elements) {
      const origin = originOfImport(binding)
      if (origin !== undefined) known.set(binding.name.text, origin)
    }
  }
  return known
}

/** Names of a text that stands alone, such as a block in a page: those of its imports, and no members of values. */
export const written = (file: ts.SourceFile): Names => {
  const known = importedBy(file)
  return { origin: ({ text }) => known.get(text), method: () => undefined }
}

/** Names as the compiler resolves them: those in scope, and members by the types that declare them. */
export const resolved = (file: ts.SourceFile, checker: ts.TypeChecker): Names => {
  const known = importedBy(file)
  return {
    origin: (identifier) => {
      if (!known.has(identifier.text)) return undefined
      const [declaration] = symbolOf(checker, identifier)?.declarations ?? []
      return declaration === undefined ? undefined : originOfImport(declaration)
    },
    method: (name) => methodOf(checker.getSymbolAtLocation(name), name)
  }
}

/** Of a name that is both a field and its value, that of the value. */
const symbolOf = (checker: ts.TypeChecker, identifier: ts.Identifier): ts.Symbol | undefined =>
  ts.isShorthandPropertyAssignment(identifier.parent)
    ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
    : checker.getSymbolAtLocation(identifier)

const methodOf = (symbol: ts.Symbol | undefined, name: ts.Node): string | undefined => {
  const owner = symbol?.declarations?.[0]?.parent
  if (owner === undefined || !(ts.isInterfaceDeclaration(owner) || ts.isClassDeclaration(owner))) return undefined
  const path = /node_modules\/(?:effect|@effect\/platform)\/(?:.*\/)?(\w+)\.d\.ts$/
  const [, module] = path.exec(owner.getSourceFile().fileName) ?? []
  return module === undefined ? undefined : `${module}.${owner.name?.text}.${name.getText()}`
}
