/**
 * Attempts that came further before they failed: what starts over after them, and what does not.
 */
import { AttemptTimeout, Backoff, Deadline, type Policy, Retry, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Schedule } from "effect"

type Word = "failed" | "progressed" | "throttled"

const classifier = (word: Word): Verdict.Verdict =>
  word === "throttled" ? Verdict.throttling : Verdict.retryable("Server", { progressed: word === "progressed" })

const doubling = Backoff.exponential({ base: "1 second" })

/** Starts in seconds, why the operation stopped, and its attempts; the last word is repeated, `hangs` is no failure. */
const run = (
  words: ReadonlyArray<Word | "hangs">,
  policy: Omit<Policy.Policy<Word, AttemptTimeout.AttemptTimedOut>, "classifier">
) => {
  const starts: Array<number> = []
  const attempt = Effect.flatMap(Clock.currentTimeMillis, (millis) => {
    const word = words[Math.min(starts.push(millis / 1000), words.length) - 1] ?? "failed"
    return word === "hangs" ? Effect.never : Effect.fail(word)
  })
  const stopped = Effect.flip(Retry.orStopped(attempt, { ...policy, classifier }))
  return VirtualClock.run(
    Effect.map(stopped, ({ attempts, history, reason }) => {
      expect(history.map(({ attempt }) => attempt)).toEqual(starts.map((_, i) => i + 1))
      expect(attempts).toBe(starts.length)
      return { starts, reason: reason._tag }
    })
  )
}

const none = Array.from({ length: 6 }, (): Word => "failed")

describe("A failure after progress", () => {
  it.effect("starts the back-off and the count of attempts over", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 4, backoff: doubling }
      expect(yield* run(none, policy)).toEqual({ starts: [0, 1, 3, 7], reason: "AttemptsSpent" })
      expect(yield* run(["failed", "failed", "progressed", ...none], policy)).toEqual({
        starts: [0, 1, 3, 4, 6, 10],
        reason: "AttemptsSpent"
      })
      expect(yield* run(["progressed", ...none], policy)).toEqual({ starts: [0, 1, 3, 7], reason: "AttemptsSpent" })
    })
  )

  it.effect("gives an operation of one attempt no other", () =>
    Effect.gen(function* () {
      const once = yield* run(["progressed"], { maxAttempts: 1, backoff: doubling })
      expect(once).toEqual({ starts: [0], reason: "AttemptsSpent" })
    })
  )

  it.effect("starts the counts of kinds over", () =>
    Effect.gen(function* () {
      const policy = { maxAttempts: 9, attemptsByKind: { Throttling: 2 }, backoff: Backoff.constant({ delay: 1000 }) }
      const stopped = yield* run(["throttled", "progressed", "throttled", "throttled"], policy)
      expect(stopped).toEqual({ starts: [0, 1, 2, 3], reason: "AttemptsSpent" })
      const byServer = { ...policy, attemptsByKind: { Server: 2 } }
      expect(yield* run(["failed", "progressed", "failed"], byServer)).toEqual({
        starts: [0, 1, 2],
        reason: "AttemptsSpent"
      })
    })
  )

  it.effect("starts over a back-off with a last retry, and a foreign schedule", () =>
    Effect.gen(function* () {
      const words: ReadonlyArray<Word> = ["failed", "failed", "progressed", ...none]
      const ended = { starts: [0, 1, 3, 4, 6], reason: "BackoffEnded" }
      expect(yield* run(words, { maxAttempts: 99, backoff: Backoff.take(doubling, 2) })).toEqual(ended)
      const foreign = Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(2))
      expect(yield* run(words, { maxAttempts: 99, backoff: foreign })).toEqual(ended)
    })
  )

  it.effect("starts the timeouts of attempts over", () =>
    Effect.gen(function* () {
      const attemptTimeout = AttemptTimeout.growing({ initial: "10 seconds", factor: 10, maximum: "1000 seconds" })
      const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }), attemptTimeout }
      expect(yield* run(["hangs", "hangs", "hangs"], policy)).toMatchObject({ starts: [0, 10, 110] })
      expect(yield* run(["hangs", "hangs", "progressed", "hangs", "hangs"], policy)).toEqual({
        starts: [0, 10, 110, 110, 210],
        reason: "AttemptsSpent"
      })
    })
  )

  it.effect("does not start time over: neither the deadline nor a back-off within a time", () =>
    Effect.gen(function* () {
      const words: ReadonlyArray<Word> = ["progressed"]
      const policy = { maxAttempts: 2, backoff: doubling }
      expect(yield* run(words, { ...policy, deadline: Deadline.refuse("3 seconds") })).toEqual({
        starts: [0, 1, 2],
        reason: "DeadlinePassed"
      })
      expect(yield* run(words, { ...policy, backoff: Backoff.within(doubling, "3 seconds") })).toEqual({
        starts: [0, 1, 2],
        reason: "BackoffEnded"
      })
    })
  )
})
