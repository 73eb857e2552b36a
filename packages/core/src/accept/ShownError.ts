/**
 * What may be shown of an error from outside, decided here and nowhere else: the name of its class or its tag, its code,
 * its message without what may be secret, where it was made, and the same of its causes.
 *
 * All other properties stay where they are: a request, a response, a body, a configuration of a client.
 */
import * as Property from "./Property.ts"
import * as SafeText from "./SafeText.ts"

/**
 * What is known of an error in advance. Read when the error is first shown.
 *
 * @category models
 */
export interface Known extends SafeText.Known {
  /**
   * Which messages are shown: those of all errors of the chain, that of the outermost one, or none if they may quote a
   * body or an address.
   *
   * @default "all"
   */
  readonly messages?: "all" | "outermost" | "none"
}

/** How many errors of a chain are shown, those of an `AggregateError` included. */
const mostErrors = 16

/** How many lines of a stack are shown. */
const mostFrames = 10

/** The longest part of a stack that is read. */
const longestStack = 4096

interface Told {
  readonly name: string
  readonly code: string | number | undefined
  readonly message: string
  readonly stack: string
}

const unknown: Told = { name: "Error", code: undefined, message: "", stack: "Error" }

interface Inner {
  readonly cause: ShownError | undefined
  readonly errors: ReadonlyArray<ShownError> | undefined
}

const alone: Inner = { cause: undefined, errors: undefined }

/** An `Error` by its prototype that captures no stack, which would cost microseconds. */
const Unstacked = /*#__PURE__*/ (() => {
  function Unstacked() {}
  Unstacked.prototype = Object.create(Error.prototype)
  return Unstacked as unknown as new () => Error
})()

/**
 * An error as it may be shown: safe to print, to log, to write as JSON and to record on a span, in any depth.
 *
 * It is an `Error`, read from the original when it is first shown. At most sixteen errors of a chain are shown.
 *
 * @category models
 */
export class ShownError<out E = unknown> extends Unstacked {
  readonly #original: E
  readonly #known: () => Known
  #told: Told | undefined
  #inner: Inner | undefined

  constructor(original: E, known: () => Known) {
    super()
    this.#original = original
    this.#known = known
  }

  /** Asked without a look at its properties: it may be a revoked proxy. */
  static is(value: unknown): value is ShownError {
    return Property.isObject(value) && #original in value
  }

  /** The error itself, for code. Printing leaves it out: it may hold secrets. */
  get original(): E {
    return #original in this ? this.#original : (undefined as E)
  }

  /** For classifiers, which judge by the error itself. */
  get [Property.Original](): unknown {
    return Property.original(this.original)
  }

  /** The `_tag` of the error, or the name of its class; the name of its type if it is no object. */
  override get name(): string {
    return ShownError.read(this).name
  }

  /** The code of the error, such as `ECONNRESET`, if it has one. */
  get code(): string | number | undefined {
    return ShownError.read(this).code
  }

  /** At most 200 characters; empty if the value is no `Error`. */
  override get message(): string {
    return ShownError.read(this).message
  }

  override get stack(): string {
    return ShownError.read(this).stack
  }

  override get cause(): ShownError | undefined {
    return ShownError.inside(this).cause
  }

  /** Those of an `AggregateError`. */
  get errors(): ReadonlyArray<ShownError> | undefined {
    return ShownError.inside(this).errors
  }

  toJSON(): unknown {
    const { cause, code, errors, message, name } = this
    return {
      name,
      ...(code !== undefined && { code }),
      ...(message !== "" && { message }),
      ...(cause !== undefined && { cause }),
      ...(errors !== undefined && { errors })
    }
  }

  override toString(): string {
    return heading(this)
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return printed(this, "")
  }

