/**
 * A service with a worker, in a process of its own, which gets SIGTERM while a request waits for its retry and the worker
 * waits for an answer.
 */
import * as Program from "@effect-retry/servers/Program"
import { spawn } from "node:child_process"
import { createServer, type Server } from "node:http"
// #region orders
import { AttemptTimeout, Backoff, Deadline, Observe, Policy, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"
import { Config, Effect } from "effect"

const preset = {
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "500 millis" }),
  attemptTimeout: AttemptTimeout.constant("3 seconds"),
  deadline: Deadline.refuse("8 seconds")
}

class Orders extends Effect.Service<Orders>()("checkout/Orders", {
  scoped: Effect.gen(function* () {
    const url = yield* Config.string("ORDERS_URL")
    const fields = yield* Policy.config("orders", preset)
    // One budget for this upstream, made with the service: all of its calls share it.
    const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 100 })
    const observe = [Observe.logs(), Observe.spanEvents, Observe.metrics]
    const client = HttpRetry.withRetry(yield* HttpClient.HttpClient, { ...fields, name: "orders", bucket, observe })
    yield* Effect.addFinalizer(() => Effect.log("orders closed"))
    return {
      find: (id: string) =>
        client.get(`${url}/orders/${encodeURIComponent(id)}`).pipe(HttpRetry.withOptions({ route: "/orders/{id}" })),
      changes: client.get(`${url}/changes`).pipe(HttpRetry.withOptions({ route: "/changes", maxAttempts: 1 }))
    }
  })
}) {}
// #endregion

// #region edges
import { HttpRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Layer } from "effect"
import { createServer as nodeServer } from "node:http"

const router = HttpRouter.empty.pipe(
  HttpRouter.get(
    "/orders/:id",
    Effect.gen(function* () {
      const { id = "" } = yield* HttpRouter.params
      const { status } = yield* (yield* Orders).find(id)
      return HttpServerResponse.empty({ status })
    })
  )
)

const server = HttpServer.serve(router).pipe(
  HttpServer.withLogAddress,
  Layer.provide(
    Layer.unwrapEffect(Effect.map(Config.integer("PORT"), (port) => NodeHttpServer.layer(() => nodeServer(), { port })))
  )
)

const worker = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { changes } = yield* Orders
    // The policy has logged a call that failed; the worker goes on, and asks again after a second.
    const polling = Effect.forever(Effect.zipRight(Effect.ignore(changes), Effect.sleep("1 second")))
    yield* Effect.forkScoped(Effect.onInterrupt(polling, () => Effect.log("worker interrupted")))
  })
)
// #endregion

// #region telemetry
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus"
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base"

const telemetry = (exporter: SpanExporter) =>
  Layer.unwrapEffect(
    Effect.map(Config.integer("METRICS_PORT"), (port) =>
      NodeSdk.layer(() => ({
        resource: { serviceName: "checkout" },
        metricReader: new PrometheusExporter({ port }),
        spanProcessor: new BatchSpanProcessor(exporter)
      }))
    )
  )
// #endregion

// #region main
import { NodeHttpClient, NodeRuntime } from "@effect/platform-node"

const main = (exporter: SpanExporter) =>
  Layer.mergeAll(server, worker).pipe(
    Layer.provide(Orders.Default),
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provide(telemetry(exporter))
  )

const run = (exporter: SpanExporter) => NodeRuntime.runMain(Layer.launch(main(exporter)))
// #endregion

/** In place of an exporter that sends spans to a collector. */
const silent: SpanExporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(console.log("spans sent"))
}

const variable = "PRODUCTION_EXAMPLE"

/** An upstream that is busy at first, and never tells of changes. */
const upstream = Effect.acquireRelease(
  Effect.async<{
    readonly port: number
    readonly called: Promise<unknown>
    readonly aborted: Promise<string>
    readonly server: Server
  }>((resume) => {
    const answers = [503, 200]
    const calls = new Map<string, () => void>()
    const call = (url: string) => new Promise<void>((resolve) => void calls.set(url, resolve))
    const called = Promise.all([call("/orders/17"), call("/changes")])
    const aborted = new Promise<string>((resolve) => {
      const server = createServer(({ url = "" }, response) => {
        if (url === "/changes") response.on("close", () => resolve("the worker's call is aborted"))
        else response.writeHead(answers.shift() ?? 200).end()
        calls.get(url)?.()
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, called, aborted, server }))
      })
    })
  }),
  ({ server }) => Effect.sync(() => server.close())
)

/** Starts the service in a process of its own; answers with its process, its address, and how it ended. */
const started = (file: string, port: number) =>
  Effect.gen(function* () {
    const env = {
      ...process.env,
      [variable]: "1",
      PORT: "0",
      METRICS_PORT: "0",
      ORDERS_URL: `http://127.0.0.1:${port}`
    }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [file], { env })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    let written = ""
    const ended = new Promise<string>((resolve) => {
      child.once("exit", (code) => resolve(`${written}\nexit code ${String(code)}`))
    })
    const address = new Promise<string>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (text) => {
          written += String(text)
          const [, port] = /:\/\/\S+:(\d+)/.exec(written) ?? []
          if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
        })
      }
    })
    return { child, ended, url: yield* Effect.promise(() => Promise.race([address, ended])) }
  })

export const program = Effect.gen(function* () {
  const { aborted, called, port } = yield* upstream
  const { child, ended, url } = yield* started(yield* Program.bundled(import.meta.url), port)
  const answer = fetch(`${url}/orders/17`).then(({ status }) => `the request is answered with ${status}`)
  yield* Effect.promise(() => called)
  child.kill("SIGTERM")
  const seen = yield* Effect.promise(() => Promise.all([aborted, answer]))
  const lines = (yield* Effect.promise(() => ended)).split("\n")
  return [
    ...seen,
    ...lines.flatMap((line) => /(?:worker interrupted|orders closed|spans sent|exit code .*)$/.exec(line)?.[0] ?? [])
  ].join("\n")
}).pipe(Effect.scoped)

export const live = true

export const expected = [
  "the worker's call is aborted",
  "the request is answered with 200",
  "worker interrupted",
  "orders closed",
  "spans sent",
  "exit code 0"
].join("\n")

if (process.env[variable] !== undefined) run(silent)
