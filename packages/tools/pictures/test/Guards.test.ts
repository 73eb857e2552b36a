import { CircuitBreaker, Hedge, RateLimiter, TokenBucket } from "@effect-retry/core"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const read = (path: string): string => readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), "utf8")

/** Where each guard is seen: the picture, and its name there. Those of a sheet meet one outage. */
const seen: Readonly<Record<string, readonly [picture: string, name: string]>> = {
  "CircuitBreaker.make": ["guards", "a circuit breaker"],
  "Hedge.hedge": ["hedges", "after 60 ms"],
  "Hedge.percentile": ["hedges", "after the 95th percentile"],
  "HttpRetry.paced": ["guards-hint", "a pace learned from headers"],
  "RateLimiter.acceptRatio": ["guards", "an accept ratio and a budget"],
  "RateLimiter.adaptive": ["limiters", "adaptive"],
  "RateLimiter.adaptiveConcurrency": ["guards", "adaptive concurrency"],
  "RateLimiter.concurrencyLimit": ["guards", "a limit of concurrency"],
  "RateLimiter.fixed": ["guards", "a rate limiter"],
  "RateLimiter.serverPause": ["guards-hint", "a pause and a budget"],
  "TokenBucket.Priority": ["guards-priority", "critical, with priorities"],
  "TokenBucket.keyed": ["guards-shard", "a breaker for each shard"],
  "TokenBucket.quota": ["buckets", "quota"],
  "TokenBucket.requestRatio": ["buckets", "requestRatio"],
  "TokenBucket.successRatio": ["guards", "a retry budget"]
}

/** Tags, what combines or changes buckets, and what an operator hears of. */
const others: ReadonlyArray<string> = [
  "CircuitBreaker.changes",
  "TokenBucket.Key",
  "TokenBucket.RetryBucket",
  "TokenBucket.all",
  "TokenBucket.empty",
  "TokenBucket.failClosed",
  "TokenBucket.failOpen",
  "TokenBucket.fallback",
  "TokenBucket.firstAttempts",
  "TokenBucket.operationShare",
  "TokenBucket.shadow",
  "TokenBucket.unlimited"
]

describe("a guard", () => {
  const modules = { CircuitBreaker, Hedge, RateLimiter, TokenBucket }

  it.each(
    Object.entries(modules)
      .flatMap(([module, members]) => Object.keys(members).map((name) => `${module}.${name}`))
      .filter((guard) => !others.includes(guard))
  )("%s has a picture", (guard) => {
    expect(Object.keys(seen)).toContain(guard)
  })

  it.each(Object.entries(seen))("%s is in its picture", (_, [picture, name]) => {
    expect(read(`pictures/${picture}.svg`)).toContain(`>${name}</text>`)
  })

  it("of the table is under a heading with a picture", () => {
    const page = read("guards.md")
    const links = Array.from(page.matchAll(/^\| .* \| ([^|]*) \|$/gm), ([, last = ""]) => last)
      .slice(1)
      .filter((last) => last !== "---")
      .map((last) =>
        Array.from(last.matchAll(/\]\(([^)#]*)#([^)]+)\)/g), ([, file = "", anchor = ""]) => ({ file, anchor }))
      )
    expect(links.length).toBeGreaterThan(9)
    const isDrawn = (text: string, anchor: string) =>
      text
        .split(/^#+ /m)
        .some(
          (section) =>
            section.split("\n")[0]?.toLowerCase().replaceAll("'", "").replaceAll(" ", "-") === anchor &&
            section.includes("](pictures/")
        )
    const without = links.flatMap((row) =>
      row.length > 0 && row.every(({ anchor, file }) => isDrawn(file === "" ? page : read(file), anchor)) ? [] : [row]
    )
    expect(without).toEqual([])
  })
})
