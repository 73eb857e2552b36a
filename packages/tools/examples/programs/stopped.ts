import { Classifier, Deadline, Policy, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class NotFound extends Data.TaggedError("NotFound") {}

const policy = {
  ...Policy.standard,
  classifier: Classifier.fromTags<Busy | NotFound>({
    Busy: Verdict.throttling,
    NotFound: Verdict.terminal("there is no such page")
  }),
  deadline: Deadline.refuse("1 second")
}

const getPage = Effect.fail<Busy | NotFound>(new NotFound())

const program = Retry.orStopped(getPage, policy).pipe(
  Effect.catchTag("RetryStopped", ({ attempts, error, reason }) =>
    Effect.succeed(`${error._tag} after ${attempts} attempt: ${Retry.format(reason)}`)
  )
)

Effect.runPromise(program).then(console.log)
