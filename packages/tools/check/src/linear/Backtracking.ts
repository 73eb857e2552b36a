/**
 * Runs a regular expression as V8 does, by backtracking, and counts the steps: each character that is compared, each
 * branch and each assertion is one. No optimisation of V8 makes a pattern take more of them.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp"

interface Run {
  readonly steps: number
  /** Where the match begins and ends; `undefined` if there is none, or if the steps have reached their limit. */
  readonly match: readonly [start: number, end: number] | undefined
}

/** Matches once, as `RegExp.prototype.exec` does from `lastIndex`. */
type Matcher = (text: string, options?: { readonly from?: number; readonly limit?: number }) => Run

type Instruction =
  | { readonly _tag: "Char"; readonly accepts: (char: string) => boolean }
  | { readonly _tag: "Branch"; readonly targets: ReadonlyArray<number> }
  | { readonly _tag: "Assert"; readonly holds: (text: string, at: number) => boolean }
  | { readonly _tag: "Look"; readonly program: Program; readonly negate: boolean }
  | { readonly _tag: "Match" }

type Program = ReadonlyArray<Instruction>

const matchers = new Map<string, Matcher>()

/**
 * Refuses a pattern that it cannot count: with a lookbehind of more than one character, a back reference, or a repetition
 * of nothing.
 */
export const matcherOf = (pattern: RegExp): Matcher => {
  const key = String(pattern)
  const known = matchers.get(key)
  if (known !== undefined) return known
  const made = make(pattern)
  matchers.set(key, made)
  return made
}

const make = (pattern: RegExp): Matcher => {
  const { pattern: parsed } = new RegExpParser({ ecmaVersion: 2025 }).parseLiteral(String(pattern))
  const program = [...compile(parsed.alternatives, pattern, 0), { _tag: "Match" } as const]
  const isAnchored = parsed.alternatives.every(
    ({ elements: [first] }) => first?.type === "Assertion" && first.kind === "start"
  )
  const once = isAnchored || pattern.sticky
  return (text, { from = 0, limit = Infinity } = {}) => {
    let steps = 0
    const last = once ? from : text.length
    for (let start = from; start <= last; start++) {
      const run = runAt(program, pattern.unicode, text, start, limit - steps)
      steps += run.steps
      if (run.end !== undefined) return { steps, match: [start, run.end] }
      if (steps >= limit) break
    }
    return { steps, match: undefined }
  }
}

const runAt = (program: Program, unicode: boolean, text: string, start: number, limit: number) => {
  // Program counters and positions, in turns: the ways that are not tried yet.
  const rest = [0, start]
  let steps = 0
  while (rest.length > 0 && steps < limit) {
    let at = rest.pop()!
    let next = rest.pop()!
    way: while (steps < limit) {
      steps += 1
      const instruction = program[next]!
      switch (instruction._tag) {
        case "Match":
          return { steps, end: at }
        case "Char": {
          const char = unicode ? String.fromCodePoint(text.codePointAt(at) ?? 0) : text.charAt(at)
          if (at >= text.length || !instruction.accepts(char)) break way
          at += char.length
          next += 1
          break
        }
        case "Assert":
          if (!instruction.holds(text, at)) break way
          next += 1
          break
        case "Look": {
          const look = runAt(instruction.program, unicode, text, at, limit - steps)
          steps += look.steps
          if ((look.end !== undefined) === instruction.negate) break way
          next += 1
          break
        }
        case "Branch": {
          const { targets } = instruction
          for (let other = targets.length - 1; other > 0; other--) rest.push(targets[other]!, at)
          next = targets[0]!
        }
      }
    }
  }
  return { steps, end: undefined }
}

/** The instructions begin at `offset`, and go on behind their end. */
const compile = (alternatives: ReadonlyArray<AST.Alternative>, pattern: RegExp, offset: number): Program => {
  if (alternatives.length === 1) return sequence(alternatives[0]!.elements, pattern, offset)
  const parts: Array<Program> = []
  let at = offset + 1
  for (const { elements } of alternatives) {
    parts.push(sequence(elements, pattern, at))
    at += parts.at(-1)!.length + 1
  }
  let start = offset + 1
  const targets = parts.map((part) => (start += part.length + 1) - part.length - 1)
  return [branch(...targets), ...parts.flatMap((part) => [...part, branch(at)])]
}

