import { Clock } from "effect"
// #region stepper
import { Backoff, Classifier, Stepper, Verdict } from "@effect-retry/core"
import { Data, Effect, Runtime } from "effect"

class Busy extends Data.TaggedError("Busy") {}

/** A client that makes its attempts by itself, and asks a hook before each retry. */
interface Client {
  readonly load: (beforeRetry: (error: Busy) => Promise<void>) => Promise<string>
}

const policy = {
  classifier: Classifier.fromTags({ Busy: Verdict.throttling }),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 second" })
}

const use = (client: Client) => (stepper: Stepper.Stepper<Busy, unknown>) =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    let attempt = yield* stepper.begin
    const beforeRetry = async (error: Busy) => {
      attempt = await run(stepper.failed(attempt, error))
    }
    const answer = yield* Effect.tryPromise(() => client.load(beforeRetry))
    yield* stepper.succeeded(attempt, answer)
    return `${answer} by attempt ${attempt.number}`
  })

const loaded = (client: Client) =>
  Effect.acquireUseRelease(Stepper.make(policy), use(client), (stepper) => stepper.abandon)
// #endregion

/** Fails so many times, and answers then. */
const failing = (times: number): Client => ({
  load: async (beforeRetry) => {
    for (let i = 0; i < times; i++) await beforeRetry(new Busy())
    return "loaded"
  }
})

export const program = Effect.all({
  loaded: loaded(failing(2)),
  refused: Effect.as(Effect.flip(loaded(failing(3))), "failed"),
  passedMillis: Clock.currentTimeMillis
})

export const expected = { loaded: "loaded by attempt 3", refused: "failed", passedMillis: 6000 }
