/**
 * Two processes in an outage, once with a bucket in Redis that they share, and once with a bucket each.
 */
import { Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Program from "@effect-retry/servers/Program"
import * as Redis from "@effect-retry/servers/Redis"
import { Console, Effect, Layer } from "effect"
import { type ChildProcess, fork } from "node:child_process"

// #region process
const budget = { ratio: 0.1, capacity: 20, floorPerSecond: 0.1 }

const local = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio(budget))

const shared = (port: number) =>
  Layer.scoped(
    TokenBucket.RetryBucket,
    Effect.map(RedisBucket.successRatio({ name: "outage", ...budget }), TokenBucket.failClosed({ within: "5 seconds" }))
  ).pipe(Layer.provide(IoRedis.layer({ host: "127.0.0.1", port })))

/** Thirty operations whose attempts all fail: how many retries were granted. */
const retries = Effect.map(
  Effect.replicateEffect(
    Effect.flip(
      Retry.orStopped(Effect.fail("down"), {
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: "5 millis" }),
        bucket: TokenBucket.RetryBucket
      })
    ),
    30
  ),
  (stops) => stops.reduce((sum, { attempts }) => sum + attempts - 1, 0)
)
// #endregion

const variable = "FLEET_PROCESS"

/** A process of its own, which runs this file and is ready. */
const started = (file: string, port: number) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(file, { execArgv: [], env: { ...process.env, [variable]: String(port) } })),
      (child) => Effect.sync(() => child.kill())
    )
    yield* messageOf<"ready">(child)
    return child
  })

const messageOf = <A>(child: ChildProcess): Effect.Effect<A> =>
  Effect.async((resume) => {
    child.once("message", (message: A) => resume(Effect.succeed(message)))
    child.once("exit", (code) => resume(Effect.dieMessage(`the process ended with ${code}`)))
  })

/** The retries of both kinds, from both processes, which begin together. */
const played = (children: ReadonlyArray<ChildProcess>) =>
  Effect.forEach(
    children,
    (child) =>
      Effect.zipRight(
        Effect.sync(() => child.send("go")),
        messageOf<ReadonlyArray<number>>(child)
      ),
    { concurrency: "unbounded" }
  )

export const program = Effect.gen(function* () {
  const { port } = yield* Redis.start()
  const file = yield* Program.bundled(import.meta.url)
  const both = yield* played(yield* Effect.all([started(file, port), started(file, port)], { concurrency: 2 }))
  const [ours = [], own = []] = [0, 1].map((kind) => both.map((retries) => retries[kind] ?? 0))
  yield* Console.log(`with one bucket, the processes made ${ours.join(" and ")} retries`)
  yield* Console.log(`with a bucket each, they made ${own.join(" and ")}`)
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)
  return { shared: sum(ours) <= 21 ? "at most 21" : sum(ours), own: sum(own) }
}).pipe(Effect.scoped)

export const live = true

// #region expected
export const expected = { shared: "at most 21", own: 40 }
// #endregion

const port = process.env[variable]
if (port !== undefined) {
  const both = Effect.all([Effect.provide(retries, shared(Number(port))), Effect.provide(retries, local)])
  process.once("message", () => {
    void Effect.runPromise(both).then((counts) => process.send?.(counts, () => process.exit()))
  })
  process.send?.("ready")
}
