import { HttpBody, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { Fetch, HttpRetry, Presets } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { getEventListeners } from "node:events"
import * as Http from "node:http"
import { PassThrough, Readable } from "node:stream"
import * as Undici from "undici"
import { gaveUp } from "../support/ScriptedClient.ts"

/** What a request was, as the server saw it. */
interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

type Respond = (response: Http.ServerResponse, attempt: number, request: Http.IncomingMessage) => void

const quick = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 milli" }) }

const status =
  (...statuses: ReadonlyArray<number>): Respond =>
  (response, attempt) => {
    response.writeHead(statuses[Math.min(attempt, statuses.length) - 1] ?? 200)
    response.end(`answer ${attempt}`)
  }

let seen: Array<Seen>
let respond: Respond
let server: Http.Server
let url: string

beforeEach(async () => {
  seen = []
  server = Http.createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    seen.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString()
    })
    respond(response, seen.length, request)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const bodies = () => seen.map(({ body }) => body)

describe("Fetch.make", () => {
  it("resolves with the response itself once an attempt succeeds", async () => {
    respond = status(503, 429, 200)
    const response = await Fetch.make(quick)(url)
    expect([response.status, response.url, await response.text()]).toEqual([200, url, "answer 3"])
    expect(response).toBeInstanceOf(Response)
  })

  it("resolves with the last response when attempts are spent, its body unread", async () => {
    respond = status(503)
    const response = await Fetch.make(quick)(url)
    expect([response.status, await response.text(), seen.length]).toEqual([503, "answer 3", 3])
  })

  it("has the standard policy by default", async () => {
    respond = status(404)
    expect((await Fetch.make()(url)).status).toBe(404)
  })

  const replayed: ReadonlyArray<readonly [string, () => NonNullable<RequestInit["body"]>, number]> = [
    ["a string", () => "body", 3],
    ["bytes", () => new TextEncoder().encode("body"), 3],
    ["a buffer", () => new TextEncoder().encode("body").buffer, 3],
    ["a Blob", () => new Blob(["body"]), 3],
    ["URLSearchParams", () => new URLSearchParams("body"), 3],
    ["a stream", () => new Blob(["body"]).stream(), 1]
  ]

  it.each(replayed)("sends %s again if it can be", async (_, body, attempts) => {
    respond = status(503)
    await Fetch.make(quick)(url, { method: "PUT", body: body(), duplex: "half" })
    expect(bodies().map((text) => text.replace(/=$/, ""))).toEqual(Array.from({ length: attempts }, () => "body"))
  })

  it("sends a form again, each time whole", async () => {
    respond = status(503, 200)
    const form = new FormData()
    form.set("name", "value")
    await Fetch.make(quick)(url, { method: "PUT", body: form })
    expect(bodies().map((text) => text.includes('name="name"') && text.includes("value"))).toEqual([true, true])
  })

  it("sends a Request again with its own method, headers and body", async () => {
    respond = status(503, 200)
    const request = new Request(url, { method: "PUT", headers: { "x-own": "1" }, body: "body" })
    await Fetch.make(quick)(request)
    expect(seen.map(({ body, headers, method }) => [method, headers["x-own"], body])).toEqual([
      ["PUT", "1", "body"],
      ["PUT", "1", "body"]
    ])
  })

  it("takes what the second argument says over the Request", async () => {
    respond = status(503, 200)
    const request = new Request(url, { method: "PUT", body: "body" })
    await Fetch.make(quick)(request, { method: "POST" })
    expect(seen.map(({ method }) => method)).toEqual(["POST"])
  })

  it("sends a POST once, and with a key of its own three times", async () => {
    respond = status(503)
    await Fetch.make(quick)(url, { method: "POST", body: "body" })
    expect(seen).toHaveLength(1)
    await Fetch.make({ ...Presets.stripe, backoff: quick.backoff })(url, { method: "POST", body: "body" })
    const keys = seen.slice(1).map(({ headers }) => headers["idempotency-key"])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(seen.map(({ headers }) => headers["content-type"])).toEqual(
      Array.from({ length: 4 }, () => "text/plain;charset=UTF-8")
    )
  })

  it("adds attempt headers to those of the call", async () => {
    respond = status(503, 200)
    const retrying = Fetch.make({ ...quick, attemptHeaders: HttpRetry.attemptNumber() })
    await retrying(url, { headers: { "X-Own": "1" } })
    expect(seen.map(({ headers }) => [headers["x-own"], headers["x-retry-attempt"]])).toEqual([
      ["1", "1"],
      ["1", "2"]
    ])
  })

  const inputs: ReadonlyArray<
    readonly [string, (url: string) => Parameters<typeof fetch>, underlying: typeof fetch | undefined]
  > = [
    ["a string", (url) => [url, { method: "PUT", headers: { "x-own": "1" }, body: "old" }], undefined],
    ["a URL", (url) => [new URL(url), { method: "PUT", headers: { "x-own": "1" }, body: "old" }], undefined],
    ["a Request", (url) => [new Request(url, { method: "PUT", headers: { "x-own": "1" }, body: "old" })], undefined],
    [
      "a Request of undici",
      (url) => [
        new Undici.Request(url, { method: "PUT", headers: { "x-own": "1" }, body: "old" }) as unknown as Request
      ],
      Undici.fetch as unknown as typeof fetch
    ]
  ]

  it.each(inputs)("sends the request as the policy changes it: %s", async (_, input, underlying) => {
    respond = status(503, 503, 503, 200)
    const change = (request: HttpClientRequest.HttpClientRequest, { number }: HttpRetry.Attempt) => {
      if (number === 2) return HttpClientRequest.bearerToken(request, "new")
      if (number === 3) return HttpClientRequest.setUrl(request, `${url}else?where`)
      return HttpClientRequest.setMethod(HttpClientRequest.bodyText(request, "new"), "POST")
    }
    const retrying = Fetch.make(
      {
        ...quick,
        maxAttempts: 4,
        idempotency: { ...HttpRetry.standard.idempotency, methods: ["PUT", "POST"] },
        beforeRetry: (request, attempt) => Effect.succeed(change(request, attempt))
      },
      { fetch: underlying }
    )
    expect((await retrying(...input(url))).status).toBe(200)
    expect(seen.map(({ body, method, path }) => [method, path, body])).toEqual([
      ["PUT", "/", "old"],
      ["PUT", "/", "old"],
      ["PUT", "/else?where", "old"],
      ["POST", "/else?where", "new"]
    ])
    expect(seen.map(({ headers }) => [headers["x-own"], headers.authorization])).toEqual([
      ["1", undefined],
      ["1", "Bearer new"],
      ["1", "Bearer new"],
      ["1", "Bearer new"]
    ])
  })

  it.each([
    ["a string", (url: string) => url],
    ["a Request", (url: string) => new Request(url)]
  ])("sends parameters that the policy adds to a URL: %s", async (_, input) => {
    respond = status(503, 200)
    const retrying = Fetch.make({
      ...quick,
      beforeRetry: (request) => Effect.succeed(HttpClientRequest.setUrlParam(request, "page", "2"))
    })
    await retrying(input(url))
    expect(seen.map(({ path }) => path)).toEqual(["/", "/?page=2"])
  })

  it("sends no credential to another host that the policy names", async () => {
    respond = status(503, 200)
    const elsewhere = url.replace("127.0.0.1", "localhost")
    const retrying = Fetch.make({
      ...quick,
      beforeRetry: (request) => Effect.succeed(HttpClientRequest.setUrl(request, elsewhere))
    })
    await retrying(new Request(url, { headers: { authorization: "Bearer old", "x-own": "1" } }))
    expect(seen.map(({ headers }) => [headers.host, headers["x-own"], headers.authorization])).toEqual([
      [new URL(url).host, "1", "Bearer old"],
      [new URL(elsewhere).host, "1", undefined]
    ])
  })

  it.each([
    ["none", HttpClientRequest.setBody(HttpBody.empty), ""],
    ["raw", HttpClientRequest.setBody(HttpBody.raw("raw")), "raw"],
    ["bytes", HttpClientRequest.setBody(HttpBody.uint8Array(new TextEncoder().encode("bytes"))), "bytes"],
    ["a form", HttpClientRequest.bodyFormDataRecord({ a: "1" }), 'name="a"'],
    ["a stream", HttpClientRequest.bodyStream(Stream.make(new TextEncoder().encode("stream"))), "stream"]
  ] as const)("sends a body of every kind that the policy gives: %s", async (_, give, expected) => {
    respond = status(503, 200)
    const retrying = Fetch.make({ ...quick, beforeRetry: (request) => Effect.succeed(give(request)) })
    await retrying(url, { method: "PUT", body: "old" })
    expect(seen[1]?.body).toContain(expected)
    expect(seen[1]?.body).not.toContain("old")
  })

  it("rejects with the error of what the policy does before a retry", async () => {
    respond = status(503)
    const retrying = Fetch.make({ ...quick, beforeRetry: () => Effect.fail("no token") })
    await expect(retrying(url)).rejects.toBe("no token")
  })

  it("rejects with the error of fetch", async () => {
    respond = (_, __, request) => request.socket.destroy()
    const rejected = await Fetch.make(quick)(url).catch((error: unknown) => error)
    expect(rejected).toBeInstanceOf(TypeError)
    expect([String(rejected), seen.length]).toEqual(["TypeError: fetch failed", 3])
  })

  it("rejects with what fetch has thrown, even if it cannot be read", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    for (const thrown of [proxy, undefined, null, "text", Symbol("symbol")]) {
      const own: typeof fetch = () => Promise.reject(thrown)
      const isSame = await Fetch.make(quick, { fetch: own })(url).then(
        () => false,
        (error: unknown) => error === thrown
      )
      expect(isSame).toBe(true)
    }
  })

  it("leaves what is not a request to fetch", async () => {
    const rejected = await Fetch.make(quick)("not a url").catch((error: unknown) => error)
    expect(String(rejected)).toBe(String(await fetch("not a url").catch((error: unknown) => error)))
  })

  it("uses the fetch that it is given", async () => {
    const calls: Array<string> = []
    const own: typeof fetch = async (input) => {
      calls.push(String(input))
      return new Response(null, { status: calls.length < 3 ? 503 : 204 })
    }
    expect((await Fetch.make(quick, { fetch: own })("http://api.test/")).status).toBe(204)
    expect(calls).toEqual(["http://api.test/", "http://api.test/", "http://api.test/"])
  })

  it.each([
    { redirect: "follow", attempts: 1 },
    { redirect: "manual", attempts: 3 },
    { redirect: "error", attempts: 3 }
  ] as const)(
    "takes a refused connection for that of a redirect that it may $redirect",
    async ({ attempts, redirect }) => {
      let calls = 0
      const own: typeof fetch = () => {
        calls += 1
        return Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" }))
      }
      const post = Fetch.make(quick, { fetch: own })("http://api.test/", { method: "POST", redirect })
      expect(await post.catch((error: unknown) => error)).toBeInstanceOf(Error)
      expect(calls).toBe(attempts)
    }
  )

  it("refuses a policy that is not one", () => {
    expect(() => Fetch.make({ ...quick, maxAttempts: 0 })).toThrow(
      "Fetch.make: maxAttempts must be a whole number >= 1, got 0"
    )
  })

  it.each([
    ["what sends and is no function", { fetch: 5 }, "Fetch.make: fetch must be a function, got 5"],
    ["options that are no record", fetch, "Fetch.make: options must be a record, got the function fetch"]
  ] as const)("refuses %s", (_, options, message) => {
    expect(() => Fetch.make(quick, options as Fetch.Options)).toThrow(message)
  })
})

