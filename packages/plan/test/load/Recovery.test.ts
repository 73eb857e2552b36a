import { Backoff, Hint, Policy, RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { Load } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"

const threeAttempts = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

const server = { capacityPerSecond: 20 }

const short = { load: 0.5, seed: 7, patience: "20 seconds", server } as const

describe("Load.recovery", () => {
  it.effect("gives the same outcome for the same seed, and another for another", () =>
    Effect.gen(function* () {
      const client = { policy: threeAttempts, bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }) }
      const options = { ...short, load: 0.1, patience: 0 }
      const first = yield* Load.recovery(client, options)
      expect(yield* Load.recovery(client, options)).toEqual(first)
      expect(yield* Load.recovery(client, { ...options, seed: 8 })).not.toEqual(first)
    })
  )

  it.effect("fails nothing when the server never stands still and has spare capacity", () =>
    Effect.gen(function* () {
      const outcome = yield* Load.recovery({ policy: Policy.once }, { ...short, load: 0.3, outage: 0 })
      expect(outcome.recoveredAfter).toEqual(Option.some(Duration.zero))
      expect(outcome.attempts).toBe(outcome.requests)
      // At the end a few are still under way.
      expect(outcome.failed).toBeLessThan(5)
      // A minute before, and twenty seconds after.
      expect(Math.abs(outcome.requests / (80 * 6) - 1)).toBeLessThan(0.1)
    })
  )

  it.effect("makes as many attempts as the policy allows while nothing is answered", () =>
    Effect.gen(function* () {
      const options = { ...short, outage: "60 seconds", patience: 0 } as const
      const once = yield* Load.recovery({ policy: Policy.once }, options)
      const thrice = yield* Load.recovery({ policy: threeAttempts }, options)
      expect(once.attempts).toBe(once.requests)
      // A minute of arrivals at half of 20 per second fails in the outage, and afterwards the queue is full.
      expect(once.failed).toBeGreaterThan(60 * 10 * 0.9)
      expect(thrice.attempts - thrice.requests).toBeGreaterThan(2 * 60 * 10 * 0.9)
    })
  )

  it.effect("recovers later the longer the server stands still, and sooner if it drops expired work", () =>
    Effect.gen(function* () {
      const client = { policy: threeAttempts, bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }) }
      const seconds = (options: Partial<Load.RecoveryOptions>) =>
        Effect.map(Load.recovery(client, { load: 0.5, seed: 1, server, ...options }), ({ recoveredAfter }) =>
          Option.getOrElse(recoveredAfter, () => Duration.infinity)
        )
      const [short, long] = [yield* seconds({ outage: "5 seconds" }), yield* seconds({ outage: "15 seconds" })]
      expect(Duration.lessThan(short, long)).toBe(true)
      const dropping = yield* seconds({ outage: "15 seconds", server: { ...server, expired: "drop" } })
      expect(Duration.lessThan(dropping, long)).toBe(true)
    })
  )

  it.effect("refuses in an outage with the time until its end, where the server does that", () =>
    Effect.gen(function* () {
      const options = { ...short, patience: 0, server: { ...server, inOutage: "refuse" } } as const
      const inOutage = ({ seconds }: Load.Recovery, count: keyof Load.Second) =>
        seconds.slice(60, 70).reduce((sum, second) => sum + second[count], 0)
      const ignoring = yield* Load.recovery({ policy: { ...threeAttempts, hint: Hint.ignore } }, options)
      const hearing = yield* Load.recovery({ policy: threeAttempts }, options)
      const pause = RateLimiter.serverPause({ atMost: "1 minute" })
      const pausing = yield* Load.recovery({ policy: threeAttempts, rateLimiter: pause }, options)
      expect(inOutage(ignoring, "attempts")).toBe(3 * inOutage(ignoring, "requests"))
      expect(inOutage(ignoring, "succeeded")).toBe(0)
      // The retry comes when the outage is over.
      expect(inOutage(hearing, "attempts")).toBe(inOutage(hearing, "requests"))
      expect(inOutage(hearing, "succeeded")).toBeGreaterThan(0)
      // One of each client finds out.
      expect(inOutage(pausing, "attempts")).toBe(10)
    })
  )

  it.effect("reports for every second what began in it, what succeeded and what the server got", () =>
    Effect.gen(function* () {
      const outcome = yield* Load.recovery({ policy: threeAttempts }, { ...short, patience: 0 })
      const sum = (count: keyof Load.Second, from = 0, to = Infinity) =>
        outcome.seconds.slice(from, to).reduce((sum, second) => sum + second[count], 0)
      expect({ requests: sum("requests"), attempts: sum("attempts") }).toEqual({
        requests: outcome.requests,
        attempts: outcome.attempts
      })
      expect(sum("requests", 60) - sum("succeeded", 60)).toBe(outcome.failed)
      // Before the outage nearly everything succeeds, in it nothing does, and the server gets nearly three times as much.
      expect(sum("succeeded", 0, 59)).toBeGreaterThan(0.99 * sum("requests", 0, 59))
      expect(sum("succeeded", 61, 70)).toBe(0)
      expect(sum("attempts", 63, 70)).toBeGreaterThan(2.5 * sum("requests", 63, 70))
    })
  )

  it.effect("has recovered with the first ten seconds of which nearly all requests succeed", () =>
    Effect.gen(function* () {
      const client = { policy: threeAttempts, bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }) }
      const { recoveredAfter, seconds } = yield* Load.recovery(client, { load: 0.5, seed: 1, server })
      const isHealthy = (from: number) => {
        const sum = (count: keyof Load.Second) =>
          seconds.slice(from, from + 10).reduce((sum, second) => sum + second[count], 0)
        return sum("succeeded") >= 0.99 * sum("requests")
      }
      const first = seconds.findIndex((_, second) => second >= 70 && isHealthy(second)) - 70
      expect(first).toBeGreaterThan(0)
      expect(recoveredAfter).toEqual(Option.some(Duration.seconds(first)))
    })
  )

  it.effect("has recovered when nothing is asked for", () =>
    Effect.gen(function* () {
      const outcome = yield* Load.recovery({ policy: Policy.once }, { load: 1e-9, seed: 1, outage: 0, patience: 0 })
      expect(outcome).toMatchObject({ recoveredAfter: Option.some(Duration.zero), requests: 0, seconds: [] })
    })
  )

  it.effect("fails the requests of the shards that stand still, and no others", () =>
    Effect.gen(function* () {
      const serviceTimes = "constant"
      const outage = { ...short, load: 0.3, outage: "20 seconds", patience: 0 } as const
      const share = (shards: number, stalled?: number) =>
        Effect.map(
          Load.recovery(
            { policy: Policy.once },
            { ...outage, server: { ...server, serviceTimes, shards }, ...(stalled === undefined ? {} : { stalled }) }
          ),
          ({ seconds }) => {
            const during = seconds.slice(61, 79)
            const sum = (count: keyof Load.Second) => during.reduce((sum, second) => sum + second[count], 0)
            return sum("succeeded") / sum("requests")
          }
        )
      expect(Math.abs((yield* share(2, 1)) - 0.5)).toBeLessThan(0.1)
      expect(yield* share(2)).toBe(0)
      expect(yield* share(2, 0)).toBeGreaterThan(0.99)
    })
  )

  it.effect("divides the capacity between the shards, and serves constant times", () =>
    Effect.gen(function* () {
      const options = { ...short, load: 0.3, outage: 0, patience: 0 }
      const outcome = (attemptTimeout: number) =>
        Effect.map(
          Load.recovery(
            { policy: Policy.once },
            { ...options, attemptTimeout, server: { ...server, serviceTimes: "constant", shards: 2 } }
          ),
          ({ failed, requests, seconds }) => {
            const sum = (count: keyof Load.Second, from: number) =>
              seconds.slice(from).reduce((sum, second) => sum + second[count], 0)
            return { failed, requests, succeeded: sum("succeeded", 0), requestsSince: sum("requests", 60) }
          }
        )
      // Two shards serve twenty requests in a second: each takes a tenth of it, and a request that has to wait is too late.
      const late = yield* outcome(99)
      expect(late).toMatchObject({ succeeded: 0, failed: late.requestsSince })
      const { requests, succeeded } = yield* outcome(100)
      expect(Math.abs(succeeded / requests - 0.7)).toBeLessThan(0.1)
    })
  )

  it.effect("has a server of one shard that serves a hundred requests in a second, unless told otherwise", () =>
    Effect.gen(function* () {
      const little = { load: 0.01, seed: 7, outage: 0, patience: 0 }
      const recovery = (server?: Load.ServerOptions) =>
        Load.recovery({ policy: Policy.once }, { ...little, ...(server !== undefined && { server }) })
      const outcome = yield* recovery()
      const told = { capacityPerSecond: 100, serviceTimes: "exponential", expired: "serve", shards: 1 } as const
      expect(outcome).toEqual(yield* recovery(told))
      expect(outcome).not.toEqual(yield* recovery({ ...told, serviceTimes: "constant" }))
      expect(outcome.recoveredAfter).toEqual(Option.some(Duration.zero))
    })
  )

  it.effect("asks the client's rate limiter before every attempt", () =>
    Effect.gen(function* () {
      const rateLimiter = RateLimiter.fixed({ rate: 0.2, burst: 1, whenShort: "refuse" })
      const outcome = yield* Load.recovery({ policy: threeAttempts, rateLimiter }, { ...short, outage: 0 })
      // Ten clients with an attempt in five seconds each, for 100 seconds: there is no recovery.
      expect(outcome.attempts).toBeLessThanOrEqual(10 * 21)
      expect(outcome.requests).toBeGreaterThan(800)
    })
  )

  it.effect("asks a limiter that is keyed for the shard of the request", () =>
    Effect.gen(function* () {
      const none = Effect.map(TokenBucket.Key, (key) => (key === "shard 1" ? TokenBucket.empty : TokenBucket.unlimited))
      const rateLimiter = TokenBucket.keyed({ bucket: none, maxKeys: 10, idleTimeToLive: "1 hour" })
      const options = { ...short, load: 0.1, outage: 0, patience: 0, server: { ...server, shards: 4 } }
      const { attempts, requests } = yield* Load.recovery({ policy: Policy.once, rateLimiter }, options)
      expect(Math.abs(attempts / requests - 0.75)).toBeLessThan(0.1)
    })
  )

  it.effect("tells buckets and limiters of a timeout when an answer is late", () =>
    Effect.gen(function* () {
      const kinds = new Set<string>()
      const noting: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) => {
          if (request.attempt > 1) kinds.add(`asked after ${Option.getOrElse(request.kind, () => "no kind")}`)
          return TokenBucket.unlimited.acquire(request)
        },
        record: (outcome) =>
          Effect.sync(() => {
            if (outcome._tag === "Failed") kinds.add(Option.getOrElse(Verdict.kindOf(outcome.verdict), () => "no kind"))
          })
      }
      const both = { bucket: Effect.succeed(noting), rateLimiter: Effect.succeed(noting) }
      yield* Load.recovery(
        { policy: threeAttempts, ...both },
        { ...short, load: 0.1, outage: "5 seconds", patience: 0 }
      )
      expect([...kinds].toSorted()).toEqual(["Timeout", "asked after Timeout"])
    })
  )

  it.each<readonly [Partial<Load.RecoveryOptions>, string]>([
    [{ load: 0 }, "Load.recovery: load must be > 0, got 0"],
    [{ clients: 0 }, "Load.recovery: clients must be a whole number >= 1, got 0"],
    [{ attemptTimeout: 0 }, "Load.recovery: attemptTimeout must be a finite duration > 0"],
    [{ outage: -1 }, "Load.recovery: outage must be a finite duration >= 0"],
    [{ patience: Infinity }, "Load.recovery: patience must be a finite duration >= 0"],
    [{ server: { shards: 0 } }, "Load.recovery: server.shards must be a whole number >= 1, got 0"],
    [{ stalled: 2 }, "Load.recovery: stalled must be a whole number >= 0 and <= 1, got 2"],
    [{ server: { capacityPerSecond: 0 } }, "Load.recovery: server.capacityPerSecond must be > 0, got 0"],
    [{ server: { serviceTimes: "long" as never } }, "Load.recovery: server.serviceTimes must be one of"],
    [{ server: { expired: "keep" as never } }, "Load.recovery: server.expired must be one of serve, drop"]
  ])("refuses %o", (changed, message) => {
    expect(() => Load.recovery({ policy: threeAttempts }, { ...short, ...changed })).toThrow(message)
  })

  it("refuses a policy that the loop would refuse", () => {
    expect(() => Load.recovery({ policy: { ...threeAttempts, maxAttempts: 0 } }, short)).toThrow(
      "Load.recovery: maxAttempts must be a whole number >= 1, got 0"
    )
  })
})
