/**
 * What may be shown of an error from outside without searching it for secrets: the name of its class or its tag, its
 * code, its message if that is a sentence of plain words, and the same of its causes.
 *
 * This is all that the loop adds to a bundle. `ShownMessage` shows more of an error.
 */
import * as Property from "./Property.ts"
import * as SafeName from "./SafeName.ts"

/** The key under which Node.js looks up how to print an object. */
export const inspected: unique symbol = Symbol.for("nodejs.util.inspect.custom")

/** The longest message that is shown without a search. */
const longestSentence = 200

/** Fields that only an error shown in full has. */
interface Inner extends Error {
  /** What may be shown of the cause. */
  readonly cause?: ShownError | undefined
  /** The errors of an `AggregateError`. */
  readonly errors?: ReadonlyArray<ShownError> | undefined
}

/** An `Error` by its prototype, without capturing a stack, which would cost microseconds. */
const Unstacked = /*#__PURE__*/ (() => {
  function Unstacked() {}
  Unstacked.prototype = Object.create(Error.prototype)
  return Unstacked as unknown as new () => Inner
})()

/**
 * An error as it may be shown: safe to print, to log, to write as JSON and to record on a span. It is an `Error`, and
 * reads the original only when it is shown.
 */
export class ShownError<out E = unknown> extends Unstacked {
  readonly #original: E

  constructor(original: E) {
    super()
    this.#original = original
  }

  /**
   * Whether a value is a shown error. Reads no properties: the value may be a revoked proxy. An object that inherits from a
   * shown error is not one.
   */
  static is(value: unknown): value is ShownError {
    return Property.isObject(value) && #original in value
  }

  /** The error itself, for use in code. Printing leaves it out, because it may hold secrets. */
  get original(): E {
    return ShownError.is(this) ? this.#original : (undefined as E)
  }

  /** For classifiers, which judge the error itself. */
  get [Property.Original](): unknown {
    return Property.original(this.original)
  }

  /** The `_tag` of the error, or the name of its class; the name of its type if it is no object. */
  override get name(): string {
    return typeOf(Property.original(this.original))
  }

  /** The code of the error, such as `ECONNRESET`, if it has one. */
  get code(): string | number | undefined {
    return codeOf(Property.original(this.original))
  }

  /**
   * The code, the message if it is a sentence of plain words, and the causes: `fetch failed, caused by Error ECONNRESET`.
   * For an error that is shown in full: at most 200 characters of its message, and nothing if the value is no `Error`.
   */
  override get message(): string {
    return Property.causes(this.original)
      .map((error, i) => {
        const title = [...(i === 0 ? [] : ["caused by", typeOf(error)]), codeOf(error) ?? []].flat().join(" ")
        return [title, sentenceOf(error)].filter((part) => part !== "").join(": ")
      })
      .filter((part) => part !== "")
      .join(", ")
  }

  override get stack(): string {
    return String(this)
  }

  [inspected](): string {
    return this.stack
  }

  toJSON(): unknown {
    const { code, message, name } = this
    return { name, code, message }
  }
}

/** What may be shown of an error without searching it for secrets. Costs nothing until it is shown. */
export const inBrief = <E>(error: E): ShownError<E> => new ShownError(error)

/** The `cause` of an error of ours that wraps another: what `show` returns for the other. No property if there is none. */
export const asCause = (
  error: unknown,
  show: (error: unknown) => ShownError = inBrief
): { readonly cause?: ShownError } => (error === undefined ? {} : { cause: ShownError.is(error) ? error : show(error) })

/** The type of an error as it is shown: its `_tag`, or the name of its class. */
export const typeOf = (error: unknown): string =>
  SafeName.name(Property.property(error, "_tag")) ??
  SafeName.name(Property.at(error, "constructor", "name")) ??
  typeof error

const codeOf = (error: unknown): string | number | undefined => {
  const code = Property.property(error, "code")
  return typeof code === "number" ? code : SafeName.name(code)
}

/** The message, if it is plain words that name no credential. Any other message may hold a secret, and is left out. */
const sentenceOf = (error: unknown): string => {
  const message = Property.isError(error) ? Property.property(error, "message") : undefined
  const isPlain = typeof message === "string" && message.length <= longestSentence && /^[a-z ,.'()]+$/i.test(message)
  return isPlain && !/auth|basic|bearer|cookie|cred|jwt|key|pass|pwd|secret|session|sid|sign|token/i.test(message)
    ? message
    : ""
}
