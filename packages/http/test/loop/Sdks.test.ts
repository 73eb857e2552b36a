/**
 * SDKs of vendors over a `fetch` that retries, with their own retries switched off: what the server gets, and what reaches the
 * caller.
 */
import Anthropic, * as AnthropicErrors from "@anthropic-ai/sdk"
import { Backoff } from "@effect-retry/core"
import { Fetch, Presets } from "@effect-retry/http"
import { Octokit } from "@octokit/core"
import { retry } from "@octokit/plugin-retry"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import OpenAI, * as OpenAIErrors from "openai"
import { Stripe } from "stripe"

interface Seen {
  readonly line: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

type Scripted = Answer | "reset" | "hang"

let seen: Array<Seen>
let script: ReadonlyArray<Scripted>
let hungUp: Array<number>
let server: Http.Server

const answer = (response: Http.ServerResponse, scripted: Scripted): void => {
  if (scripted === "hang") return
  if (scripted === "reset") return response.socket?.resetAndDestroy() as undefined
  response.writeHead(scripted.status, { "content-type": "application/json", ...scripted.headers })
  response.end(scripted.body ?? "{}")
}

const start = async (): Promise<void> => {
  // Of this server alone: a request to one before may still arrive.
  const [arrived, gone]: [Array<Seen>, Array<number>] = [[], []]
  ;[seen, hungUp] = [arrived, gone]
  server = Http.createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const count = arrived.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString()
    })
    response.on("close", () => response.writableFinished || gone.push(count))
    answer(response, script[Math.min(count, script.length) - 1] ?? "reset")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
}

const stop = async (): Promise<void> => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

beforeEach(start)
afterEach(stop)

const port = () => (server.address() as AddressInfo).port
const baseURL = () => `http://127.0.0.1:${port()}`

/** On a busy machine as well. */
const patiently = { timeout: 120_000 }

const atOnce = { backoff: Backoff.constant({ delay: 0 }) }

type Options = { readonly timeout?: number; readonly signal?: AbortSignal }

const messages = [{ role: "user", content: "Hello" }] as const

const ofOpenai = () =>
  new OpenAI({
    apiKey: "key",
    baseURL: baseURL(),
    maxRetries: 0,
    fetch: Fetch.make({ ...Presets.openai, ...atOnce })
  })

const openai = (options: Options = {}): Promise<unknown> =>
  ofOpenai().chat.completions.create({ model: "m", messages: [...messages] }, options)

const anthropic = (options: Options = {}): Promise<unknown> =>
  new Anthropic({
    apiKey: "key",
    baseURL: baseURL(),
    maxRetries: 0,
    fetch: Fetch.make({ ...Presets.anthropic, ...atOnce })
  }).messages.create({ model: "m", max_tokens: 1, messages: [...messages] }, options)

const ofStripe = (options: Options = {}) =>
  new Stripe("sk_test_key", {
    host: "127.0.0.1",
    port: port(),
    protocol: "http",
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(Fetch.make({ ...Presets.stripe, ...atOnce })),
    ...options
  })

const stripe = (options?: Options): Promise<unknown> => ofStripe(options).customers.create({ email: "a@b.example" })

const ofOctokit = (signal?: AbortSignal) =>
  new (Octokit.plugin(retry))({
    baseUrl: baseURL(),
    request: { fetch: Fetch.make({ ...Presets.github, ...atOnce }), ...(signal && { signal }) },
    retry: { enabled: false },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  })

const octokit = ({ signal }: Options = {}): Promise<unknown> => ofOctokit(signal).request("GET /user")

const octokitPost = (): Promise<unknown> => ofOctokit().request("POST /user/repos", { name: "a" })

const ok: Answer = { status: 200, body: '{"id":"1"}' }
/** With the body that stripe knows its errors by. */
const status = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: '{"error":{"message":"refused"}}'
})

/** The name of the class, and the status if the error has one. */
const named = (error: unknown): string => {
  const { status, statusCode } = error as { status?: number; statusCode?: number }
  return [(error as object).constructor.name, status ?? statusCode].filter((part) => part !== undefined).join(" ")
}

