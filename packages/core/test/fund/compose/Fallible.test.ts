import type * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { InvalidArgument, RateLimiter, TokenBucket } from "@effect-retry/core"
import { TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, Exit, FastCheck as fc, Fiber, Logger, Option, pipe } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"
import { law } from "../../support/Laws.ts"
import * as LogLines from "../../support/LogLines.ts"
import {
  abandoned,
  acquire,
  audited,
  bucket,
  failed,
  isGranted,
  moves,
  request,
  succeeded,
  traceOf
} from "../Compositions.ts"
import { interruptedBefore } from "../Interrupting.ts"
import { logged } from "../Logged.ts"
import * as SteppedClock from "../SteppedClock.ts"

type Bucket = TokenBucket.TokenBucket

const quota = TokenBucket.quota({ capacity: 10, cost: { orElse: 1 } })

const counting = RateLimiter.concurrencyLimit({ limit: 2, whenShort: "refuse" })

const within = Duration.millis(50)

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** Ways in which a call of a store goes wrong; `millis` is how long the caller is kept. */
const faults = [
  { does: "fails", call: Effect.fail("down"), millis: 0, says: Cause.fail("down") },
  { does: "dies", call: Effect.die("bug"), millis: 0, says: Cause.die("bug") },
  { does: "hangs", call: Effect.never, millis: 50, says: Cause.fail(expect.any(Cause.TimeoutException)) },
  {
    does: "hangs and cannot be interrupted",
    call: Effect.uninterruptible(Effect.never),
    millis: 50,
    says: Cause.fail(expect.any(Cause.TimeoutException))
  },
  {
    does: "takes too long",
    call: Effect.delay(Effect.void, 51),
    millis: 50,
    says: Cause.fail(expect.any(Cause.TimeoutException))
  },
  { does: "interrupts itself", call: Effect.interrupt, millis: 0, says: "interrupted" }
] as const

type Call = (typeof faults)[number]["call"]

/** A store of which every call goes wrong. */
const broken = (call: Call): TokenBucket.TokenBucket<string> => ({
  acquire: () => Effect.as(call, Option.none()),
  record: () => Effect.asVoid(call),
  level: Effect.as(call, 7),
  started: () => Effect.asVoid(call)
})

/** A store that takes its time. */
const slow = (self: Bucket, millis: number): TokenBucket.TokenBucket<string> => ({
  ...self,
  acquire: (request) => Effect.delay(self.acquire(request), millis),
  record: (outcome) => Effect.delay(self.record(outcome), millis),
  level: Effect.delay(self.level, millis)
})

/** A store that throws. */
const throwing: TokenBucket.TokenBucket<string> = {
  acquire: () => {
    throw new Error("acquire")
  },
  record: () => {
    throw new Error("record")
  },
  level: Effect.sync(() => {
    throw new Error("level")
  })
}

const tokensOf = (bucket: Bucket, changed?: Partial<TokenBucket.Request>) =>
  Effect.map(
    acquire(bucket, changed),
    Option.map(({ tokens }) => tokens)
  )

const granted = (bucket: Bucket) => Effect.map(acquire(bucket), Option.getOrThrow)

