import { RpcSerialization, RpcTest } from "@effect/rpc"
import { HttpClientResponse } from "@effect/platform"
import { SeededRandom } from "@effect-retry/testing"
// #region policy
import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Rpc, RpcClient, type RpcClientError, RpcGroup } from "@effect/rpc"
import { HttpClient } from "@effect/platform"
import { Effect, Layer, Schema } from "effect"

/** A proxy may answer in place of the server: without `filterStatusOk` its answer is a defect, which is not retried. */
const transport = Layer.provide(
  RpcClient.layerProtocolHttp({ url: "https://users.example" }),
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, HttpClient.filterStatusOk))
)

class Busy extends Schema.TaggedError<Busy>()("Busy", {}) {}

class Users extends RpcGroup.make(
  Rpc.make("find", { payload: { id: Schema.Number }, success: Schema.String, error: Busy }),
  Rpc.make("rename", { payload: { id: Schema.Number, name: Schema.String }, error: Busy })
) {}

const policy = {
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("2 seconds"), Backoff.jittered(Jitter.full))
}

/** `Busy` is an answer of the server, which did nothing. */
const refused = Classifier.fromTags({ Busy: Verdict.throttling })

/** An error of the transport leaves open whether the server did anything. */
const unsure = Classifier.fromTags({ RpcClientError: Verdict.transient })

type Client = RpcClient.FromGroup<typeof Users, RpcClientError.RpcClientError>

const retrying = (client: Client) => ({
  find: (id: number) =>
    Retry.retry(client.find({ id }), { ...policy, classifier: Classifier.firstOf(refused, unsure) }),
  rename: (id: number, name: string) => Retry.retry(client.rename({ id, name }), { ...policy, classifier: refused })
})
// #endregion

/** Calls of a server that is busy twice, and requests to one whose proxy answers 502. */
const counted = <A, E>(use: (users: ReturnType<typeof retrying>) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const calls = { busy: 0, broken: 0 }
    const answer = <A>(value: A) =>
      Effect.suspend(() => (++calls.busy <= 2 ? Effect.fail(new Busy()) : Effect.succeed(value)))
    const handlers = Users.toLayer({ find: () => answer("Ada"), rename: () => answer(undefined) })
    const proxy = HttpClient.make((request) =>
      Effect.sync(() => {
        calls.broken += 1
        return HttpClientResponse.fromWeb(request, new Response("", { status: 502 }))
      })
    )
    const busy = yield* RpcTest.makeClient(Users).pipe(
      Effect.flatMap((client) => Effect.exit(use(retrying(client)))),
      Effect.scoped,
      Effect.provide(handlers)
    )
    const broken = yield* RpcClient.make(Users).pipe(
      Effect.flatMap((client) => Effect.exit(use(retrying(client)))),
      Effect.scoped,
      Effect.provide(transport),
      Effect.provide([RpcSerialization.layerJson, Layer.succeed(HttpClient.HttpClient, proxy)])
    )
    return { ...calls, ends: [busy._tag, broken._tag] }
  })

export const program = Effect.all({
  find: counted((users) => users.find(1)),
  rename: counted((users) => users.rename(1, "Ada"))
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

// #region expected
export const expected = {
  find: { busy: 3, broken: 4, ends: ["Success", "Failure"] },
  rename: { busy: 3, broken: 1, ends: ["Success", "Failure"] }
}
// #endregion
