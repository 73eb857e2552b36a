/**
 * Calls of a `fetch` that retries, beside the same calls of the global one.
 */
import { Fetch } from "@effect-retry/http"
import { ManagedRuntime } from "effect"
import type { Workload } from "../Workload.ts"
import { awaitedOneByOne, manyRequests, prepared } from "../Workload.ts"
import { policy } from "./Http.ts"
import { Loopback } from "./Loopback.ts"

const plain = "`fetch`"
const retrying = "`Fetch.make`"

/** Each sends one request and answers with the JSON of its response. */
export const ways: { readonly [name: string]: typeof fetch } = {
  [plain]: (input, init) => fetch(input, init),
  [retrying]: Fetch.make(policy)
}

/** The arguments of one call. */
type Call = (url: string) => Parameters<typeof fetch>

const body = JSON.stringify({ model: "small", messages: [{ role: "user", content: "Hello" }] })
const headers = { accept: "application/json", "content-type": "application/json", "idempotency-key": "1" }

const get: Call = (url) => [url]
const post: Call = (url) => [url, { method: "POST", headers, body }]
const signal: Call = (url) => [url, { method: "POST", headers, body, signal: new AbortController().signal }]
const request: Call = (url) => [new Request(url, { headers })]

export const calls = { get, post, signal, request }

const comparing = (of: string, about: string, call: Call, atMost?: number): Workload => {
  const server = ManagedRuntime.make(Loopback.layer())
  return {
    title: `A \`fetch\` that retries: ${of}`,
    about: [about, "The server is in the same process, and the JSON of its answer is read; the policy is plain."],
    unit: "ns",
    rounds: 81,
    baseline: plain,
    rows: Object.entries(ways).map(([name, way]) => ({
      name,
      sample: prepared(async () => {
        const { origin } = await server.runPromise(Loopback)
        const url = `${origin}/ready`
        return awaitedOneByOne(async () => (await way(...call(url))).json(), manyRequests)
      }),
      ...(name === retrying && atMost !== undefined && { target: { of: "ratio", atMost } as const })
    }))
  }
}

export const fetchGet = comparing("a GET", "A GET by its URL alone.", get, 1.1)

export const fetchPost = comparing("a POST", "A POST of a short JSON, with three headers.", post, 1.1)

export const fetchSignal = comparing("with a signal", "The same POST, with a signal made for the call.", signal)

export const fetchRequest = comparing(
  "a `Request`",
  "A GET by a `Request` made for the call, with three headers.",
  request,
  1.1
)
