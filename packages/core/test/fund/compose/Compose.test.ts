import { Backoff, Classifier, RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Logger, Option } from "effect"
import { law } from "../../support/Laws.ts"
import * as Compositions from "../Compositions.ts"
import {
  abandoned,
  acquire,
  audited,
  failed,
  isGranted,
  moves,
  refused,
  request,
  succeeded,
  traceOf
} from "../Compositions.ts"
import { interruptedBefore } from "../Interrupting.ts"
import { logged } from "../Logged.ts"
import * as SteppedClock from "../SteppedClock.ts"

type Bucket = TokenBucket.TokenBucket

const quota = (capacity: number, orElse = 1) =>
  TokenBucket.quota({ capacity, cost: { Throttling: Math.min(3, capacity), orElse } })

const waiting = RateLimiter.fixed({ rate: 1, burst: 1 })

const counting = RateLimiter.concurrencyLimit({ limit: 2, whenShort: "refuse" })

const granted = (bucket: Bucket, changed?: Partial<TokenBucket.Request>) =>
  Effect.map(acquire(bucket, changed), Option.getOrThrow)

const levels = (...buckets: ReadonlyArray<Bucket>) => Effect.forEach(buckets, ({ level }) => level)

describe("TokenBucket.unlimited", () => {
  it.effect("grants every attempt for nothing", () =>
    Effect.gen(function* () {
      expect(yield* Effect.map(granted(TokenBucket.unlimited), ({ tokens }) => tokens)).toBe(0)
      expect(yield* TokenBucket.unlimited.level).toBe(Infinity)
    })
  )
})

describe("TokenBucket.empty", () => {
  it.effect("grants no attempt", () =>
    Effect.gen(function* () {
      expect(yield* acquire(TokenBucket.empty)).toEqual(Option.none())
      expect(yield* TokenBucket.empty.level).toBe(0)
    })
  )
})

