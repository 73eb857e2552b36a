import { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as Redirect from "../../src/decide/Redirect.ts"

const request = HttpClientRequest.post("http://api.test/orders")
const elsewhere = HttpClientRequest.setUrl(request, "http://other.test/done")

const failed = (of: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  new HttpClientError.RequestError({ request: of, reason: "Transport", cause })

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })
const ofFetch = new TypeError("fetch failed", { cause: refused })

const at = (place: object) => Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" }, place)

const { proxy: unreadable, revoke } = Proxy.revocable({}, {})
revoke()

const loop: { original?: unknown } = {}
loop.original = loop

const cycle = Object.assign(new Error("first"), { code: "ECONNRESET" })
cycle.cause = new Error("second", { cause: cycle })

const web = (redirected: boolean) => {
  const response = new Response(null, { status: 425 })
  Object.defineProperty(response, "redirected", { value: redirected })
  return HttpClientResponse.fromWeb(request, response)
}

const withStatus = (response: HttpClientResponse.HttpClientResponse) =>
  new HttpClientError.ResponseError({ request, response, reason: "StatusCode" })

describe("Redirect.isPossible", () => {
  const rows: ReadonlyArray<readonly [name: string, outcome: unknown, mode: Redirect.Mode, expected: boolean]> = [
    ["an error of the same request", failed(request, refused), undefined, false],
    ["an error of another header", failed(HttpClientRequest.setHeader(request, "x", "1"), refused), undefined, false],
    ["an error of another place", failed(elsewhere, refused), undefined, true],
    ["an error of another place, whatever the mode", failed(elsewhere, refused), "manual", true],
    ["an error of fetch", failed(request, ofFetch), undefined, true],
    ["an error of fetch that follows", failed(request, ofFetch), "follow", true],
    ["an error of fetch that does not follow", failed(request, ofFetch), "manual", false],
    ["an error of fetch that takes redirects for errors", failed(request, ofFetch), "error", false],
    ["a response of the same place", web(false), undefined, false],
    ["a response of another place", web(true), undefined, true],
    ["a wrapped response of another place", { request, original: web(true) }, undefined, true],
    ["an error of a response of another place", withStatus(web(true)), undefined, true],
    ["an error of a response of the same place", withStatus(web(false)), undefined, false],
    ["an error of another query", failed(HttpClientRequest.setUrlParam(request, "a", "2"), refused), undefined, true],
    ["an error of another method", failed(HttpClientRequest.setMethod(request, "GET"), refused), undefined, true],
    ["a response wrapped twice", { original: { original: web(true) } }, undefined, true],
    ["a response that wraps itself", loop, undefined, false],
    ["an error that names this port", failed(request, at({ port: 80 })), undefined, false],
    ["an error that names another port", failed(request, at({ port: 81 })), undefined, true],
    ["a cause that names another port", failed(request, new Error("x", { cause: at({ port: 81 }) })), undefined, true],
    ["an error that names this host", failed(request, at({ hostname: "api.test" })), undefined, false],
    ["an error that names another host", failed(request, at({ hostname: "other.test" })), undefined, true],
    ["an error of a fetch of its own kind that follows", failed(request, refused), "follow", true],
    ["an error of a fetch of another realm", failed(request, { name: "TypeError", cause: refused }), undefined, true],
    ["an error that cannot be looked at", failed(request, unreadable), undefined, false],
    ["an error whose causes form a circle", failed(request, cycle), undefined, false],
    ["an error without a cause, of a fetch that follows", failed(request, undefined), "follow", false],
    ["a response of a fetch that follows", web(false), "follow", false],
    ["a stranger", "boom", undefined, false]
  ]

  /** Where a request goes, the port that its error names, and whether that is another one. */
  const ports: ReadonlyArray<readonly [url: string, port: number, expected: boolean]> = [
    ["http://api.test/", 80, false],
    ["http://api.test/", 443, true],
    ["https://api.test/", 443, false],
    ["https://api.test/", 80, true],
    ["http://api.test:8080/", 8080, false],
    ["http://api.test:8080/", 80, true],
    ["https://api.test:8443/", 8443, false],
    ["https://api.test:8443/", 443, true],
    ["/relative", 80, true]
  ]

  it.each(ports)("knows the port of a request by its scheme, or as it is written: %s and %s", (url, port, expected) => {
    const given = HttpClientRequest.post(url)
    expect(Redirect.isPossible(given, failed(given, at({ port })), undefined)).toBe(expected)
  })

  it.each(rows)("tells %s", (_, outcome, mode, expected) => {
    expect(Redirect.isPossible(request, outcome, mode)).toBe(expected)
  })
})
