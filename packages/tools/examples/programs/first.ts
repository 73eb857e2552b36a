import { Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class NotFound extends Data.TaggedError("NotFound") {}

// Stands for your call: the server is busy twice, and then it answers.
let calls = 0
const getPage: Effect.Effect<string, Busy | NotFound> = Effect.suspend(() => {
  calls++
  return calls < 3 ? Effect.fail(new Busy()) : Effect.succeed(`page, after ${calls} calls`)
})

const policy = {
  ...Policy.standard,
  classifier: Classifier.fromTags({ Busy: Verdict.throttling })
}

Effect.runPromise(Retry.retry(getPage, policy)).then(console.log)
