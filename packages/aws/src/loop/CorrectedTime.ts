/**
 * The time by the server's clock, for callers that sign requests.
 *
 * Make one per client. It times attempts by Effect's `Clock`, measures the skew of each response, and has a classifier
 * for errors that the skew explains. It never delays or retries by itself; if `AwsConfig.clockSkewCorrection` is off,
 * use `uncorrected`.
 *
 * @example
 * ```ts
 * import { AwsClassifier, CorrectedTime } from "@effect-retry/aws"
 * import { Backoff, Classifier, Retry } from "@effect-retry/core"
 * import { Clock, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const hour = 3_600_000
 * const program = Effect.gen(function* () {
 *   const time = yield* CorrectedTime.make()
 *   const serverMillis = Effect.map(Clock.currentTimeMillis, (now) => now + hour)
 *   // A server that refuses a request signed more than five minutes off.
 *   const call = Effect.gen(function* () {
 *     const signedAt = yield* time.nowMillis
 *     const server = yield* serverMillis
 *     const headers = { date: new Date(server).toUTCString() }
 *     if (Math.abs(server - signedAt) < 300_000) return "accepted"
 *     return yield* Effect.fail({ name: "RequestTimeTooSkewed", $fault: "client", $response: { statusCode: 403, headers } })
 *   })
 *   const classifier = Classifier.firstOf(time.classifier, AwsClassifier.standard)
 *   return yield* Retry.retry(time.sample(call), { classifier, maxAttempts: 2, backoff: Backoff.constant({ delay: "1 milli" }) })
 * })
 * assert.strictEqual(await Effect.runPromise(program), "accepted")
 * ```
 */
import { type Classifier, Verdict } from "@effect-retry/core"
import * as Property from "@effect-retry/core/unstable/Property"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AwsError from "../classify/AwsError.ts"
import * as ClockSkew from "../classify/ClockSkew.ts"

/**
 * The corrected time of one client.
 *
 * @category models
 */
export interface CorrectedTime {
  /** The time for signing: milliseconds since 1970 by the server's clock, as far as known. */
  readonly nowMillis: Effect.Effect<number>
  /** How many milliseconds the server's clock is ahead; negative if it is behind, 0 until a response has shown it. */
  readonly skewMillis: Effect.Effect<number>
  /** Runs an attempt and measures the skew of its response, or of the response inside its error. */
  readonly sample: <A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Judges errors as transient that the skew of their own response explains; has no opinion on others. */
  readonly classifier: Classifier.Classifier
}

/**
 * For signers that require the time as a service: `Layer.effect(CorrectedTime.Service, CorrectedTime.make())`. One layer
 * is one client.
 *
 * @category layers
 */
export class Service extends Context.Tag("@effect-retry/aws/CorrectedTime")<Service, CorrectedTime>() {}

/**
 * The local time, without a correction or an opinion on errors.
 *
 * @category constructors
 */
export const uncorrected: CorrectedTime = {
  nowMillis: Clock.currentTimeMillis,
  skewMillis: Effect.succeed(0),
  sample: (attempt) => attempt,
  classifier: () => Verdict.noOpinion
}

/**
 * Makes the corrected time of a client, initially without a correction.
 *
 * The latest response with a date counts, successful or not, however small the skew; the rule only decides which errors are
 * retried.
 *
 * @category constructors
 */
export const make = (rule: ClockSkew.Rule = ClockSkew.standard): Effect.Effect<CorrectedTime> =>
  Effect.gen(function* () {
    const skew = yield* Ref.make(0)
    // The skew of each response, or of the response inside an error; it is gone with them.
    const measured = new WeakMap<object, number | undefined>()
    const hear = (sentMillis: number, outcome: unknown) =>
      Effect.flatMap(Clock.currentTimeMillis, (receivedMillis) => {
        const skewMillis = ClockSkew.skewOf(outcome, receivedMillis, sentMillis)
        if (Property.isObject(outcome)) measured.set(outcome, skewMillis)
        return skewMillis === undefined ? Effect.void : Ref.set(skew, skewMillis)
      })
    return {
      nowMillis: Effect.zipWith(Clock.currentTimeMillis, Ref.get(skew), (now, ahead) => now + ahead),
      skewMillis: Ref.get(skew),
      sample: (attempt) =>
        Effect.flatMap(Clock.currentTimeMillis, (sentMillis) =>
          attempt.pipe(
            Effect.tapError((error) => hear(sentMillis, error)),
            Effect.tap((value) => hear(sentMillis, value))
          )
        ),
      classifier: ClockSkew.classifier(rule, (error, nowMillis) => {
        const own = AwsError.causes(error, Property.mostCauses).find((each) => measured.has(each))
        return own === undefined ? ClockSkew.skewOf(error, nowMillis) : measured.get(own)
      })
    }
  })