const outcome = (answer: Promise<unknown>): Promise<string> =>
  answer.then((value) => JSON.stringify((value as { data?: unknown }).data ?? value), named)

type Row = readonly [
  name: string,
  call: (options?: Options) => Promise<unknown>,
  script: ReadonlyArray<Scripted>,
  outcome: string,
  requests: number
]

const fine = '{"id":"1"}'
const rows: ReadonlyArray<Row> = [
  ["openai: unavailable, throttled, then fine", openai, [status(503), status(429), ok], fine, 3],
  ["openai: a conflict", openai, [status(409), ok], fine, 2],
  ["openai: a wait in milliseconds", openai, [status(429, { "retry-after-ms": "1" }), ok], fine, 2],
  ["openai: a wait of two minutes", openai, [status(429, { "retry-after": "120" }), ok], "RateLimitError 429", 1],
  ["openai: the server says no", openai, [status(503, { "x-should-retry": "false" })], "InternalServerError 503", 1],
  ["openai: the server says yes", openai, [status(400, { "x-should-retry": "true" }), ok], fine, 2],
  ["openai: unavailable for good", openai, [status(503)], "InternalServerError 503", 3],
  ["openai: a bad request", openai, [status(400)], "BadRequestError 400", 1],
  ["openai: a connection that is reset", openai, ["reset", ok], fine, 2],
  ["openai: connections that are reset", openai, ["reset"], "APIConnectionError", 3],
  ["@anthropic-ai/sdk: overloaded, then fine", anthropic, [status(529), status(503), ok], fine, 3],
  ["@anthropic-ai/sdk: throttled, with a wait", anthropic, [status(429, { "retry-after-ms": "1" }), ok], fine, 2],
  ["@anthropic-ai/sdk: throttled for long", anthropic, [status(429, { "retry-after": "61" })], "RateLimitError 429", 1],
  ["@anthropic-ai/sdk: a conflict", anthropic, [status(409)], "ConflictError 409", 3],
  ["@anthropic-ai/sdk: a connection that is reset", anthropic, ["reset", ok], fine, 2],
  ["@anthropic-ai/sdk: connections that are reset", anthropic, ["reset"], "APIConnectionError", 3],
  ["stripe: unavailable, a conflict, then fine", stripe, [status(503), status(409), ok], fine, 3],
  ["stripe: throttled", stripe, [status(429)], "StripeRateLimitError 429", 1],
  ["stripe: the server says no", stripe, [status(500, { "stripe-should-retry": "false" })], "StripeAPIError 500", 1],
  ["stripe: the server says yes", stripe, [status(429, { "stripe-should-retry": "true" }), ok], fine, 2],
  ["stripe: a connection that is reset", stripe, ["reset", ok], fine, 2],
  ["stripe: connections that are reset", stripe, ["reset"], "StripeConnectionError", 3],
  ["octokit: unavailable, then fine", octokit, [status(503), status(502), status(500), ok], fine, 4],
  ["octokit: unavailable for good", octokit, [status(503)], "RequestError 503", 4],
  ["octokit: throttled, with a wait", octokit, [status(429, { "retry-after": "0" }), ok], fine, 2],
  [
    "octokit: a rate limit that has been reset",
    octokit,
    [status(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000000" }), ok],
    fine,
    2
  ],
  ["octokit: forbidden", octokit, [status(403)], "RequestError 403", 1],
  ["octokit: throttled for long", octokit, [status(429, { "retry-after": "90" })], "RequestError 429", 1],
  ["octokit: a connection that is reset", octokit, ["reset", ok], fine, 2],
  ["octokit: a POST that is not safe to repeat", octokitPost, [status(503)], "RequestError 503", 1],
  ["octokit: a POST whose connection is reset", octokitPost, ["reset"], "RequestError 500", 1]
]

describe("an SDK without retries of its own, over Fetch.make", () => {
  it.each(rows)("%s", async (_, call, scripted, expected, requests) => {
    script = scripted
    expect(await outcome(call())).toBe(expected)
    expect(seen).toHaveLength(requests)
    // Every attempt is the same request.
    for (const each of seen) expect(each).toEqual(seen[0])
  })

  it.each([
    ["openai", openai, "POST /chat/completions", '{"model":"m","messages":[{"role":"user","content":"Hello"}]}'],
    ["stripe", stripe, "POST /v1/customers", "email=a%40b.example"],
    ["octokit", octokit, "GET /user", ""]
  ] as const)("sends what the SDK says: %s", async (_, call, line, body) => {
    script = [status(503), ok]
    await call()
    expect(seen.map((each) => [each.line, each.body])).toEqual([
      [line, body],
      [line, body]
    ])
  })

  it("gives a POST of stripe one key for all attempts, unless the caller has one", async () => {
    script = [status(503), ok]
    await stripe()
    await ofStripe().customers.create({ email: "a@b.example" }, { idempotencyKey: "own" })
    const keys = seen.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{8,}$/), keys[0], "own"])
    script = [status(503)]
    await outcome(ofStripe().customers.create({ email: "a@b.example" }, { idempotencyKey: "own" }))
    expect(seen.slice(3).map(({ headers }) => headers["idempotency-key"])).toEqual(["own", "own", "own"])
  })

  it.each([
    ["openai", openai, "APIConnectionTimeoutError"],
    ["@anthropic-ai/sdk", anthropic, "APIConnectionTimeoutError"],
    ["stripe", stripe, "StripeConnectionError"]
  ] as const)("ends in the timeout of the SDK, in the attempt of that moment: %s", async (_, call, error) => {
    // The shortest is enough for a machine that does not stall before the second attempt.
    script = [status(503), "hang"]
    for (const timeout of [100, 400, 1600, 6400]) {
      expect(await outcome(call({ timeout }))).toBe(error)
      if (seen.length === 2) break
      await stop()
      await start()
    }
    expect(seen).toHaveLength(2)
    await expect.poll(() => hungUp, patiently).toEqual([2])
  })

  it.each([
    ["openai", openai, "APIUserAbortError"],
    ["@anthropic-ai/sdk", anthropic, "APIUserAbortError"],
    ["octokit", octokit, "DOMException 500"]
  ] as const)("ends with the signal of the caller: %s", async (_, call, error) => {
    script = [status(503), "hang"]
    const controller = new AbortController()
    const ended = outcome(call({ signal: controller.signal }))
    await expect.poll(() => seen.length, patiently).toBe(2)
    controller.abort()
    expect(await ended).toBe(error)
    await expect.poll(() => hungUp, patiently).toEqual([2])
  })

  it("streams the answer of the attempt that succeeds: openai", async () => {
    const events = ["He", "llo"].map((content) => ({ id: "1", choices: [{ index: 0, delta: { content } }] }))
    const body = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("")
    script = [status(503), { status: 200, headers: { "content-type": "text/event-stream" }, body }]
    const stream = await ofOpenai().chat.completions.create({ model: "m", messages: [...messages], stream: true })
    const parts: Array<string | null | undefined> = []
    for await (const chunk of stream) parts.push(chunk.choices[0]?.delta.content)
    expect([parts, seen.length]).toEqual([["He", "llo"], 2])
  })

  it("sends the whole form of an upload in every attempt: openai", async () => {
    script = [status(503), status(429), ok]
    const file = await OpenAIErrors.toFile(new TextEncoder().encode('{"line":1}'), "lines.jsonl")
    expect(await outcome(ofOpenai().files.create({ file, purpose: "batch" }))).toBe(fine)
    expect(seen.map(({ line }) => line)).toEqual(["POST /files", "POST /files", "POST /files"])
    for (const { body, headers } of seen) {
      const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1]
      expect(body).toContain(`--${boundary}--`)
      expect(body).toContain('{"line":1}')
      expect(body).toContain("batch")
    }
  })

  it("rejects with errors of the SDK's own classes", async () => {
    script = [status(503)]
    expect(await openai().catch((error: unknown) => error)).toBeInstanceOf(OpenAIErrors.InternalServerError)
    expect(await anthropic().catch((error: unknown) => error)).toBeInstanceOf(AnthropicErrors.InternalServerError)
    expect(await stripe().catch((error: unknown) => error)).toBeInstanceOf(Stripe.errors.StripeAPIError)
  })
})
