import { ConfigProvider } from "effect"
import { printingTo } from "./printed.ts"
// #region policy
import { Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Console, Data, Effect } from "effect"

class Refused extends Data.TaggedError("Refused") {}

const payments = Effect.gen(function* () {
  const preset = yield* Policy.config("payments", Policy.standard)
  for (const { value, variable } of Policy.describe("payments", preset)) {
    if (value !== undefined) yield* Console.log(`${variable}=${value}`)
  }
  const classifier = Classifier.fromTags({ Refused: Verdict.server })
  return <A, R>(payment: Effect.Effect<A, Refused, R>) => Retry.retry(payment, { ...preset, classifier })
})
// #endregion

/** What the program prints with variables of the environment. */
const printed = (variables: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    yield* payments.pipe(
      printingTo(lines),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)), { pathDelim: "_" })),
      Effect.catchAll((error) => Effect.sync(() => void lines.push(...String(error).split(/ and |\n/))))
    )
    return lines.join("\n")
  })

const given = { PAYMENTS_MAX_ATTEMPTS: "4", PAYMENTS_BASE: "200 millis", PAYMENTS_CURVE: "exponential" }

export const program = Effect.all([
  printed({ ...given, PAYMENTS_DEADLINE: "30 seconds" }),
  printed({ ...given, PAYMENTS_MAX_ATTEMPTS: "0", PAYMENTS_CAP: "soon", PAYMENTS_DEADLIN: "30 seconds" })
]).pipe(Effect.map((texts) => texts.join("\n\n")))

export const expected = [
  "PAYMENTS_MAX_ATTEMPTS=4",
  "PAYMENTS_CURVE=exponential",
  "PAYMENTS_BASE=200 millis",
  "PAYMENTS_FACTOR=2",
  "PAYMENTS_CAP=20 seconds",
  "PAYMENTS_JITTER=full",
  "PAYMENTS_DEADLINE=30 seconds",
  "PAYMENTS_DEADLINE_RESERVE=0 millis",
  "PAYMENTS_HINT_AT_MOST=1 minute",
  "PAYMENTS_HINT_OTHERWISE=giveUp",
  "",
  '(Invalid data at PAYMENTS_MAX_ATTEMPTS: "Policy.config: PAYMENTS_MAX_ATTEMPTS must be a whole number >= 1 or Infinity")',
  '(Invalid data at PAYMENTS_CAP: "Policy.config: PAYMENTS_CAP must be a finite duration >= 1ms")',
  '(Invalid data at PAYMENTS_DEADLIN: "Policy.config: PAYMENTS_DEADLIN is no key of a policy; did you mean PAYMENTS_DEADLINE?")'
].join("\n")
