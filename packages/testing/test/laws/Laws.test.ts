import { Backoff, Classic, Classifier, Curve, Jitter, Verdict } from "@effect-retry/core"
import { Arbitraries, Laws } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Data, Duration, Effect, FastCheck as fc, Schedule } from "effect"
import { failing, findings } from "../Findings.ts"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: number }> {}
class Gone extends Data.TaggedError("Gone") {}

const errors = fc.oneof(
  fc.nat().map((retryAfter) => new Busy({ retryAfter })),
  fc.constant(new Gone())
)

const exponential = Backoff.exponential({ base: "100 millis" })

for (const jitter of [
  Jitter.none,
  Jitter.full,
  Jitter.equal,
  Jitter.proportional({ ratio: 0.2 }),
  Jitter.additive({ max: "1 second" }),
  Arbitraries.userJitter
]) {
  Laws.jitter(vitest, `Jitter ${jitter.name}`, jitter, { numRuns: 60 })
}

/** Cases of a schedule, a hundred waits each, of which only the seed is by chance. */
const numRuns = 30

Laws.schedule(vitest, "A capped exponential back-off", exponential.pipe(Backoff.capped("20 seconds")), {
  cap: "20 seconds",
  rises: true,
  numRuns
})
Laws.schedule(vitest, "A back-off with jitter", exponential.pipe(Backoff.jittered(Jitter.full)), { numRuns })
Laws.schedule(vitest, "A back-off that ends", Classic.ethernet({ slot: "1 milli" }), { numRuns })
Laws.schedule(vitest, "A native schedule", Schedule.jittered(Schedule.spaced("1 second")), {
  cap: "1.2 seconds",
  numRuns
})

Laws.classifier(
  vitest,
  "A classifier by tags",
  Classifier.fromTags<Busy | Gone>({
    Busy: ({ retryAfter }) => Verdict.retryable("Throttling", { hint: Duration.millis(retryAfter) }),
    Gone: Verdict.terminal("it is gone")
  }),
  errors,
  { numRuns: 60 }
)
Laws.classifier(vitest, "A classifier without an opinion", () => Verdict.noOpinion, fc.anything(), { numRuns: 60 })

const sound: Jitter.Jitter = {
  name: "mine",
  draws: true,
  interval: (b) => [b / 2, b],
  draw: (b, u) => b / 2 + (u * b) / 2
}

describe("Laws.jitter", () => {
  const broken = (change: Partial<Jitter.Jitter>, options?: Laws.JitterOptions) =>
    failing((runner) => Laws.jitter(runner, "it", { ...sound, ...change }, options))

  it.effect("finds no fault in a sound jitter", () => Effect.map(broken({}), (found) => expect(found).toEqual([])))

  it.effect.each<{ readonly defect: string; readonly change: Partial<Jitter.Jitter>; readonly finds: string }>([
    {
      defect: "has an interval below zero",
      change: { interval: (b) => [-1, b] },
      finds: "declares an interval that is finite, not negative and in order"
    },
    {
      defect: "has an interval that never ends",
      change: { interval: (b) => [0, b === 0 ? 0 : Infinity] },
      finds: "declares an interval that is finite, not negative and in order"
    },
    {
      defect: "has an interval the wrong way round",
      change: { interval: (b) => [b, 0] },
      finds: "declares an interval that is finite, not negative and in order"
    },
    { defect: "leaves its interval", change: { draw: (b, u) => b * u }, finds: "keeps every draw within its interval" },
    {
      defect: "draws what is no number",
      change: { draw: (b, u) => (b * (1 + u)) / (u === 0.5 ? 0 : 2) - (u === 0.5 ? Infinity : 0) },
      finds: "keeps every draw within its interval"
    },
    {
      defect: "remembers",
      change: {
        draw: (() => {
          let calls = 0
          return (b: number) => b * (calls++ % 2 === 0 ? 1 : 0.5)
        })()
      },
      finds: "answers the same for the same draw"
    },
    { defect: "draws although it says not to", change: { draws: false }, finds: "answers the same for the same draw" },
    {
      defect: "falls",
      change: { draw: (b, u) => b - (u * b) / 2 },
      finds: "never answers a shorter delay for a greater draw"
    }
  ])("finds a jitter that $defect", ({ change, finds }) =>
    Effect.map(broken(change), (found) => expect(found).toContain(finds))
  )

  it.effect("lets a jitter fall with the retries if told that it does", () =>
    Effect.map(broken({ draw: (b, u) => b - (u * b) / 2 }, { rises: false }), (found) => expect(found).toEqual([]))
  )

  it.effect("shows the smallest case, and the seed that finds it again", () =>
    Effect.gen(function* () {
      const tooLong = (options: Laws.JitterOptions) =>
        findings(
          (runner) => Laws.jitter(runner, "it", { ...sound, draw: (b) => (b > 1_000 ? b * 2 : b) }, options),
          "keeps every draw within its interval"
        )
      const [found] = yield* tooLong({ seed: 7 })
      expect(found?.says).toMatch(/seed: 7,/)
      expect(found?.says).toContain("Counterexample: [[1001,0]]")
      expect(yield* tooLong({ seed: 7, numRuns: 1 })).toHaveLength(1)
    })
  )
})

for (const curve of [
  Curve.linear({ base: 100, step: 50 }),
  Curve.decorrelated({ base: 100 }),
  Curve.decorrelatedSmooth({ base: 100 }),
  Arbitraries.userCurve(100),
  Arbitraries.userWalk(100)
]) {
  Laws.curve(vitest, `Curve ${curve.name}`, curve as Curve.Curve, { numRuns: 60 })
}

