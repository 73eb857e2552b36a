/**
 * A caller's own services may answer something that is no effect. The operation then ends as if they had died.
 */
import { Backoff, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Logger, LogLevel, TestClock } from "effect"

const answers: ReadonlyArray<unknown> = [undefined, null, 5, "granted", {}, () => Effect.void]

const policy = { classifier: () => Verdict.transient, maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

type Bucket = typeof TokenBucket.unlimited

/** A bucket with one answer that is no effect, by what it answers. */
const buckets: Readonly<Record<string, (answer: any) => Partial<Bucket>>> = {
  acquire: (answer) => ({ acquire: () => answer }),
  "acquire, with an invalid grant": (refund) => ({ acquire: () => Effect.succeedSome({ tokens: NaN, refund }) }),
  record: (answer) => ({ record: () => answer }),
  started: (answer) => ({ started: () => answer }),
  level: (level) => ({ level }),
  refusalAfter: (answer) => ({ refusalAfter: () => answer })
}

const services: ReadonlyArray<{ readonly name: string; readonly of: (answer: unknown) => object }> = [
  ...Object.entries(buckets).flatMap(([name, bucket]) =>
    ["bucket", "rateLimiter"].map((field) => ({
      name: `${field} ${name}`,
      of: (answer: unknown) => ({ [field]: { ...TokenBucket.unlimited, ...bucket(answer) } })
    }))
  ),
  { name: "observer", of: (answer) => ({ observe: [() => answer] }) },
  { name: "release", of: (answer) => ({ release: () => answer }) }
]

/** A bucket, and buckets made of it. */
const compositions: Readonly<Record<string, (bucket: Bucket) => Effect.Effect<Bucket>>> = {
  itself: (bucket) => Effect.succeed(bucket),
  all: (bucket) => Effect.succeed(TokenBucket.all(bucket, TokenBucket.unlimited)),
  "all, before a refusal": (bucket) => Effect.succeed(TokenBucket.all(bucket, TokenBucket.empty)),
  firstAttempts: (bucket) => Effect.succeed(TokenBucket.firstAttempts(bucket)),
  operationShare: (bucket) => TokenBucket.operationShare({ bucket: Effect.succeed(bucket), share: 0.1 }),
  shadow: (bucket) => Effect.succeed(TokenBucket.shadow(bucket)),
  failOpen: (bucket) => Effect.succeed(TokenBucket.failOpen(bucket, { within: "1 second" })),
  keyed: (bucket) =>
    Effect.scoped(TokenBucket.keyed({ bucket: Effect.succeed(bucket), maxKeys: 3, idleTimeToLive: "1 minute" }))
}

const grant = (refund: any) => Effect.succeedSome({ tokens: 1, refund })

/** The members of a bucket within a bucket, and the refund of what it grants. */
const inner: typeof buckets = {
  ...buckets,
  refund: (refund) => ({ acquire: () => grant(refund), level: Effect.succeed(1) }),
  "refund of a late grant": (refund) => ({ acquire: () => Effect.delay(grant(refund), "1 minute") })
}

describe("A service that answers no effect", () => {
  it.effect.each(services)(
    "$name: the operation ends without a defect, and what is around it as well",
    ({ name, of }) =>
      Effect.gen(function* () {
        for (const answer of answers) {
          let attempts = 0
          let ended = false
          const call = Effect.suspend(() => (++attempts < 3 ? Effect.fail("busy") : Effect.succeed("ok")))
          const exit = yield* Retry.retry(call, { ...policy, ...of(answer) }).pipe(
            Effect.ensuring(Effect.sync(() => void (ended = true))),
            Effect.exit
          )
          const made = name.startsWith("bucket acquire") ? 1 : name.startsWith("rateLimiter acquire") ? 0 : 3
          expect({ attempts, ended }).toEqual({ attempts: made, ended: true })
          expect(Exit.isSuccess(exit) ? [] : [...Cause.defects(exit.cause)]).toEqual([])
        }
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect.each(
    Object.entries(compositions).flatMap(([composition, compose]) =>
      Object.entries(inner).map(([name, bucket]) => ({ name: `${composition}: ${name}`, bucket, compose }))
    )
  )("a bucket within $name: the operation ends, and what is around it as well", ({ bucket, compose }) =>
    Effect.gen(function* () {
      for (const answer of [undefined, {}]) {
        for (const field of ["bucket", "rateLimiter"]) {
          const composed = yield* compose({ ...TokenBucket.unlimited, ...bucket(answer) })
          let ended = false
          const running = yield* Retry.retry(Effect.fail("busy"), {
            ...policy,
            deadline: Deadline.refuse("1 second"),
            [field]: composed
          }).pipe(Effect.ensuring(Effect.sync(() => void (ended = true))), Effect.exit, Effect.fork)
          yield* TestClock.adjust("1 minute")
          const exit = yield* Fiber.join(running)
          expect({ ended, defects: Exit.isSuccess(exit) ? [] : [...Cause.defects(exit.cause)] }).toEqual({
            ended: true,
            defects: []
          })
        }
      }
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )
})