const branch = (...targets: ReadonlyArray<number>): Instruction => ({ _tag: "Branch", targets })

const sequence = (elements: ReadonlyArray<AST.Element>, pattern: RegExp, offset: number): Program => {
  const program: Array<Instruction> = []
  for (const element of elements) for (const each of one(element, pattern, offset + program.length)) program.push(each)
  return program
}

const one = (element: AST.Element, pattern: RegExp, offset: number): Program => {
  switch (element.type) {
    case "Character":
    case "CharacterClass":
    case "CharacterSet":
      return [{ _tag: "Char", accepts: accepting(element, pattern) }]
    case "Group":
    case "CapturingGroup":
      return compile(element.alternatives, pattern, offset)
    case "Quantifier":
      return repeated(element, pattern, offset)
    case "Assertion":
      return [asserted(element, pattern)]
    default:
      throw new Error(`cannot count the steps of ${element.raw} in ${pattern}`)
  }
}

const repeated = (
  { element, greedy, max, min }: AST.Quantifier,
  pattern: RegExp,
  offset: number
): ReadonlyArray<Instruction> => {
  if (max === Infinity && isNullable(element))
    throw new Error(`cannot count the steps of ${element.raw}* in ${pattern}`)
  const program: Array<Instruction> = []
  const size = one(element, pattern, 0).length
  const choose = (inside: number, outside: number) => (greedy ? branch(inside, outside) : branch(outside, inside))
  const add = () => program.push(...one(element, pattern, offset + program.length))
  for (let n = 0; n < min; n++) add()
  const start = offset + program.length
  if (max === Infinity) {
    program.push(choose(start + 1, start + size + 2))
    add()
    program.push(branch(start))
    return program
  }
  const end = start + (max - min) * (size + 1)
  for (let n = min; n < max; n++) {
    program.push(choose(offset + program.length + 1, end))
    add()
  }
  return program
}

const isNullable = (element: AST.Element): boolean => {
  switch (element.type) {
    case "Group":
    case "CapturingGroup":
      return element.alternatives.some(({ elements }) => elements.every(isNullable))
    case "Quantifier":
      return element.min === 0 || isNullable(element.element)
    case "Assertion":
      return true
    default:
      return false
  }
}

const asserted = (element: AST.Assertion, pattern: RegExp): Instruction => {
  if (pattern.multiline) throw new Error(`cannot count the steps of ${pattern}`)
  switch (element.kind) {
    case "start":
      return { _tag: "Assert", holds: (_, at) => at === 0 }
    case "end":
      return { _tag: "Assert", holds: (text, at) => at === text.length }
    case "word": {
      const isWord = (text: string, at: number) => /^\w$/.test(text.charAt(at))
      return { _tag: "Assert", holds: (text, at) => (isWord(text, at - 1) === isWord(text, at)) === element.negate }
    }
    case "lookahead": {
      const program = [...compile(element.alternatives, pattern, 0), { _tag: "Match" } as const]
      return { _tag: "Look", program, negate: element.negate }
    }
    case "lookbehind": {
      const [single, ...others] = element.alternatives.flatMap(({ elements }) => elements)
      if (single !== undefined && others.length === 0 && isSingle(single)) {
        const accepts = accepting(single, pattern)
        return { _tag: "Assert", holds: (text, at) => (at > 0 && accepts(text.charAt(at - 1))) !== element.negate }
      }
      throw new Error(`cannot count the steps of ${element.raw} in ${pattern}`)
    }
  }
}

type Single = AST.Character | AST.CharacterClass | AST.CharacterSet

const isSingle = (element: AST.Element): element is Single =>
  ["Character", "CharacterClass", "CharacterSet"].includes(element.type)

/** Whether a character, a class or a set takes one character. */
export const accepting = (
  { raw }: AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass,
  pattern: RegExp
): ((char: string) => boolean) => {
  const single = new RegExp(`^(?:${raw})$`, pattern.flags.replaceAll(/[dgy]/g, ""))
  const known = new Map<string, boolean>()
  return (char) => {
    const found = known.get(char)
    if (found !== undefined) return found
    const accepts = single.test(char)
    known.set(char, accepts)
    return accepts
  }
}
