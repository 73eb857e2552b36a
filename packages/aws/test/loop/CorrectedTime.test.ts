import { AwsClassifier, ClockSkew, CorrectedTime } from "@effect-retry/aws"
import { Backoff, Classifier, Retry } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Data, Effect, Layer } from "effect"
import * as Errors from "../support/Errors.ts"
import * as Verdicts from "../support/Verdicts.ts"

const noon = Date.UTC(2026, 10, 20, 12)
const minute = 60_000
const wrongBy = (aheadMillis: number) => VirtualClock.setWallTime(noon - aheadMillis)

/** An answer of a server whose clock is right; the local one is `aheadMillis` behind it. */
const dateOf = (aheadMillis: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => new Date(now + aheadMillis).toUTCString())

const refusal = (aheadMillis: number, code = "RequestTimeTooSkewed", more: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(dateOf(aheadMillis), (date) => Effect.fail(Errors.exception(code, 403, {}, { date, ...more })))

describe("CorrectedTime.make", () => {
  it.effect("is the local time until a response says otherwise", () =>
    Effect.gen(function* () {
      yield* wrongBy(0)
      const time = yield* CorrectedTime.make()
      expect([yield* time.nowMillis, yield* time.skewMillis]).toEqual([noon, 0])
      yield* Effect.ignore(time.sample(Effect.fail("no response")))
      yield* time.sample(Effect.succeed({ status: 200, headers: {} }))
      expect(yield* time.skewMillis).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("takes the middle of the attempt, from an error and from a success", () =>
    Effect.gen(function* () {
      yield* wrongBy(5 * minute)
      const time = yield* CorrectedTime.make()
      const slow = Effect.zipRight(Effect.sleep("10 seconds"), refusal(5 * minute))
      yield* Effect.ignore(time.sample(slow))
      expect([yield* time.skewMillis, yield* time.nowMillis]).toEqual([5 * minute + 5_000, noon + 15_000])
      const answer = Effect.map(dateOf(minute), (date) => ({ status: 200, headers: { date } }))
      expect((yield* time.sample(answer)).status).toBe(200)
      expect(yield* time.skewMillis).toBe(minute)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps the last skew when a response says nothing about it", () =>
    Effect.gen(function* () {
      yield* wrongBy(5 * minute)
      const time = yield* CorrectedTime.make()
      yield* Effect.ignore(time.sample(refusal(5 * minute)))
      const cached = time.sample(refusal(9 * minute, "AuthFailure", { age: "1" }))
      const late = time.sample(Effect.zipRight(Effect.sleep("901 seconds"), refusal(9 * minute)))
      const [cachedError, lateError] = [yield* Effect.flip(cached), yield* Effect.flip(late)]
      expect(yield* time.skewMillis).toBe(5 * minute)
      const judge = Verdicts.judgeWith(time.classifier, yield* Clock.currentTimeMillis)
      expect([judge(cachedError), judge(lateError)]).toEqual(["no opinion", "no opinion"])
    }).pipe(VirtualClock.run)
  )

  it.effect("judges an error by the skew of its own response, even when it is nested", () =>
    Effect.gen(function* () {
      class Refused extends Data.TaggedError("Refused")<{ readonly cause: unknown }> {}
      yield* wrongBy(5 * minute)
      const time = yield* CorrectedTime.make()
      const skewed = yield* Effect.flip(time.sample(refusal(5 * minute, "AuthFailure")))
      const right = yield* Effect.flip(time.sample(refusal(0, "AuthFailure")))
      // Judged much later, when the clock alone would give another answer.
      const judge = Verdicts.judgeWith(time.classifier, noon + 60 * minute)
      expect([skewed, right, new Refused({ cause: skewed }), new Refused({ cause: right })].map(judge)).toEqual([
        "Transient",
        "no opinion",
        "Transient",
        "no opinion"
      ])
      expect(judge(new Error("boom"))).toBe("no opinion")
    }).pipe(VirtualClock.run)
  )

  it.effect("measures an error that was not sampled at the moment of the verdict", () =>
    Effect.gen(function* () {
      yield* wrongBy(5 * minute)
      const time = yield* CorrectedTime.make()
      const error = yield* Effect.flip(refusal(5 * minute))
      expect(Verdicts.judgeWith(time.classifier, noon - 5 * minute)(error)).toBe("Transient")
    }).pipe(VirtualClock.run)
  )

  it.effect("has the rule that it is given", () =>
    Effect.gen(function* () {
      yield* wrongBy(5 * minute)
      const exact = refusal(4 * minute, "RequestExpired")
      const judged = (rule?: ClockSkew.Rule) =>
        Effect.gen(function* () {
          const time = yield* CorrectedTime.make(rule)
          const error = yield* Effect.flip(time.sample(exact))
          return Verdicts.judgeWith(time.classifier)(error)
        })
      expect([yield* judged(), yield* judged(ClockSkew.javascript)]).toEqual(["no opinion", "Transient"])
    }).pipe(VirtualClock.run)
  )

  it.effect("lets a second attempt be signed with the right time", () =>
    Effect.gen(function* () {
      yield* wrongBy(60 * minute)
      const signedAt: Array<number> = []
      const program = Effect.gen(function* () {
        const time = yield* CorrectedTime.Service
        const call = Effect.gen(function* () {
          const at = yield* time.nowMillis
          signedAt.push(at - noon)
          const serverMillis = (yield* Clock.currentTimeMillis) + 60 * minute
          return Math.abs(serverMillis - at) < 5 * minute ? "accepted" : yield* refusal(60 * minute)
        })
        const classifier = Classifier.firstOf(time.classifier, AwsClassifier.standard)
        return yield* Retry.retry(time.sample(call), {
          classifier,
          maxAttempts: 3,
          backoff: Backoff.constant({ delay: "1 second" })
        })
      })
      const answer = yield* Effect.provide(program, Layer.effect(CorrectedTime.Service, CorrectedTime.make()))
      expect([answer, signedAt]).toEqual(["accepted", [-60 * minute, 1_000]])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps the skews of two clients apart", () =>
    Effect.gen(function* () {
      yield* wrongBy(5 * minute)
      const [one, other] = [yield* CorrectedTime.make(), yield* CorrectedTime.make()]
      yield* Effect.ignore(one.sample(refusal(5 * minute)))
      expect([yield* one.skewMillis, yield* other.skewMillis]).toEqual([5 * minute, 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("samples any failure and any value without harm", () =>
    Effect.gen(function* () {
      const time = yield* CorrectedTime.make()
      for (const [name, value] of Errors.hostile) {
        const failed = yield* Effect.flip(time.sample(Effect.fail({ value })))
        expect([name, failed.value === value, Verdicts.judgeWith(time.classifier)(value)]).toEqual([
          name,
          true,
          "no opinion"
        ])
        yield* time.sample(Effect.succeed(value))
        yield* Effect.ignore(time.sample(Effect.fail({ cause: value })))
      }
      expect(yield* time.skewMillis).toBe(0)
    }).pipe(VirtualClock.run)
  )
})

describe("CorrectedTime.uncorrected", () => {
  it.effect("corrects nothing and retries nothing", () =>
    Effect.gen(function* () {
      yield* wrongBy(5 * minute)
      const time = CorrectedTime.uncorrected
      const error = yield* Effect.flip(time.sample(refusal(5 * minute)))
      expect([yield* time.nowMillis, yield* time.skewMillis]).toEqual([noon - 5 * minute, 0])
      expect(Verdicts.judgeWith(time.classifier, noon - 5 * minute)(error)).toBe("no opinion")
    }).pipe(VirtualClock.run)
  )
})