describe("Fetch.make with a request that fetch refuses", () => {
  const bug = "a TypeError that does not come from the network"
  const refusals: ReadonlyArray<readonly [name: string, init: RequestInit, to: (url: string) => string, why: string]> =
    [
      ["a body on GET", { body: "body" }, (url) => url, bug],
      ["a method that is none", { method: "G T" }, (url) => url, bug],
      ["a method that is forbidden", { method: "CONNECT" }, (url) => url, bug],
      ["a password in the URL", {}, (url) => url.replace("//", "//user:password@"), bug],
      ["a URL that is none", {}, () => "http://", "transport error ERR_INVALID_URL"],
      ["an unknown scheme", {}, (url) => url.replace("http", "gopher"), "refused by fetch: unknown scheme"],
      ["a port that is blocked", {}, () => "http://127.0.0.1:1/", "refused by fetch: bad port"],
      ["a file", {}, () => "file:///no/such/file", "refused by fetch: not implemented... yet..."]
    ]

  it.each(refusals)("makes one attempt with %s", async (_, init, to, why) => {
    respond = status(200)
    const { observe, reasons } = gaveUp()
    const rejected = await Fetch.make({ ...quick, observe })(to(url), init).catch((error: unknown) => error)
    expect(rejected).toBeInstanceOf(TypeError)
    expect(reasons.map(Retry.format)).toEqual([`not retryable: ${why}`])
    expect(seen).toEqual([])
  })

  const redirecting: Respond = (response) => response.writeHead(302, { location: url }).end()
  const answered: ReadonlyArray<readonly [name: string, init: RequestInit, Respond, requests: number, why: string]> = [
    ["integrity", { integrity: "sha256-AAAA" }, status(200), 1, "refused by fetch: integrity mismatch"],
    ["a redirect that is none to be", { redirect: "error" }, redirecting, 1, "refused by fetch: unexpected redirect"],
    ["redirects in a circle", {}, redirecting, 21, "refused by fetch: redirect count exceeded"],
    [
      "a redirect to another scheme",
      {},
      (response) => response.writeHead(302, { location: "ftp://localhost/" }).end(),
      1,
      "refused by fetch: URL scheme must be a HTTP(S) scheme"
    ],
    [
      "a redirect with user info",
      {},
      (response) => response.writeHead(302, { location: "http://user:password@127.0.0.1:9999/" }).end(),
      1,
      'refused by fetch: cross origin not allowed for request mode "cors"'
    ],
    [
      "a redirect of a stream",
      { method: "PUT", body: new Blob(["body"]).stream(), duplex: "half" } as RequestInit,
      (response) => response.writeHead(307, { location: url }).end(),
      1,
      "refused by fetch, without a reason"
    ],
    [
      "a status of 407",
      {},
      (response) => response.writeHead(407, { "proxy-authenticate": "Basic" }).end(),
      1,
      "refused by fetch, without a reason"
    ]
  ]

  it.each(answered)("makes one attempt when the answer is refused: %s", async (_, init, answer, requests, why) => {
    respond = answer
    const { observe, reasons } = gaveUp()
    const rejected = await Fetch.make({ ...quick, observe })(url, init).catch((error: unknown) => error)
    expect(rejected).toBeInstanceOf(TypeError)
    expect(reasons.map(Retry.format)).toEqual([`not retryable: ${why}`])
    expect(seen).toHaveLength(requests)
  })

  it("makes one attempt with a fetch that has a bug", async () => {
    let calls = 0
    const own: typeof fetch = async (_, init) => {
      calls += 1
      return (init as { readonly absent?: { readonly response: Response } }).absent!.response
    }
    const rejected = await Fetch.make(quick, { fetch: own })(url).catch((error: unknown) => error)
    expect(String(rejected)).toContain("TypeError: Cannot read properties of undefined")
    expect(calls).toBe(1)
  })
})

