/**
 * Ours beside the published ones: the same outcomes, draws and times give the same delays and levels, but for the
 * differences below, each of which has a test.
 *
 * | published | difference |
 * | --- | --- |
 * | `@smithy/core` 3.41.0 | `AwsBackoff.standard` rounds a fraction of a millisecond up, the SDK down, as `AwsBackoff.javascript` does |
 * | | its limiter rounds rates to eight decimals, and Node.js its timers to whole milliseconds |
 * | | its waiters wake together (in `AwsRetryConvergence.test.ts`) |
 * | `@smithy/util-retry` 4.2.8 | a success lifts the quota to its capacity at least, and above it by what it returns |
 * | | it caps what is drawn, and not the bound |
 * | | its limiter grants after one wait, whatever others took meanwhile, and so goes into debt |
 * | | its limiter takes no notice of a throttle that is told by type |
 */
import { Hint, RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { DefaultRateLimiter, StandardRetryStrategy } from "@smithy/core/retry"
import * as Published2020 from "@smithy/util-retry-2020"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as AwsBackoff from "../../src/decide/AwsBackoff.ts"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import * as AwsRetry from "../../src/loop/AwsRetry.ts"
import { acquire, fail, succeed } from "../../../core/test/fund/Asking.ts"
import type { Operation, Step, World } from "./AwsRetryPublished.ts"
import { inside, operateOurs, operatePublished, runIn } from "./AwsRetryPublished.ts"

const seed = Number(process.env["LAW_SEED"] ?? 20_261_120)
/** Without `LAW_RUNS`, a law runs a quarter as often as it says. */
const factor = Number(process.env["LAW_RUNS"] ?? 0.25)
const law = (numRuns: number) => ({ seed, numRuns: Math.ceil(numRuns * factor) })
const timeout = 300_000 * Math.max(factor, 1)

/** A kind, most often transient, and in half of the cases a hint of up to half a minute. */
const verdict = fc.tuple(fc.nat(9), fc.nat(60_000)).map(([kind, millis]): Verdict.Verdict => {
  if (kind === 9) return Verdict.terminal("not found")
  return Verdict.retryable(kind < 6 ? "Transient" : "Throttling", millis > 30_000 ? {} : { hint: millis })
})
const draw = fc.nat(999_999).map((u) => u / 1_000_000)
const operation = fc.array(fc.record({ verdict, u: draw }), { maxLength: 3 })

interface Sequence {
  readonly initial: number
  readonly maxAttempts: number
  readonly isLongPoll: boolean
  readonly operations: ReadonlyArray<Operation>
}

const sequence: fc.Arbitrary<Sequence> = fc.record({
  initial: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 440, max: 500 })),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  isLongPoll: fc.boolean(),
  operations: fc.array(operation, { minLength: 1, maxLength: 3 })
})

/** A world at an instant that is neither zero nor a whole second. */
const begin = (): World => ({ millis: 1_000_123, u: 0 })

/** A line for each step: two texts are compared much sooner than two trees. */
const toText = (operations: ReadonlyArray<ReadonlyArray<Step>>) =>
  operations
    .flat()
    .map(({ level, millis, outcome }) => `${outcome}, ${level} left, ${millis} ms`)
    .join("\n")

const classifier = (verdict: Verdict.Verdict) => verdict

describe("AwsRetry.standard beside @smithy/core 3.41.0", () => {
  const theirs = ({ initial, isLongPoll, maxAttempts, operations }: Sequence) => {
    const world = begin()
    return inside(world, async () => {
      const strategy = Object.assign(new StandardRetryStrategy(maxAttempts), { capacity: initial })
      const options = { scope: isLongPoll ? "sqs:longpoll" : "sqs", waitOf: () => 0 }
      const steps = []
      for (const each of operations) steps.push(await operatePublished(world, strategy, each, options))
      return steps
    })
  }
  const ours = ({ initial, isLongPoll, maxAttempts, operations }: Sequence, backoff = AwsBackoff.javascript) => {
    const world = begin()
    const run = Effect.gen(function* () {
      const quota = yield* TokenBucket.quota({ initial })
      const bucket = isLongPoll ? AwsQuota.longPolling(quota) : quota
      const policy = { ...AwsRetry.standard, classifier, maxAttempts, backoff, bucket }
      return yield* Effect.forEach(operations, (each) => operateOurs(world, policy, bucket, each))
    })
    return runIn(world, run)
  }

  it(
    "waits, charges and returns the same",
    async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (each) => {
          expect(toText(ours(each))).toBe(toText(await theirs(each)))
        }),
        law(1000)
      )
    },
    timeout
  )

  it("differs by a millisecond when it rounds up a fraction of one", async () => {
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(sequence, async (each) => {
        const published = (await theirs(each)).flat()
        const rounded = ours(each, AwsBackoff.standard).flat()
        expect(rounded.map(({ level }) => level)).toEqual(published.map(({ level }) => level))
        rounded.forEach(({ millis }, i) => seen.add(millis - (published[i]?.millis ?? NaN)))
      }),
      law(300)
    )
    expect([...seen].toSorted()).toEqual([0, 1])
  })
})

