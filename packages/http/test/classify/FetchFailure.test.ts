import { describe, expect, it } from "@effect/vitest"
import * as FetchFailure from "../../src/classify/FetchFailure.ts"

/** Source: `undici` 7.30.2, lib/web/fetch/index.js, read 2026-11-24. */
const refusals: ReadonlyArray<string> = [
  "Range start is greater than the blob's size.",
  'URL cannot contain credentials for request mode "cors"',
  "URL scheme must be a HTTP(S) scheme",
  "about scheme is not supported",
  "bad port",
  "blocked",
  "cors failure",
  'cross origin not allowed for request mode "cors"',
  "failed to fetch the data URL",
  "integrity mismatch",
  "invalid method",
  "local URLs only",
  "not implemented... yet...",
  "only if cached",
  "proxy authentication required",
  "redirect count exceeded",
  'redirect mode cannot be "follow" for "no-cors" request',
  'request mode cannot be "same-origin"',
  "unexpected redirect",
  "unknown scheme"
]

const bug = "a TypeError that does not come from the network"

describe("FetchFailure.whyLasting", () => {
  it.each(refusals)("names what fetch itself refuses, whatever the error is: %s", (message) => {
    expect(["Error", "TypeError", undefined].map((name) => FetchFailure.whyLasting(name, message))).toEqual(
      Array.from({ length: 3 }, () => `refused by fetch: ${message}`)
    )
  })

  it.each([
    ["TypeError", "x is not a function", bug],
    ["TypeError", "fetch failed: bad port", bug],
    ["TypeError", "", bug],
    ["TypeError", "fetch failed", undefined],
    ["TypeError", "Failed to fetch (host)", undefined],
    ["TypeError", undefined, undefined],
    ["Error", "x is not a function", undefined],
    [undefined, "x is not a function", undefined],
    [undefined, undefined, undefined]
  ])("says of a %s with the message %j: %j", (name, message, why) => {
    expect(FetchFailure.whyLasting(name, message)).toBe(why)
  })

  it.each([
    ["Error", "", "fetch failed", "refused by fetch, without a reason"],
    ["Error", "", "another message", undefined],
    ["Error", "", undefined, undefined],
    ["SocketError", "", "fetch failed", undefined],
    ["Error", "a reason", "fetch failed", undefined]
  ])("says of a %s with the message %j behind %j: %j", (name, message, outer, why) => {
    expect(FetchFailure.whyLasting(name, message, outer)).toBe(why)
  })
})
