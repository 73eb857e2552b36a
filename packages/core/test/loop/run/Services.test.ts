import { Backoff, Deadline, RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Logger, Option } from "effect"
import * as Heard from "../Heard.ts"
import { nowMillis, policy, world } from "../Recording.ts"

type Bucket = TokenBucket.TokenBucket

const busy = Effect.fail("busy" as const)

/** Fails once, then succeeds. */
const recovering = () => {
  let made = 0
  return Effect.suspend(() => (++made === 1 ? busy : Effect.succeed("done")))
}

/** Runs an effect, and answers how it ended, when, and what was logged. */
const logged = <A, E>(self: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const messages: Array<string> = []
    const logger = Logger.make(({ message }) => void messages.push(String(message)))
    const exit = yield* Effect.exit(Effect.provide(self, Logger.replace(Logger.defaultLogger, logger)))
    return { exit, messages, at: yield* nowMillis }
  }).pipe(world)

/** Why an operation stopped, with what, and after how many attempts. */
const stopped = <E>(self: Effect.Effect<unknown, Retry.RetryStopped<E>>) =>
  logged(Effect.map(Effect.flip(self), ({ attempts, error, reason }) => ({ reason: reason._tag, error, attempts })))

const throws = (): never => {
  throw new Error("bug")
}

type Broken = (effect: "dies" | "throws" | "interrupts itself") => Effect.Effect<never>

const broken: Broken = (how) => (how === "throws" ? throws() : how === "dies" ? Effect.die("bug") : Effect.interrupt)

const ways = ["dies", "throws", "interrupts itself"] as const

const member = (changed: Partial<Bucket>): Bucket => ({ ...TokenBucket.unlimited, ...changed })

const places = [
  {
    place: "record of the bucket",
    of: (ask: () => Effect.Effect<never>) => ({ bucket: member({ record: ask }) }),
    times: 2
  },
  {
    place: "record of the rate limiter",
    of: (ask: () => Effect.Effect<never>) => ({ rateLimiter: member({ record: ask }) }),
    times: 2
  },
  {
    place: "started of the bucket",
    of: (ask: () => Effect.Effect<never>) => ({ bucket: member({ started: ask }) }),
    times: 2
  },
  {
    place: "started of the rate limiter",
    of: (ask: () => Effect.Effect<never>) => ({ rateLimiter: member({ started: ask }) }),
    times: 2
  },
  {
    place: "level",
    of: (ask: () => Effect.Effect<never>) => ({
      bucket: member({ level: Effect.suspend(ask) }),
      observe: [Heard.make().observer]
    }),
    times: 3
  },
  { place: "an observer", of: (ask: () => Effect.Effect<never>) => ({ observe: [ask] }), times: 3 },
  { place: "a release", of: (ask: () => Effect.Effect<never>) => ({ release: ask }), times: 1 }
]

