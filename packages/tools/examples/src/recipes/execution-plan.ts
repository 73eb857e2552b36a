// #region policy
import { Backoff, Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { Context, Data, Effect, ExecutionPlan, Layer } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class NotFound extends Data.TaggedError("NotFound") {}
class Model extends Context.Tag("app/Model")<Model, Effect.Effect<string, Busy | NotFound>>() {}

const policy = {
  classifier: Classifier.fromTags<Busy | NotFound>({ Busy: Verdict.throttling }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

/** Each step retries inside the effect, and the plan only says which service is next. */
const plan = (large: Layer.Layer<Model>, small: Layer.Layer<Model>) =>
  ExecutionPlan.make({ provide: large }, { provide: small })

const ask = Effect.flatMap(Model, (answer) => Retry.retry(answer, policy))

const planned = (large: Layer.Layer<Model>, small: Layer.Layer<Model>) =>
  Effect.withExecutionPlan(ask, plan(large, small))
// #endregion

/** The same with the policy as the schedule of each step. */
const scheduled = (large: Layer.Layer<Model>, small: Layer.Layer<Model>) => {
  const schedule = Policy.toSchedule(policy)
  return Effect.withExecutionPlan(
    Effect.flatMap(Model, (answer) => answer),
    ExecutionPlan.make({ provide: large, schedule }, { provide: small, schedule })
  )
}

const asked = (use: typeof planned, large: Busy | NotFound) =>
  Effect.gen(function* () {
    const calls = { large: 0, small: 0 }
    const model = (name: keyof typeof calls, answer: Effect.Effect<string, Busy | NotFound>) =>
      Layer.succeed(
        Model,
        Effect.suspend(() => {
          calls[name] += 1
          return answer
        })
      )
    const answer = yield* Effect.merge(
      use(model("large", Effect.fail(large)), model("small", Effect.succeed("small answer")))
    )
    return { ...calls, answer: typeof answer === "string" ? answer : answer._tag }
  })

export const program = Effect.all({
  planned: Effect.all({ busy: asked(planned, new Busy()), notFound: asked(planned, new NotFound()) }),
  scheduled: Effect.all({ busy: asked(scheduled, new Busy()), notFound: asked(scheduled, new NotFound()) })
})

// #region expected
export const expected = {
  planned: {
    busy: { large: 3, small: 1, answer: "small answer" },
    notFound: { large: 1, small: 1, answer: "small answer" }
  },
  scheduled: {
    busy: { large: 3, small: 1, answer: "small answer" },
    notFound: { large: 1, small: 0, answer: "NotFound" }
  }
}
// #endregion
