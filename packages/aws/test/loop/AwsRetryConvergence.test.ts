/**
 * Adaptive mode against a server that allows twenty requests per second, and the known weak points of its algorithm.
 */
import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { DefaultRateLimiter } from "@smithy/core/retry"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { acquire, fail, succeed } from "../../../core/test/fund/Asking.ts"
import type { Options } from "./AwsRetryLoad.ts"
import { between, load, makeServer } from "./AwsRetryLoad.ts"
import { inside, runIn, type World } from "./AwsRetryPublished.ts"

/** The options by which core's limiter leaves the SDKs' rule, all three of them. */
const robust = { cutAtMostEvery: "500 millis", idleAfter: "5 seconds", offAfter: "1 minute" } as const

describe("AwsRetry.adaptive against a server that throttles", () => {
  it.effect.each<{ name: string; options: Options; workers: number }>([
    { name: "the rule of the SDKs", options: {}, workers: 5 },
    { name: "the rule of the SDKs", options: {}, workers: 30 },
    { name: "one cut for a burst of throttles", options: robust, workers: 30 }
  ])("settles within fifteen seconds, with $workers workers and $name", ({ options, workers }) =>
    Effect.gen(function* () {
      const server = makeServer(20, "50 millis")
      const answers = yield* load(RateLimiter.adaptive(options), { seconds: 40, workers, server })
      for (const from of [15, 27.5]) {
        const { perSecond, throttledRatio } = between(answers, from, from + 12.5)
        expect(throttledRatio).toBeLessThan(0.05)
        expect(perSecond).toBeGreaterThan(18)
      }
    }).pipe(Effect.provide(SeededRandom.layer("settles")))
  )

  it.effect("would not settle without a limiter", () =>
    Effect.gen(function* () {
      const server = makeServer(20, "50 millis")
      const answers = yield* load(Effect.succeed(TokenBucket.unlimited), { seconds: 20, workers: 8, server })
      expect(between(answers, 15, 20).throttledRatio).toBeGreaterThan(0.3)
    }).pipe(Effect.provide(SeededRandom.layer("settles")))
  )
})

/** Outcomes at a steady rate, then what a scenario adds: to a limiter that is told by `tell`. */
interface Told {
  readonly tell: (throttled: boolean) => void
  readonly pass: (millis: number) => void
}

const steady = ({ pass, tell }: Told, perSecond: number, seconds: number) => {
  for (let i = 0; i < perSecond * seconds; i++) {
    pass(1000 / perSecond)
    tell(false)
  }
}

const begin = (): World => ({ millis: 1_000_000, u: 0 })

/** The rate at which the published limiter sends after a scenario. */
const publishedRate = (scenario: (told: Told) => void) => {
  const world = begin()
  return inside(world, async () => {
    const limiter = new DefaultRateLimiter()
    scenario({
      tell: (throttled) =>
        limiter.updateClientSendingRate({ errorType: throttled ? "THROTTLING" : "TRANSIENT" } as never),
      pass: (millis) => void (world.millis += millis)
    })
    const { enabled, fillRate } = limiter as unknown as { readonly enabled: boolean; readonly fillRate: number }
    return enabled ? fillRate : Infinity
  })
}

/** The same of ours, seen from outside: how fast its tokens come in. */
const ourRate = (options: Options, scenario: (told: Told) => void) => {
  const world = begin()
  const limiter = runIn(world, RateLimiter.adaptive(options))
  scenario({
    tell: (throttled) => runIn(world, throttled ? fail(limiter, Verdict.throttling) : succeed(limiter, 1)),
    pass: (millis) => void (world.millis += millis)
  })
  if (runIn(world, limiter.level) === Infinity) return Infinity
  const empty = Effect.iterate(true, {
    while: (granted) => granted,
    body: () => Effect.map(acquire(limiter, { attempt: 1, atMostMillis: 0 }), ({ _tag }) => _tag === "Some")
  })
  runIn(world, empty)
  const before = runIn(world, limiter.level)
  world.millis += 100
  return (runIn(world, limiter.level) - before) * 10
}

/** A hundred requests per second, then twenty throttles in twenty milliseconds. */
const storm = (told: Told) => {
  steady(told, 100, 5)
  for (let i = 0; i < 20; i++) {
    told.pass(1)
    told.tell(true)
  }
}

/** Ten requests per second, a throttle, and then a minute of silence before the next response. */
const silence = (told: Told) => {
  steady(told, 10, 5)
  told.tell(true)
  steady(told, 10, 2)
  told.pass(60_000)
  told.tell(false)
}