describe("Laws.curve", () => {
  /** A curve that says of itself that it is sound. */
  const broken = (change: Partial<Curve.Definition<unknown>>) => {
    const walk: Curve.Curve = Curve.make<unknown>({
      name: "walk",
      draws: true,
      initial: 10,
      delayMillis: (_, last, capMillis, u) => Math.min(Number(last) * (1 + u), capMillis),
      next: (delayMillis) => delayMillis,
      intervalMillis: (n, capMillis) => [Math.min(1, capMillis), Math.min(10 * 2 ** n, capMillis)]
    })
    return failing((runner) => Laws.curve(runner, "it", { ...walk, ...change }))
  }
  const within = "keeps every delay within its interval, after every history"
  const same = "answers the same for the same draws, and without chance for all"
  const whole = "makes a back-off of whole delays, none above its cap"

  it.effect("finds no fault in a sound curve", () => Effect.map(broken({}), (found) => expect(found).toEqual([])))

  it.effect.each<{
    readonly defect: string
    readonly change: Partial<Curve.Definition<unknown>>
    readonly finds: ReadonlyArray<string>
  }>([
    { defect: "leaves its interval", change: { intervalMillis: () => [1, 1] }, finds: [within] },
    {
      defect: "leaves its cap",
      change: {
        delayMillis: (_, last, _cap, u) => Math.min(Number(last) * (1 + u), 1e9),
        intervalMillis: () => [0, 1e9]
      },
      finds: [within]
    },
    { defect: "declares no end", change: { intervalMillis: () => [0, Infinity] }, finds: [within] },
    { defect: "answers what is no number", change: { delayMillis: () => NaN }, finds: [within, whole] },
    { defect: "draws although it says not to", change: { draws: false }, finds: [same] },
    {
      defect: "remembers outside of its state",
      change: {
        delayMillis: (() => {
          let calls = 0
          return (_: number, _last: unknown, capMillis: number) => Math.min(calls++ % 2, capMillis)
        })()
      },
      finds: [within, same]
    }
  ])("finds a curve that $defect", ({ change, finds }) =>
    Effect.map(broken(change), (found) => expect(found).toEqual(finds))
  )
})

describe("Laws.schedule", () => {
  const broken = (schedule: Schedule.Schedule<unknown>, options?: Laws.ScheduleOptions) =>
    failing((runner) => Laws.schedule(runner, "it", schedule, { numRuns, ...options }))

  const delaying = (delay: (n: number) => number) =>
    Schedule.modifyDelay(Schedule.forever, (n) => Duration.millis(delay(n)))

  /** Counts in a place that all operations share. */
  const forgetful = Effect.sync(() => {
    let calls = 0
    return delaying(() => 100 * ++calls)
  })

  it.effect.each<{
    readonly defect: string
    readonly schedule: Schedule.Schedule<unknown>
    readonly options?: Laws.ScheduleOptions
    readonly finds: string
  }>([
    {
      defect: "waits for ever",
      schedule: delaying((n) => (n < 90 ? 1 : Infinity)),
      finds: "waits only times that are finite and not negative"
    },
    {
      defect: "exceeds its cap",
      schedule: Schedule.jittered(Schedule.spaced("1 second")),
      options: { cap: "1.1 seconds" },
      finds: "waits no longer than its cap"
    },
    {
      defect: "falls",
      schedule: delaying((n) => (n === 50 ? 1 : n)),
      options: { rises: true },
      finds: "waits no shorter from one retry to the next"
    },
    {
      defect: "carries one operation over to the next",
      schedule: Effect.runSync(forgetful),
      finds: "waits the same for the same seed, whatever operation comes between"
    }
  ])("finds a schedule that $defect", ({ finds, options, schedule }) =>
    Effect.map(broken(schedule, options), (found) => expect(found).toEqual([finds]))
  )

  it.effect("looks no further than it is told", () =>
    Effect.map(
      broken(
        delaying((n) => (n < 90 ? 1 : Infinity)),
        { retries: 80 }
      ),
      (found) => expect(found).toEqual([])
    )
  )
})

describe("Laws.classifier", () => {
  const broken = (classifier: Classifier.Classifier<Busy | Gone>) =>
    failing((runner) => Laws.classifier(runner, "it", classifier, errors))

  it.effect("finds a classifier that judges differently the next time", () =>
    Effect.gen(function* () {
      let calls = 0
      const found = yield* broken(() => (calls++ % 2 === 0 ? Verdict.transient : Verdict.noOpinion))
      expect(found).toContain("judges every error by a verdict, the same each time")
      expect(found).toContain("is not changed by a chain with those that have no opinion")
    })
  )

  it.effect("finds a classifier that throws", () =>
    Effect.gen(function* () {
      const found = yield* broken((error) => {
        if (error._tag === "Gone") throw new Error("gone")
        return Verdict.transient
      })
      expect(found).toContain("judges every error by a verdict, the same each time")
    })
  )

  it.effect.each([
    { verdict: { _tag: "Maybe" }, says: '{"_tag":"Maybe"}' },
    { verdict: { ...Verdict.transient, kind: "Sunny" }, says: "kind is Sunny" },
    { verdict: { ...Verdict.transient, hint: 3 }, says: "hint is 3" },
    { verdict: { _tag: "Terminal" }, says: "why is undefined" }
  ])("finds a classifier whose answer is not a verdict: $says", ({ says, verdict }) =>
    Effect.gen(function* () {
      const found = yield* findings((runner) => Laws.classifier(runner, "it", () => verdict as never, errors))
      expect(found[0]?.name).toBe("judges every error by a verdict, the same each time")
      expect(found[0]?.says).toContain(says)
    })
  )
})
