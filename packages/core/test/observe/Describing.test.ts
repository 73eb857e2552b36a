import { Backoff, Classifier, Observe, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Data, Effect, Struct } from "effect"
import * as Events from "./Events.ts"

class SqlError extends Data.TaggedError("SqlError")<{ readonly sqlState: string; readonly message: string }> {}

const ofSql = Observe.describing((event) => {
  const error = "error" in event ? event.error.original : undefined
  return error instanceof SqlError
    ? { outcome: error.sqlState, attributes: { "db.response.status_code": error.sqlState } }
    : {}
})

/** What an observer is shown of an event. */
const shown = (event: Observe.RetryEvent, wrap: (observer: Observe.Observer) => Observe.Observer) => {
  const seen: Array<Observe.Details> = []
  return Effect.map(wrap((event) => Effect.sync(() => void seen.push(event.details())))(event), () => seen[0])
}

describe("Observe.describing", () => {
  it.effect.each([
    {
      of: "nothing",
      wrap: Observe.describing(() => ({})),
      added: {}
    },
    {
      of: "a subject",
      wrap: Observe.describing(() => ({ subject: "SELECT orders" })),
      added: { subject: "SELECT orders" }
    },
    {
      of: "what the event says",
      wrap: Observe.describing(({ attempt }) => ({ key: `k${attempt}`, outcome: "40001" })),
      added: { key: "k2", outcome: "40001" }
    },
    {
      of: "attributes and tags, besides those that are there",
      wrap: (observer: Observe.Observer) =>
        Observe.describing(() => ({ attributes: { a: 1, b: 1 }, tags: { t: "1" } }))(
          Observe.describing(() => ({ attributes: { b: 2, c: 2 }, tags: { u: "2" } }))(observer)
        ),
      added: { attributes: { a: 1, b: 2, c: 2 }, tags: { t: "1", u: "2" } }
    }
  ])("adds $of", ({ added, wrap }) =>
    Effect.gen(function* () {
      expect(yield* shown(Events.gaveUp, wrap)).toStrictEqual({ ...Events.detailsOf(Events.gaveUp), ...added })
    })
  )

  it.effect("changes nothing else of an event", () =>
    Effect.gen(function* () {
      const seen: Array<Observe.RetryEvent> = []
      const wrapped = Observe.describing(() => ({ subject: "x" }))((event) => Effect.sync(() => void seen.push(event)))
      yield* Effect.forEach(Events.all, wrapped)
      const without = (event: Observe.RetryEvent) => Struct.omit(event, "details")
      expect(seen.map(without)).toStrictEqual(Events.all.map(without))
    })
  )

  it.effect("calls nothing when no observer shows the event", () =>
    Effect.gen(function* () {
      let calls = 0
      const counting = Observe.describing(() => {
        calls += 1
        return {}
      })
      yield* counting(() => Effect.void)(Events.gaveUp)
      expect(calls).toBe(0)
    })
  )

  it.effect("that dies changes no operation, and the other observers still see the event", () =>
    Effect.gen(function* () {
      const tags: Array<string> = []
      const dying = Observe.describing(() => {
        throw new Error("bug")
      })
      const policy = {
        name: "orders",
        observe: [dying(Observe.logs()), (event: Observe.RetryEvent) => Effect.sync(() => void tags.push(event._tag))],
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: "1 second" })
      }
      const error = yield* Effect.flip(Retry.retry(Effect.fail("busy"), policy))
      expect([error, tags]).toEqual(["busy", ["AttemptFailed", "RetryScheduled", "AttemptFailed", "GaveUp"]])
    }).pipe(VirtualClock.run)
  )

  it.effect("describes the events of an operation with the words of its driver, found by the operation's key", () =>
    Effect.gen(function* () {
      const details: Array<Observe.Details> = []
      const policy = {
        name: "orders",
        observe: [ofSql((event) => Effect.sync(() => void details.push(event.details())))],
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: "1 second" })
      }
      const failing = Effect.fail(new SqlError({ sqlState: "40001", message: "could not serialize access" }))
      yield* Retry.retry(failing, policy).pipe(Effect.provideService(TokenBucket.Key, "tenant-1"), Effect.flip)
      const each = {
        subject: "orders",
        outcome: "40001",
        key: "tenant-1",
        attributes: { "db.response.status_code": "40001" },
        tags: {}
      }
      expect(details).toStrictEqual([each, each, each, each])
    }).pipe(VirtualClock.run)
  )
})
