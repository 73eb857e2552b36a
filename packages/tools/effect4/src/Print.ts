/**
 * A syntax tree as text again: what no rule rewrites stands as it was, comments and blanks included.
 */
import ts from "typescript5"

/** The replacement of a node; nothing if it stays. `inner` prints a node inside it. */
type Rewrite = (node: ts.Node, inner: (node: ts.Node) => string) => string | undefined

/** What stands in the place of a comment. */
type Reword = (comment: string) => string

const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g

/** One node as text. */
type Printer = (node: ts.Node) => string

export const printer = (file: ts.SourceFile, rewrite: Rewrite, reword: Reword): Printer => {
  const { text } = file
  // Between two nodes stand only punctuation, keywords, blanks and comments.
  const between = (start: number, end: number) => text.slice(start, end).replace(comments, reword)

  const inner = (node: ts.Node): string => rewrite(node, inner) ?? kept(node)

  const kept = (node: ts.Node): string => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node))
      return text.slice(node.getStart(file), node.end)
    let at = ts.isSourceFile(node) ? 0 : node.getStart(file)
    let printed = ""
    ts.forEachChild(node, (child) => {
      // A list of nodes that is empty, or the end of the file, has no text of its own.
      if (child.kind === ts.SyntaxKind.EndOfFileToken) return
      const start = child.getStart(file)
      printed += between(at, start) + inner(child)
      at = child.end
    })
    return printed + between(at, ts.isSourceFile(node) ? text.length : node.end)
  }

  return inner
}
