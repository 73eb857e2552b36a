import { SeededRandom } from "@effect-retry/testing"
import { ConfigProvider } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class Refused extends Data.TaggedError("Refused") {}

const pay = <A, R>(request: Effect.Effect<A, Refused, R>) =>
  Effect.gen(function* () {
    const preset = yield* Policy.config("payments", Policy.standard)
    const classifier = Classifier.fromTags({ Refused: Verdict.server })
    return yield* Retry.retry(request, { ...preset, classifier })
  })
// #endregion

// #region environment
const environment = {
  PAYMENTS_MAX_ATTEMPTS: "4",
  PAYMENTS_CURVE: "exponential",
  PAYMENTS_BASE: "200 millis",
  PAYMENTS_CAP: "1 second",
  PAYMENTS_DEADLINE: "30 seconds"
}
// #endregion

/** As the default provider, which reads the variables of the process. */
const fromEnvironment = (variables: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)), { pathDelim: "_" }))

const failing = timeline([Effect.fail(new Refused())], pay)

export const program = Effect.all({
  good: failing.pipe(fromEnvironment(environment)),
  bad: failing.pipe(
    fromEnvironment({ ...environment, PAYMENTS_MAX_ATTEMPTS: "0", PAYMENTS_CAP: "soon", PAYMENTS_DEADLIN: "1 minute" }),
    Effect.map(({ calls, outcome }) => ({ calls, errors: outcome.toString().split(/ and |\n/) }))
  )
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  good: { calls: [0, 100, 300, 700], outcome: new Refused() },
  bad: {
    calls: [],
    errors: [
      '(Invalid data at PAYMENTS_MAX_ATTEMPTS: "Policy.config: PAYMENTS_MAX_ATTEMPTS must be a whole number >= 1 or Infinity")',
      '(Invalid data at PAYMENTS_CAP: "Policy.config: PAYMENTS_CAP must be a finite duration >= 1ms")',
      '(Invalid data at PAYMENTS_DEADLIN: "Policy.config: PAYMENTS_DEADLIN is no key of a policy; did you mean PAYMENTS_DEADLINE?")'
    ]
  }
}
