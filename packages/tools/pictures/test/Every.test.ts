import { Backoff, Classic, Curve, Jitter, RateLimiter, TokenBucket } from "@effect-retry/core"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

/** The names of the panels of a picture. */
const panelsOf = (picture: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(new URL(`../../../../docs/pictures/${picture}.svg`, import.meta.url), "utf8").matchAll(
      /class="name"[^>]*>([^<]+)</g
    ),
    ([, name = ""]) => name
  )

/** What combines, changes or asks others, and what a user makes. */
const others: ReadonlyArray<string> = [
  "andThen",
  "byKind",
  "capped",
  "fromCurve",
  "isBackoff",
  "jittered",
  "max",
  "min",
  "resetAfter",
  "take",
  "within",
  "fromDraw",
  "fromFunction",
  "make",
  "Key",
  "Priority",
  "RetryBucket",
  "all",
  "empty",
  "failClosed",
  "failOpen",
  "fallback",
  "firstAttempts",
  "keyed",
  "operationShare",
  "shadow",
  "unlimited"
]

const constructors = (...modules: ReadonlyArray<object>): ReadonlyArray<string> =>
  modules.flatMap((module) => Object.keys(module)).filter((name) => !others.includes(name))

describe("a picture", () => {
  it("shows each curve", () => {
    const drawn = ["curves", "jitters", "classics"].flatMap(panelsOf)
    expect(drawn).toEqual(expect.arrayContaining([...constructors(Backoff, Curve, Classic)]))
  })

  it("shows each jitter", () => {
    expect(panelsOf("jitters")).toEqual(expect.arrayContaining([...constructors(Jitter)]))
  })

  it("shows the level of each bucket and of each rate limiter over time", () => {
    const drawn = ["buckets", "limiters"].flatMap(panelsOf)
    expect(drawn).toEqual(expect.arrayContaining([...constructors(TokenBucket, RateLimiter)]))
  })
})
