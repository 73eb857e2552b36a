import { Backoff, TokenBucket } from "@effect-retry/core"
import { Load, Plan, VirtualClock } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Schedule } from "effect"
import { vi } from "vitest"

/** Takes globals away for as long as the effect runs. */
const without =
  (names: ReadonlyArray<string>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => names.forEach((name) => vi.stubGlobal(name, undefined))),
      () => self,
      () => Effect.sync(() => vi.unstubAllGlobals())
    )

const client = {
  policy: { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) },
  bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })
}

const recovery = Load.recovery(client, { load: 0.1, seed: 2, patience: 0, server: { capacityPerSecond: 20 } })

const plan = Effect.map(
  Plan.explainSchedule(Schedule.intersect(Schedule.jittered(Schedule.exponential("1 second")), Schedule.recurs(3)), {
    seed: 1,
    samples: 5
  }),
  Plan.toText
)

const promises = Effect.promise(async () => {
  for (let link = 0; link < 1_000; link++) await Promise.resolve()
})

describe("Timekeeper.install", () => {
  describe.each([
    { platform: "browsers", missing: ["setImmediate"] },
    { platform: "platforms that have timers alone", missing: ["setImmediate", "MessageChannel"] }
  ])("on $platform", ({ missing }) => {
    it.effect("puts the same load on a server, and explains the same plan", () =>
      Effect.gen(function* () {
        const both = Effect.all([recovery, plan])
        const expected = yield* both
        expect(yield* without(missing)(both)).toEqual(expected)
      })
    )

    it.effect("wakes sleepers by time, each when the one before has come to rest", () =>
      Effect.gen(function* () {
        const steps: Array<string> = []
        const walk = (name: string, delay: Duration.DurationInput) =>
          Effect.sleep(delay).pipe(
            Effect.zipRight(Effect.repeatN(Effect.zipRight(promises, Effect.yieldNow()), 2)),
            Effect.zipRight(Clock.currentTimeMillis),
            Effect.map((now) => steps.push(`${name} at ${now}`))
          )
        const walks = [walk("late", "1 hour"), walk("a", "1 second"), walk("b", "1 second")]
        yield* VirtualClock.run(Effect.all(walks, { concurrency: "unbounded" }))
        expect(steps).toEqual(["a at 1000", "b at 1000", "late at 3600000"])
      }).pipe(without(missing))
    )

    it.effect("stops with its scope, and starts again for the next one", () =>
      Effect.gen(function* () {
        const asleep = yield* VirtualClock.run(Effect.forkDaemon(Effect.sleep("1 second")))
        const slept = VirtualClock.run(Effect.zipRight(Effect.sleep("1 day"), Clock.currentTimeMillis))
        expect(yield* Effect.replicateEffect(slept, 3)).toEqual([86_400_000, 86_400_000, 86_400_000])
        expect((yield* Fiber.poll(asleep))._tag).toBe("None")
        yield* Fiber.interrupt(asleep)
      }).pipe(without(missing))
    )
  })
})
