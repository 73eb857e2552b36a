import { Ref } from "effect"
// #region shadow
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"

/** Decides like the bucket and refuses nothing: what it would have refused is counted. */
const trial = (onRefused: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const budget = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 2 })
    const policy = {
      classifier: Classifier.always,
      maxAttempts: 4,
      backoff: Backoff.constant({ delay: "1 second" }),
      bucket: TokenBucket.shadow(budget, { onRefused: () => onRefused })
    }
    return yield* Effect.flip(Retry.orStopped(Effect.fail("down"), policy))
  })
// #endregion

export const program = Effect.gen(function* () {
  const refused = yield* Ref.make(0)
  const { attempts } = yield* trial(Ref.update(refused, (n) => n + 1))
  return { attempts, refused: yield* Ref.get(refused) }
})

/** The bucket would have refused the third retry. */
export const expected = { attempts: 4, refused: 1 }
