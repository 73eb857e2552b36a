import { SeededRandom } from "@effect-retry/testing"
import { inOwnScope } from "./scopes.ts"
// #region policy
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect, Sink, Stream } from "effect"

class Overloaded extends Data.TaggedError("Overloaded") {}
class Lost extends Data.TaggedError("Lost") {}

const policy = {
  classifier: Classifier.fromTags<Overloaded | Lost>({ Overloaded: Verdict.throttling, Lost: Verdict.transient }),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "500 millis" }).pipe(Backoff.capped("5 seconds"), Backoff.jittered(Jitter.full))
}

/** A stream that has its first tokens: a failure before them fails this effect, a later one fails the stream. */
const begun = <A, E, R>(tokens: Stream.Stream<A, E, R>) =>
  Effect.gen(function* () {
    const [first, rest] = yield* Stream.peel(tokens, Sink.take<A>(1))
    return Stream.concat(Stream.fromIterable(first), rest)
  })

/** The answer of the large model, or of the small one if the large one gives no first token in three attempts. */
const answer = <A, R>(large: Stream.Stream<A, Overloaded | Lost, R>, small: Stream.Stream<A, Overloaded | Lost, R>) =>
  Stream.unwrapScoped(Retry.retryOrElse(inOwnScope(begun(large)), policy, () => begun(small)))
// #endregion

type Model = Stream.Stream<string, Overloaded | Lost>

/** A model that is asked again and again: what it streams the first time, the second time, and from then on. */
const scripted = (name: string, asked: Array<string>, ...streams: ReadonlyArray<Model>): Model =>
  Stream.suspend(() => {
    asked.push(name)
    const times = asked.filter((other) => other === name).length
    return streams[times - 1] ?? streams.at(-1) ?? Stream.empty
  })

const busy: Model = Stream.fail(new Overloaded())
const words: Model = Stream.make("one", "two")
const breaks: Model = Stream.concat(Stream.make("one"), Stream.fail(new Lost()))

const told = (large: ReadonlyArray<Model>, small: Model) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const said: Array<string> = []
    const tokens = answer(scripted("large", asked, ...large), scripted("small", asked, small))
    const end = yield* Effect.exit(Stream.runForEach(tokens, (token) => Effect.sync(() => void said.push(token))))
    return { asked: asked.join(), said: said.join(), end: end._tag }
  })

export const program = Effect.all({
  fine: told([words], words),
  busyOnce: told([busy, words], words),
  busy: told([busy], words),
  breaks: told([breaks], words),
  silent: told([Stream.empty], words)
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

// #region expected
export const expected = {
  fine: { asked: "large", said: "one,two", end: "Success" },
  busyOnce: { asked: "large,large", said: "one,two", end: "Success" },
  busy: { asked: "large,large,large,small", said: "one,two", end: "Success" },
  breaks: { asked: "large", said: "one", end: "Failure" },
  silent: { asked: "large", said: "", end: "Success" }
}
// #endregion
