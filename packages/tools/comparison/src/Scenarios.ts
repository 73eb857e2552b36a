/**
 * The scenarios. A failure lasts for ever, unless the name of the scenario says otherwise.
 */
import type { Answer, Asked, Scenario } from "./Scenario.ts"
import { timeoutMillis } from "./Waits.ts"
import { rest } from "./Server.ts"

/** The scenarios of one table. */
interface Group {
  readonly heading: string
  readonly scenarios: ReadonlyArray<Scenario>
}

const get = { method: "GET" }
const post = { method: "POST" }

const status = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({ status, headers })
const always = (answer: Answer) => () => answer
const once =
  (answer: () => Answer) =>
  ({ count }: Asked) =>
    count === 1 ? answer() : status(200)

/** A first answer that asks the client to wait; the next one is a 200. */
const hint = (
  name: string,
  code: number,
  hintSeconds: number,
  headers: () => Readonly<Record<string, string>>
): Scenario => ({
  name,
  request: get,
  answer: once(() => status(code, headers())),
  hintSeconds
})

const retryAfter = (code: number, value: string, seconds: number) =>
  hint(`${code}, \`Retry-After: ${value}\``, code, seconds, () => ({ "retry-after": value }))

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000)

const redirect =
  (code: number) =>
  ({ isTarget, start }: Asked) =>
    isTarget ? status(503) : status(code, { location: `${start}/target` })

const statuses: Group = {
  heading: "Statuses",
  scenarios: [401, 408, 413, 421, 425, 503].map((code) => ({
    name: `${code}`,
    request: get,
    answer: always(status(code))
  }))
}

const hints: Group = {
  heading: "Hints",
  scenarios: [
    retryAfter(503, "40", 40),
    retryAfter(413, "40", 40),
    hint("429, `Retry-After` with a date in 40 s", 429, 40, () => ({ "retry-after": inSeconds(40).toUTCString() })),
    retryAfter(503, "3600", 3600),
    retryAfter(503, "2592000", 2_592_000),
    retryAfter(503, "0x28", 40),
    hint("429, `retry-after-ms: 40000`", 429, 40, () => ({ "retry-after-ms": "40000" })),
    hint('429, `RateLimit: "a";r=0;t=40`', 429, 40, () => ({ ratelimit: '"a";r=0;t=40' })),
    hint("429, `X-RateLimit-Reset`, seconds since 1970", 429, 40, () => ({
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(Math.ceil(inSeconds(40).getTime() / 1000))
    })),
    hint("429, `x-ratelimit-reset-requests: 40s`", 429, 40, () => ({
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "40s"
    })),
    {
      name: "503, `x-should-retry: false`",
      request: get,
      answer: always(status(503, { "x-should-retry": "false" }))
    }
  ]
}

/** The whole body or, if the request asks for it, its second half. */
const brokenBody = ({ count, range }: Asked): Answer =>
  count === 1 ? "closeInBody" : range === undefined ? status(200) : rest

const connections: Group = {
  heading: "Connections",
  scenarios: [
    { name: "refused", request: get, answer: "refused" },
    { name: "reset before the status line", request: get, answer: always("reset") },
    { name: "closed in a header", request: get, answer: always("closeInHeader") },
    {
      name: "closed in the body, the first time",
      request: get,
      answer: brokenBody
    },
    {
      name: "a download, closed in the body the first time",
      request: { ...get, isDownload: true },
      answer: brokenBody
    },
    { name: "not HTTP", request: get, answer: always("garbage") },
    {
      name: "503, 503, closed, and so on",
      request: get,
      answer: ({ count }) => (count % 3 === 0 ? "close" : status(503))
    }
  ]
}

const methods: Group = {
  heading: "Methods",
  scenarios: [
    { name: "POST, 503", request: post, answer: always(status(503)) },
    {
      name: "POST with `Idempotency-Key`, 503",
      request: { ...post, headers: { "idempotency-key": "a-key" } },
      answer: always(status(503))
    },
    { name: "POST, 425", request: post, answer: always(status(425)) },
    { name: "POST, refused", request: post, answer: "refused" },
    { name: "POST, closed before the status line", request: post, answer: always("close") },
    { name: "PATCH, 503", request: { method: "PATCH" }, answer: always(status(503)) },
    { name: "DELETE, 503", request: { method: "DELETE" }, answer: always(status(503)) }
  ]
}

const bodies: Group = {
  heading: "Bodies",
  scenarios: [
    { name: "PUT a string, 503", request: { method: "PUT", body: "text" }, answer: always(status(503)) },
    { name: "PUT a form, 503", request: { method: "PUT", body: "form" }, answer: always(status(503)) },
    { name: "PUT a stream, 503", request: { method: "PUT", body: "stream" }, answer: always(status(503)) }
  ]
}

const time: Group = {
  heading: "Time",
  scenarios: [
    { name: "GET, the first attempt times out", request: { ...get, timeoutMillis }, answer: once(() => "silence") },
    { name: "POST, the first attempt times out", request: { ...post, timeoutMillis }, answer: once(() => "silence") },
    {
      name: "the caller aborts in the first wait",
      request: { ...get, delayMillis: 40_000 },
      answer: always(status(503, { "retry-after": "40" })),
      hintSeconds: 40,
      isAborted: true
    }
  ]
}

const redirects: Group = {
  heading: "Redirects",
  scenarios: [
    { name: "302 to a 503", request: get, answer: redirect(302) },
    { name: "307 of a POST to a 503", request: post, answer: redirect(307) },
    { name: "302 to itself", request: get, answer: ({ start }) => status(302, { location: start }) }
  ]
}

export const groups: ReadonlyArray<Group> = [statuses, hints, connections, methods, bodies, time, redirects]