describe("Fetch.make with inputs that change", () => {
  /** Answers the first request with 503 when the caller has changed what it gave. */
  const changing = async (call: (retrying: typeof fetch) => readonly [Promise<Response>, change: () => void]) => {
    let change = () => {}
    respond = (response, attempt) => {
      if (attempt === 1) change()
      response.writeHead(attempt === 1 ? 503 : 200).end()
    }
    const [answer, changed] = call(Fetch.make(quick))
    change = changed
    expect((await answer).status).toBe(200)
    expect(seen).toHaveLength(2)
    expect(seen[1]).toEqual(seen[0])
  }

  it("sends to the same URL again", async () => {
    const paths: Array<string | undefined> = []
    server.on("request", (request: Http.IncomingMessage) => paths.push(request.url))
    await changing((retrying) => {
      const given = new URL("first", url)
      return [retrying(given), () => (given.pathname = "/second")]
    })
    expect(paths).toEqual(["/first", "/first"])
  })

  it.each([
    ["Headers", () => new Headers({ "x-own": "1" }), (headers: Headers) => headers.set("x-own", "2")],
    ["a record", () => ({ "x-own": "1" }), (headers: Record<string, string>) => (headers["x-own"] = "2")],
    ["pairs", () => [["x-own", "1"]], (headers: Array<[string, string]>) => headers.push(["x-other", "2"])]
  ] as const)("sends the same headers again: %s", async (_, given, change) => {
    const headers = given()
    await changing((retrying) => [
      retrying(url, { headers: headers as NonNullable<RequestInit["headers"]> }),
      () => change(headers as never)
    ])
    expect(seen[1]?.headers["x-own"]).toBe("1")
  })

  it("sends the same headers of a Request again", async () => {
    await changing((retrying) => {
      const request = new Request(url, { method: "PUT", headers: { "x-own": "1" }, body: "body" })
      return [retrying(request), () => request.headers.set("x-own", "2")]
    })
    expect([seen[1]?.headers["x-own"], seen[1]?.body]).toEqual(["1", "body"])
  })

  const bytes = new TextEncoder().encode("first")
  const form = new FormData()
  const parameters = new URLSearchParams("a=first")
  const changes: ReadonlyArray<readonly [string, NonNullable<RequestInit["body"]>, () => unknown]> = [
    ["URLSearchParams", parameters, () => parameters.set("a", "second")],
    ["FormData", form, () => form.set("a", "second")],
    ["bytes", bytes, () => bytes.fill(0)],
    ["a view", new DataView(bytes.buffer, 0, 3), () => bytes.fill(0)],
    ["a buffer", bytes.buffer, () => bytes.fill(0)]
  ]

  it.each(changes)("sends the same body again: %s", async (_, body, change) => {
    bytes.set(new TextEncoder().encode("first"))
    form.set("a", "first")
    parameters.set("a", "first")
    const sent: Array<string> = []
    const own: typeof fetch = async (_, init) => {
      sent.push(await new Response(init?.body ?? null).text())
      return new Response(null, { status: sent.length === 1 ? 503 : 200 })
    }
    const answer = Fetch.make(quick, { fetch: own })(url, { method: "PUT", body })
    change()
    expect((await answer).status).toBe(200)
    expect(sent.map((text) => text.includes("fir") && !text.includes("second"))).toEqual([true, true])
  })

  it("goes by the options as they were at the call", async () => {
    const init: RequestInit = { method: "PUT", body: "body" }
    await changing((retrying) => [retrying(url, init), () => Object.assign(init, { method: "POST", body: "other" })])
    expect(seen.map(({ body, method }) => [method, body])).toEqual([
      ["PUT", "body"],
      ["PUT", "body"]
    ])
  })
})

