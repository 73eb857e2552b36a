import { SeededRandom } from "@effect-retry/testing"
import { timeline } from "../scripted.ts"
// #region policy
import { Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Config, ConfigProvider, Data, Effect } from "effect"

class Refused extends Data.TaggedError("Refused") {}

const pay = <A, R>(request: Effect.Effect<A, Refused, R>) =>
  Effect.gen(function* () {
    const preset = yield* Config.nested(Policy.config(Policy.standard), "payments")
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

const fromEnvironment = (variables: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(
    ConfigProvider.fromMap(new Map(Object.entries(variables)), { pathDelim: "_" }).pipe(ConfigProvider.constantCase)
  )

const failing = timeline([Effect.fail(new Refused())], pay)

export const program = Effect.all({
  good: failing.pipe(fromEnvironment(environment)),
  bad: failing.pipe(
    fromEnvironment({ ...environment, PAYMENTS_MAX_ATTEMPTS: "0", PAYMENTS_CAP: "soon" }),
    Effect.map(({ calls, outcome }) => ({ calls, errors: outcome.toString().split(" and ") }))
  )
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  good: { calls: [0, 100, 300, 700], outcome: new Refused() },
  bad: {
    calls: [],
    errors: [
      '(Invalid data at payments.MAX_ATTEMPTS: "Policy.config: MAX_ATTEMPTS must be a whole number >= 1")',
      '(Invalid data at payments.CAP: "Policy.config: CAP must be a finite duration >= 1ms")'
    ]
  }
}