describe("Retry.retry with a service that is broken", () => {
  it.effect.each(ways.flatMap((way) => places.map((place) => ({ way, ...place }))))(
    "goes on as without it when $place $way, and logs each time once",
    ({ of, times, way }) =>
      Effect.gen(function* () {
        const { at, exit, messages } = yield* logged(Retry.retry(recovering(), { ...policy, ...of(() => broken(way)) }))
        expect(exit).toEqual(Exit.succeed("done"))
        expect(at).toBe(1_000)
        expect(messages).toHaveLength(times)
        expect(messages.every((message) => message.includes("died"))).toBe(true)
      })
  )

  it.effect.each(ways)("counts an acquire that %s as a refusal", (way) =>
    Effect.gen(function* () {
      const acquire = () => broken(way)
      const retried = yield* stopped(Retry.orStopped(busy, { ...policy, bucket: member({ acquire }) }))
      expect(retried.exit).toEqual(Exit.succeed({ reason: "BucketEmpty", error: "busy", attempts: 1 }))
      expect(retried.messages).toEqual(["the bucket died"])
      const first = yield* logged(Retry.retry(busy, { ...policy, rateLimiter: member({ acquire }) }))
      expect(first.exit).toEqual(Exit.fail(new Retry.AttemptRefused({ attempt: 1 })))
      expect(first.messages).toEqual(["the rate limiter died"])
    })
  )

  const thrown = new Error("bug")
  const fault = (): never => {
    throw thrown
  }

  it.effect.each([
    { where: "in the call", ask: fault },
    { where: "in an effect", ask: () => Effect.sync(fault) },
    { where: "in an exit", ask: () => Exit.die(thrown) }
  ])("logs what was thrown $where", ({ ask }) =>
    Effect.gen(function* () {
      const causes: Array<Cause.Cause<unknown>> = []
      const logger = Logger.make(({ cause }) => void causes.push(cause))
      const refused = Effect.exit(Retry.retry(busy, { ...policy, bucket: member({ acquire: ask, record: ask }) }))
      yield* Effect.provide(refused, Logger.replace(Logger.defaultLogger, logger))
      expect(causes.map(Cause.squash)).toMatchObject([{ original: thrown }, { original: thrown }])
    }).pipe(world)
  )

  it.effect.each(ways)("keeps its reason to stop when a refund %s", (way) =>
    Effect.gen(function* () {
      const refund = Effect.suspend(() => broken(way))
      const bucket = member({ acquire: () => Effect.succeedSome({ tokens: 1, refund }) })
      const rateLimiter = member({
        acquire: ({ attempt }) => Effect.succeed(attempt === 1 ? Option.some({ tokens: 1, refund }) : Option.none())
      })
      const { exit, messages } = yield* logged(Retry.retry(busy, { ...policy, rateLimiter, bucket }))
      expect(exit).toEqual(Exit.fail("busy"))
      expect(messages).toEqual(["the bucket died"])
    })
  )

  it.effect.each([NaN, -1, Infinity])("refunds a grant of %s tokens, and counts it as a refusal", (tokens) =>
    Effect.gen(function* () {
      let refunds = 0
      const refund = Effect.sync(() => void (refunds += 1))
      const bucket = member({ acquire: () => Effect.succeedSome({ tokens, refund }) })
      const { exit, messages } = yield* stopped(Retry.orStopped(busy, { ...policy, bucket }))
      expect(exit).toEqual(Exit.succeed({ reason: "BucketEmpty", error: "busy", attempts: 1 }))
      expect(refunds).toBe(1)
      expect(messages).toEqual(["the bucket died"])
    })
  )
})

describe("Retry.retry with a bucket that answers with no Option", () => {
  const answers = [undefined, null, true, { tokens: 1 }]
  const ways = answers.flatMap((answer) => [
    { answer, how: "at once", acquire: () => Effect.succeed(answer) },
    { answer, how: "later", acquire: () => Effect.delay(Effect.succeed(answer), 5) }
  ])

  it.effect.each(ways)("logs it and counts it as a refusal: $answer, $how", ({ acquire }) =>
    Effect.gen(function* () {
      const bucket = member({ acquire: acquire as unknown as TokenBucket.TokenBucket["acquire"] })
      const refused = yield* stopped(Retry.orStopped(busy, { ...policy, bucket }))
      expect(refused.exit).toEqual(Exit.succeed({ reason: "BucketEmpty", error: "busy", attempts: 1 }))
      expect(refused.messages).toEqual(["the bucket died"])
      const limited = yield* stopped(Retry.orStopped(Effect.void, { ...policy, rateLimiter: bucket }))
      expect(limited.messages).toEqual(["the rate limiter died"])
    })
  )
})

describe("Retry.retry asking a bucket", () => {
  it.effect.each([
    { delay: 0, told: Duration.zero },
    { delay: 5, told: Duration.millis(5) }
  ])("tells it of the delay before the attempt: $delay", ({ delay, told }) =>
    Effect.gen(function* () {
      const asked: Array<readonly [number, Duration.Duration]> = []
      const bucket = member({
        acquire: (request) => {
          asked.push([request.attempt, request.delay])
          return TokenBucket.unlimited.acquire(request)
        }
      })
      yield* Retry.retry(recovering(), { ...policy, bucket, backoff: Backoff.constant({ delay }) })
      expect(asked).toEqual([[2, told]])
    }).pipe(world)
  )

  it.effect.each([
    { answer: true, message: "the bucket: acquire must be an effect of an Option, got true" },
    {
      answer: Option.some({ tokens: -1, refund: Effect.void }),
      message: "the bucket: tokens of a grant must be a finite number >= 0, got -1"
    }
  ])("logs what is wrong with its answer: $message", ({ answer, message }) =>
    Effect.gen(function* () {
      const causes: Array<unknown> = []
      const logger = Logger.make(({ cause }) => void causes.push(Cause.squash(cause)))
      const acquire = () => Effect.succeed(answer)
      const bucket = member({ acquire: acquire as unknown as Bucket["acquire"] })
      yield* Effect.ignore(Retry.retry(busy, { ...policy, bucket })).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect(causes).toEqual([expect.objectContaining({ message })])
    }).pipe(world)
  )
})

const hanging = [
  { how: "hangs", never: Effect.never },
  { how: "hangs and cannot be interrupted", never: Effect.uninterruptible(Effect.never) }
]