describe("Fetch.make with a body that is not a web stream", () => {
  /** Stands for node-fetch: its bodies are streams of Node. Version 2 hears of their end only through the signal. */
  const nodeFetch =
    (agent: Http.Agent, hears: boolean): typeof fetch =>
    (input, init) =>
      new Promise((resolve, reject) => {
        const sent = Http.get(String(input), { agent, ...(hears && init?.signal && { signal: init.signal }) })
        sent.on("error", reject)
        sent.on("response", (response) => {
          const body = hears ? response.pipe(new PassThrough()) : response
          response.on("error", (error) => body.destroy(error))
          body.on("error", () => undefined)
          const headers = new Headers(response.headers as Record<string, string>)
          const arrayBuffer = async () => Uint8Array.from(Buffer.concat(await body.toArray())).buffer
          resolve({
            status: response.statusCode,
            headers,
            url: String(input),
            body,
            arrayBuffer
          } as unknown as Response)
        })
      })

  const sizes: ReadonlyArray<readonly [status: number, announced: boolean]> = [
    [503, true],
    [503, false],
    [429, true],
    [429, false]
  ]
  const kinds = [true, false].flatMap((hears) => sizes.map(([status, announced]) => ({ hears, status, announced })))

  it.each(kinds)("holds no connection of a discarded response: %j", async ({ announced, hears, status }) => {
    const open = new Set<unknown>()
    server.on("connection", (socket) => {
      open.add(socket)
      socket.on("close", () => open.delete(socket))
    })
    const bytes = Buffer.alloc(2_000_000)
    respond = (response, attempt) => {
      if (attempt % 2 === 0) return void response.writeHead(204).end()
      response.writeHead(status, announced ? { "content-length": bytes.length } : {})
      response.write(bytes)
      response.end()
    }
    const agent = new Http.Agent({ keepAlive: true })
    const retrying = Fetch.make(quick, { fetch: nodeFetch(agent, hears) })
    for (let i = 0; i < 20; i++) {
      const response = await retrying(url)
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([204, 0])
    }
    await vi.waitFor(() => expect(open.size).toBeLessThan(4), { timeout: 120_000 })
    expect(seen).toHaveLength(40)
    agent.destroy()
  })
})

