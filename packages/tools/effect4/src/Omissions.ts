/**
 * The parts of tests that have no form on Effect 4: only what the list names is left out.
 */
import ts from "typescript5"

/** Parts of one file that are left out. */
export interface Omission {
  readonly file: string
  /** Titles of tests, names of rows and of declarations. */
  readonly parts: ReadonlyArray<string>
  readonly reason: string
}

/** The texts by which a node may be named in an omission. */
const namesOf = (node: ts.Node): ReadonlyArray<string> => {
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) return texts(node.expression.arguments[0])
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
  }
  if ((ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) && node.name !== undefined)
    return [node.name.text]
  if (ts.isArrayLiteralExpression(node)) return node.elements.slice(0, 1).flatMap(firstColumn)
  if (!ts.isObjectLiteralExpression(node)) return []
  return node.properties.flatMap((property, index) =>
    ts.isPropertyAssignment(property) && (index === 0 || property.name.getText() === "name")
      ? texts(property.initializer)
      : []
  )
}

const texts = (node: ts.Node | undefined): ReadonlyArray<string> =>
  node !== undefined && ts.isStringLiteralLike(node) ? [node.text] : []

/** A text, or the code of anything else. */
const firstColumn = (node: ts.Node): ReadonlyArray<string> =>
  ts.isStringLiteralLike(node) ? [node.text] : [node.getText()]

interface Omitting {
  /** Whether a statement, or a row of a table, is left out. */
  readonly isOmitted: (node: ts.Node) => boolean
  /** What the list names and the file does not have. */
  readonly missing: () => ReadonlyArray<string>
}

export const omitting = (parts: ReadonlyArray<string>): Omitting => {
  const found = new Set<string>()
  return {
    isOmitted: (node) => {
      const omitted = parts.length === 0 ? [] : namesOf(node).filter((name) => parts.includes(name))
      for (const name of omitted) found.add(name)
      return omitted.length > 0
    },
    missing: () => parts.filter((name) => !found.has(name))
  }
}
