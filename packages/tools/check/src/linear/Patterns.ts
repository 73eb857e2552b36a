/** The regular expressions in a source: those that are written out, and those that are built from texts. */
import { parseSync } from "oxc-parser"
import { lineAt } from "../Finding.ts"
import type { Source } from "../Workspace.ts"

export interface Patterns {
  readonly written: ReadonlyArray<{ readonly at: string; readonly pattern: RegExp }>
  /** Calls of `RegExp`, with `new` and without. */
  readonly built: ReadonlyArray<{ readonly at: string }>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

export const patternsOf = ({ path, text }: Source): Patterns => {
  const { errors, program } = parseSync(path, text)
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`)
  const nodes = nodesOf(program)
  const at = ({ start }: Node) => `${path}:${lineAt(text, start)}`
  return {
    written: nodes.flatMap((node) =>
      node.regex === undefined ? [] : [{ at: at(node), pattern: new RegExp(node.regex.pattern, node.regex.flags) }]
    ),
    built: nodes
      .filter(({ callee, type }) => callee?.name === "RegExp" && /^(?:New|Call)Expression$/.test(type))
      .map((node) => ({ at: at(node) }))
  }
}

const nodesOf = (value: unknown): ReadonlyArray<Node> => {
  if (typeof value !== "object" || value === null || value instanceof RegExp) return []
  const inner = Object.values(value).flatMap(nodesOf)
  return "type" in value && "start" in value ? [value as Node, ...inner] : inner
}
