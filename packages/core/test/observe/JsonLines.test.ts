import { Backoff, Classifier, Hint, Observe, Retry, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Events from "./Events.ts"

const policy = {
  name: "orders",
  classifier: Classifier.fromTags({ Busy: Verdict.retryable("Throttling", { hint: "2 seconds" }) }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  hint: Hint.standard
}

const collecting = () => {
  const lines: Array<string> = []
  return { observe: [Observe.jsonLines((line) => void lines.push(line))], lines }
}

const parsed = (lines: ReadonlyArray<string>) => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

describe("Observe.jsonLines", () => {
  it.effect("writes a line for each event, with its time, its fiber and the hint of the server", () =>
    Effect.gen(function* () {
      const { lines, observe } = collecting()
      let attempts = 0
      const call = Effect.suspend(() => {
        attempts += 1
        return Effect.delay(attempts < 2 ? Effect.fail({ _tag: "Busy" as const }) : Effect.void, "30 millis")
      })
      yield* Retry.retry(call, { ...policy, observe }).pipe(Effect.withRandomFixed([0]))
      const failed = { "retry.operation": "orders", "retry.attempt": 1, "retry.max_attempts": 3 }
      const found = parsed(lines)
      expect(found).toMatchObject([
        { time: 30, event: "retry.attempt_failed", ...failed, "retry.elapsed_ms": 30, "retry.ran_ms": 30 },
        { time: 30, event: "retry.scheduled", ...failed, "retry.delay_ms": 2000 },
        { time: 2060, event: "retry.succeeded", "retry.attempt": 2, "retry.elapsed_ms": 2060 }
      ])
      expect(found[0]).toMatchObject({ "retry.kind": "Throttling", "retry.hint_ms": 2000 })
      expect(found[1]).not.toHaveProperty("retry.hint_ms")
      expect(new Set(found.map(({ fiber }) => fiber)).size).toBe(1)
      expect(String(found[0]?.["fiber"])).toMatch(/^#\d+$/)
    }).pipe(VirtualClock.run)
  )

  it.effect("writes every attribute of every event, each on a line of its own", () =>
    Effect.gen(function* () {
      const { lines, observe } = collecting()
      yield* Effect.forEach(Events.all, observe[0]!)
      expect(lines.filter((line) => line.includes("\n"))).toEqual([])
      expect(parsed(lines).map(({ event: _event, fiber: _fiber, time: _time, ...attributes }) => attributes)).toEqual([
        Events.attributes.NestingNoticed,
        Events.attributes.AttemptFailed,
        Events.attributes.RetryScheduled,
        Events.attributes.HedgeStarted,
        Events.attributes.HedgeRefused,
        Events.attributes.Succeeded,
        Events.attributes.GaveUp
      ])
    })
  )

  it.effect("changes nothing when the writer throws", () =>
    Effect.gen(function* () {
      const observe = [
        Observe.jsonLines(() => {
          throw new Error("disk full")
        })
      ]
      expect(yield* Retry.retry(Effect.succeed("done"), { ...policy, observe })).toBe("done")
    })
  )
})
