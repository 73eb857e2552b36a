/**
 * One policy, and the same behaviour written in plain Effect. A test runs both over the same errors and the same draws.
 */
import { Classifier, Deadline, Policy, Retry, Verdict } from "@effect-retry/core"
import { SeededRandom } from "@effect-retry/testing"
import { Clock, Data, Duration, Effect, Either, Random } from "effect"
import { timeline } from "./scripted.ts"

export class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.DurationInput }> {}
export class Lost extends Data.TaggedError("Lost") {}
export class NotFound extends Data.TaggedError("NotFound") {}

export type Call = Effect.Effect<string, Busy | Lost | NotFound>

export const ours = (call: Call) =>
  // #region ours
  Retry.retry(call, {
    ...Policy.standard,
    classifier: Classifier.fromTags({
      Busy: ({ retryAfter }) => Verdict.retryable("Throttling", { hint: retryAfter }),
      Lost: Verdict.transient
    }),
    deadline: Deadline.refuse("10 seconds")
  })
// #endregion

export const plain = (call: Call) =>
  // #region plain
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    for (let attempt = 1; ; attempt++) {
      const result = yield* Effect.either(call)
      if (Either.isRight(result)) return result.right
      const error = result.left
      if (error._tag === "NotFound" || attempt === 3) return yield* error
      const chance = yield* Random.next
      const backoff = chance * 100 * 2 ** (attempt - 1)
      const hint = error._tag === "Busy" ? Duration.toMillis(error.retryAfter) : 0
      const delay = Math.ceil(Math.max(backoff, hint * (1 + chance / 2)))
      const now = yield* Clock.currentTimeMillis
      if (now + delay - startedAt >= 10_000) return yield* error
      yield* Effect.sleep(delay)
    }
  })
// #endregion

const busy = (retryAfter: Duration.DurationInput): Call => Effect.fail(new Busy({ retryAfter }))
const lost: Call = Effect.fail(new Lost())
const missing: Call = Effect.fail(new NotFound())
const page: Call = Effect.succeed("page")

const both = (...answers: readonly [Call, ...ReadonlyArray<Call>]) =>
  Effect.all({ ours: timeline(answers, ours), plain: timeline(answers, plain) })

export const program = Effect.all({
  answered: both(lost, busy("3 seconds"), page),
  spent: both(lost),
  refused: both(lost, missing),
  late: both(busy("7 seconds"))
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

const same = <A>(timeline: A) => ({ ours: timeline, plain: timeline })

export const expected = {
  answered: same({ calls: [0, 50, 3800], outcome: "page" }),
  spent: same({ calls: [0, 50, 150], outcome: new Lost() }),
  refused: same({ calls: [0, 50], outcome: new NotFound() }),
  late: same({ calls: [0, 8750], outcome: new Busy({ retryAfter: "7 seconds" }) })
}
