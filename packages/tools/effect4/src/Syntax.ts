/** What a node of a syntax tree stands for. */
import ts from "typescript5"

/** Whether a name stands for a type, so that its import may be erased. */
export const isType = (node: ts.Node): boolean => {
  const { parent } = node
  if (parent === undefined) return false
  if (ts.isQualifiedName(parent) || (ts.isPropertyAccessExpression(parent) && parent.expression === node)) {
    return isType(parent)
  }
  if (ts.isExpressionWithTypeArguments(parent)) {
    const clause = parent.parent
    return !(
      ts.isHeritageClause(clause) &&
      clause.token === ts.SyntaxKind.ExtendsKeyword &&
      ts.isClassLike(clause.parent)
    )
  }
  return ts.isTypeNode(parent) || ts.isTypeQueryNode(parent)
}