describe("Fetch.make with a Request of another class", () => {
  const undici = Undici.fetch as unknown as typeof fetch
  const ofUndici = (init: Undici.RequestInit) => new Undici.Request(url, init) as unknown as Request

  /** As in node-fetch: the body is a stream of Node, and there need be no signal. */
  const ofNodeFetch = (method: string, body: Readable | null) => {
    const request = { url, method, headers: new Map([["x-own", "1"]]), body, bodyUsed: false, signal: null }
    // A clone of a stream of Node waits for the other one to be read.
    const clone = () => (body === null ? request : undefined)
    return { ...request, clone } as unknown as Request
  }

  /** Stands for node-fetch: it knows no other requests than these. */
  const nodeFetch: typeof fetch = (input) =>
    new Promise((resolve, reject) => {
      const { body, headers, method, url } = input as Request
      const sent = Http.request(url, { method, headers: Object.fromEntries(headers), agent: false }, (response) => {
        response.resume()
        resolve(new Response(null, { status: response.statusCode ?? 500 }))
      })
      sent.on("error", reject)
      if (body === null) sent.end()
      else (body as unknown as Readable).pipe(sent)
    })

  it("sends one of undici again with its own method, headers and body", async () => {
    respond = status(503, 200)
    const response = await Fetch.make(quick, { fetch: undici })(
      ofUndici({ method: "PUT", headers: { "x-own": "1" }, body: "body" })
    )
    expect(response.status).toBe(200)
    expect(seen.map(({ body, headers, method }) => [method, headers["x-own"], body])).toEqual([
      ["PUT", "1", "body"],
      ["PUT", "1", "body"]
    ])
  })

  it.each([
    ["POST", {}, 1],
    ["POST", { "idempotency-key": "k" }, 3]
  ] as const)("judges a %s of undici with the headers %j by its rules", async (method, headers, attempts) => {
    respond = status(503)
    await Fetch.make(quick, { fetch: undici })(ofUndici({ method, headers, body: "body" }))
    expect(seen).toHaveLength(attempts)
  })

  it("hears the signal of one of undici", async () => {
    respond = status(200)
    const rejected = Fetch.make(quick, { fetch: undici })(ofUndici({ signal: AbortSignal.abort("enough") }))
    expect(await rejected.catch((error: unknown) => error)).toBe("enough")
    expect(seen).toEqual([])
  })

  it("sends one of node-fetch without a body again, and one with a body once", async () => {
    respond = status(503)
    const retrying = Fetch.make(quick, { fetch: nodeFetch })
    expect((await retrying(ofNodeFetch("GET", null))).status).toBe(503)
    expect(seen.map(({ headers, method }) => [method, headers["x-own"]])).toEqual([
      ["GET", "1"],
      ["GET", "1"],
      ["GET", "1"]
    ])
    const { observe, reasons } = gaveUp()
    const observed = Fetch.make({ ...quick, observe }, { fetch: nodeFetch })
    expect((await observed(ofNodeFetch("PUT", Readable.from(["body"])))).status).toBe(503)
    expect(bodies().slice(3)).toEqual(["body"])
    expect(reasons.map(Retry.format)).toEqual(["not retryable: the body is a Node stream, which can be read only once"])
  })

  it("sends what only the given fetch can resolve again", async () => {
    const calls: Array<unknown> = []
    const own: typeof fetch = async (input) => new Response(null, { status: calls.push(input) < 3 ? 503 : 200 })
    expect((await Fetch.make(quick, { fetch: own })("/path")).status).toBe(200)
    expect(calls).toEqual(["/path", "/path", "/path"])
  })

  it("refuses a signal of another class in words", async () => {
    const signal = { aborted: false } as unknown as AbortSignal
    const rejected = await Fetch.make(quick)(url, { signal }).catch((error: unknown) => error)
    expect(rejected).toBeInstanceOf(TypeError)
    expect(String(rejected)).toBe("TypeError: the signal of a request must be an AbortSignal")
  })
})

