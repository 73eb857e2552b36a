/**
 * What may be shown of an error from outside in full: class, code, the message without what may be secret, the stack,
 * and the same of its causes.
 *
 * All other properties are left out: a request, a response, a body, a client's configuration.
 */
import * as Property from "./Property.ts"
import * as SafeText from "./SafeText.ts"
import { inspected, ShownError, typeOf } from "./ShownError.ts"

/** What is known about an error in advance. Read when the error is first shown. */
export interface Known extends SafeText.Known {
  /**
   * Which messages of the chain are shown: all of them, only the outermost one, or none, for messages that may quote a
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
  readonly message: string
  readonly cause: ShownError | undefined
  readonly errors: ReadonlyArray<ShownError> | undefined
}

/** At most sixteen errors of a chain are shown. */
class WithMessage<out E> extends ShownError<E> {
  readonly #known: () => Known
  #told: Told | undefined

  constructor(original: E, known: () => Known, told?: Told) {
    super(original)
    this.#known = known
    this.#told = told
  }

  static has(value: unknown): value is WithMessage<unknown> {
    return Property.isObject(value) && #known in value
  }

  /** What is known about an error: if it is already a shown one, what was known when it was made. */
  static known(value: unknown, known: () => Known): () => Known {
    if (!ShownError.is(value)) return known
    return WithMessage.known(value.original, WithMessage.has(value) ? value.#known : known)
  }

  /** What a shown error says; `undefined` for an object that only inherits from one. */
  static told(self: ShownError): Told | undefined {
    return WithMessage.has(self) ? (self.#told ??= tell(self, self.#known, new Set())) : undefined
  }

  override get message(): string {
    return WithMessage.told(this)?.message ?? ""
  }

  override get stack(): string {
    return [String(this), ...frames(Property.original(this.original))].join("\n")
  }

  override get cause(): ShownError | undefined {
    return WithMessage.told(this)?.cause
  }

  override get errors(): ReadonlyArray<ShownError> | undefined {
    return WithMessage.told(this)?.errors
  }

  override toJSON(): unknown {
    const { cause, code, errors, message, name } = this
    return { name, code, ...(message !== "" && { message }), cause, errors }
  }

  override toString(): string {
    const { code, message, name } = this
    const title = code === undefined || message.includes(String(code)) ? name : `${name} [${code}]`
    return message === "" ? title : `${title}: ${message}`
  }

  override [inspected](): string {
    return printed(this)
  }
}

/** Reads the whole chain at once, so that one bound covers its size. For a shown error, reads the original. */
const tell = (shown: unknown, given: () => Known, seen: Set<unknown>): Told => {
  const error = Property.original(shown)
  const known = WithMessage.known(shown, given)
  const isInner = seen.size > 0
  seen.add(error)
  const next = (inner: unknown): ReadonlyArray<ShownError> => {
    const original = Property.original(inner)
    if (original === undefined || original === null || seen.has(original) || seen.size >= mostErrors) return []
    return [new WithMessage(original, known, tell(inner, known, seen))]
  }
  const [cause] = next(Property.property(error, "cause"))
  const errors = Property.entries(Property.property(error, "errors"), mostErrors).flatMap(next)
  return { message: messageOf(error, known(), isInner), cause, errors: errors.length === 0 ? undefined : errors }
}

const nothing: Known = {}
const nothingKnown = (): Known => nothing

/** What may be shown of an error, its message included. Costs nothing until it is shown. */
export const shown = <E>(error: E, known: () => Known = nothingKnown): ShownError<E> => new WithMessage(error, known)

/** What may be shown of an error in full. An error that is already shown in full stays as it is. */
export const inFull = (error: unknown): ShownError =>
  WithMessage.has(error) ? error : shown(ShownError.is(error) ? error.original : error)

/**
 * The code of an error, such as `ECONNRESET` or a database's `40001`, or else of the first cause that has one. A text
 * that is not only capitals and digits does not count as a code.
 */
export const code = (self: ShownError): string | number | undefined =>
  isCode(self.code) ? self.code : self.cause && code(self.cause)

const isCode = (code: string | number | undefined): boolean =>
  typeof code === "number" || (code !== undefined && /^[A-Z\d][A-Z\d_]{0,59}$/.test(code))

/**
 * How an attempt ended, if only its error is known: the type of the error, its code, unless the message contains it, and the
 * message in quotation marks.
 */
export const outcome = (self: ShownError): string => {
  const { message, name } = self
  if (name === "ResultRejected") return "a rejected result"
  const known = code(self)
  const isTold = known === undefined || message.includes(String(known)) || name === known
  return [name, ...(isTold ? [] : [known]), ...(message === "" ? [] : [JSON.stringify(message)])].join(" ")
}

const messageOf = (error: unknown, { messages = "all", ...known }: Known, isInner: boolean): string => {
  const given = Property.isError(error) ? Property.property(error, "message") : ""
  const text = given === undefined || typeof given === "object" ? "" : String(given)
  if (text === "" || messages === "none" || (isInner && messages === "outermost")) return ""
  return replaced(error) ?? SafeText.message(text, known)
}

/** Replaces messages of parsers and schemas, which quote the invalid value. */
const replaced = (error: unknown): string | undefined => {
  if (typeOf(error) === "ParseError") return "a value does not fit its schema"
  return Property.property(error, "name") === "SyntaxError" ? "a text does not parse" : undefined
}

/** Whether a line belongs to a stack, `at name (place:line:column)`, with a place that is a path without a query. */
const isFrame = (line: string): boolean =>
  line.length <= 300 && /^\s{0,8}at [^?=%"'\\`&]*$/.test(line) && /\d\)?$/.test(line)

/** The stack frames, which begin after the message: a message can look like a frame. */
const frames = (error: unknown): ReadonlyArray<string> => {
  if (!Property.isError(error)) return []
  const stack = Property.property(error, "stack")
  const message = Property.property(error, "message")
  if (typeof stack !== "string") return []
  const start = typeof message === "string" ? stack.indexOf(message) + message.length : 0
  return stack
    .slice(start, start + longestStack)
    .split("\n")
    .filter(isFrame)
    .slice(0, mostFrames)
}

const printed = ({ cause, errors = [], stack }: ShownError): string => {
  const inner = (label: string, error: ShownError) => `[${label}]: ${printed(error)}`.replaceAll("\n", "\n  ")
  return [
    stack,
    ...(cause === undefined ? [] : [inner("cause", cause)]),
    ...errors.map((each) => inner("error", each))
  ].join("\n  ")
}