describe("TokenBucket.all", () => {
  it.effect("takes from every bucket, and grants the most that one of them granted", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* quota(9, 2), yield* quota(4)]
      const both = TokenBucket.all(a, b)
      expect(yield* both.level).toBe(4)
      expect((yield* granted(both)).tokens).toBe(2)
      expect(yield* levels(a, b, both)).toEqual([7, 3, 3])
    })
  )

  it.effect("refunds in reverse order what the buckets before a refusal granted", () =>
    Effect.gen(function* () {
      const refunds: Array<string> = []
      const named = (name: string): Bucket => ({
        ...TokenBucket.unlimited,
        acquire: () => Effect.succeedSome({ tokens: 1, refund: Effect.sync(() => void refunds.push(name)) })
      })
      const asked = { ...TokenBucket.unlimited, acquire: () => Effect.dieMessage("asked after a refusal") }
      expect(yield* acquire(TokenBucket.all(named("a"), named("b"), TokenBucket.empty, asked))).toEqual(Option.none())
      expect(refunds).toEqual(["b", "a"])
      yield* (yield* granted(TokenBucket.all(named("c"), named("d")))).refund
      expect(refunds).toEqual(["b", "a", "d", "c"])
    })
  )

  it.effect("records with each bucket what that bucket granted, whichever of two equal attempts ends first", () =>
    Effect.gen(function* () {
      const [a, costs] = audited(yield* quota(9))
      const [b, counts] = audited(yield* counting)
      const both = TokenBucket.all(a, b)
      const first = yield* granted(both)
      const second = yield* granted(both, { kind: Option.some("Throttling") })
      yield* both.record(failed(second, 2))
      yield* both.record(succeeded(first, 2))
      yield* both.record(succeeded())
      const tokensOf = ({ heard }: Compositions.Ledger) => heard.map(({ granted }) => granted.tokens)
      expect([tokensOf(costs), tokensOf(counts)]).toEqual([
        [3, 1, 0],
        [1, 1, 0]
      ])
    })
  )

  it.effect("tells a bucket of starts and abandoned attempts if it hears of starts, and tells no other", () =>
    Effect.gen(function* () {
      const [a, deaf] = audited(yield* quota(9))
      const [b, hearing] = audited(yield* counting)
      const both = TokenBucket.all(a, b)
      expect(TokenBucket.all(a, a).started).toBe(undefined)
      const grant = yield* granted(both)
      yield* both.started?.({ attempt: 2 }) ?? Effect.void
      expect(yield* b.level).toBe(1)
      yield* both.record(abandoned(grant, 2))
      expect(yield* b.level).toBe(2)
      expect([deaf.heard, hearing.heard.map(({ _tag }) => _tag)]).toEqual([[], ["Abandoned"]])
    })
  )

  it.effect.each([
    { atMostMillis: 2_000, isGranted: true, atMillis: 2_000 },
    { atMostMillis: 1_999, isGranted: false, atMillis: 1_000 },
    { atMostMillis: 999, isGranted: false, atMillis: 0 }
  ])("waits in all buckets together for at most $atMostMillis ms", (expected) =>
    Effect.gen(function* () {
      const fast = yield* waiting
      const slow = yield* RateLimiter.fixed({ rate: 0.5, burst: 1 })
      yield* granted(TokenBucket.all(fast, slow))
      const asked = TokenBucket.all(fast, slow)
      const atMost = Option.some(Duration.millis(expected.atMostMillis))
      expect(yield* isGranted(asked, { atMost })).toBe(expected.isGranted)
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(expected.atMillis)
      expect(yield* fast.level).toBe(expected.isGranted ? 1 : expected.atMillis / 1_000)
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{ readonly does: string; readonly acquire: () => unknown }>([
    { does: "dies", acquire: () => Effect.dieMessage("acquire") },
    { does: "answers nothing", acquire: () => Effect.void },
    { does: "answers nothing later", acquire: () => Effect.yieldNow() },
    { does: "answers no effect", acquire: () => undefined },
    { does: "grants no number", acquire: () => Effect.succeedSome({ tokens: NaN }) }
  ])("refunds what the buckets before one that $does granted", ({ acquire: asked }) =>
    Effect.gen(function* () {
      const a = yield* quota(9)
      const dying: Bucket = { ...TokenBucket.unlimited, acquire: asked as Bucket["acquire"] }
      expect(yield* Effect.exit(acquire(TokenBucket.all(a, dying)))).toEqual(Exit.die(expect.anything()))
      expect(yield* a.level).toBe(9)
    })
  )

  it.effect("foretells the first refusal that one of the buckets foretells, asking each for the same delay", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const foretelling = (name: string, state?: string): Bucket => ({
        ...TokenBucket.unlimited,
        refusalAfter: (delay) =>
          Effect.sync(() => {
            asked.push(`${name} ${Duration.toMillis(delay)}`)
            return Option.map(Option.fromNullable(state), (state) => ({ state, retryAfter: Option.none() }))
          })
      })
      const each = TokenBucket.all(
        foretelling("a"),
        TokenBucket.unlimited,
        foretelling("b", "shut"),
        foretelling("c", "full")
      )
      expect(yield* each.refusalAfter!(Duration.millis(7))).toEqual(
        Option.some({ state: "shut", retryAfter: Option.none() })
      )
      expect(asked).toEqual(["a 7", "b 7"])
      const willing = TokenBucket.all(foretelling("a"), foretelling("b"))
      expect(yield* willing.refusalAfter!(Duration.zero)).toEqual(Option.none())
      expect(TokenBucket.all(TokenBucket.unlimited, TokenBucket.empty)).not.toHaveProperty("refusalAfter")
    })
  )

  it("is timed if one of the buckets is", () => {
    const timed: Bucket = { ...TokenBucket.unlimited, timed: true }
    expect([TokenBucket.all(TokenBucket.unlimited, timed).timed, TokenBucket.all(TokenBucket.unlimited).timed]).toEqual(
      [true, undefined]
    )
  })

  it.effect.each([
    { answer: Effect.void, message: "TokenBucket.all: acquire must be an effect of an Option, got undefined" },
    {
      answer: Effect.succeedSome({ tokens: NaN, refund: Effect.void }),
      message: "TokenBucket.all: tokens of a grant must be a finite number >= 0, got NaN"
    }
  ])("says what is wrong with an answer: $message", ({ answer, message }) =>
    Effect.gen(function* () {
      const broken: Bucket = { ...TokenBucket.unlimited, acquire: () => answer as ReturnType<Bucket["acquire"]> }
      const exit = yield* Effect.exit(acquire(TokenBucket.all(broken)))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ message })
    })
  )

  it.effect("tells a bucket of an abandoned attempt only if its own grant, or a start, asks for it", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const hearing = (name: string, hearsAbandoned: boolean): Bucket => ({
        ...TokenBucket.unlimited,
        acquire: () => Effect.succeedSome({ tokens: 1, refund: Effect.void, hearsAbandoned }),
        record: ({ _tag }) => Effect.sync(() => void heard.push(`${name} ${_tag}`))
      })
      const each = TokenBucket.all(hearing("a", true), hearing("b", false))
      yield* each.record(abandoned(yield* granted(each)))
      yield* each.record(succeeded(yield* granted(each)))
      expect(heard).toEqual(["a Abandoned", "a Succeeded", "b Succeeded"])
      const nested = TokenBucket.all(hearing("c", false), each)
      yield* nested.record(abandoned(yield* granted(nested)))
      expect(heard.slice(3)).toEqual(["a Abandoned"])
    })
  )

  it.effect("records and refunds with every bucket, even when one of them dies", () =>
    Effect.gen(function* () {
      const [a, before] = audited(yield* quota(9))
      const [b, after] = audited(yield* quota(9))
      const dying: Bucket = {
        ...TokenBucket.unlimited,
        acquire: () => Effect.succeedSome({ tokens: 0, refund: Effect.dieMessage("refund") }),
        record: () => {
          throw new Error("record")
        }
      }
      const each = TokenBucket.all(a, dying, b)
      yield* Effect.exit((yield* granted(each)).refund)
      yield* Effect.exit(each.record(succeeded()))
      yield* Effect.exit(acquire(TokenBucket.all(a, dying, TokenBucket.empty)))
      expect([before.refunded, after.refunded]).toEqual([2, 1])
      expect([before.heard.length, after.heard.length]).toEqual([1, 1])
    })
  )

  const { bucket } = Compositions
  const composed = (makes: ReadonlyArray<Effect.Effect<Bucket>>, compose: typeof TokenBucket.all) =>
    Effect.map(Effect.all(makes), (buckets) => compose(...buckets))

  it.prop(
    "is associative",
    [bucket, bucket, bucket, moves],
    ([a, b, c, moves]) => {
      const { all } = TokenBucket
      const [flat, left, right] = [
        all,
        (a: Bucket, b: Bucket, c: Bucket) => all(all(a, b), c),
        (a: Bucket, b: Bucket, c: Bucket) => all(a, all(b, c))
      ].map((compose) =>
        traceOf(
          Effect.map(Effect.all([a, b, c]), ([a, b, c]) => compose(a, b, c)),
          moves
        )
      )
      expect([left, right]).toEqual([flat, flat])
    },
    law(60)
  )

  it.prop(
    "has unlimited as its identity, and empty as its zero",
    [bucket, moves],
    ([make, moves]) => {
      const { all, empty, unlimited } = TokenBucket
      const trace = (compose: (bucket: Bucket) => Bucket) =>
        traceOf(
          composed([make], (bucket) => compose(bucket!)),
          moves
        )
      const alone = trace((bucket) => bucket)
      const none = trace(() => empty)
      const neutral = [all, (bucket: Bucket) => all(unlimited, bucket), (bucket: Bucket) => all(bucket, unlimited)]
      const zeroed = [(bucket: Bucket) => all(empty, bucket), (bucket: Bucket) => all(bucket, empty)]
      expect(neutral.map(trace)).toEqual(neutral.map(() => alone))
      expect(zeroed.map(trace)).toEqual(zeroed.map(() => none))
      expect(trace(() => all())).toEqual(trace(() => unlimited))
    },
    law(60)
  )

  it.prop(
    "changes no bucket by a refusal, and none by a refund",
    [bucket, bucket, moves],
    ([a, b, moves]) => {
      const changes: Array<unknown> = []
      const checked = Effect.map(Effect.all([a, b]), (buckets): Bucket => {
        const both = TokenBucket.all(...buckets)
        const compare = (before: ReadonlyArray<number>, after: ReadonlyArray<number>) => {
          if (after.some((level, i) => level !== before[i])) changes.push({ before, after })
        }
        return {
          ...both,
          acquire: (request) =>
            Effect.gen(function* () {
              const before = yield* levels(...buckets)
              const refunded = yield* both.acquire(request)
              if (Option.isSome(refunded)) yield* refunded.value.refund
              compare(before, yield* levels(...buckets))
              const answer = yield* both.acquire(request)
              if (Option.isNone(answer)) compare(before, yield* levels(...buckets))
              return answer
            })
        }
      })
      traceOf(checked, moves)
      expect(changes).toEqual([])
    },
    law(60)
  )

  it("keeps granted = spent + refunded for every bucket, at whatever step an operation is interrupted", () => {
    const run = (at: number) => {
      const clock = SteppedClock.make()
      const [a, first] = audited(clock.run(waiting))
      const [b, second] = audited(clock.run(quota(9)))
      const [c, third] = audited(clock.run(waiting))
      const each = TokenBucket.all(a, b, c)
      clock.run(Effect.flatMap(granted(each), (grant) => each.record(succeeded(grant))))
      const operation = Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.map(each.acquire(request({ restore })), Option.getOrThrow), (grant) =>
          Effect.flatMap(Effect.exit(restore(Effect.yieldNow())), (exit) =>
            Exit.isSuccess(exit) ? each.record(succeeded(grant)) : grant.refund
          )
        )
      )
      const fiber = clock.fork(interruptedBefore(at, operation))
      for (let second = 0; second < 3; second++) {
        clock.settle()
        clock.advance(1_000)
      }
      clock.settle()
      const { steps } = Effect.runSync(Effect.flatten(Fiber.poll(fiber).pipe(Effect.map(Option.getOrThrow))))
      for (const { granted, refunded, spent } of [first, second, third]) expect(granted).toBe(spent + refunded)
      // The level tells of what the ledger cannot see: a wait that was interrupted and took its token all the same.
      clock.advance(10_000)
      expect(clock.run(levels(a, c, b))).toEqual([1, 1, 9])
      return steps
    }
    const steps = run(Infinity)
    expect(steps).toBeGreaterThan(20)
    for (let at = 1; at <= steps; at++) run(at)
  })

  TokenBucketContract.suite(vitest, "all of two quotas", composed([quota(50), quota(50)], TokenBucket.all))
  TokenBucketContract.suite(
    vitest,
    "all of a quota and a bucket that waits",
    composed(
      [
        Effect.succeed(TokenBucket.unlimited),
        TokenBucket.quota({ capacity: 50, refillPerSecond: 5, whenShort: "wait" })
      ],
      TokenBucket.all
    ),
    { waits: true, refills: true }
  )
  TokenBucketContract.suite(
    vitest,
    "all of two limits of concurrency",
    composed([counting, counting], TokenBucket.all),
    {
      returns: true
    }
  )
  TokenBucketContract.suite(vitest, "all of none", Effect.succeed(TokenBucket.all()), { grants: "all" })
})