describe("Fetch.make with a signal", () => {
  const reasonOf = (promise: Promise<unknown>) =>
    promise.then(
      () => "resolved",
      (error: unknown) => error
    )

  it("rejects with its reason, and sends nothing, if it is already aborted", async () => {
    respond = status(200)
    expect(await reasonOf(Fetch.make(quick)(url, { signal: AbortSignal.abort("enough") }))).toBe("enough")
    expect(seen).toEqual([])
  })

  it("ends the wait between attempts", async () => {
    respond = status(503)
    const controller = new AbortController()
    const patient = {
      ...quick,
      backoff: Backoff.constant({ delay: "1 hour" }),
      observe: [
        (event: { readonly _tag: string }) =>
          Effect.sync(() => event._tag === "RetryScheduled" && controller.abort("enough"))
      ]
    }
    expect(await reasonOf(Fetch.make(patient)(url, { signal: controller.signal }))).toBe("enough")
    expect(seen).toHaveLength(1)
  })

  it("ends the attempt", async () => {
    const controller = new AbortController()
    let hungUp: () => void
    const closed = new Promise<void>((resolve) => {
      hungUp = resolve
    })
    respond = (_, __, request) => {
      request.socket.once("close", () => hungUp())
      controller.abort("enough")
    }
    expect(await reasonOf(Fetch.make(quick)(url, { signal: controller.signal }))).toBe("enough")
    await closed
    expect(seen).toHaveLength(1)
  })

  it("can be shared by many calls, none of which aborts it", async () => {
    const { signal } = new AbortController()
    const warnings: Array<string> = []
    const warned = ({ name }: Error) => warnings.push(name)
    process.on("warning", warned)
    const heard: Array<number> = []
    const own: typeof fetch = async () => {
      heard.push(getEventListeners(signal, "abort").length)
      return new Response()
    }
    const retrying = Fetch.make(quick, { fetch: own })
    await Promise.all(Array.from({ length: 50 }, () => retrying("http://api.test/", { signal })))
    // Warnings are emitted in a tick of their own.
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", warned)
    expect(warnings).toEqual([])
    expect([heard, getEventListeners(signal, "abort")]).toEqual([Array.from({ length: 50 }, () => 0), []])
  })

  it("leaves no listener on the signals that depend on it", async () => {
    const controller = new AbortController()
    const derived = vi.spyOn(AbortSignal, "any")
    const listeners = () => derived.mock.results.map(({ value }) => getEventListeners(value, "abort").length)
    const during: Array<number> = []
    const given: Array<AbortSignal> = []
    const own: typeof fetch = async (_, init) => {
      if (init?.signal) given.push(init.signal)
      during.push(listeners().reduce((sum, count) => sum + count, 0))
      return new Response(null, { status: 503 })
    }
    await Fetch.make(quick, { fetch: own })("http://api.test/", { signal: controller.signal })
    const after = listeners()
    derived.mockRestore()
    expect([during, after]).toEqual([
      [1, 1, 1],
      [0, 0, 0, 0]
    ])
    controller.abort("enough")
    // Those of discarded responses have been aborted already.
    expect(given.map(({ reason }) => String(reason))).toEqual([
      "AbortError: the response was discarded",
      "AbortError: the response was discarded",
      "enough"
    ])
  })

  it("ends the wait of all calls that share it", async () => {
    const controller = new AbortController()
    let sent = 0
    const own: typeof fetch = async () => {
      if (++sent === 50) setImmediate(() => controller.abort("enough"))
      return new Response(null, { status: 503 })
    }
    const patient = { ...quick, backoff: Backoff.constant({ delay: "1 hour" }) }
    const retrying = Fetch.make(patient, { fetch: own })
    const calls = Array.from({ length: 50 }, () =>
      reasonOf(retrying("http://api.test/", { signal: controller.signal }))
    )
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, () => "enough"))
    expect(sent).toBe(50)
  })

  it.each([
    ["null, which takes that of a Request away", null, "answer 1"],
    ["undefined, which leaves it", undefined, "enough"]
  ])("is that of the second argument before that of a Request: %s", async (_, signal, expected) => {
    respond = status(200)
    const request = new Request(url, { signal: AbortSignal.abort("enough") })
    const outcome = Fetch.make(quick)(request, { signal } as RequestInit).then((response) => response.text())
    expect(await outcome.catch(String)).toBe(expected)
  })

  it("ends the body of a response that was resolved with", async () => {
    respond = (response) => {
      response.writeHead(200)
      response.write("first part")
    }
    const controller = new AbortController()
    const response = await Fetch.make(quick)(new Request(url, { signal: controller.signal }))
    const text = reasonOf(response.text())
    controller.abort()
    expect(String(await text)).toContain("AbortError")
  })
})

