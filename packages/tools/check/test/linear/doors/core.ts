/** What core is given from outside: errors, and texts of a configuration. */
import { type Door, few } from "@effect-retry/check/linear/Doors"
import { Classifier, InvalidArgument, Observe, Policy, Retry } from "@effect-retry/core"
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import * as Property from "@effect-retry/core/unstable/Property"
import * as Readable from "@effect-retry/core/unstable/Readable"
import * as ShownCause from "@effect-retry/core/unstable/ShownCause"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import { allOf, chainOf, errorOf, keyed, one, silent, wide } from "./errors.ts"

const printed = (error: unknown, known?: () => Untrusted.Known): ReadonlyArray<unknown> => {
  const shown = Untrusted.shown(error, known)
  return [shown.name, shown.stack, Untrusted.outcome(shown), String(shown), inspect(shown), JSON.stringify(shown)]
}

const keys = ["maxAttempts", "curve", "base", "factor", "cap", "jitter", "jitterRatio", "attemptTimeout", "deadline"]

const configured = (text: string) =>
  Effect.runPromiseExit(
    ConfigProvider.fromMap(new Map(keys.map((key) => [`payments.${key}`, text]))).load(
      Policy.config("payments", Policy.standard)
    )
  )

const observers = [Observe.logs(), Observe.spanEvents, Observe.metrics]

/** The whole loop with one retry, its observers and its end. */
const retried = (error: unknown) =>
  Effect.runPromise(
    Effect.provide(silent)(
      Retry.retryOrElse(
        Effect.fail(error),
        Policy.make({ ...Policy.once, classifier: Classifier.always, observe: observers }),
        (stopped) => Effect.succeed([String(stopped), inspect(stopped), JSON.stringify(stopped)])
      )
    )
  )

export const doors: ReadonlyArray<Door> = [
  { name: "HttpDate.parse", run: (text) => HttpDate.parse(text, 0) },
  { name: "HttpDate.parse of a date with more", run: (text) => HttpDate.parse(`Sun, 06 Nov 1994 08:49:37 ${text}`, 0) },
  { name: "Untrusted.message", run: (text) => Untrusted.message(text) },
  { name: "Untrusted.url", run: (text) => Untrusted.url(text) },
  { name: "Untrusted.url with a host", run: (text) => Untrusted.url(`http://${text}`) },
  { name: "Untrusted.url with a query", run: (text) => Untrusted.url(`http://a/?${text}`) },
  { name: "Untrusted.name", run: (text) => Untrusted.name(text) },
  { name: "Untrusted.cut", run: (text) => Untrusted.cut(text) },
  {
    name: "Untrusted.message with a secret and a URL that are long",
    run: (text) => Untrusted.message(text, { urls: [`http://a/${text}`, text], secrets: [text, `a${text}`] })
  },
  {
    name: "Untrusted.message with many secrets",
    pieces: few,
    run: (text) => Untrusted.message(text, { secrets: parts(text.repeat(8)) })
  },
  {
    name: "Untrusted.message with many URLs",
    pieces: few,
    run: (text) => Untrusted.message(text, { urls: parts(text.repeat(8)) })
  },
  { name: "Readable.inLine", run: (text) => Readable.inLine(text) },
  { name: "an error with such texts, printed", run: (text) => printed(errorOf(text)) },
  {
    name: "an error with secrets that is answered, printed",
    run: (text) => printed(errorOf(text), () => ({ secrets: [text], urls: [text], messages: "outermost" }))
  },
  { name: "a chain of causes, printed", pieces: one, run: (text) => printed(chainOf(text.length, "a b")) },
  { name: "a chain of causes with such texts, printed", pieces: few, run: (text) => printed(chainOf(20, text)) },
  { name: "an AggregateError, printed", pieces: one, run: (text) => printed(wide(text.length)) },
  { name: "AggregateErrors in AggregateErrors, printed", pieces: one, run: (text) => printed(allOf(text.length)) },
  { name: "an error with many properties, printed", pieces: one, run: (text) => printed(keyed(text.length)) },
  { name: "a text that was thrown, printed", run: (text) => printed(text) },
  {
    name: "ShownCause.of one after another",
    pieces: one,
    run: (text) => ShownCause.of(sequence(text.length), Untrusted.shown)
  },
  { name: "Property.causes", pieces: one, run: (text) => Property.causes(chainOf(text.length, "a")) },
  { name: "Property.keys", pieces: one, run: (text) => Property.keys(keyed(text.length), 32) },
  { name: "Property.entries", pieces: one, run: (text) => Property.entries([...text]) },
  { name: "Property.listed", pieces: one, run: (text) => Property.listed([...text]) },
  { name: "Property.text", run: (text) => Property.text({ text }, "text") },
  {
    name: "InvalidArgument of a text",
    run: (text) => inspect(new InvalidArgument.InvalidArgument({ owner: "a", field: "b", allowed: "c", value: text }))
  },
  {
    name: "InvalidArgument of a list",
    pieces: one,
    run: (text) =>
      inspect(new InvalidArgument.InvalidArgument({ owner: "a", field: "b", allowed: "c", value: [...text] }))
  },
  { name: "Policy.config", pieces: few, run: configured },
  { name: "Policy.config with numbers", pieces: ["7"], run: (text) => configured(`${text} seconds`) },
  { name: "an operation that fails with such texts, observed", pieces: few, run: (text) => retried(errorOf(text)) },
  {
    name: "an operation that fails with causes, observed",
    pieces: one,
    run: (text) => retried(chainOf(text.length, "a"))
  },
  { name: "an operation that fails with many errors, observed", pieces: one, run: (text) => retried(wide(text.length)) }
]

/** Texts of eight characters, all different. */
const parts = (text: string): ReadonlyArray<string> =>
  Array.from({ length: text.length / 8 }, (_, at) => text.slice(0, 4) + String(at).padStart(4, "0"))

const sequence = (length: number): Cause.Cause<unknown> =>
  Array.from({ length }).reduce<Cause.Cause<unknown>>(
    (all, _, at) => Cause.sequential(all, Cause.fail(at)),
    Cause.empty
  )