describe("TokenBucket.shadow", () => {
  it.effect("grants when the bucket throws before it answers", () =>
    Effect.gen(function* () {
      const broken: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: () => {
          throw new Error("a bug in the bucket")
        }
      }
      expect((yield* granted(TokenBucket.shadow(broken))).tokens).toBe(0)
    })
  )

  it.effect("grants for nothing what the bucket refuses, and reports it", () =>
    Effect.gen(function* () {
      const refused: Array<number> = []
      const shadow = TokenBucket.shadow(yield* quota(2, 2), {
        onRefused: ({ attempt }) => Effect.sync(() => void refused.push(attempt))
      })
      expect([(yield* granted(shadow)).tokens, yield* shadow.level]).toEqual([2, 0])
      expect((yield* granted(shadow, { attempt: 7 })).tokens).toBe(0)
      yield* Effect.yieldNow()
      expect(refused).toEqual([7])
    })
  )

  it.effect("refunds to the bucket, and records with the bucket what that bucket granted", () =>
    Effect.gen(function* () {
      const [bucket, ledger] = audited(yield* quota(1))
      const shadow = TokenBucket.shadow(bucket)
      yield* (yield* granted(shadow)).refund
      expect(yield* bucket.level).toBe(1)
      const [first, second] = [yield* granted(shadow), yield* granted(shadow)]
      yield* shadow.record(failed(second, 2))
      yield* shadow.record(succeeded(first, 2))
      expect(ledger.heard.map(({ granted }) => granted.tokens)).toEqual([0, 1])
    })
  )

  it.effect("waits for no bucket and no hanging report, and survives a report that dies", () =>
    Effect.gen(function* () {
      for (const onRefused of [() => Effect.never, () => Effect.dieMessage("report")]) {
        const shadow = TokenBucket.shadow(yield* waiting, { onRefused })
        expect(yield* Effect.replicateEffect(isGranted(shadow), 3)).toEqual([true, true, true])
      }
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants when the bucket dies, and logs the defect", () =>
    Effect.gen(function* () {
      const dying: Bucket = { ...TokenBucket.empty, acquire: () => Effect.dieMessage("acquire") }
      const lines = yield* logged(Effect.map(isGranted(TokenBucket.shadow(dying)), (is) => expect(is).toBe(true)))
      expect(lines).toMatchObject([
        ["TokenBucket.shadow: the bucket died", { original: new Cause.RuntimeException("acquire") }]
      ])
    })
  )

  it.effect.each<{ readonly does: string; readonly acquire: () => unknown }>([
    { does: "interrupts itself", acquire: () => Effect.interrupt },
    { does: "interrupts itself later", acquire: () => Effect.zipRight(Effect.yieldNow(), Effect.interrupt) },
    { does: "answers nothing", acquire: () => Effect.void },
    { does: "answers nothing later", acquire: () => Effect.yieldNow() },
    { does: "is no effect", acquire: () => undefined },
    { does: "grants no number", acquire: () => Effect.succeedSome({ tokens: NaN, refund: Effect.void }) }
  ])("grants when the bucket $does, and logs it, also where the logger dies", ({ acquire }) =>
    Effect.gen(function* () {
      const broken = TokenBucket.shadow({ ...TokenBucket.empty, acquire: acquire as Bucket["acquire"] })
      const granting = Effect.map(granted(broken), ({ tokens }) => expect(tokens).toBe(0))
      expect(yield* logged(granting)).toMatchObject([["TokenBucket.shadow: the bucket died", {}]])
      const dying = Logger.make(() => {
        throw new Error("the logger")
      })
      yield* Effect.provide(granting, Logger.replace(Logger.defaultLogger, dying))
    })
  )

  it.effect("refunds what is no number of tokens", () =>
    Effect.gen(function* () {
      let refunds = 0
      const refund = Effect.sync(() => void (refunds += 1))
      const broken = { ...TokenBucket.empty, acquire: () => Effect.succeedSome({ tokens: Infinity, refund }) }
      expect((yield* granted(TokenBucket.shadow(broken))).tokens).toBe(0)
      expect(refunds).toBe(1)
    })
  )

  it.effect("starts no fiber for a report without a listener", () =>
    Effect.gen(function* () {
      const shadow = TokenBucket.shadow(TokenBucket.empty)
      expect(yield* logged(Effect.zipRight(isGranted(shadow), Effect.yieldNow()))).toEqual([])
    })
  )

  it.prop(
    "never refuses, is idempotent, and keeps the levels of a bucket in charge until that refuses",
    [Compositions.bucket, moves],
    ([make, moves]) => {
      const { shadow } = TokenBucket
      const once = traceOf(Effect.map(make, shadow()), moves)
      const twice = traceOf(
        Effect.map(make, (bucket) => shadow(shadow(bucket))),
        moves
      )
      const alone = traceOf(make, moves)
      const refusal = alone.indexOf(refused)
      const until = refusal < 0 ? alone.length : refusal
      expect(once.includes(refused)).toBe(false)
      expect([twice, once.slice(0, until)]).toEqual([once, alone.slice(0, until)])
    },
    law(60)
  )

  TokenBucketContract.suite(vitest, "a shadow of a quota", Effect.map(quota(50), TokenBucket.shadow()), {
    grants: "all"
  })
})

describe("TokenBucket.firstAttempts", () => {
  it.effect("charges first attempts, and grants retries for nothing", () =>
    Effect.gen(function* () {
      const bucket = yield* quota(1)
      const first = TokenBucket.firstAttempts(bucket)
      const asked = [1, 2, 1].map((attempt) =>
        Effect.map(
          acquire(first, { attempt }),
          Option.map(({ tokens }) => tokens)
        )
      )
      expect(yield* Effect.all(asked)).toEqual([Option.some(1), Option.some(0), Option.none()])
      expect(yield* first.level).toBe(0)
    })
  )

  it.effect("tells the bucket neither starts nor outcomes", () =>
    Effect.gen(function* () {
      const [bucket, ledger] = audited(yield* counting)
      const first = TokenBucket.firstAttempts(bucket)
      yield* first.record(succeeded(yield* granted(first, { attempt: 1 })))
      expect([first.started, ledger.heard, yield* bucket.level]).toEqual([undefined, [], 1])
    })
  )
})

describe("compositions in a policy", () => {
  const policy = {
    classifier: Classifier.always,
    maxAttempts: 5,
    backoff: Backoff.constant({ delay: "1 minute" })
  }
  const down = Effect.fail("down")

  it.effect("charge first attempts and retries to one bucket", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 3, cost: { orElse: 1 } })
      const charging = { ...policy, bucket, rateLimiter: TokenBucket.firstAttempts(bucket) }
      const stopped = yield* Effect.flip(Retry.orStopped(down, charging))
      expect([stopped.attempts, stopped.reason._tag]).toEqual([3, "BucketEmpty"])
      const refused = yield* Effect.flip(Retry.retry(down, charging))
      expect(refused).toEqual(expect.objectContaining({ _tag: "AttemptRefused" }))
      yield* bucket.record(succeeded())
      expect(yield* Retry.retry(Effect.succeed("up"), charging)).toBe("up")
      expect(yield* bucket.level).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("give every bucket its tokens back when an operation is interrupted in its wait", () =>
    Effect.gen(function* () {
      const [a, b] = [
        yield* quota(9),
        yield* TokenBucket.keyed({ bucket: quota(9), maxKeys: 1, idleTimeToLive: 1_000 })
      ]
      const local = yield* quota(9)
      const bucket = TokenBucket.all(
        a,
        TokenBucket.shadow(b),
        TokenBucket.fallback(TokenBucket.unlimited, { local, within: 1 })
      )
      const fiber = yield* Effect.fork(Retry.retry(down, { ...policy, bucket }))
      yield* Effect.sleep("30 seconds")
      expect(yield* levels(a, b, local)).toEqual([8, 8, 9])
      yield* Fiber.interrupt(fiber)
      expect(yield* levels(a, b, local)).toEqual([9, 9, 9])
    }).pipe(VirtualClock.run)
  )

  it.effect("release the places of attempts that are interrupted", () =>
    Effect.gen(function* () {
      const limit = yield* RateLimiter.concurrencyLimit({ limit: 2 })
      const rateLimiter = TokenBucket.all(TokenBucket.unlimited, limit)
      const fibers = yield* Effect.replicateEffect(
        Effect.fork(Retry.retry(Effect.never, { ...policy, rateLimiter })),
        3
      )
      yield* Effect.sleep("1 second")
      expect(yield* limit.level).toBe(0)
      yield* Fiber.interruptAll(fibers)
      expect(yield* limit.level).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("stop an operation at the bound of a store that hangs", () =>
    Effect.gen(function* () {
      const hanging: Bucket = { acquire: () => Effect.never, record: () => Effect.void, level: Effect.never }
      const bucket = TokenBucket.failClosed(hanging, { within: "50 millis" })
      const stopped = yield* Effect.flip(Retry.orStopped(down, { ...policy, bucket }))
      expect([stopped.attempts, stopped.reason._tag]).toEqual([1, "BucketEmpty"])
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(50)
    }).pipe(VirtualClock.run)
  )
})