describe.each([
  {
    name: "failOpen",
    guard: (self: TokenBucket.TokenBucket<string>, _local?: Effect.Effect<Bucket>) =>
      Effect.succeed(TokenBucket.failOpen(self, { within })),
    answers: Option.some(0),
    level: Infinity,
    sort: "limit of concurrency",
    make: counting,
    options: { returns: true }
  },
  {
    name: "failClosed",
    guard: (self: TokenBucket.TokenBucket<string>, _local?: Effect.Effect<Bucket>) =>
      Effect.succeed(TokenBucket.failClosed(self, { within })),
    answers: Option.none(),
    level: 0,
    sort: "quota",
    make: quota,
    options: {}
  },
  {
    name: "fallback",
    guard: (self: TokenBucket.TokenBucket<string>, local = quota) =>
      Effect.map(local, (local) => TokenBucket.fallback(self, { local, within })),
    answers: Option.some(1),
    level: 10,
    sort: "quota",
    make: quota,
    options: {}
  }
])("TokenBucket.$name", ({ answers, guard, level, make, name, options, sort }) => {
  it.effect.each<{ readonly does: string; readonly acquire: () => unknown }>([
    { does: "answers nothing", acquire: () => Effect.void },
    { does: "answers nothing later", acquire: () => Effect.yieldNow() },
    { does: "grants no number", acquire: () => Effect.succeedSome({ tokens: NaN, refund: Effect.void }) }
  ])("decides when the bucket $does", ({ acquire }) =>
    Effect.gen(function* () {
      const failures: Array<unknown> = []
      const store = { ...broken(Effect.void), acquire: acquire as Bucket["acquire"] }
      const answer = yield* tokensOf(yield* guard(store), { failed: (error) => void failures.push(error) })
      expect(answer).toEqual(answers)
      expect(failures).toHaveLength(1)
    }).pipe(VirtualClock.run)
  )

  it.effect.each(faults)("decides when the bucket $does", ({ call, millis }) =>
    Effect.gen(function* () {
      const bucket = yield* guard(broken(call))
      const calls = [
        bucket.level,
        tokensOf(bucket),
        bucket.record(failed()),
        bucket.started?.({ attempt: 1 }) ?? Effect.void
      ]
      const timed = yield* Effect.forEach(calls, (call) =>
        Effect.gen(function* () {
          const before = yield* nowMillis
          const answer = yield* call
          return [answer, (yield* nowMillis) - before]
        })
      )
      expect(timed).toEqual([
        [level, millis],
        [answers, millis],
        [undefined, millis],
        [undefined, millis]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("decides when the bucket throws", () =>
    Effect.gen(function* () {
      const bucket = yield* guard(throwing)
      yield* bucket.record(failed())
      expect([yield* bucket.level, yield* tokensOf(bucket)]).toEqual([level, answers])
    })
  )

  it.effect("leaves the decision to a bucket that answers in time", () =>
    Effect.gen(function* () {
      const store = yield* TokenBucket.quota({ capacity: 2, cost: { orElse: 1 } })
      const bucket = yield* guard(slow(store, 49))
      const grant = yield* granted(bucket)
      expect([yield* bucket.level, yield* tokensOf(bucket), yield* tokensOf(bucket)]).toEqual([
        1,
        Option.some(1),
        Option.none()
      ])
      yield* grant.refund
      expect([yield* store.level, yield* nowMillis]).toEqual([1, 4 * 49])
    }).pipe(VirtualClock.run)
  )

  it.effect("refunds a grant that comes too late", () =>
    Effect.gen(function* () {
      const [store, ledger] = audited(yield* quota)
      const bucket = yield* guard(slow(store, 80))
      expect(yield* tokensOf(bucket)).toEqual(answers)
      yield* Effect.sleep("1 second")
      expect([ledger.granted, ledger.refunded]).toEqual([1, 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("has `started` if the bucket has it, and only then tells of abandoned attempts", () =>
    Effect.gen(function* () {
      const [store, ledger] = audited(yield* counting)
      const bucket = yield* guard(store)
      const grant = yield* granted(bucket)
      yield* bucket.started?.({ attempt: 2 }) ?? Effect.void
      yield* bucket.record(abandoned(grant, 2))
      expect(ledger.heard.map(({ _tag }) => _tag)).toEqual(["Abandoned"])
      expect((yield* guard(yield* quota)).started).toBe(undefined)
    })
  )

  it.effect.prop(
    "never waits longer than its bound, and leaves no token behind",
    [fc.array(fc.nat(120), { minLength: 1, maxLength: 8 })],
    ([latencies]) =>
      Effect.gen(function* () {
        const [store, ledger] = audited(yield* quota)
        let call = 0
        const late = <A>(effect: Effect.Effect<A>) =>
          Effect.suspend(() => Effect.delay(effect, latencies[call++ % latencies.length] ?? 0))
        const bucket = yield* guard({
          ...store,
          acquire: (request) =>
            Effect.map(
              late(store.acquire(request)),
              Option.map((grant) => grant)
            )
        })
        for (const _ of latencies) {
          const before = yield* nowMillis
          const answer = yield* acquire(bucket)
          expect((yield* nowMillis) - before).toBeLessThanOrEqual(50)
          if (Option.isSome(answer)) yield* answer.value.refund
        }
        yield* Effect.sleep("1 second")
        expect(ledger.granted).toBe(latencies.length)
        expect(ledger.refunded).toBe(latencies.length)
        expect(yield* store.level).toBe(10)
      }).pipe(VirtualClock.run),
    law(20)
  )

  it("keeps granted = spent + refunded for both buckets, at whatever step an operation is interrupted", () => {
    const run = (at: number, latency: number) => {
      const clock = SteppedClock.make()
      const [store, ledger] = audited(clock.run(quota))
      const [local, near] = audited(clock.run(quota))
      const remote = latency === 0 ? store : { ...slow(store, latency), record: store.record }
      const bucket = clock.run(guard(remote, Effect.succeed(local)))
      const operation = Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(bucket.acquire(request({ restore })), (answer) => {
          if (Option.isNone(answer)) return Effect.void
          return Effect.flatMap(Effect.exit(restore(Effect.yieldNow())), (exit) =>
            Exit.isSuccess(exit) ? bucket.record(succeeded(answer.value)) : answer.value.refund
          )
        })
      )
      const fiber = clock.fork(interruptedBefore(at, operation))
      for (let turn = 0; turn < 5; turn++) {
        clock.settle()
        clock.advance(20)
      }
      const { steps } = Effect.runSync(Effect.flatten(Fiber.poll(fiber).pipe(Effect.map(Option.getOrThrow))))
      for (const { granted, refunded, spent } of [ledger, near]) expect(granted).toBe(spent + refunded)
      expect(clock.run(Effect.all([store.level, local.level]))).toEqual([10, 10])
      return steps
    }
    for (const latency of [0, 80]) {
      const steps = run(Infinity, latency)
      expect(steps).toBeGreaterThan(20)
      for (let at = 1; at <= steps; at++) run(at, latency)
    }
  })

  it.effect("stops waiting as soon as it is interrupted", () =>
    Effect.gen(function* () {
      const bucket = yield* guard(broken(Effect.uninterruptible(Effect.never)))
      for (const call of [acquire(bucket), bucket.record(failed()), bucket.level]) {
        const fiber = yield* Effect.fork(call)
        yield* Effect.sleep("10 millis")
        const before = yield* nowMillis
        yield* Fiber.interrupt(fiber)
        expect((yield* nowMillis) - before).toBe(0)
      }
    }).pipe(VirtualClock.run)
  )

  it.prop(
    "behaves like the bucket while that does not fail",
    [bucket, moves],
    ([make, moves]) => {
      const guarded = Effect.flatMap(make, (bucket) => guard(bucket))
      expect(traceOf(guarded, moves)).toEqual(traceOf(make, moves))
    },
    law(20)
  )

  TokenBucketContract.suite(
    vitest,
    `${name} of a ${sort}`,
    Effect.flatMap(make, (bucket) => guard(bucket)),
    options
  )

  it.each([0, Infinity])("refuses a bound of %s", (bound) => {
    const guards = {
      failOpen: () => TokenBucket.failOpen(TokenBucket.empty, { within: bound }),
      failClosed: () => TokenBucket.failClosed({ within: bound })(TokenBucket.empty),
      fallback: () => TokenBucket.fallback(TokenBucket.empty, { within: bound, local: TokenBucket.empty })
    }
    const make = guards[name as keyof typeof guards]
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`TokenBucket.${name}: within must be a finite duration > 0 and <= `)
  })
})

describe("TokenBucket.failOpen, failClosed and fallback", () => {
  it.effect.each(faults)(
    "report the cause when the bucket $does, and do not wait for the report",
    ({ call, millis, says }) =>
      Effect.gen(function* () {
        const causes: Array<Cause.Cause<unknown>> = []
        const onFailure = (cause: Cause.Cause<string | Cause.TimeoutException>) => {
          causes.push(cause)
          return causes.length > 1 ? Effect.never : Effect.dieMessage("report")
        }
        const options = { within, onFailure, local: TokenBucket.empty }
        const guards = [TokenBucket.failOpen(options), TokenBucket.failClosed(options), TokenBucket.fallback(options)]
        yield* Effect.forEach(guards, (guard) => acquire(guard(broken(call))))
        expect(yield* nowMillis).toBe(3 * millis)
        yield* Effect.sleep("1 second")
        expect(causes.map((cause) => (Cause.isInterrupted(cause) ? "interrupted" : cause))).toEqual([says, says, says])
      }).pipe(VirtualClock.run)
  )

  it.effect("report what the bucket throws", () =>
    Effect.gen(function* () {
      const causes: Array<Cause.Cause<unknown>> = []
      const onFailure = (cause: Cause.Cause<unknown>) => Effect.sync(() => void causes.push(cause))
      const options = { within, onFailure, local: TokenBucket.empty }
      const guards = [TokenBucket.failOpen(options), TokenBucket.failClosed(options), TokenBucket.fallback(options)]
      yield* Effect.forEach(guards, (guard) => acquire(guard(throwing)))
      yield* Effect.yieldNow()
      const thrown = Cause.die(new Error("acquire"))
      expect(causes).toEqual([thrown, thrown, thrown])
    })
  )

  it.effect("say in the report how long they have waited for an answer", () =>
    Effect.gen(function* () {
      const messages: Array<unknown> = []
      const onFailure = (cause: Cause.Cause<unknown>) =>
        Effect.sync(() => void messages.push((Cause.squash(cause) as Cause.TimeoutException).message))
      const options = { within, onFailure, local: TokenBucket.empty }
      const guards = [TokenBucket.failOpen(options), TokenBucket.failClosed(options), TokenBucket.fallback(options)]
      yield* Effect.forEach(guards, (guard) => acquire(guard(broken(Effect.never))))
      yield* Effect.yieldNow()
      const names = ["failOpen", "failClosed", "fallback"]
      expect(messages).toEqual(names.map((name) => `TokenBucket.${name}: no answer within 50 ms`))
    }).pipe(VirtualClock.run)
  )

  it.effect("report a call once if it answers just as its time is over", () =>
    Effect.gen(function* () {
      let answer = () => {}
      const call = Effect.async<void>((resume) => {
        answer = () => resume(Effect.void)
      })
      const reports: Array<unknown> = []
      const onFailure = (cause: Cause.Cause<unknown>) => Effect.sync(() => void reports.push(Cause.squash(cause)))
      const store: Bucket = { ...TokenBucket.unlimited, record: () => call, level: Effect.as(call, 1) }
      const bucket = TokenBucket.failOpen(store, { within, onFailure })
      yield* Effect.clockWith((clock) =>
        Effect.withClock(Effect.all([bucket.record(failed()), bucket.level]), {
          ...clock,
          sleep: (duration) => Effect.map(clock.sleep(duration), () => answer())
        })
      )
      yield* Effect.sleep("1 second")
      expect(reports).toEqual([expect.any(Cause.TimeoutException), expect.any(Cause.TimeoutException)])
    }).pipe(VirtualClock.run)
  )

  it.effect("answer the same value when the bucket does", () =>
    Effect.gen(function* () {
      const always = Option.some({ tokens: 1, refund: Effect.void })
      const bucket = TokenBucket.failOpen(
        { ...TokenBucket.unlimited, acquire: () => Effect.succeed(always) },
        { within }
      )
      const first = yield* granted(bucket)
      expect(yield* granted(bucket)).toBe(first)
    })
  )

  const report = new Error("report")
  it.effect.each<[string, () => Effect.Effect<void>]>([
    ["dies", () => Effect.die(report)],
    ["fails", () => Effect.fail(report) as unknown as Effect.Effect<void>],
    [
      "throws",
      () => {
        throw report
      }
    ]
  ])("warn once that onFailure %s, and answer all the same", ([, onFailure]) =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make((line) => {
        const { level, message } = LogLines.of(line)
        lines.push([level, message, (Cause.squash(line.cause) as Untrusted.ShownError).original])
      })
      const options = { within, onFailure, local: TokenBucket.empty }
      const guards = [TokenBucket.failOpen(options), TokenBucket.failClosed(options), TokenBucket.fallback(options)]
      const asked = Effect.forEach(guards, (guard) => tokensOf(guard(broken(Effect.die("bug")))))
      const answers = yield* Effect.zipLeft(asked, Effect.sleep("1 second")).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect(answers).toEqual([Option.some(0), Option.none(), Option.none()])
      expect(lines).toEqual(
        ["failOpen", "failClosed", "fallback"].map((name) => [
          "Warning",
          [`TokenBucket.${name}: onFailure died`],
          report
        ])
      )
    }).pipe(VirtualClock.run)
  )

  it("know the errors of the bucket, and leave none to a policy", () => {
    class Down extends Data.TaggedError("Down") {}
    const store: TokenBucket.TokenBucket<Down> = { ...TokenBucket.unlimited, level: Effect.fail(new Down()) }
    const bucket = TokenBucket.failOpen(store, {
      within,
      onFailure: (cause) => {
        expectTypeOf(cause).toEqualTypeOf<Cause.Cause<Down | Cause.TimeoutException>>()
        return Effect.void
      }
    })
    const piped = pipe(store, TokenBucket.fallback({ within, local: bucket }), TokenBucket.shadow())
    expectTypeOf(bucket).toEqualTypeOf<Bucket>()
    expectTypeOf(piped).toEqualTypeOf<Bucket>()
    expectTypeOf(Effect.map(quota, TokenBucket.shadow)).toEqualTypeOf<Effect.Effect<Bucket>>()
    // @ts-expect-error: a bucket that can fail is combined once the caller has said what a failure means.
    TokenBucket.all(store)
  })

  it.effect("report a refund that fails", () =>
    Effect.gen(function* () {
      let reports = 0
      const store: Bucket = {
        ...TokenBucket.unlimited,
        acquire: () => Effect.succeedSome({ tokens: 1, refund: Effect.die("refund") })
      }
      const bucket = TokenBucket.failOpen(store, { within, onFailure: () => Effect.sync(() => void (reports += 1)) })
      yield* (yield* granted(bucket)).refund
      yield* acquire(
        TokenBucket.failOpen(slow(store, 60), { within, onFailure: () => Effect.sync(() => void (reports += 1)) })
      )
      yield* Effect.sleep("1 second")
      // The refund, the call that took too long, and the refund of its late grant.
      expect(reports).toBe(3)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "failOpen", wrap: TokenBucket.failOpen({ within }) },
    { name: "failClosed", wrap: TokenBucket.failClosed({ within }) }
  ])("answer by $name in the step of the caller if the bucket does", ({ wrap }) =>
    Effect.gen(function* () {
      const bucket = wrap(yield* TokenBucket.quota({ capacity: 14 }))
      const asked = yield* Effect.sync(() => AtOnce.run(bucket.acquire(request())))
      expect(AtOnce.hasEnded(asked)).toBe(true)
      expect(Option.isSome(yield* asked)).toBe(true)
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("report what failed, and no call that the operation ended", () =>
    Effect.gen(function* () {
      const reports: Array<unknown> = []
      const bucket = TokenBucket.failOpen(broken(Effect.never), {
        within,
        onFailure: (cause) => Effect.sync(() => void reports.push(Cause.squash(cause)))
      })
      const fiber = yield* Effect.fork(acquire(bucket))
      yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("10 millis")
      expect(reports).toEqual([])
      yield* acquire(bucket)
      yield* Effect.yieldNow()
      expect(reports).toEqual([new Cause.TimeoutException("TokenBucket.failOpen: no answer within 50 ms")])
    }).pipe(VirtualClock.run)
  )

  it.effect("leave no fiber that fails behind a call without a listener, nor behind a late answer", () =>
    logged(
      Effect.gen(function* () {
        yield* acquire(TokenBucket.failOpen(broken(Effect.fail("down")), { within }))
        const late = slow(TokenBucket.unlimited, 80)
        yield* TokenBucket.failOpen({ ...late, level: Effect.uninterruptible(late.level) }, { within }).level
        yield* Effect.sleep("1 second")
      }).pipe(VirtualClock.run)
    ).pipe(Effect.map((lines) => expect(lines).toEqual([])))
  )

  it.effect("interrupt a call at the bound, and when the operation is interrupted", () =>
    Effect.gen(function* () {
      const interrupted: Array<number> = []
      const hanging = Effect.onInterrupt(Effect.never, () => Effect.map(nowMillis, (now) => interrupted.push(now)))
      const clock = yield* VirtualClock.VirtualClock
      const call = Effect.provideService(hanging, VirtualClock.VirtualClock, clock)
      const store: Bucket = { acquire: ({ restore }) => restore(call), record: () => call, level: call }
      const bucket = TokenBucket.failOpen(store, { within })
      yield* Effect.all([acquire(bucket), bucket.record(failed()), bucket.level])
      const fiber = yield* Effect.fork(Effect.all([acquire(bucket), bucket.level], { concurrency: 2 }))
      yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(fiber)
      expect(interrupted).toEqual([50, 100, 150, 160, 160])
    }).pipe(VirtualClock.run)
  )

  it.effect("let a bucket wait no longer than the request, and end its wait at the bound", () =>
    Effect.gen(function* () {
      const store = yield* RateLimiter.fixed({ rate: 1, burst: 1 })
      const ask = (within: Duration.DurationInput, atMostMillis: number) =>
        tokensOf(TokenBucket.failOpen(store, { within }), { atMost: Option.some(Duration.millis(atMostMillis)) })
      expect(yield* ask("1 minute", 1_000)).toEqual(Option.some(1))
      expect(yield* ask("1 minute", 999)).toEqual(Option.none())
      expect(yield* ask("999 millis", 60_000)).toEqual(Option.none())
      expect(yield* nowMillis).toBe(0)
      expect(yield* ask("1 minute", 60_000)).toEqual(Option.some(1))
      expect(yield* nowMillis).toBe(1_000)
      // One that does not know of limits is interrupted.
      const stubborn: Bucket = { ...store, acquire: (request) => store.acquire({ ...request, atMost: Option.none() }) }
      expect(yield* tokensOf(TokenBucket.failOpen(stubborn, { within }))).toEqual(Option.some(0))
      expect(yield* nowMillis).toBe(1_050)
      yield* Effect.sleep("950 millis")
      expect(yield* isGranted(store, { atMost: Option.some(Duration.zero) })).toBe(true)
    }).pipe(VirtualClock.run)
  )
})

describe("TokenBucket.fallback", () => {
  it.effect("records with each bucket what that bucket granted", () =>
    Effect.gen(function* () {
      const [store, remote] = audited(yield* quota)
      const [local, near] = audited(yield* TokenBucket.quota({ capacity: 10, cost: { orElse: 3 } }))
      let isDown = false
      const flaky: TokenBucket.TokenBucket<string> = {
        ...store,
        acquire: (request) => (isDown ? Effect.fail("down") : store.acquire(request))
      }
      const bucket = TokenBucket.fallback(flaky, { local, within })
      const first = yield* granted(bucket)
      isDown = true
      const second = yield* granted(bucket)
      yield* bucket.record(succeeded(second, 2))
      yield* bucket.record(succeeded(first, 2))
      yield* bucket.record(failed())
      const tokens = [remote, near].map(({ heard }) => heard.map(({ granted }) => granted.tokens))
      expect(tokens).toEqual([
        [0, 1, 0],
        [3, 0, 0]
      ])
    })
  )

  it.effect("records with the local bucket when the other one hangs", () =>
    Effect.gen(function* () {
      const [local, ledger] = audited(yield* quota)
      const bucket = TokenBucket.fallback(broken(Effect.never), { local, within })
      yield* bucket.record(succeeded(yield* granted(bucket), 2))
      expect(ledger.spent).toBe(1)
      expect(yield* nowMillis).toBe(100)
    }).pipe(VirtualClock.run)
  )

  it.effect("refunds to the local bucket what it granted", () =>
    Effect.gen(function* () {
      const local = yield* quota
      const bucket = TokenBucket.fallback(broken(Effect.fail("down")), { local, within })
      yield* (yield* granted(bucket)).refund
      expect(yield* local.level).toBe(10)
    })
  )

  it.effect("lets a local bucket wait as long as the request allows, less the time that the other one took", () =>
    Effect.gen(function* () {
      const ask = (atMostMillis: number) =>
        Effect.gen(function* () {
          const local = yield* RateLimiter.fixed({ rate: 1, burst: 1 })
          yield* acquire(local)
          const bucket = TokenBucket.fallback(broken(Effect.never), { local, within })
          const before = yield* nowMillis
          const isGranted = Option.isSome(
            yield* acquire(bucket, { atMost: Option.some(Duration.millis(atMostMillis)) })
          )
          return [isGranted, (yield* nowMillis) - before]
        })
      expect(yield* ask(1_000)).toEqual([true, 1_000])
      expect(yield* ask(999)).toEqual([false, 50])
      expect(yield* ask(10)).toEqual([false, 50])
      // The time before the request is not of it.
      expect(yield* ask(1_000)).toEqual([true, 1_000])
    }).pipe(VirtualClock.run)
  )

  it.effect("gives a local bucket no time limit if the request has none", () =>
    Effect.gen(function* () {
      const asked: Array<TokenBucket.Request["atMost"]> = []
      const local: Bucket = {
        ...TokenBucket.empty,
        acquire: ({ atMost }) => {
          asked.push(atMost)
          return Effect.succeedNone
        }
      }
      yield* acquire(TokenBucket.fallback(broken(Effect.fail("down")), { local, within }))
      expect(asked).toEqual([Option.none()])
    })
  )

  it.effect("tells a local bucket with `started` of every attempt", () =>
    Effect.gen(function* () {
      const local = yield* counting
      const bucket = TokenBucket.fallback(yield* quota, { local, within })
      yield* bucket.started?.({ attempt: 1 }) ?? Effect.dieMessage("no started")
      yield* bucket.record(abandoned())
      expect(yield* local.level).toBe(2)
    })
  )

  TokenBucketContract.suite(
    vitest,
    "fallback to a bucket that waits",
    Effect.map(TokenBucket.quota({ capacity: 50, refillPerSecond: 5, whenShort: "wait" }), (local) =>
      TokenBucket.fallback(broken(Effect.fail("down")), { local, within })
    ),
    { waits: true, refills: true }
  )
})

describe("TokenBucket.fallback", () => {
  it.each([{}, { local: undefined }, { local: null }, { local: Effect.succeed(TokenBucket.empty) }])(
    "refuses %o as a local bucket",
    (local) => {
      expect(() => TokenBucket.fallback(TokenBucket.empty, { within: "1 second", ...local } as never)).toThrow(
        "TokenBucket.fallback: local must be a TokenBucket"
      )
    }
  )
})
