import { Backoff, CircuitBreaker, Classifier, Deadline, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Option } from "effect"
import * as KnownKey from "../../src/fund/compose/KnownKey.ts"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

interface Own {
  readonly rateLimiter?: TokenBucket.TokenBucket
  readonly bucket?: TokenBucket.TokenBucket
  readonly deadline?: ReturnType<typeof Deadline.refuse>
  readonly maxAttempts?: number
}

const open = (retryAfter: Duration.DurationInput): Retry.Refusal => ({
  state: "Open",
  retryAfter: Option.some(Duration.millis(Duration.toMillis(retryAfter)))
})

const makeBreaker = (options: Parameters<typeof CircuitBreaker.make>[0] = {}) =>
  CircuitBreaker.make({ opensAt: { consecutive: 1 }, openFor: "10 seconds", ...options })

/** How an operation stops whose attempts fail as long as `fails` says, and when. */
const stopped = (own: Own, fails: (attempt: number) => boolean = () => true) =>
  Effect.gen(function* () {
    let attempts = 0
    const call = Effect.suspend(() => (fails(++attempts) ? Effect.fail("down") : Effect.succeed("up")))
    const answer = yield* Effect.either(Retry.orStopped(call, { ...policy, ...own }))
    const reason = Either.isLeft(answer) ? answer.left.reason : answer.right
    return { reason, attempts, atMillis: Duration.toMillis(yield* VirtualClock.now) }
  }).pipe(VirtualClock.run)

/** A rate limiter that grants everything and foretells what it is told to. */
const foretelling = (
  refusalAfter: (delay: Duration.Duration) => Effect.Effect<Option.Option<Retry.Refusal>>
): TokenBucket.TokenBucket => ({ ...TokenBucket.unlimited, refusalAfter })

describe("Retry.retry when the rate limiter foretells a refusal", () => {
  it.effect("stops before the wait when the circuit stays open for longer", () =>
    Effect.gen(function* () {
      const rateLimiter = yield* makeBreaker()
      expect(yield* stopped({ rateLimiter })).toEqual({
        reason: { _tag: "RateLimiterRefused", refusal: open("10 seconds") },
        attempts: 1,
        atMillis: 0
      })
    })
  )

  it.effect.each([
    { openFor: "1 second", attempts: 3 },
    { openFor: "1001 millis", attempts: 1 }
  ] as const)("makes $attempts attempts a second apart when the circuit is open for $openFor", (row) =>
    Effect.gen(function* () {
      const rateLimiter = yield* makeBreaker({ openFor: row.openFor })
      const { attempts, atMillis } = yield* stopped({ rateLimiter })
      expect([attempts, atMillis]).toEqual([row.attempts, (row.attempts - 1) * 1000])
    })
  )

  it.effect("stops at once when the circuit is isolated, even if attempts wait for it", () =>
    Effect.gen(function* () {
      for (const whenShort of ["refuse", "wait"] as const) {
        const rateLimiter = yield* makeBreaker({ whenShort })
        const isolating = { ...rateLimiter, record: () => rateLimiter.isolate }
        expect(yield* stopped({ rateLimiter: isolating })).toEqual({
          reason: { _tag: "RateLimiterRefused", refusal: { state: "Isolated", retryAfter: Option.none() } },
          attempts: 1,
          atMillis: 0
        })
      }
    })
  )

  it.effect("waits when attempts wait for the circuit, as long as they may", () =>
    Effect.gen(function* () {
      const patient = yield* makeBreaker({ whenShort: "wait" })
      expect(yield* stopped({ rateLimiter: patient }, (attempt) => attempt === 1)).toEqual({
        reason: "up",
        attempts: 2,
        atMillis: 10_000
      })
      const within = yield* makeBreaker({ whenShort: "wait", maxWait: "9 seconds" })
      expect((yield* stopped({ rateLimiter: within }, (attempt) => attempt === 1)).atMillis).toBe(10_000)
      const beyond = yield* makeBreaker({ whenShort: "wait", maxWait: "8999 millis" })
      expect((yield* stopped({ rateLimiter: beyond })).atMillis).toBe(0)
    })
  )

  it.effect("foretells nothing while a probe of another operation is under way", () =>
    Effect.gen(function* () {
      const breaker = yield* makeBreaker({ openFor: "100 millis" })
      yield* Effect.exit(Retry.retry(Effect.fail("down"), { ...policy, maxAttempts: 1, rateLimiter: breaker }))
      yield* Effect.sleep("100 millis")
      expect(yield* breaker.refusalAfter!(Duration.zero)).toEqual(Option.none())
      yield* Effect.fork(Retry.retry(Effect.never, { ...policy, rateLimiter: breaker }))
      yield* Effect.sleep("1 millis")
      expect(yield* breaker.state).toEqual({ _tag: "HalfOpen", probes: 1 })
      expect(yield* breaker.refusalAfter!(Duration.zero)).toEqual(Option.none())
    }).pipe(VirtualClock.run)
  )

  it.effect("decides all else first, and asks no bucket", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const bucket = {
        ...TokenBucket.unlimited,
        acquire: (request: TokenBucket.Request) => {
          asked.push("bucket")
          return TokenBucket.unlimited.acquire(request)
        }
      }
      const rateLimiter = foretelling((delay) => {
        asked.push(`limiter ${Duration.toMillis(delay)}`)
        return Effect.succeedSome(open("10 seconds"))
      })
      const reasonOf = (own: Own) => Effect.map(stopped({ bucket, rateLimiter, ...own }), ({ reason }) => reason)
      expect(yield* reasonOf({ deadline: Deadline.refuse("500 millis") })).toMatchObject({ _tag: "DeadlinePassed" })
      expect(yield* reasonOf({ maxAttempts: 1 })).toMatchObject({ _tag: "AttemptsSpent" })
      expect(asked).toEqual([])
      expect(yield* reasonOf({})).toMatchObject({ _tag: "RateLimiterRefused" })
      expect(asked).toEqual(["limiter 1000"])
    })
  )

  it.effect("judges the deadline again when the answer takes time", () =>
    Effect.gen(function* () {
      const slow = foretelling(() => Effect.as(Effect.sleep("2 seconds"), Option.none()))
      const deadline = Deadline.refuse("2 seconds")
      expect(yield* stopped({ rateLimiter: slow, deadline })).toMatchObject({
        reason: { _tag: "DeadlinePassed" },
        attempts: 1,
        atMillis: 2000
      })
      const refusing = foretelling(() => Effect.as(Effect.sleep("2 seconds"), Option.some(open("1 hour"))))
      expect(yield* stopped({ rateLimiter: refusing })).toMatchObject({
        reason: { _tag: "RateLimiterRefused" },
        attempts: 1,
        atMillis: 2000
      })
    })
  )

  it.effect("waits when the bucket that foretells dies", () =>
    Effect.gen(function* () {
      const dying = [
        foretelling(() => Effect.die("defect")),
        foretelling(() => {
          throw new Error("defect")
        }),
        foretelling(() => Effect.zipRight(Effect.yieldNow(), Effect.die("defect")))
      ]
      for (const rateLimiter of dying) {
        expect(yield* stopped({ rateLimiter }, (attempt) => attempt === 1)).toEqual({
          reason: "up",
          attempts: 2,
          atMillis: 1000
        })
      }
    })
  )
})