describe("Fetch.make in time", () => {
  it("rejects with a TimeoutError when an attempt takes too long", async () => {
    respond = () => undefined
    const policy = { ...quick, attemptTimeout: AttemptTimeout.constant("20 millis") }
    const rejected = await Fetch.make(policy)(url).catch((error: unknown) => error)
    expect(rejected).toMatchObject({ name: "TimeoutError", message: "attempt 3 took longer than 20ms" })
  })

  it("rejects with the error that the policy makes of a timeout, of whatever kind", async () => {
    respond = () => undefined
    const request = HttpClientRequest.get(url)
    const response = HttpClientResponse.fromWeb(request, new Response())
    const of = { request, response, reason: "Decode", cause: new Error("hidden") } as const
    for (const own of [new Error("out of time"), new HttpClientError.ResponseError(of)]) {
      const attemptTimeout = AttemptTimeout.constant("5 millis", { onTimeout: () => own })
      const rejected = await Fetch.make({ ...quick, attemptTimeout, maxAttempts: 1 })(url).catch((error) => error)
      expect(rejected).toBe(own)
    }
  })

  it("rejects with a TimeoutError when the deadline cuts", async () => {
    respond = () => undefined
    const rejected = await Fetch.make({ ...quick, deadline: Deadline.cut("20 millis") })(url).catch(
      (error: unknown) => error
    )
    expect(rejected).toMatchObject({ name: "TimeoutError", message: "not done within 20ms, after 1 attempt" })
  })
})

describe("Fetch.make in place of the global fetch", () => {
  const installed = async (...policies: ReadonlyArray<typeof quick>) => {
    const before = globalThis.fetch
    try {
      for (const policy of policies) globalThis.fetch = Fetch.make(policy)
      return await fetch(url)
    } finally {
      globalThis.fetch = before
    }
  }

  it("sends through the fetch that was there before", async () => {
    respond = status(503, 200)
    expect([await (await installed(quick)).text(), seen.length]).toEqual(["answer 2", 2])
  })

  it("retries over another one that it replaces", async () => {
    respond = status(503)
    const answer = await installed({ ...quick, maxAttempts: 2 }, { ...quick, maxAttempts: 2 })
    expect([answer.status, seen.length]).toEqual([503, 4])
  })
})

