import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Expect, Scripted, Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Data, Effect, Exit } from "effect"

class Busy extends Data.TaggedError("Busy") {}

/** Runs an operation of at most three attempts against a script. */
const run = (steps: ReadonlyArray<Scripted.Step<string, Busy>>) =>
  Effect.gen(function* () {
    const service = yield* Scripted.make(steps)
    const backoff = Backoff.exponential({ base: "100 millis" })
    return yield* Timeline.record(
      Retry.orStopped(service.call, { classifier: Classifier.always, maxAttempts: 3, backoff })
    )
  }).pipe(VirtualClock.run)

const down = run([Scripted.times(Scripted.fail(new Busy(), { after: "20 millis" }), 3)])
const up = run([Scripted.succeed("up")])

const downText = `
    0  attempt 1  failed: Busy (20ms)
 20ms  wait 100ms
120ms  attempt 2  failed: Busy (20ms)
140ms  wait 200ms
340ms  attempt 3  failed: Busy (20ms)
360ms  failed: RetryStopped: all attempts spent (3 attempts in 360ms)`

/** Sleeps after it has given up. */
const inVain = VirtualClock.run(
  Timeline.record(Effect.tapError(Timeline.attempt(Effect.fail("no")), () => Effect.sleep("1 second")))
)

const assertion = (run: () => void) => {
  try {
    run()
  } catch (error) {
    return error
  }
  return expect.fail("nothing was thrown")
}

describe("Expect.starts", () => {
  it.effect("holds for the times of all attempts", () =>
    Effect.map(down, (timeline) => Expect.starts(timeline, ["0 millis", 120, "340 millis"]))
  )

  it.effect.each([{ times: [0, 100, 340] }, { times: [0, 120] }, { times: [0, 120, 340, 700] }, { times: [] }])(
    "does not hold for $times",
    ({ times }) =>
      Effect.map(down, (timeline) => {
        const expected = times.length === 0 ? "none" : times.map((time) => (time === 0 ? "0" : `${time}ms`)).join(", ")
        expect(assertion(() => Expect.starts(timeline, times))).toMatchObject({
          message: `Expect.starts: expected attempts at ${expected}, got 0, 120ms, 340ms\n${downText}`,
          actual: ["0", "120ms", "340ms"],
          expected: times.length === 0 ? [] : expected.split(", ")
        })
      })
  )
})

describe("Expect.waits", () => {
  it.effect("holds for the lengths of all waits", () =>
    Effect.map(down, (timeline) => Expect.waits(timeline, ["100 millis", "0.2 seconds"]))
  )

  it.effect("holds for none when nothing was waited for", () =>
    Effect.map(up, (timeline) => Expect.waits(timeline, []))
  )

  it.effect("does not hold for others", () =>
    Effect.map(down, (timeline) => {
      expect(() => Expect.waits(timeline, ["100 millis", "201 millis"])).toThrow(
        `Expect.waits: expected waits of 100ms, 201ms, got 100ms, 200ms\n${downText}`
      )
    })
  )

  it.effect("tells two waits apart that differ by a nanosecond", () =>
    Effect.map(down, (timeline) => {
      expect(() => Expect.waits(timeline, ["100 millis", "200000001 nanos"])).toThrow("200ms 1ns, got 100ms, 200ms")
    })
  )
})

describe("Expect.attempts", () => {
  it.effect("holds for their number", () => Effect.map(down, (timeline) => Expect.attempts(timeline, 3)))

  it.effect("does not hold for another", () =>
    Effect.map(down, (timeline) => {
      expect(() => Expect.attempts(timeline, 4)).toThrow(`Expect.attempts: expected 4 attempts, got 3\n${downText}`)
      expect(() => Expect.attempts(timeline, 1)).toThrow(`Expect.attempts: expected 1 attempt, got 3\n${downText}`)
    })
  )
})

describe("Expect.noTrailingWait", () => {
  it.effect("holds when everything ends with the last attempt", () =>
    Effect.map(Effect.all([down, up]), (timelines) => timelines.forEach(Expect.noTrailingWait))
  )

  it.effect("does not hold when a wait precedes giving up", () =>
    Effect.map(inVain, (timeline) => {
      expect(() => Expect.noTrailingWait(timeline)).toThrow(
        [
          "Expect.noTrailingWait: expected no wait after the last attempt, got one of 1s",
          "",
          " 0  attempt 1  failed: no (0)",
          " 0  wait 1s",
          "1s  failed: no"
        ].join("\n")
      )
    })
  )
})

describe("Expect.stopped", () => {
  it.effect("holds for the reason, and answers with the details", () =>
    Effect.map(down, (timeline) => {
      const { attempts, error, reason } = Expect.stopped(timeline, "AttemptsSpent")
      expectTypeOf(error).toEqualTypeOf<Busy>()
      expect([attempts, error, reason.maxAttempts]).toEqual([3, new Busy(), 3])
    })
  )

  it.effect("holds for an exit as well", () =>
    Effect.map(down, ({ exit }) => expect(Expect.stopped(exit, "AttemptsSpent").attempts).toBe(3))
  )

  it.effect("does not hold for another reason", () =>
    Effect.map(down, (timeline) => {
      expect(assertion(() => Expect.stopped(timeline, "Terminal"))).toMatchObject({
        message: `Expect.stopped: expected it to stop by Terminal, got AttemptsSpent (failed: RetryStopped: all attempts spent (3 attempts in 360ms))\n${downText}`,
        actual: "AttemptsSpent",
        expected: "Terminal"
      })
    })
  )

  it.effect("does not hold for an operation that succeeds or dies", () =>
    Effect.gen(function* () {
      const { exit } = yield* up
      const message = "Expect.stopped: expected it to stop by Terminal, got"
      expect(() => Expect.stopped(exit, "Terminal")).toThrow(`${message} succeeded (succeeded: up)`)
      expect(() => Expect.stopped(Exit.die("oh"), "Terminal")).toThrow(`${message} died (died: oh)`)
    })
  )

  it.effect("is refused by the types for an exit of Retry.retry", () =>
    Effect.gen(function* () {
      const retried = Retry.retry(Effect.fail("no"), {
        classifier: () => Verdict.terminal("no"),
        maxAttempts: 3,
        backoff: Backoff.constant({ delay: 0 })
      })
      const exit = yield* Effect.exit(retried)
      // @ts-expect-error - Retry.retry fails with the last error; Retry.orStopped says why it stopped
      expect(() => Expect.stopped(exit, "Terminal")).toThrow("got failed (failed: no)")
    })
  )
})