describe("Retry.retry with a service that hangs", () => {
  const deadlines = [
    { deadline: Deadline.refuse("5 seconds"), error: "busy" },
    { deadline: Deadline.cut("5 seconds"), error: expect.objectContaining({ _tag: "DeadlineExceeded" }) }
  ]
  const table = hanging.flatMap((how) =>
    places.flatMap((place) => deadlines.map((deadline) => ({ ...how, ...place, ...deadline })))
  )

  it.effect.each(table)("stops at the deadline when $place $how: $deadline", ({ deadline, never, of, place }) =>
    Effect.gen(function* () {
      const { at, exit } = yield* logged(Retry.retry(recovering(), { ...policy, ...of(() => never), deadline }))
      // The first attempt of an operation without a rate limiter runs, however late.
      expect(Exit.isFailure(exit)).toBe(true)
      expect({ place, at }).toEqual({ place, at: 5_000 })
    })
  )

  it.effect.each(hanging)("stops at the deadline when acquire $how", ({ never }) =>
    Effect.gen(function* () {
      for (const { deadline, error } of deadlines) {
        const bucket = member({ acquire: () => never })
        const { at, exit, messages } = yield* stopped(Retry.orStopped(busy, { ...policy, bucket, deadline }))
        expect(exit).toEqual(Exit.succeed({ reason: "DeadlinePassed", error, attempts: 1 }))
        expect(at).toBe(5_000)
        expect(messages).toEqual(["the bucket did not answer before the deadline"])
      }
    })
  )

  it.effect.each([
    { name: "before the deadline, but after an interruption", grantsAfter: 3_000, interruptAfter: 1_000 },
    { name: "after the deadline", grantsAfter: 9_000, interruptAfter: 20_000 },
    { name: "at the deadline", grantsAfter: 5_000, interruptAfter: 20_000 }
  ])("refunds a grant that arrives $name", ({ grantsAfter, interruptAfter }) =>
    Effect.gen(function* () {
      let granted = 0
      let refunded = 0
      const grant = Effect.sync(() => {
        granted += 1
        return Option.some({ tokens: 1, refund: Effect.sync(() => void (refunded += 1)) })
      })
      const bucket = member({ acquire: () => Effect.delay(grant, grantsAfter) })
      const deadline = Deadline.refuse("5 seconds")
      const fiber = yield* Effect.fork(Effect.exit(Retry.retry(busy, { ...policy, bucket, deadline })))
      yield* Effect.sleep(interruptAfter)
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("1 minute")
      expect({ granted, refunded }).toEqual({ granted: 1, refunded: 1 })
    }).pipe(world)
  )
})

describe("Retry.retry asking a bucket until the deadline", () => {
  const deadlines = [
    { how: "cuts", deadline: Deadline.cut("1 second", { onExceeded: () => "late" as const }), at: 1_005 },
    { how: "refuses", deadline: Deadline.refuse("1 second"), at: 1_005 },
    { how: "refuses with a reserve", deadline: Deadline.refuse("1 second", { reserve: "300 millis" }), at: 1_000 },
    { how: "truncates", deadline: Deadline.truncate("1 second", { reserve: "300 millis" }), at: 1_000 }
  ]

  it.effect.each(deadlines)("logs nothing when it answers no at the end of its wait, and the deadline $how", (row) =>
    Effect.gen(function* () {
      const rateLimiter = yield* RateLimiter.concurrencyLimit({ limit: 1 })
      const queued = Retry.retry(Effect.void, { ...policy, rateLimiter, deadline: row.deadline })
      const { messages } = yield* logged(
        Effect.gen(function* () {
          yield* Effect.fork(Retry.retry(Effect.never, { ...policy, rateLimiter }))
          yield* Effect.sleep("10 millis")
          const exits = yield* Effect.all([queued, queued, queued].map(Effect.exit), { concurrency: "unbounded" })
          expect(exits.map(Exit.isFailure)).toEqual([true, true, true])
        })
      )
      expect(messages).toEqual([])
    })
  )

  it.effect.each(deadlines)("logs that it does not answer when it waits for longer, and the deadline $how", (row) =>
    Effect.gen(function* () {
      const acquire: Bucket["acquire"] = ({ restore }) => restore(Effect.never)
      const asking = Retry.retry(Effect.void, { ...policy, rateLimiter: member({ acquire }), deadline: row.deadline })
      const { at, exit, messages } = yield* logged(asking)
      expect(Exit.isFailure(exit)).toBe(true)
      expect(messages).toEqual(["the rate limiter did not answer before the deadline"])
      expect(at).toBe(row.at)
    })
  )
})