  /** An object that only inherits from one shows nothing. */
  private static read(self: ShownError): Told {
    if (!ShownError.is(self)) return unknown
    const original: unknown = self.#original
    return (self.#told ??= ShownError.is(original) ? ShownError.read(original) : told(original, self.#known()))
  }

  private static inside(self: ShownError): Inner {
    if (!ShownError.is(self)) return alone
    const original: unknown = self.#original
    return (self.#inner ??= ShownError.is(original) ? ShownError.inside(original) : self.#follow(new Set([original])))
  }

  /** Reads the whole chain at once, so that its size has one bound. Of a `ShownError`, reads the original. */
  #follow(seen: Set<unknown>): Inner {
    const known = () => ofInner(this.#known())
    const next = (value: unknown): ShownError | undefined => {
      const shown = ShownError.is(value) ? value : undefined
      const original = shown === undefined ? value : shown.#original
      if (original === undefined || original === null || seen.has(original) || seen.size >= mostErrors) return undefined
      seen.add(original)
      const found = new ShownError(original, shown === undefined ? known : shown.#known)
      found.#inner = found.#follow(seen)
      return found
    }
    const cause = next(Property.property(this.#original, "cause"))
    const parts = Property.entries(Property.property(this.#original, "errors"), mostErrors)
    const errors = parts.flatMap((part) => next(part) ?? [])
    return { cause, errors: errors.length === 0 ? undefined : errors }
  }
}

const ofInner = (known: Known): Known => (known.messages === "outermost" ? { ...known, messages: "none" } : known)

const nothing: Known = {}
const nothingKnown = (): Known => nothing

/**
 * What may be shown of an error. Made at no cost: the error is read when it is shown.
 *
 * @category constructors
 */
export const shown = <E>(error: E, known: () => Known = nothingKnown): ShownError<E> => new ShownError(error, known)

/**
 * The `cause` of our own error that wraps another: what may be shown of the other. No property if there is none.
 *
 * @category constructors
 */
export const asCause = (error: unknown, known?: () => Known): { readonly cause?: ShownError } =>
  error === undefined ? {} : { cause: ShownError.is(error) ? error : shown(error, known) }

/**
 * The type of an error as it is shown: its `_tag`, or the name of its class.
 *
 * @category conversions
 */
export const typeOf = (error: unknown): string => {
  if (!Property.isObject(error)) return error === null ? "object" : typeof error
  return (
    SafeText.name(Property.property(error, "_tag")) ??
    SafeText.name(Property.at(error, "constructor", "name")) ??
    typeof error
  )
}

/**
 * How an attempt ended, if only its error is known: the type of the error and, in quotation marks, its message.
 *
 * @category conversions
 */
export const outcome = ({ message, name }: ShownError): string => {
  if (name === "ResultRejected") return "a rejected result"
  return message === "" ? name : `${name} ${JSON.stringify(message)}`
}

const told = (error: unknown, known: Known): Told => {
  const name = typeOf(error)
  const code = codeOf(error)
  const given = Property.isError(error) ? Property.property(error, "message") : ""
  const text = given === undefined || typeof given === "object" ? "" : String(given)
  const message =
    text === "" || known.messages === "none" ? "" : (replaced(error, name) ?? SafeText.message(text, known))
  return { name, code, message, stack: [heading({ name, code, message }), ...frames(error, text)].join("\n") }
}

/** Messages of parsers and schemas quote the invalid value. */
const replaced = (error: unknown, name: string): string | undefined => {
  if (name === "ParseError") return "a value does not fit its schema"
  return Property.property(error, "name") === "SyntaxError" ? "a text does not parse" : undefined
}

const codeOf = (error: unknown): string | number | undefined => {
  const code = Property.property(error, "code")
  return typeof code === "number" ? code : SafeText.name(code)
}

const heading = ({ code, message, name }: Pick<Told, "name" | "code" | "message">): string => {
  const title = code === undefined || message.includes(String(code)) ? name : `${name} [${code}]`
  return message === "" ? title : `${title}: ${message}`
}

/** Lines of a stack. They begin after the message, since a message can look like one. */
const frames = (error: unknown, message: string): ReadonlyArray<string> => {
  const stack = Property.isError(error) ? Property.property(error, "stack") : undefined
  if (typeof stack !== "string") return []
  const head = stack.slice(0, 200 + message.length).lastIndexOf(message)
  const start = head === -1 ? 0 : head + message.length
  return stack
    .slice(start, start + longestStack)
    .split("\n")
    .filter(isFrame)
    .slice(0, mostFrames)
}

/** `at name (place:line:column)`, of a place that is a path and has no query. */
const isFrame = (line: string): boolean => {
  const text = line.trim()
  const end = text.endsWith(")") ? text.length - 1 : text.length
  const last = text.charCodeAt(end - 1)
  return text.startsWith("at ") && text.length <= 300 && last >= 0x30 && last <= 0x39 && !/[?=%"'\\`&]/.test(text)
}

const printed = (error: ShownError, indent: string): string => {
  const { cause, errors = [], stack } = error
  const lines = stack.split("\n").map((line) => `${indent}${line}`)
  const inner = [
    ...(cause === undefined ? [] : [`${indent}  [cause]: ${printed(cause, `${indent}  `).trimStart()}`]),
    ...errors.map((each) => `${indent}  [error]: ${printed(each, `${indent}  `).trimStart()}`)
  ]
  return [...lines, ...inner].join("\n").trimStart()
}