describe("Fetch.makeEffect", () => {
  const limited = { ...quick, rateLimiter: TokenBucket.RetryBucket }
  /** Grants first attempts alone. */
  const firstOnly: TokenBucket.TokenBucket = {
    ...TokenBucket.unlimited,
    acquire: (request) => (request.attempt === 1 ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
  }

  it.effect("rejects as fetch does when the first attempt is refused", () =>
    Effect.gen(function* () {
      const retrying = yield* Fetch.makeEffect(limited)
      const rejected = yield* Effect.promise(() => retrying(url).catch((error: unknown) => error))
      expect(rejected).toBeInstanceOf(TypeError)
      expect(rejected).toMatchObject({ cause: new Retry.AttemptRefused({ attempt: 1 }) })
      expect(seen).toEqual([])
    }).pipe(Effect.provideService(TokenBucket.RetryBucket, TokenBucket.empty))
  )

  it.live("resolves with what was read of a response whose retry is refused in the end", () =>
    Effect.gen(function* () {
      respond = (response) => {
        response.writeHead(429, { "content-length": 8, "x-own": "1" })
        response.end("too many")
      }
      const retrying = yield* Fetch.makeEffect(limited)
      const response = yield* Effect.promise(() => retrying(url))
      expect(yield* Effect.promise(() => response.text())).toBe("too many")
      expect([response.status, response.headers.get("x-own"), seen.length]).toEqual([429, "1", 1])
    }).pipe(Effect.provideService(TokenBucket.RetryBucket, firstOnly))
  )

  /** Refused after the wait for the second attempt, when the body of the first response is released. */
  const refusedLate = (web: Response) =>
    Effect.gen(function* () {
      const retrying = yield* Fetch.makeEffect(
        { ...limited, opinion: () => Verdict.throttling },
        { fetch: async () => web }
      )
      return yield* Effect.promise(() => retrying("http://api.test/"))
    }).pipe(Effect.provideService(TokenBucket.RetryBucket, firstOnly))

  it.live("resolves with a whole response then", () =>
    Effect.gen(function* () {
      const headers = new Headers([
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["content-type", "text/x-own"]
      ])
      const came = new Response("too many", { status: 429, statusText: "Slow down", headers })
      Object.defineProperty(came, "url", { value: "http://api.test/there" })
      const response = yield* refusedLate(came)
      for (const each of [response.clone(), response]) {
        expect(each).toBeInstanceOf(Response)
        expect([each.status, each.statusText, each.ok, each.url, each.redirected, each.type]).toEqual([
          429,
          "Slow down",
          false,
          "http://api.test/there",
          false,
          "default"
        ])
        expect([...each.headers]).toEqual([...headers])
        expect(each.headers.getSetCookie()).toEqual(["a=1", "b=2"])
        const blob = yield* Effect.promise(() => each.blob())
        expect([blob.type, yield* Effect.promise(() => blob.text())]).toEqual(["text/x-own", "too many"])
      }
    })
  )

  /** As only a server, or a `fetch` that is not this one, can answer. */
  const unusual = (status: number, statusText: string, body: string | null) => () =>
    Object.defineProperties(new Response(body), { status: { value: status }, statusText: { value: statusText } })

  it.live.each([
    ["no body", () => new Response(null, { status: 204 }), [204, "", null]],
    ["no body, and of none to come", () => new Response(null, { status: 304 }), [304, "", null]],
    ["an error", () => Response.error(), [0, "", null]],
    ["a switch of protocols", unusual(101, "", null), [101, "", null]],
    ["a status that may have no body, and one", unusual(205, "", "ignored"), [205, "", null]],
    ["a status that cannot be made", unusual(999, "", "body"), [999, "", "body"]],
    ["a status text that cannot be made", unusual(429, "a\u0001b", "body"), [429, "a\u0001b", "body"]]
  ] as const)("resolves then, whatever the response was: %s", ([, web, [status, statusText, body]]) =>
    Effect.gen(function* () {
      const response = yield* refusedLate(web())
      const read = response.body === null ? null : yield* Effect.promise(() => response.text())
      expect([response.status, response.statusText, read]).toEqual([status, statusText, body])
    })
  )

  it.live("resolves then with a body whose reading fails where it was cut off", () =>
    Effect.gen(function* () {
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) })
      const response = yield* refusedLate(new Response(body, { status: 429 }))
      expect(response.status).toBe(429)
      const error = yield* Effect.promise(() => response.text().catch(String))
      expect(error).toContain("the body was released")
    })
  )

  it.effect("names itself when it refuses", () =>
    Effect.sync(() => {
      expect(() => Fetch.makeEffect({ ...quick, maxAttempts: 0 })).toThrow("Fetch.makeEffect: maxAttempts")
      expect(() => Fetch.makeEffect(quick, { fetch: 5 } as unknown as Fetch.Options)).toThrow("Fetch.makeEffect: fetch")
    })
  )

  it.effect("has the bucket, the clock and the randomness of its effect", () =>
    Effect.gen(function* () {
      let calls = 0
      const down: typeof fetch = async () => new Response(null, { status: calls++ < 0 ? 200 : 503 })
      const policy = {
        ...HttpRetry.standard,
        bucket: TokenBucket.RetryBucket,
        backoff: Backoff.constant({ delay: "1 hour" })
      }
      const retrying = yield* Fetch.makeEffect(policy, { fetch: down })
      const { status } = yield* Effect.promise(() => retrying("http://api.test/"))
      expect([status, calls]).toEqual([503, 2])
      expect(yield* Effect.map(VirtualClock.now, Duration.toHours)).toBe(1)
    }).pipe(
      Effect.provide(Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota({ capacity: 20 }))),
      Effect.provide(SeededRandom.layerConstant(0)),
      Effect.provide(VirtualClock.layer)
    )
  )
})
