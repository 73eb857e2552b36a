/** The rows of the shutdown table: what `NodeRuntime.runMain` does on a signal is to interrupt the launched layers. */
import { Backoff, Classifier, type Observe, Retry, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { HttpClient, HttpRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpClient, NodeHttpServer } from "@effect/platform-node"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { once } from "node:events"
import { createServer, get } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { expect, it } from "vitest"
import { tableOf } from "./rows.ts"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 minute" })
}

/** A worker that is interrupted after a second, as a layer of a program; answers with the time that this took. */
const stopped = <E>(worker: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const launched = yield* Effect.fork(Layer.launch(Layer.scopedDiscard(Effect.forkScoped(worker))))
    yield* Effect.sleep("1 second")
    const [took] = yield* Effect.timed(Fiber.interrupt(launched))
    return Duration.toMillis(took)
  })

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(VirtualClock.run(effect))

/** Whether the port takes a new connection. */
const isOpen = (port: number): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const socket = connect(port, "127.0.0.1")
    const answer = (open: boolean) => {
      socket.destroy()
      resume(Effect.succeed(open))
    }
    socket.once("connect", () => answer(true)).once("error", () => answer(false))
  })

const statusOf = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once("error", reject)
  })

/** A server that is told to stop while it answers a request, whose second attempt waits until no connection is taken. */
const stoppedServer = Effect.gen(function* () {
  const listening = yield* Deferred.make<number>()
  const failed = yield* Deferred.make<void>()
  const refused = yield* Deferred.make<void>()
  let attempts = 0
  const call = Effect.suspend(() =>
    ++attempts === 1
      ? Effect.zipRight(Deferred.succeed(failed, undefined), Effect.fail("busy"))
      : Deferred.await(refused)
  )
  const answered = Retry.retry(call, { ...policy, backoff: Backoff.constant({ delay: 0 }) })
  const router = HttpRouter.empty.pipe(HttpRouter.get("/", Effect.as(answered, HttpServerResponse.empty())))
  const announced = Layer.effectDiscard(
    Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
      Deferred.succeed(listening, "port" in address ? address.port : 0)
    )
  )
  const server = Layer.merge(HttpServer.serve(router), announced).pipe(
    Layer.provide(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
  )
  const launched = yield* Effect.fork(Layer.launch(server))
  const port = yield* Deferred.await(listening)
  const status = statusOf(port)
  yield* Deferred.await(failed)
  const stopping = yield* Effect.fork(Fiber.interrupt(launched))
  yield* Effect.iterate(true, { while: (open) => open, body: () => Effect.delay(isOpen(port), "1 millis") })
  yield* Deferred.succeed(refused, undefined)
  yield* Fiber.join(stopping)
  return { status: yield* Effect.promise(() => status), attempts }
})

tableOf("docs/production.md", "## Shutdown", {
  "a wait before a retry, of a fiber of the program such as the worker": () => {
    it("ends at once, and its tokens are back", () =>
      run(
        Effect.gen(function* () {
          const bucket = yield* TokenBucket.quota({ capacity: 20 })
          expect(yield* stopped(Retry.retry(Effect.fail("busy"), { ...policy, bucket }))).toBe(0)
          expect(yield* bucket.level).toBe(20)
        })
      ))
  },

  "a call in flight of such a fiber": () => {
    it("is aborted, and the server sees its connection close", async () => {
      const server = createServer()
      const called = once(server, "request")
      await once(server.listen(0, "127.0.0.1"), "listening")
      const { port } = server.address() as AddressInfo
      const calling = Effect.flatMap(HttpClient.HttpClient, (client) =>
        HttpRetry.withRetry(client, HttpRetry.standard).get(`http://127.0.0.1:${port}`)
      ).pipe(Effect.provide(NodeHttpClient.layerUndici))
      const launched = Effect.runFork(Layer.launch(Layer.scopedDiscard(Effect.forkScoped(calling))))
      const [, response] = await called
      const closed = once(response, "close")
      await Effect.runPromise(Fiber.interrupt(launched))
      await closed
      expect(response.writableEnded).toBe(false)
      server.close()
    })
  },

  "a call that cannot be interrupted": () => {
    it("is waited for", () =>
      run(
        Effect.gen(function* () {
          const call = Effect.uninterruptible(Effect.sleep("5 seconds"))
          expect(yield* stopped(Retry.retry(call, policy))).toBe(4000)
        })
      ))
  },

  "a request that the server is answering": () => {
    it("goes on to its end, with its retries, and then the server closes", async () => {
      expect(await Effect.runPromise(stoppedServer)).toEqual({ status: 204, attempts: 2 })
    })
  },

  "a new connection": () => {
    it("is refused, even while a request is answered", async () => {
      // The second attempt waits until a connection has been refused.
      expect(await Effect.runPromise(stoppedServer)).toMatchObject({ attempts: 2 })
    })
  },

  "an interrupted operation": () => {
    it("has no last event", () =>
      run(
        Effect.gen(function* () {
          const events: Array<Observe.RetryEvent["_tag"]> = []
          const observe = [({ _tag }: Observe.RetryEvent) => void events.push(_tag)]
          yield* stopped(Retry.retry(Effect.fail("busy"), { ...policy, observe }))
          expect(events).toEqual(["AttemptFailed", "RetryScheduled"])
        })
      ))
  }
})