describe("TokenBucket.refusalAfter of buckets made of buckets", () => {
  const told = ({ refusalAfter }: TokenBucket.TokenBucket): Effect.Effect<boolean | "nothing"> =>
    refusalAfter === undefined ? Effect.succeed("nothing") : Effect.map(refusalAfter(Duration.zero), Option.isSome)

  const refused = foretelling(() => Effect.succeedSome(open("1 second")))

  it.effect("is that of the first that foretells, is the key's, and is none in the shadow", () =>
    Effect.gen(function* () {
      const silent = foretelling(() => Effect.succeedNone)
      const { all, firstAttempts, shadow, unlimited } = TokenBucket
      expect(yield* told(all(unlimited, silent, refused))).toBe(true)
      expect(yield* told(all(unlimited, silent))).toBe(false)
      expect(yield* told(all(unlimited))).toBe("nothing")
      expect(yield* told(shadow(refused))).toBe("nothing")
      expect(yield* told(firstAttempts(refused))).toBe("nothing")
      expect(yield* told(KnownKey.makeFinder()(refused, "a"))).toBe(true)
      const keyed = yield* TokenBucket.keyed({ bucket: makeBreaker(), maxKeys: 9, idleTimeToLive: "1 hour" })
      const at = Effect.provideService(TokenBucket.Key, "a")
      yield* at(Effect.exit(Retry.retry(Effect.fail("down"), { ...policy, rateLimiter: keyed })))
      expect([yield* told(keyed), yield* at(told(keyed)), yield* told(KnownKey.makeFinder()(keyed, "a"))]).toEqual([
        false,
        true,
        true
      ])
      const plain = yield* TokenBucket.keyed({ bucket: TokenBucket.quota(), maxKeys: 9, idleTimeToLive: "1 hour" })
      expect(yield* told(plain)).toBe("nothing")
    }).pipe(VirtualClock.run)
  )

  const around = [
    ["failOpen", TokenBucket.failOpen({ within: "1 second" })],
    ["failClosed", TokenBucket.failClosed({ within: "1 second" })],
    ["fallback", TokenBucket.fallback({ within: "1 second", local: refused })]
  ] as const

  it.effect.each(around)("is that of the bucket in %s, if it answers in time", ([, bounded]) =>
    Effect.gen(function* () {
      const failing = (refusalAfter: Effect.Effect<Option.Option<Retry.Refusal>, string>) =>
        bounded({ ...TokenBucket.unlimited, refusalAfter: () => refusalAfter })
      expect(yield* told(bounded(refused))).toBe(true)
      expect(yield* told(bounded(foretelling(() => Effect.succeedNone)))).toBe(false)
      expect(yield* told(failing(Effect.fail("away")))).toBe(false)
      expect(yield* told(failing(Effect.die("dead")))).toBe(false)
      expect(yield* told(bounded(TokenBucket.unlimited))).toBe("nothing")
      const startMillis = yield* VirtualClock.now
      expect(yield* told(failing(Effect.never))).toBe(false)
      expect(Duration.toMillis(Duration.subtract(yield* VirtualClock.now, startMillis))).toBe(1000)
    }).pipe(VirtualClock.run)
  )
})
