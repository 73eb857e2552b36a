/**
 * What an attempt of `fetch` sends if the policy has changed its request.
 */
import * as Http from "@effect/platform/Headers"
import type * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Stream from "effect/Stream"
import { urlOf } from "../../classify/ClientLine.ts"
import type { Init } from "./FetchInit.ts"
import * as FetchInput from "./FetchInput.ts"

type Request = HttpClientRequest.HttpClientRequest

/**
 * The first argument of the attempt: that of the call or, for another URL, that URL or a `Request` of the same class for it.
 */
export const input = (
  given: FetchInput.Given["input"],
  init: Init,
  before: Request,
  sent: Request
): FetchInput.Given["input"] => {
  if (sent.url === before.url && sent.urlParams === before.urlParams && sent.hash === before.hash) {
    return FetchInput.ofAttempt(given, init)
  }
  const url = urlOf(sent)?.href ?? sent.url
  if (!FetchInput.isRequest(given)) return url
  const own = FetchInput.ofAttempt(given, {}) as globalThis.Request
  return new (own.constructor as typeof globalThis.Request)(url, own)
}

/** Method, headers and body, as far as they have changed. */
export const init = (before: Request, sent: Request): Init => ({
  ...(sent.method !== before.method && { method: sent.method }),
  ...(sent.headers !== before.headers && { headers: sent.headers }),
  // `fetch` sets the length of a body itself, and does not accept it as a header.
  ...(sent.body !== before.body && { headers: Http.remove(sent.headers, "content-length"), ...initOf(sent.body) })
})

type Body = NonNullable<Init["body"]>

const initOf = (body: HttpBody.HttpBody): Init => {
  switch (body._tag) {
    case "Raw":
    case "Uint8Array":
      return { body: body.body as Body }
    case "FormData":
      return { body: body.formData }
    case "Stream":
      return { body: Stream.toReadableStream(body.stream), duplex: "half" } as Init
    case "Empty":
      return { body: null }
  }
}
