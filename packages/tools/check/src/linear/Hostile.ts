/**
 * Texts that make a regular expression backtrack: made from the pattern alone.
 *
 * Each is a beginning that the pattern takes, a piece again and again, and an end. Pieces are what any run of neighbours in
 * the pattern takes, and one character of each kind that the pattern tells apart; the ends are such characters, among them
 * one that the pattern nowhere takes, and nothing.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp"
import { accepting } from "./Backtracking.ts"

export interface Hostile {
  readonly start: string
  readonly piece: string
  readonly end: string
}

/** A text with its piece repeated to at least so many characters. */
export const textOf = ({ end, piece, start }: Hostile, length: number): string =>
  start + piece.repeat(Math.ceil(length / piece.length)) + end

export const hostileTo = (pattern: RegExp): ReadonlyArray<Hostile> => {
  const { pattern: parsed } = new RegExpParser({ ecmaVersion: 2025 }).parseLiteral(String(pattern))
  const chars = charsOf(parsed, pattern)
  const exampleOf = examples(pattern, chars)
  const found = new Map<string, Hostile>()
  const add = (start: string, piece: string) => {
    if (piece === "") return
    for (const end of ["", ...chars]) found.set(JSON.stringify([start, piece, end]), { start, piece, end })
  }
  const visit = (alternatives: ReadonlyArray<AST.Alternative>, before: string): void => {
    for (const { elements } of alternatives) {
      const parts = partsOf(elements)
      const texts = parts.map((part) => part.map(exampleOf).join(""))
      parts.forEach((part, i) => {
        const start = before + texts.slice(0, i).join("")
        for (let j = i + 1; j <= parts.length; j++) {
          const piece = texts.slice(i, j).join("")
          add("", piece)
          add(start, piece)
        }
        for (const char of chars) add(start, char)
        for (const char of chars) add(start + texts[i], char)
        for (const element of part) visit(inside(element), start)
      })
    }
  }
  visit(parsed.alternatives, "")
  return [...found.values()]
}

/** Neighbours that are one character each are one part: a word. */
const partsOf = (elements: ReadonlyArray<AST.Element>): ReadonlyArray<ReadonlyArray<AST.Element>> => {
  const parts: Array<Array<AST.Element>> = []
  elements.forEach((element, i) => {
    if (element.type === "Character" && elements[i - 1]?.type === "Character") parts.at(-1)!.push(element)
    else parts.push([element])
  })
  return parts
}

const inside = (element: AST.Element): ReadonlyArray<AST.Alternative> => {
  if (element.type === "Quantifier") return inside(element.element)
  return "alternatives" in element ? (element.alternatives as ReadonlyArray<AST.Alternative>) : []
}

type Single = AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass

const singlesOf = (alternatives: ReadonlyArray<AST.Alternative>): ReadonlyArray<Single> =>
  alternatives.flatMap(({ elements }) => elements.flatMap(singlesIn))

const singlesIn = (element: AST.Element): ReadonlyArray<Single> => {
  if (element.type === "Quantifier") return singlesIn(element.element)
  return isSingle(element) ? [element] : singlesOf(inside(element))
}

const isSingle = (element: AST.Element): element is Single =>
  ["Character", "CharacterClass", "CharacterSet", "ExpressionCharacterClass"].includes(element.type)

const ascii = Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code))

/** Letters first: so an example is a word if it can be one. */
const all = [..."aZ1", ...ascii, "\u00e9", "\u2028", "\u{1f600}"]

/** One character of each kind that the pattern tells apart. */
const charsOf = ({ alternatives }: AST.Pattern, pattern: RegExp): ReadonlyArray<string> => {
  const tests = singlesOf(alternatives).map((single) => accepting(single, pattern))
  const kinds = new Map<string, string>()
  for (const char of all) {
    const kind = tests.map((accepts) => (accepts(char) ? "1" : "0")).join("")
    if (!kinds.has(kind)) kinds.set(kind, char)
  }
  return [...kinds.values()]
}

/** A text that an element takes. Repetitions take one more than they have to. */
const examples =
  (pattern: RegExp, chars: ReadonlyArray<string>) =>
  (element: AST.Element): string => {
    const of = examples(pattern, chars)
    if (isSingle(element)) return chars.find(accepting(element, pattern)) ?? ""
    if (element.type === "Quantifier")
      return of(element.element).repeat(Math.max(element.min, Math.min(element.max, element.min + 1)))
    if (element.type === "Assertion") return ""
    return (inside(element)[0]?.elements ?? []).map(of).join("")
  }
