import { Backoff, Observe, Retry, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, PubSub, Queue, Stream } from "effect"

const policy = {
  name: "fetch",
  classifier: () => Verdict.transient,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

const tagged = ({ _tag, attempt }: Observe.RetryEvent) => `${_tag} ${attempt}`

const story = [
  "AttemptFailed 1",
  "RetryScheduled 1",
  "AttemptFailed 2",
  "RetryScheduled 2",
  "AttemptFailed 3",
  "GaveUp 3"
]

describe("Observe.publish", () => {
  it.effect("publishes every event to every subscriber, in order", () =>
    Effect.gen(function* () {
      const events = yield* PubSub.unbounded<Observe.RetryEvent>()
      const subscriptions = yield* Effect.all([PubSub.subscribe(events), PubSub.subscribe(events)])
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...policy, observe: [Observe.publish(events)] }))
      for (const subscription of subscriptions) {
        expect(Chunk.toReadonlyArray(yield* Queue.takeAll(subscription)).map(tagged)).toEqual(story)
      }
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("makes a stream while the operation runs", () =>
    Effect.gen(function* () {
      const events = yield* PubSub.sliding<Observe.RetryEvent>(16)
      const stream = yield* Stream.fromPubSub(events, { scoped: true })
      const ends = stream.pipe(
        Stream.takeUntil(({ _tag }) => _tag === "GaveUp"),
        Stream.map(tagged),
        Stream.runCollect
      )
      const listening = yield* Effect.fork(ends)
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...policy, observe: [Observe.publish(events)] }))
      expect(Chunk.toReadonlyArray(yield* Fiber.join(listening))).toEqual(story)
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("continues without subscribers, and with a subscriber that reads nothing if the PubSub does not wait", () =>
    Effect.gen(function* () {
      const kept = (make: Effect.Effect<PubSub.PubSub<Observe.RetryEvent>>) =>
        Effect.gen(function* () {
          const events = yield* make
          const observed = { ...policy, observe: [Observe.publish(events)] }
          yield* Effect.exit(Retry.retry(Effect.fail("busy"), observed))
          const subscription = yield* PubSub.subscribe(events)
          yield* Effect.exit(Retry.retry(Effect.fail("busy"), observed))
          return Chunk.toReadonlyArray(yield* Queue.takeAll(subscription)).map(tagged)
        })
      expect(yield* kept(PubSub.sliding(2))).toEqual(story.slice(-2))
      expect(yield* kept(PubSub.dropping(2))).toEqual(story.slice(0, 2))
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("waits for a slow subscriber if the PubSub waits, and can be interrupted there", () =>
    Effect.gen(function* () {
      const events = yield* PubSub.bounded<Observe.RetryEvent>(2)
      const subscription = yield* PubSub.subscribe(events)
      const operation = Retry.retry(Effect.fail("busy"), { ...policy, observe: [Observe.publish(events)] })
      const waiting = yield* Effect.fork(operation)
      yield* Effect.sleep("1 hour")
      expect(yield* Queue.size(subscription)).toBe(2)
      yield* Fiber.interrupt(waiting)
      const first = yield* Queue.takeUpTo(subscription, 2)
      expect(Chunk.toReadonlyArray(first).map(tagged)).toEqual(story.slice(0, 2))
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("does not end the operation once the PubSub is shut down", () =>
    Effect.gen(function* () {
      const events = yield* PubSub.unbounded<Observe.RetryEvent>()
      yield* PubSub.shutdown(events)
      const exit = yield* Effect.exit(
        Retry.retry(Effect.fail("busy"), { ...policy, observe: [Observe.publish(events)] })
      )
      expect(exit).toEqual(Exit.fail("busy"))
    }).pipe(VirtualClock.run)
  )

  it.effect("works beside other observers", () =>
    Effect.gen(function* () {
      const events = yield* PubSub.unbounded<Observe.RetryEvent>()
      const subscription = yield* PubSub.subscribe(events)
      const observe = [Observe.metrics, Observe.spanEvents, Observe.logs(), Observe.publish(events)]
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...policy, name: "beside others", observe }))
      expect(Chunk.toReadonlyArray(yield* Queue.takeAll(subscription)).map(tagged)).toEqual(story)
    }).pipe(Effect.scoped, VirtualClock.run)
  )
})