describe("AwsRetry.standard2020 beside @smithy/util-retry 4.2.8", () => {
  /** What that version has of its own: its costs, its back-off, and hints as a floor of at most twenty seconds. */
  const policy2020 = {
    ...AwsRetry.standard2020,
    classifier,
    backoff: AwsBackoff.javascript2020,
    hint: Hint.floor({ atMost: "20 seconds", otherwise: "clamp" })
  }
  const theirs = ({ initial, maxAttempts, operations }: Sequence, mend: boolean) => {
    const world = begin()
    return inside(world, async () => {
      const strategy = new Published2020.StandardRetryStrategy(maxAttempts)
      const quota = Object.assign(strategy as object, { capacity: initial })
      const options = { scope: "sqs", waitOf: (token: { getRetryDelay: () => number }) => token.getRetryDelay() }
      const steps = []
      for (const each of operations) {
        const before = quota.capacity
        const taken = await operatePublished(world, strategy, each, options)
        const last = taken.at(-1)
        steps.push(taken)
        if (!mend || last?.outcome !== "succeeded") continue
        const [spent = before, beforeLast = before] = [taken.at(-2)?.level, taken.at(-3)?.level]
        const returned = taken.length === 1 ? 1 : beforeLast - spent
        // The difference: a success lifts the quota to its capacity at least, and above it by what it returns.
        expect(last.level).toBe(Math.max(500, spent + returned))
        quota.capacity = Math.min(500, spent + returned)
        steps.splice(-1, 1, [...taken.slice(0, -1), { ...last, level: quota.capacity }])
      }
      return steps
    })
  }
  const ours = ({ initial, maxAttempts, operations }: Sequence) => {
    const world = begin()
    const run = Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ initial, cost: AwsQuota.costs2020.transient })
      return yield* Effect.forEach(operations, (each) =>
        operateOurs(world, { ...policy2020, maxAttempts, bucket }, bucket, each)
      )
    })
    return runIn(world, run)
  }

  it(
    "waits, charges and returns the same, except for what a success puts in",
    async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (each) => {
          expect(toText(ours(each))).toBe(toText(await theirs(each, true)))
        }),
        law(500)
      )
    },
    timeout
  )

  it("differs when a success would lift the quota from nothing to its capacity", async () => {
    const operations = [[{ verdict: Verdict.transient, u: 0 }]]
    const each = { initial: 20, maxAttempts: 3, isLongPoll: false, operations }
    expect((await theirs(each, false))[0]?.map(({ level }) => level)).toEqual([10, 500])
    expect(ours(each)[0]?.map(({ level }) => level)).toEqual([10, 20])
  })

  it("differs when a draw lies above the cap: it caps the bound, and not the draw", async () => {
    const failures = Array.from({ length: 7 }, () => ({ verdict: Verdict.throttling, u: 0.75 }))
    const each = { initial: 500, maxAttempts: 8, isLongPoll: false, operations: [failures] }
    const lastMillis = (steps: ReturnType<typeof ours>) => steps[0]?.at(-2)?.millis
    expect([lastMillis(await theirs(each, true)), lastMillis(ours(each))]).toEqual([20_000, 15_000])
  })
})

/** A question to a limiter, or an outcome, so many milliseconds after the step before. */
interface Deed {
  readonly millis: number
  readonly deed: "ask" | "succeed" | "fail" | "throttle"
}

const deed = fc.record({
  millis: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 2500 })),
  deed: fc.oneof(
    { weight: 3, arbitrary: fc.constant("ask" as const) },
    { weight: 4, arbitrary: fc.constant("succeed" as const) },
    { weight: 1, arbitrary: fc.constant("fail" as const) },
    { weight: 1, arbitrary: fc.constant("throttle" as const) }
  )
})
const deeds = fc.array(deed, { minLength: 1, maxLength: 25 })

/** A limiter of either version. */
interface Limiter {
  readonly getSendToken: () => Promise<void>
  readonly updateClientSendingRate: (response: never) => void
}

/** What a published limiter keeps to itself; the name of its tokens differs by version. */
interface Inner {
  readonly enabled: boolean
  readonly fillRate: number
  readonly maxCapacity: number
  readonly lastTimestamp: number
  readonly availableTokens?: number
  readonly currentCapacity?: number
}

/** The tokens of a published limiter at a time; `Infinity` if there is no limit yet. */
const levelOf = (inner: Inner, millis: number): number => {
  if (!inner.enabled) return Infinity
  const tokens = inner.availableTokens ?? inner.currentCapacity ?? NaN
  return Math.min(inner.maxCapacity, tokens + (millis / 1000 - inner.lastTimestamp) * inner.fillRate)
}

const tell = (limiter: TokenBucket.TokenBucket, deed: Deed["deed"]) => {
  if (deed === "ask") return acquire(limiter, { attempt: 1 })
  if (deed === "succeed") return succeed(limiter, 1)
  return fail(limiter, deed === "fail" ? Verdict.transient : Verdict.throttling)
}

