/**
 * What a mutant changes, by its shape: without the names and the texts of the code, so that a mutant is found again when these
 * change.
 */

/** The declaration at the top of the file in which a line stands; empty before the first one. Lines count from 1. */
export const declarationAt = (source: string, line: number): string => {
  const before = source.split("\n").slice(0, line).toReversed()
  return before.map((text) => declaration.exec(text)?.[1]).find((name) => name !== undefined) ?? ""
}

const declaration = /^(?:export )?(?:abstract )?(?:const|let|function\*?|class) (\w+)/

/** Such as `> to >=`, `=== to false`, `call to true` or `block to {}`. */
export const change = (mutator: string, original: string, replacement: string): string => {
  const all = [tokens(original), tokens(replacement)] as const
  const [before, after] = changesOne.includes(mutator) ? differing(...all) : all
  const from = before.length === 1 && !isNameOrText(before[0] ?? "") ? before[0] : shape(before)
  return `${from} to ${after.length < 3 ? after.join("") || "nothing" : shape(after)}`
}

/** Mutators that change an operator, or another part of what they are applied to. */
const changesOne = [
  "ArithmeticOperator",
  "AssignmentOperator",
  "EqualityOperator",
  "LogicalOperator",
  "MethodExpression",
  "OptionalChaining",
  "Regex",
  "UnaryOperator",
  "UpdateOperator"
]

const token = /"[^"\n]*"|'[^'\n]*'|`[^`]*`|[A-Za-z_$][\w$]*|\d[\w.]*|=>|\?\.|\?\?|[=!]==?|[<>]=?|&&|\|\||\*\*|\S/g

const tokens = (code: string): ReadonlyArray<string> => code.match(token) ?? []

const isNameOrText = (text: string): boolean => /^[\w$"'`]/.test(text) && !/^(?:true|false|undefined)$/.test(text)

/** Both without what they have in common at the beginning and at the end. */
const differing = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)]
}

/** Operators from the one that binds least. */
const operators = [
  ["=>"],
  ["?"],
  ["??", "||"],
  ["&&"],
  ["===", "!==", "==", "!="],
  ["<", ">", "<=", ">=", "in"]
].concat([["+", "-"], ["*", "/", "%"], ["**"], ["!"]])

/** The operator that binds least outside of all brackets, or what kind of code it is. */
const shape = (code: ReadonlyArray<string>): string => {
  const outside = outsideOfBrackets(code)
  const found = operators.map((equal) => outside.find((text) => equal.includes(text)))
  const operator = found.find((text) => text !== undefined)
  if (operator !== undefined) return operator
  const [first = "nothing"] = code
  if (first === "{") return "block"
  if (first === "[") return "list"
  if (/^["'`]/.test(first)) return "text"
  return code.at(-1) === ")" ? "call" : isNameOrText(first) ? "name" : first
}

const outsideOfBrackets = (code: ReadonlyArray<string>): ReadonlyArray<string> => {
  let depth = 0
  return code.filter((text) => {
    if ("([{".includes(text)) depth++
    if (")]}".includes(text)) depth--
    return depth === 0
  })
}
