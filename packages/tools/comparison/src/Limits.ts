/**
 * A server with a limit, live: what clients that learn limits from headers take, and how often they are refused.
 */
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { Backoff } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Effect } from "effect"
import * as Effect4 from "effect-4/Effect"
import * as Layer4 from "effect-4/Layer"
import * as RateLimiter4 from "effect-4/persistence/RateLimiter"
import * as Fetch4 from "effect-4/http/FetchHttpClient"
import * as Client4 from "effect-4/http/HttpClient"
import { readFileSync, writeFileSync } from "node:fs"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

const limit = 3
const windowMillis = 1000
const latencyMillis = 50
const calls = 12
const atOnce = 4

interface Told {
  readonly left: number
  readonly resetMillis: number
  readonly isRefused: boolean
}

type Headers = (told: Told) => Readonly<Record<string, string>>

const reset =
  (shown: (seconds: number) => string): Headers =>
  ({ isRefused, left, resetMillis }) => ({
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(left),
    "x-ratelimit-reset": shown(resetMillis / 1000),
    ...(isRefused && { "retry-after": String(Math.ceil(resetMillis / 1000)) })
  })

const servers: ReadonlyArray<readonly [name: string, headers: Headers]> = [
  ["`x-ratelimit-*`, in milliseconds", reset((seconds) => seconds.toFixed(3))],
  ["`x-ratelimit-*`, in whole seconds", reset((seconds) => String(Math.ceil(seconds)))],
  [
    "`retry-after` alone",
    ({ isRefused, resetMillis }) => (isRefused ? { "retry-after": String(Math.ceil(resetMillis / 1000)) } : {})
  ],
  ["nothing", () => ({})]
]

interface Seen {
  readonly refused: number
  readonly seconds: number
}

type Send = (url: string) => Promise<unknown>

const paced: Send = (url) =>
  Effect.gen(function* () {
    const rateLimiter = yield* HttpRetry.paced()
    const policy = { rateLimiter, maxAttempts: Infinity, backoff: Backoff.constant({ delay: "100 millis" }) }
    const client = HttpRetry.withRetry(yield* HttpClient.HttpClient, policy)
    yield* Effect.all(
      Array.from({ length: calls }, () => Effect.flatMap(client.get(url), ({ text }) => text)),
      { concurrency: atOnce }
    )
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)

const effect4: Send = (url) =>
  Effect4.gen(function* () {
    const limiter = yield* RateLimiter4.RateLimiter
    const limited = Client4.withRateLimiter(yield* Client4.HttpClient, {
      limiter,
      key: "server",
      limit: 100,
      window: "1 second"
    })
    yield* Effect4.all(
      Array.from({ length: calls }, () => Effect4.flatMap(limited.get(url), ({ text }) => text)),
      { concurrency: atOnce }
    )
  }).pipe(
    Effect4.provide(Layer4.mergeAll(Fetch4.layer, Layer4.provide(RateLimiter4.layer, RateLimiter4.layerStoreMemory))),
    Effect4.runPromise
  )

/** Twelve calls to a server; its first window begins with the first call. */
const seen = async (headers: Headers, send: Send): Promise<Seen> => {
  let [endMillis, used, refused] = [0, 0, 0]
  const server = Http.createServer((_, response) => {
    const now = Date.now()
    if (endMillis === 0) endMillis = now + windowMillis
    while (now >= endMillis) [endMillis, used] = [endMillis + windowMillis, 0]
    used += 1
    const isRefused = used > limit
    if (isRefused) refused += 1
    const told = headers({ left: Math.max(0, limit - used), resetMillis: endMillis - now, isRefused })
    setTimeout(() => response.writeHead(isRefused ? 429 : 200, told).end("ok"), latencyMillis)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const before = performance.now()
  await send(`http://127.0.0.1:${port}/`)
  const seconds = (performance.now() - before) / 1000
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
  return { refused, seconds }
}

const cell = ({ refused, seconds }: Seen): string => `${refused}, ${seconds.toFixed(2)} s`

/** The table in Markdown. */
export const table = async (): Promise<string> => {
  // Code that runs the first time is slow.
  for (const send of [paced, effect4]) await seen(servers[0]![1], send)
  const lines = ["| What the server says | `HttpRetry.paced` | Effect 4.1.0 |", "| --- | --- | --- |"]
  for (const [name, headers] of servers) {
    lines.push(`| ${name} | ${cell(await seen(headers, paced))} | ${cell(await seen(headers, effect4))} |`)
  }
  return lines.join("\n")
}

const file = new URL("../../../../docs/comparison.md", import.meta.url)
const begin = "<!-- limits: begin, written by `pnpm comparison --write` -->"
const end = "<!-- limits: end -->"

export const write = (table: string): void => {
  const page = readFileSync(file, "utf8")
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/comparison.md has no "${begin}" and, after it, "${end}"`)
  writeFileSync(file, `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`)
}
