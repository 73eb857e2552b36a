/**
 * Makes a source count its own steps: each call of a function, each turn of a loop, and each element of a spread.
 *
 * What built-ins do besides is for `Steps`, which the counted source calls.
 */
import { parseSync } from "oxc-parser"
import type { Source } from "../Workspace.ts"
import { names } from "./Steps.ts"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly body?: Node | null
  readonly argument?: Node
}

interface Edit {
  readonly at: number
  readonly text: string
}

const step = `${names.step}();`

export const counted = ({ path, text }: Source): string => {
  const { errors, program } = parseSync(path, text)
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`)
  const edits: Array<Edit> = []
  visit(program, edits)
  edits.sort((one, other) => one.at - other.at)
  let at = 0
  const parts = edits.map((edit) => {
    const part = text.slice(at, edit.at) + edit.text
    at = edit.at
    return part
  })
  return parts.join("") + text.slice(at)
}

const functions: ReadonlySet<string> = new Set(["ArrowFunctionExpression", "FunctionDeclaration", "FunctionExpression"])

const loops: ReadonlySet<string> = new Set([
  "DoWhileStatement",
  "ForInStatement",
  "ForOfStatement",
  "ForStatement",
  "WhileStatement"
])

/** Edits at one place stay in the order in which they are added: what is outside comes first, but behind its end. */
const visit = (value: unknown, edits: Array<Edit>): void => {
  if (typeof value !== "object" || value === null || value instanceof RegExp) return
  if (Array.isArray(value)) return value.forEach((each) => visit(each, edits))
  const { argument, body, type } = value as Node
  const isCounted = functions.has(type) || loops.has(type)
  const wraps = isCounted && body && body.type !== "BlockStatement" ? body : undefined
  const isExpression = wraps !== undefined && functions.has(type)
  if (isCounted && body?.type === "BlockStatement") edits.push({ at: body.start + 1, text: step })
  if (wraps !== undefined) edits.push({ at: wraps.start, text: isExpression ? `(${names.step}(),` : `{${step}` })
  const spread = type === "SpreadElement" ? argument : undefined
  if (spread !== undefined) edits.push({ at: spread.start, text: `${names.spread}(` })
  Object.values(value).forEach((each) => visit(each, edits))
  if (wraps !== undefined) edits.push({ at: wraps.end, text: isExpression ? ")" : "}" })
  if (spread !== undefined) edits.push({ at: spread.end, text: ")" })
}
