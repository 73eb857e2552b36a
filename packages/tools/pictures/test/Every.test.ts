import { AwsBackoff, LegacyBackoff } from "@effect-retry/aws"
import { Backoff, Classic, Curve, Jitter, RateLimiter, TokenBucket } from "@effect-retry/core"
import { GoogleBackoff } from "@effect-retry/google"
import { GrpcRetry } from "@effect-retry/grpc"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const svgOf = (picture: string): string =>
  readFileSync(new URL(`../../../../docs/pictures/${picture}.svg`, import.meta.url), "utf8")

/** The names of the panels of a picture. */
const panelsOf = (picture: string): ReadonlyArray<string> =>
  Array.from(svgOf(picture).matchAll(/class="name"[^>]*>([^<]+)</g), ([, name = ""]) => name)

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

  it.each([
    ["aws", AwsBackoff],
    ["aws-legacy", LegacyBackoff],
    ["google", GoogleBackoff],
    ["grpc", { backoff: GrpcRetry.backoff }]
  ])("shows each curve of %s", (picture, module) => {
    expect(panelsOf(picture)).toEqual(expect.arrayContaining(Object.keys(module)))
  })

  it("shows each jitter", () => {
    expect(panelsOf("jitters")).toEqual(expect.arrayContaining([...constructors(Jitter)]))
  })

  it("shows the level of each bucket and of each rate limiter over time", () => {
    const drawn = ["buckets", "limiters"].flatMap(panelsOf)
    expect(drawn).toEqual(expect.arrayContaining([...constructors(TokenBucket, RateLimiter)]))
  })

  it.each(["curves", "jitters", "classics", "aws", "aws-legacy", "google", "grpc", "buckets", "limiters"])(
    "keeps the names in %s away from what stands on the same line",
    (picture) => {
      const pairs = svgOf(picture).matchAll(
        /<text x="([\d.]+)" y="([\d.]+)" class="name">([^<]+)<\/text>\s*<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)</g
      )
      const lines = Array.from(pairs, ([, from, y, name = "", to, other, scale = ""]) => ({
        name,
        isOneLine: y === other,
        left: Number(to) - Number(from) - 8 * name.length - 7 * scale.length
      }))
      expect(lines.map(({ name }) => name)).toEqual(panelsOf(picture))
      const near = lines.filter(({ isOneLine, left }) => isOneLine && left < 4)
      expect(near).toEqual([])
    }
  )
})
