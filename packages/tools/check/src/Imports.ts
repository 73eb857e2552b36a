/** Reads what a TypeScript file imports, from its syntax tree: a regular expression would miss or invent some. */
import { parseSync, Visitor } from "oxc-parser"
import { lineAt } from "./Finding.ts"

export interface Import {
  readonly specifier: string
  readonly line: number
  /** False when the compiler erases the whole import, so that nothing is loaded at run time. */
  readonly runtime: boolean
  /** Names that exist at run time, as the imported module calls them; `*` stands for all of it. */
  readonly names: ReadonlyArray<string>
}

/** Imports, re-exports, dynamic imports and `import("…")` types. Throws when the text does not parse. */
export const importsOf = (path: string, text: string): ReadonlyArray<Import> => {
  const { errors, program } = parseSync(path, text)
  if (errors[0] !== undefined) {
    throw new Error(`${path} does not parse: ${errors[0].message}`)
  }
  const found: Array<Import> = []
  const add = (node: { readonly start: number }, specifier: string, runtime: boolean, names: ReadonlyArray<string>) =>
    found.push({ specifier, line: lineAt(text, node.start), runtime, names })

  new Visitor({
    ImportDeclaration(node) {
      // With verbatimModuleSyntax only `import type` is erased: `import { type A }` still loads the module.
      const runtime = node.importKind !== "type"
      const names = node.specifiers.flatMap((specifier) => {
        if (specifier.type !== "ImportSpecifier") return [specifier.type === "ImportDefaultSpecifier" ? "default" : "*"]
        return specifier.importKind === "type" ? [] : [nameOf(specifier.imported)]
      })
      add(node, node.source.value, runtime, runtime ? names : [])
    },
    ExportNamedDeclaration(node) {
      if (node.source === null) return
      const runtime = node.exportKind !== "type"
      const names = node.specifiers.flatMap((specifier) =>
        specifier.exportKind === "type" ? [] : [nameOf(specifier.local)]
      )
      add(node, node.source.value, runtime, runtime ? names : [])
    },
    ExportAllDeclaration(node) {
      const runtime = node.exportKind !== "type"
      add(node, node.source.value, runtime, runtime ? ["*"] : [])
    },
    ImportExpression(node) {
      const { source } = node
      add(node, source.type === "Literal" ? String(source.value) : "(computed)", true, ["*"])
    },
    TSImportType(node) {
      add(node, node.source.value, false, [])
    }
  }).visit(program)
  return found.toSorted((a, b) => a.line - b.line)
}

type ModuleExportName =
  | { readonly type: "Identifier"; readonly name: string }
  | { readonly type: "Literal"; readonly value: string }

const nameOf = (name: ModuleExportName): string => (name.type === "Identifier" ? name.name : name.value)
