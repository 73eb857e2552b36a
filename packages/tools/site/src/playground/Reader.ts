/**
 * Reads the expression of a policy back from code. It reads the part of JavaScript that `Expression.print` writes, runs
 * nothing, and takes linear time. Pure.
 */
import * as Expression from "./Expression.ts"

/** What stands in a text that is no policy; shown on the page. */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
}

/** Longer text is refused before it is looked at. */
const mostCharacters = 20_000

/** Deeper expressions are refused: no policy of the page is. */
const mostDepth = 20

/** Fields that hold functions of the program; their code is passed over. */
const foreign = new Set(["classifier", "observe", "result", "release", "name", "bucket", "rateLimiter"])

/** Presets that a policy takes over by spread, as code; the presets of vendors are loaded by the page, not read. */
const standard = `{
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("20 seconds"), Backoff.jittered(Jitter.full))
}`
const spreads: Readonly<Record<string, string>> = { "Policy.standard": standard, "HttpRetry.standard": standard }

interface Read {
  /** The record around the first `maxAttempts` or preset: the text may be a whole program. */
  readonly policy: Expression.Expression
  /** The first call of each of the functions that were asked for. */
  readonly calls: ReadonlyArray<Expression.Expression>
}

/** Throws an `Unreadable` that says what it does not understand. */
export const read = (text: string, functions: ReadonlyArray<string>): Read => {
  if (text.length > mostCharacters) throw new Unreadable(`the text is longer than ${mostCharacters} characters`)
  const tokens = tokensOf(text)
  const at = startOf(tokens)
  if (at === undefined) throw new Unreadable("there is no object with a field maxAttempts or with ...Policy.standard")
  const starts = functions.flatMap((path) => callOf(tokens, path) ?? [])
  return {
    policy: new Parser(tokens, at).expression(0),
    calls: starts.map((start) => new Parser(tokens, start).expression(0))
  }
}

const callOf = (tokens: ReadonlyArray<Token>, path: string): number | undefined => {
  const [module, name] = path.split(".")
  const signs = [module, ".", name, "("]
  const at = tokens.findIndex((_, i) => signs.every((sign, k) => tokens[i + k]?.text === sign))
  return at === -1 ? undefined : at
}

interface Token {
  readonly kind: "name" | "number" | "text" | "sign"
  readonly text: string
}

const token =
  /\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|([A-Za-z_$][\w$]*)|(\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([^\s])/gy

const tokensOf = (text: string): ReadonlyArray<Token> =>
  Array.from(text.matchAll(token)).flatMap(([, name, number, quoted, sign]): ReadonlyArray<Token> => {
    if (name !== undefined) return [{ kind: "name", text: name }]
    if (number !== undefined) return [{ kind: "number", text: number.replaceAll("_", "") }]
    if (quoted !== undefined) return [{ kind: "text", text: quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1") }]
    return sign === undefined ? [] : [{ kind: "sign", text: sign }]
  })

/** The brace that opens the record around the first `maxAttempts:`, or around the first preset. */
const startOf = (tokens: ReadonlyArray<Token>): number | undefined => {
  const open: Array<number> = []
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind === "sign" && text === "{") open.push(i)
    if (kind === "sign" && text === "}") open.pop()
    const preset = `${text}.${tokens[i + 2]?.text}`
    const isSpread = [1, 2, 3].every((back) => tokens[i - back]?.text === ".") && Object.hasOwn(spreads, preset)
    if (isSpread || (text === "maxAttempts" && tokens[i + 1]?.text === ":")) return open.at(-1)
  }
  return undefined
}

class Parser {
  readonly #tokens: ReadonlyArray<Token>
  #at: number

  constructor(tokens: ReadonlyArray<Token>, at: number) {
    this.#tokens = tokens
    this.#at = at
  }

  expression(depth: number): Expression.Expression {
    if (depth > mostDepth) throw new Unreadable(`an expression is nested more than ${mostDepth} deep`)
    const { kind, text } = this.#next()
    if (kind === "number") return Expression.value(Number(text))
    if (kind === "text") return Expression.value(text)
    if (kind === "name" && (text === "true" || text === "false")) return Expression.value(text === "true")
    if (kind === "sign" && text === "{") return this.#fields(depth)
    if (kind === "name") return this.#piped(this.#member(text, depth), depth)
    throw new Unreadable(`a value of a policy cannot begin with ${text}`)
  }

  #member(module: string, depth: number): Expression.Expression {
    this.#expect(".")
    const path = `${module}.${this.#next().text}`
    return this.#takes("(") ? Expression.call(path, ...this.#args(depth)) : Expression.member(path)
  }

  #piped(self: Expression.Expression, depth: number): Expression.Expression {
    if (!this.#takes(".")) return self
    const { text } = this.#next()
    if (text !== "pipe") throw new Unreadable(`expected .pipe, got .${text}`)
    this.#expect("(")
    return this.#piped(Expression.pipe(self, ...this.#args(depth)), depth)
  }

  /** What stands between parentheses, the closing one included. */
  #args(depth: number): ReadonlyArray<Expression.Expression> {
    const args: Array<Expression.Expression> = []
    while (!this.#takes(")")) {
      args.push(this.expression(depth + 1))
      if (!this.#takes(",")) {
        this.#expect(")")
        break
      }
    }
    return args
  }

  #fields(depth: number): Expression.Expression {
    const fields: Array<readonly [string, Expression.Expression]> = []
    while (!this.#takes("}")) {
      const field = this.#next().text
      if (field === ".") fields.push(...this.#spread())
      else if (foreign.has(field)) this.#passOver()
      else fields.push([field, this.#value(depth)])
      if (!this.#takes(",")) {
        this.#expect("}")
        break
      }
    }
    return Expression.fields(Object.fromEntries(fields))
  }

  /** The fields of the preset after the first of three dots. */
  #spread(): ReadonlyArray<readonly [string, Expression.Expression]> {
    this.#expect(".")
    this.#expect(".")
    const { text: module } = this.#next()
    if (!this.#takes(".")) throw new Unreadable(`...${module} cannot be read here: write its fields`)
    const preset = `${module}.${this.#next().text}`
    const code = Object.hasOwn(spreads, preset) ? spreads[preset] : undefined
    if (code === undefined) {
      throw new Unreadable(`...${preset} cannot be read here: choose it under Preset, or write its fields`)
    }
    const read = new Parser(tokensOf(code), 0).expression(0)
    return read._tag === "Fields" ? Object.entries(read.fields) : []
  }

  #value(depth: number): Expression.Expression {
    this.#expect(":")
    return this.expression(depth + 1)
  }

  /** To the comma or the brace that ends a field. */
  #passOver(): void {
    let depth = 0
    for (;;) {
      const text = this.#peek()
      if (depth === 0 && (text === "," || text === "}")) return
      if (text === "(" || text === "{" || text === "[") depth += 1
      if (text === ")" || text === "}" || text === "]") depth -= 1
      this.#next()
    }
  }

  #peek(): string | undefined {
    const { kind, text } = this.#tokens[this.#at] ?? { kind: "sign", text: undefined }
    return kind === "sign" ? text : undefined
  }

  #next(): Token {
    const next = this.#tokens[this.#at]
    if (next === undefined) throw new Unreadable("the text ends before the policy does")
    this.#at += 1
    return next
  }

  #takes(sign: string): boolean {
    if (this.#peek() !== sign) return false
    this.#at += 1
    return true
  }

  #expect(sign: string): void {
    const { text } = this.#next()
    if (text !== sign) throw new Unreadable(`expected ${sign}, got ${text}`)
  }
}
