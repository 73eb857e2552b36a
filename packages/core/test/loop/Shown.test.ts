/** No error of ours, event or log line shows a secret of an error that it has, however it is printed. */
import { Backoff, Classifier, Deadline, InvalidArgument, type Observe, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Logger } from "effect"
import * as LogLines from "../support/LogLines.ts"
import * as Printed from "../support/Printed.ts"
import * as Secrets from "../support/Secrets.ts"

const twice = {
  name: "fetch",
  classifier: Classifier.always,
  maxAttempts: 2,
  backoff: Backoff.constant({ delay: "1 second" })
}

const broken = <E>(failed: Effect.Effect<never, E>): TokenBucket.TokenBucket<E> => ({
  acquire: () => failed,
  record: () => failed as Effect.Effect<never>,
  level: Effect.succeed(0)
})

/** An error of ours, and the one that it has. */
interface Found {
  readonly ours: unknown
  readonly theirs: unknown
}

const errors: { readonly [name: string]: (error: unknown) => Effect.Effect<Found, unknown> } = {
  RetryStopped: (error) => Effect.map(stopped(error), (ours) => ({ ours, theirs: ours.error })),
  FailedAttempt: (error) =>
    Effect.map(stopped(error), ({ history }) => ({ ours: history[0], theirs: history[0]?.error })),
  AttemptRefused: (error) => {
    const rateLimiter = TokenBucket.failClosed(broken(Effect.fail(error)), { within: "1 second" })
    return Effect.map(Effect.flip(Retry.retry(Effect.void, { ...twice, rateLimiter })), (ours) => ({
      ours,
      theirs: ours.error
    }))
  },
  DeadlineExceeded: (error) => {
    const ours = new Deadline.DeadlineExceeded({ within: Duration.seconds(1), attempts: 1, cause: error })
    return Effect.succeed({ ours, theirs: ours.error })
  },
  ResultRejected: (error) => {
    const ours = new Retry.ResultRejected({ result: error })
    return Effect.succeed({ ours, theirs: ours.result })
  },
  InvalidArgument: (value) => {
    const ours = new InvalidArgument.InvalidArgument({ owner: "make", field: "of", allowed: "> 0", value: [{ value }] })
    return Effect.succeed({ ours, theirs: (ours.value as ReadonlyArray<{ value: unknown }>)[0]?.value })
  }
}

const stopped = (error: unknown) => Effect.flip(Retry.orStopped(Effect.fail(error), twice))

/** Events of every tag. */
const events = (error: unknown) => {
  const heard: Array<Observe.RetryEvent> = []
  const observe = [(event: Observe.RetryEvent) => Effect.sync(() => void heard.push(event))]
  let runs = 0
  const once = Effect.suspend(() => (++runs === 1 ? Effect.fail(error) : Effect.void))
  const given = Retry.retry(Effect.fail(error), { ...twice, name: "given up", observe })
  const succeeding = Retry.retry(once, { ...twice, observe })
  return Retry.retry(Effect.zipRight(succeeding, given), { ...twice, name: "outer", maxAttempts: 2 }).pipe(
    Effect.ignore,
    Effect.as(heard)
  )
}

/** All that is logged when a bucket, an observer, or what is called of a failure dies. */
const logged = (error: unknown) => {
  const lines: Array<unknown> = []
  const logger = Logger.make((line) => {
    const { annotations, message } = LogLines.of(line)
    lines.push(message, line.cause, annotations)
  })
  const dying = broken(Effect.die(error))
  const onFailure = () => Effect.die(error)
  const retried = [
    { ...twice, observe: [onFailure] },
    { ...twice, bucket: dying },
    { ...twice, rateLimiter: dying },
    { ...twice, rateLimiter: TokenBucket.shadow(dying) },
    { ...twice, rateLimiter: TokenBucket.failOpen(broken(Effect.fail(error)), { within: "1 second", onFailure }) }
  ].map((policy) => Effect.exit(Retry.retry(Effect.fail(error), policy)))
  return Effect.all(retried).pipe(
    Effect.zipLeft(Effect.sleep("1 second")),
    Effect.as(lines),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
}

describe.each(Object.entries(errors))("%s", (_, make) => {
  it.effect.each(Secrets.leaves)("shows no secret in $place, and has the error itself", ({ error, secret }) =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* make(error)
      expect(Printed.showing(ours, secret)).toEqual([])
      expect(theirs).toBe(error)
    }).pipe(VirtualClock.run)
  )
})

describe("the events of an operation", () => {
  it.effect.each(Secrets.leaves)("show no secret in $place, and have the error itself", ({ error, secret }) =>
    Effect.gen(function* () {
      const heard = yield* events(error)
      const tags = ["AttemptFailed", "GaveUp", "NestingNoticed", "RetryScheduled", "Succeeded"]
      expect([...new Set(heard.map(({ _tag }) => _tag))].toSorted()).toEqual(tags)
      for (const event of heard) if ("error" in event) expect(event.error.original).toBe(error)
      expect(Printed.showing([...heard, heard.map((event) => event.details())], secret)).toEqual([])
    }).pipe(VirtualClock.run)
  )
})

describe("what is logged of a service that died", () => {
  it.effect.each(Secrets.leaves)("shows no secret in $place", ({ error, secret }) =>
    Effect.gen(function* () {
      const lines = yield* logged(error)
      expect(lines.filter((line) => Cause.isCause(line)).length).toBeGreaterThan(4)
      expect(Printed.showing(lines, secret)).toEqual([])
    }).pipe(VirtualClock.run)
  )
})
