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

const often = <A>(times: number, of: A, wrap: (of: A) => A): A =>
  Array.from({ length: times }).reduce<A>((inner) => wrap(inner), of)

const wrapped = (times: number) => often<object>(times, web(true), (original) => ({ original }))
const caused = (times: number) =>
  often<object>(times, at({ port: 81 }), (cause) => Object.assign(new Error("x"), { cause }))

const relative = HttpClientRequest.post("/orders")

const cycle = Object.assign(new Error("first"), { code: "ECONNRESET" })
cycle.cause = new Error("second", { cause: cycle })

const web = (redirected: boolean) => {
  const response = new Response(null, { status: 425 })
  Object.defineProperty(response, "redirected", { value: redirected })
  return HttpClientResponse.fromWeb(request, response)
}

const withStatus = (response: HttpClientResponse.HttpClientResponse) =>
  new HttpClientError.ResponseError({ request, response, reason: "StatusCode" })

describe("Redirect.urlAnswering", () => {
  const answering = (redirected: boolean, url?: unknown) => Redirect.urlAnswering({ source: { redirected, url } })?.href

  it("is the URL that a redirected request ended at", () => {
    expect(answering(true, "http://other.test/done")).toBe("http://other.test/done")
    expect(Redirect.urlAnswering({ original: { source: { redirected: true, url: "http://other.test/" } } })?.href).toBe(
      "http://other.test/"
    )
  })

  it("is not known when nothing was redirected, or when the response has no URL", () => {
    const others = [
      answering(false, "http://other.test/"),
      ...["", "/done", undefined].map((url) => answering(true, url))
    ]
    expect([...others, answering(true, new URL("http://other.test/"))]).toEqual(
      Array.from({ length: 5 }, () => undefined)
    )
  })
})

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
    ["a response below as many clients as are looked through", wrapped(99), undefined, true],
    ["a response below more clients than are looked through", wrapped(100), undefined, false],
    ["the last of the causes that are followed", failed(request, caused(9)), undefined, true],
    ["a cause beyond those that are followed", failed(request, caused(10)), undefined, false],
    ["an error of a request that goes nowhere", failed(relative, refused), undefined, true],
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

  it("compares requests without a valid URL by their method alone", () => {
    const again = HttpClientRequest.setHeader(relative, "x", "1")
    expect(
      [again, HttpClientRequest.setMethod(again, "GET")].map((of) =>
        Redirect.isPossible(relative, failed(of, refused), undefined)
      )
    ).toEqual([false, true])
    expect(Redirect.isPossible(relative, failed(relative, at({ hostname: "api.test" })), undefined)).toBe(true)
  })

  it.each(rows)("tells %s", (_, outcome, mode, expected) => {
    expect(Redirect.isPossible(request, outcome, mode)).toBe(expected)
  })
})
