import { exchange } from "./http-scripted.ts"
// #region download
import { Download, HttpRetry } from "@effect-retry/http"
import { type HttpClient, HttpClientRequest } from "@effect/platform"

const archive = (client: HttpClient.HttpClient) =>
  Download.stream(
    HttpRetry.withRetry(client, { maxAttempts: 5 }),
    HttpClientRequest.get("https://files.example/archive.tar")
  )
// #endregion

import { HttpClientResponse } from "@effect/platform"
import { Effect, Stream } from "effect"

const content = "0123456789"

/** A server that breaks off after four bytes. */
const server = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.sync(() => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers["range"] ?? "")?.[1] ?? 0)
    const part = content.slice(start, start + 4)
    let pulls = 0
    const body = new ReadableStream({
      pull: (controller) => {
        if (pulls++ === 0) controller.enqueue(new TextEncoder().encode(part))
        else if (start + 4 >= content.length) controller.close()
        else controller.error(Object.assign(new Error("aborted"), { code: "ECONNRESET" }))
      }
    })
    const headers = { etag: '"v1"', "content-range": `bytes ${start}-9/10` }
    return HttpClientResponse.fromWeb(request, new Response(body, { status: start === 0 ? 200 : 206, headers }))
  })

export const program = Effect.map(
  exchange([server], (client) => Stream.runCollect(archive(client))),
  ({ outcome, requests }) => ({
    received: Array.from(outcome as Iterable<Uint8Array>)
      .map((bytes) => new TextDecoder().decode(bytes))
      .join(""),
    asked: requests.map(({ headers }) => [headers["range"], headers["if-match"]])
  })
)

// #region expected
export const expected = {
  received: "0123456789",
  asked: [
    [undefined, undefined],
    ["bytes=4-", '"v1"'],
    ["bytes=8-", '"v1"']
  ]
}
// #endregion
