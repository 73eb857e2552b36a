/**
 * The same requests by libraries for promises.
 */
import { Fetch, HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"
import { create as createAxios } from "axios"
import axiosRetry from "axios-retry"
import { Effect, Layer, ManagedRuntime } from "effect"
import { got } from "got"
import ky from "ky"
import { Agent, request, RetryAgent } from "undici"
import type { Row, Workload } from "../Workload.ts"
import { awaitedOneByOne, manyRequests, prepared } from "../Workload.ts"
import { insideFiberWith, json, policy, transports } from "./Http.ts"
import { Loopback } from "./Loopback.ts"

const retries = policy.maxAttempts - 1

const handWritten = async (url: string): Promise<unknown> => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url)
    if (response.status !== 503 || attempt >= policy.maxAttempts) return response.json()
    await response.body?.cancel()
  }
}

const handWrittenUndici = async (url: string): Promise<unknown> => {
  for (let attempt = 1; ; attempt++) {
    const { body, statusCode } = await request(url)
    if (statusCode !== 503 || attempt >= policy.maxAttempts) return body.json()
    await body.dump()
  }
}

const retrying = Fetch.make(policy)
const kys = ky.create({ retry: { limit: retries, delay: () => 0 }, timeout: false })
// Zero would be no retry at all.
const gots = got.extend({
  retry: { limit: retries, calculateDelay: ({ computedValue }) => Math.min(1, computedValue) }
})
const dispatcher = new RetryAgent(new Agent(), { maxRetries: retries, minTimeout: 0 })
const axioses = createAxios({ proxy: false })
axiosRetry(axioses, { retries })

/** Each sends a GET and answers with the JSON of its response, and tries three times. */
export const ways: { readonly [name: string]: (url: string) => Promise<unknown> } = {
  "`fetch`, hand-written": handWritten,
  "`Fetch.make`": async (url) => (await retrying(url)).json(),
  ky: (url) => kys(url).json(),
  "`undici.request`, hand-written": handWrittenUndici,
  "undici, `RetryAgent`": async (url) => (await request(url, { dispatcher })).body.json(),
  got: (url) => gots(url).json(),
  "axios, axios-retry": async (url) => (await axioses.get(url)).data
}

const comparing = (title: string, path: string, about: ReadonlyArray<string>): Workload => {
  const server = ManagedRuntime.make(Loopback.layer())
  const awaited = (way: (url: string) => Promise<unknown>): Row["sample"] =>
    prepared(async () => {
      const { origin } = await server.runPromise(Loopback)
      return awaitedOneByOne(() => way(origin + path), manyRequests)
    })
  const insideFiber = (transport: Layer.Layer<HttpClient.HttpClient>): Row["sample"] =>
    insideFiberWith(
      ManagedRuntime.make(Layer.merge(Loopback.layer(), transport)),
      Effect.map(Effect.all([HttpClient.HttpClient, Loopback]), ([client, { origin }]) =>
        json(HttpRetry.withRetry(client, policy), origin + path)
      ),
      manyRequests
    )
  return {
    title,
    about,
    unit: "ns",
    rounds: 15,
    baseline: "`fetch`, hand-written",
    rows: [
      ...Object.entries(ways).map(([name, way]) => ({ name, sample: awaited(way) })),
      { name: "`HttpRetry.withRetry`, fetch, inside one fiber", sample: insideFiber(transports.fetch) },
      { name: "`HttpRetry.withRetry`, undici, inside one fiber", sample: insideFiber(transports.undici) }
    ]
  }
}

export const httpLibrariesSucceed = comparing("HTTP by libraries: succeeds at once", "/ready", [
  "A GET to a server on loopback in the same process, whose work is part of every row; the JSON of the answer is read.",
  "Three attempts, no timeout; each request is awaited before the next.",
  "`fetch`, `Fetch.make` and ky use the client of Node.js, got and axios `node:http`, the others undici 7.",
  "The last two rows send the same requests from one fiber, as an Effect program does."
])

export const httpLibrariesOneFailure = comparing("HTTP by libraries: one 503, then success", "/flaky", [
  "The first answer is a 503 with a few bytes of JSON, the second one is that of the table above.",
  "Delays are zero, or one millisecond in libraries that cannot wait less; processor time does not include them.",
  "Some clients reuse the connection after a 503, others open a new one."
])