/** A throttle, and then two minutes without one. */
const quiet = (told: Told) => {
  steady(told, 10, 5)
  told.tell(true)
  steady(told, 10, 120)
}

describe("RateLimiter.adaptive at the weak points of the SDKs", () => {
  it.each<{
    name: string
    scenario: (told: Told) => void
    options: Options
    weak: readonly [number, number]
    ours: readonly [number, number]
  }>([
    {
      name: "a storm of throttles takes the rate to the least there is, and with cutAtMostEvery makes one cut",
      scenario: storm,
      options: { cutAtMostEvery: "1 second" },
      weak: [0.5, 0.5],
      ours: [65, 75]
    },
    {
      name: "a silence takes the limit down, and with idleAfter leaves it",
      scenario: silence,
      options: { idleAfter: "5 seconds" },
      weak: [0, 5],
      ours: [9, 25]
    },
    {
      name: "a limit stays for ever, and with offAfter goes",
      scenario: quiet,
      options: { offAfter: "1 minute" },
      weak: [0, 30],
      ours: [Infinity, Infinity]
    }
  ])("$name", async ({ options, ours, scenario, weak }) => {
    const published = await publishedRate(scenario)
    expect(published).toBeGreaterThanOrEqual(weak[0])
    expect(published).toBeLessThanOrEqual(weak[1])
    // By the rule of the SDKs ours is as weak.
    expect(ourRate({}, scenario)).toBeCloseTo(published, 4)
    const rate = ourRate(options, scenario)
    expect(rate).toBeGreaterThanOrEqual(ours[0])
    expect(rate).toBeLessThanOrEqual(ours[1])
  })

  it.effect("wakes one waiter for each token, first come, first served", () =>
    Effect.gen(function* () {
      const waiters = 30
      const limiter = yield* RateLimiter.adaptive()
      yield* fail(limiter, Verdict.throttling)
      const clock = yield* Effect.clock
      let sleeps = 0
      const counting = Object.create(clock, {
        sleep: {
          value: (duration: Duration.Duration) =>
            Effect.suspend(() => {
              sleeps += 1
              return clock.sleep(duration)
            })
        }
      }) as Clock.Clock
      const served: Array<readonly [waiter: number, seconds: number]> = []
      const fibers = yield* Effect.forEach(Array.from({ length: waiters }), (_, waiter) =>
        acquire(limiter, { attempt: 1 }).pipe(
          Effect.zipRight(Effect.map(VirtualClock.now, (now) => void served.push([waiter, Duration.toSeconds(now)]))),
          Effect.withClock(counting),
          Effect.fork
        )
      )
      yield* Fiber.join(Fiber.all(fibers))
      expect(served).toEqual(Array.from({ length: waiters }, (_, waiter) => [waiter, 2 * (waiter + 1)]))
      expect(sleeps).toBeLessThanOrEqual(2 * waiters)
    }).pipe(VirtualClock.run)
  )

  it("wakes all waiters of the published limiter for each token", async () => {
    const waiters = 30
    let timers = 0
    const { setTimeoutFn } = DefaultRateLimiter as unknown as { readonly setTimeoutFn: unknown }
    const waiting: Array<{ readonly wake: () => void; readonly atMillis: number }> = []
    const world = begin()
    try {
      await inside(world, async () => {
        const limiter = new DefaultRateLimiter()
        Object.assign(DefaultRateLimiter, {
          setTimeoutFn: (wake: () => void, millis: number) => {
            timers += 1
            waiting.push({ wake, atMillis: world.millis + Math.ceil(millis) })
          }
        })
        limiter.updateClientSendingRate({ errorType: "THROTTLING" } as never)
        const served: Array<number> = []
        const all = Array.from({ length: waiters }, (_, waiter) =>
          limiter.getSendToken().then(() => void served.push(waiter))
        )
        while (served.length < waiters) {
          await Promise.resolve()
          const due = Math.min(...waiting.map(({ atMillis }) => atMillis))
          if (due === Infinity) continue
          world.millis = Math.max(world.millis, due)
          for (const { wake } of waiting.splice(0)) wake()
        }
        await Promise.all(all)
      })
    } finally {
      Object.assign(DefaultRateLimiter, { setTimeoutFn })
    }
    expect(timers).toBeGreaterThan((waiters * waiters) / 3)
  })
})