/** How far apart two limiters may come, and came. */
interface Apart {
  readonly millis: number
  readonly tokens: number
}

/** Both limiters, step by step; if one waits a millisecond longer, both go on at its time. */
const besideEachOther = (make: () => Limiter, responses: Record<string, object>, deeds: ReadonlyArray<Deed>) => {
  const world = begin()
  return inside(world, async (): Promise<Apart> => {
    const theirs = make()
    const inner = theirs as unknown as Inner
    const ours = runIn(world, RateLimiter.adaptive())
    let most = { millis: 0, tokens: 0 }
    // At its capacity a bucket loses the tokens of the millisecond that one of the two waited longer.
    let lost = 0
    for (const { deed, millis } of deeds) {
      world.millis += millis
      const start = world.millis
      if (deed === "ask") await theirs.getSendToken()
      else theirs.updateClientSendingRate(responses[deed] as never)
      const theirMillis = world.millis
      world.millis = start
      const level = runIn(world, Effect.zipRight(tell(ours, deed), ours.level))
      const theirLevel = levelOf(inner, world.millis)
      const apart = Math.abs(world.millis - theirMillis)
      lost += (apart / 1000) * inner.fillRate
      const tokens = level === theirLevel ? 0 : Math.abs(level - theirLevel) - lost
      most = { millis: Math.max(most.millis, apart), tokens: Math.max(most.tokens, tokens) }
      world.millis = Math.max(world.millis, theirMillis)
    }
    return most
  })
}

/** A client's error of a throttled request. */
const throttlingError = { name: "ThrottlingException", $metadata: {} }

describe("RateLimiter.adaptive beside @smithy/core 3.41.0", () => {
  const responses = {
    succeed: {},
    fail: { errorType: "TRANSIENT", error: { name: "InternalError", $metadata: { httpStatusCode: 500 } } },
    throttle: { errorType: "THROTTLING", error: throttlingError }
  }

  it(
    "waits the same and holds the same tokens, to the rounding of a timer and of eight decimals",
    async () => {
      await fc.assert(
        fc.asyncProperty(deeds, async (each) => {
          const { millis, tokens } = await besideEachOther(() => new DefaultRateLimiter(), responses, each)
          expect(millis <= 1 && tokens < 1e-5, `${millis} ms and ${tokens} tokens apart`).toBe(true)
        }),
        law(500)
      )
    },
    timeout
  )
})

/** That version keeps the timer that it found when it was loaded: it is given the one of the world. */
const make2020 = (): Limiter => {
  Object.assign(Published2020.DefaultRateLimiter, {
    setTimeoutFn: (wake: () => void, millis: number) => globalThis.setTimeout(wake, millis)
  })
  return new Published2020.DefaultRateLimiter()
}

describe("RateLimiter.adaptive beside @smithy/util-retry 4.2.8", () => {
  const responses = { succeed: {}, fail: { name: "InternalError", $metadata: {} }, throttle: throttlingError }

  it(
    "waits the same when one attempt asks at a time, to a millisecond of debt for each",
    async () => {
      await fc.assert(
        fc.asyncProperty(deeds, async (each) => {
          const { millis, tokens } = await besideEachOther(make2020, responses, each)
          // Each wait there ends up to a millisecond early, in debt.
          expect(millis).toBeLessThanOrEqual(each.length)
          expect(tokens).toBeLessThan(1e-5)
        }),
        law(250)
      )
    },
    timeout
  )

  it("differs when attempts ask together: ours takes no token that is not there", async () => {
    const asking = 3
    const world = begin()
    const granted = await inside(world, async () => {
      const theirs = make2020()
      theirs.updateClientSendingRate(throttlingError as never)
      const start = world.millis
      await Promise.all(Array.from({ length: asking }, () => theirs.getSendToken()))
      return { millis: world.millis - start, tokens: (theirs as unknown as Inner).currentCapacity }
    })
    // All three went after one wait each, the stubbed clock adding them up, and left the bucket in debt.
    expect(granted.tokens).toBeLessThan(0)
    const ours = begin()
    const limiter = runIn(ours, RateLimiter.adaptive())
    runIn(ours, fail(limiter, Verdict.throttling))
    runIn(ours, Effect.replicateEffect(acquire(limiter, { attempt: 1 }), asking))
    expect(runIn(ours, limiter.level)).toBeGreaterThanOrEqual(0)
  })

  it("differs when the type of an error says that it is a throttle: that version takes no notice (smithy-typescript 1328)", async () => {
    const limiter = make2020()
    limiter.updateClientSendingRate({ errorType: "THROTTLING" } as never)
    expect((limiter as unknown as Inner).enabled).toBe(false)
    const world = begin()
    const ours = runIn(world, RateLimiter.adaptive())
    runIn(world, fail(ours, Verdict.throttling))
    expect(runIn(world, ours.level)).toBe(0)
  })
})
