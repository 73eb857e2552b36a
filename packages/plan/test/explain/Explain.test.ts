import {
  AttemptTimeout,
  Backoff,
  Classic,
  Classifier,
  Curve,
  Deadline,
  Hint,
  Jitter,
  Policy,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { Plan, SeededRandom } from "@effect-retry/plan"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Data, Duration, Effect, FastCheck as fc, Option, Schedule } from "effect"
import { law } from "../../../core/test/support/Laws.ts"
import {
  delaysOf,
  excesses,
  failures,
  fastest,
  longestMillis,
  operation,
  policies,
  slowest,
  times
} from "../Operations.ts"

const exponential = Backoff.exponential({ base: 100 })
const jittered = exponential.pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.equal))

const valley = Jitter.make({
  name: "valley",
  interval: (bound) => [0, bound],
  draw: (bound, u) => bound * Math.abs(2 * u - 1)
})

/** Google's truncated exponential back-off, as a user may write it. */
const truncated = ({ base, maximum }: { readonly base: number; readonly maximum: number }) =>
  Backoff.fromCurve(
    Curve.fromDraw({
      name: "truncated",
      delayMillis: (n, cap, u) => Math.min(base * 2 ** (n - 1) + u * 1_000, maximum, cap),
      intervalMillis: (n, cap) => [
        Math.min(base * 2 ** (n - 1), maximum, cap),
        Math.min(base * 2 ** (n - 1) + 1_000, maximum, cap)
      ]
    })
  )

/** Walks from its last delay, up or down, so that single draws and their history matter. */
const walk = (base: number) =>
  Curve.make({
    name: "walk",
    draws: true,
    initial: base,
    delayMillis: (_, last, cap, u) => Math.min(last * (0.5 + 1.5 * u), cap),
    next: (delay) => delay,
    intervalMillis: (n, cap) => [Math.min(base * 0.5, cap) * 0.5 ** (n - 1), Math.min(base * 2 ** n, cap)]
  })

/** Its least delay is in the middle of its draws. */
const hollow = Curve.fromDraw({
  name: "hollow",
  delayMillis: (_, cap, u) => Math.min(100 * Math.abs(2 * u - 1), cap),
  intervalMillis: (_, cap) => [0, Math.min(100, cap)]
})

/** Ends when its delays have come to a hundred milliseconds, which short ones do later. */
const spent = Curve.make({
  name: "spent",
  draws: true,
  initial: 0,
  delayMillis: (_, sum, _cap, u) => (sum >= 100 ? undefined : 50 + u * 50),
  next: (delay, _n, sum) => sum + delay,
  intervalMillis: () => [0, 200]
})

/** Ends after so many delays, which it counts by itself. */
const counted = (delays: number) =>
  Curve.make({
    name: "counted",
    draws: false,
    initial: delays,
    delayMillis: (_, left) => (left > 0 ? 5 : undefined),
    next: (_, _n, left) => left - 1,
    intervalMillis: () => [5, 5]
  })

const never = "never ends: neither attempts, back-off nor deadline stop it"
const ending = Backoff.fromDelays([1])
const always = Backoff.constant({ delay: 1 })
const endless = (backoff: Backoff.Backoff, attemptTimeout?: number) => ({
  maxAttempts: Infinity,
  backoff,
  attemptTimeout: attemptTimeout === undefined ? undefined : AttemptTimeout.constant(attemptTimeout)
})

const tags = (remarks: ReadonlyArray<{ readonly _tag: string }>) => remarks.map(({ _tag }) => _tag)

const warningsOf = (policy: Plan.Explainable, options?: Plan.Options) => Plan.explain(policy, options).warnings

const worstOf = ({ attempts, elapsed, loadFactor, waited }: Plan.Worst) => ({
  attempts,
  waited: Duration.toMillis(waited),
  elapsed: Duration.toMillis(elapsed),
  loadFactor
})

/** Retry after retry: bound, least, mean and most in milliseconds; a mean within half a percent. */
const goldenDelays: ReadonlyArray<readonly [string, Backoff.Backoff, ReadonlyArray<ReadonlyArray<number>>]> = [
  [
    "constant",
    Backoff.constant({ delay: 70 }),
    [
      [70, 70, 70, 70],
      [70, 70, 70, 70],
      [70, 70, 70, 70]
    ]
  ],
  [
    "linear",
    Backoff.fromCurve(Curve.linear({ base: 10, step: 5 })),
    [
      [10, 10, 10, 10],
      [15, 15, 15, 15],
      [20, 20, 20, 20]
    ]
  ],
  [
    "exponential, capped",
    exponential.pipe(Backoff.capped(300)),
    [
      [100, 100, 100, 100],
      [200, 200, 200, 200],
      [300, 300, 300, 300]
    ]
  ],
  [
    "full jitter",
    exponential.pipe(Backoff.jittered(Jitter.full)),
    [
      [100, 0, 50.5, 100],
      [200, 0, 100.5, 200],
      [400, 0, 200.5, 400]
    ]
  ],
  [
    "equal jitter",
    jittered,
    [
      [100, 50, 75.5, 100],
      [200, 100, 150.5, 200],
      [400, 200, 300.5, 400]
    ]
  ],
  [
    "proportional jitter below a cap",
    exponential.pipe(Backoff.capped(210), Backoff.jittered(Jitter.proportional({ ratio: 0.2 }))),
    [
      [100, 80, 100.5, 120],
      [200, 160, 185.5, 210],
      [210, 168, 189.5, 210]
    ]
  ],
  [
    "additive jitter",
    exponential.pipe(Backoff.jittered(Jitter.additive({ max: 40 }))),
    [
      [100, 100, 120.5, 140],
      [200, 200, 220.5, 240],
      [400, 400, 420.5, 440]
    ]
  ],
  [
    "a jitter by its interval",
    exponential.pipe(Backoff.jittered(Arbitraries.userJitter)),
    [
      [100, 25, 83.8, 200],
      [200, 50, 167.2, 400],
      [400, 100, 333.8, 800]
    ]
  ],
  [
    "a jitter that falls and rises",
    exponential.pipe(Backoff.jittered(valley)),
    [
      [100, 0, 50.5, 100],
      [200, 0, 100.5, 200],
      [400, 0, 200.5, 400]
    ]
  ],
  [
    "a curve that falls and rises",
    Backoff.fromCurve(hollow),
    [
      [100, 0, 50.5, 100],
      [100, 0, 50.5, 100],
      [100, 0, 50.5, 100]
    ]
  ],
  [
    "a curve without chance, whatever interval it declares",
    Backoff.fromCurve(Curve.make({ ...counted(9), intervalMillis: () => [0, 9] })),
    [
      [5, 5, 5, 5],
      [5, 5, 5, 5],
      [5, 5, 5, 5]
    ]
  ],
  [
    "decorrelated",
    Backoff.fromCurve(Curve.decorrelated({ base: 1000 })),
    [
      [3000, 1000, 2000.5, 3000],
      [9000, 1000, 3500.5, 9000],
      [27000, 1000, 5750.5, 27000]
    ]
  ],
  [
    "decorrelatedSmooth",
    Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1000 })),
    [
      [1378, 0, 871.6, 1378],
      [2838, 0, 1158.6, 2838],
      [4326, 0, 2078.4, 4326]
    ]
  ],
  [
    "ethernet",
    Classic.ethernet({ slot: 10 }),
    [
      [10, 0, 5, 10],
      [30, 0, 15, 30],
      [70, 0, 35, 70]
    ]
  ],
  [
    "celery",
    Classic.celery({ factor: 1 }),
    [
      [1000, 0, 500, 1000],
      [2000, 0, 1000, 2000],
      [4000, 0, 2000, 4000]
    ]
  ],
  [
    "truncated",
    truncated({ base: 1000, maximum: 3500 }),
    [
      [2000, 1000, 1500.5, 2000],
      [3000, 2000, 2500.5, 3000],
      [3500, 3500, 3500, 3500]
    ]
  ],
  [
    "longest of two",
    Backoff.max(exponential, Backoff.constant({ delay: 150 })),
    [
      [150, 150, 150, 150],
      [200, 200, 200, 200],
      [400, 400, 400, 400]
    ]
  ],
  [
    "shortest of two",
    Backoff.min(jittered, Backoff.constant({ delay: 150 })),
    [
      [100, 50, 75.5, 100],
      [150, 100, 137.75, 150],
      [150, 150, 150, 150]
    ]
  ],
  [
    "a time that half of the draws keep",
    Backoff.within(Backoff.constant({ delay: 100 }).pipe(Backoff.jittered(Jitter.full)), 51),
    [
      [100, 0, 25.5, 100],
      [100, 0, 25.5, 100],
      [100, 0, 25.5, 100]
    ]
  ],
  [
    "the worst of all kinds",
    Backoff.byKind({ Throttling: Backoff.constant({ delay: 150 }), orElse: exponential }),
    [
      [150, 100, 150, 150],
      [200, 150, 200, 200],
      [400, 150, 400, 400]
    ]
  ],
  [
    "one after the other",
    Backoff.andThen(Backoff.fromDelays([5]), jittered),
    [
      [5, 5, 5, 5],
      [100, 50, 75.5, 100],
      [200, 100, 150.5, 200]
    ]
  ]
]

/** Back-offs whose plan is tight, and how long an attempt takes at most. */
const tight: ReadonlyArray<readonly [string, Backoff.Backoff]> = [
  ["constant", Backoff.constant({ delay: 70 })],
  ["linear", Backoff.fromCurve(Curve.linear({ base: 10, step: 5 }))],
  ["polynomial", Backoff.fromCurve(Curve.polynomial({ base: 10, degree: 1.7 })).pipe(Backoff.jittered(Jitter.full))],
  ["exponential", exponential],
  ["fibonacci", Backoff.fromCurve(Curve.fibonacci({ base: 33 })).pipe(Backoff.jittered(Jitter.additive({ max: 12 })))],
  ["a list", Backoff.fromDelays([10, 1000, 20, 30])],
  ["connectRetry", Classic.connectRetry({ maximum: "16 seconds" })],
  ["full jitter", exponential.pipe(Backoff.jittered(Jitter.full))],
  ["equal jitter", jittered],
  ["proportional jitter", jittered.pipe(Backoff.jittered(Jitter.proportional({ ratio: 0.3 })))],
  ["a jitter of one's own", jittered.pipe(Backoff.jittered(Arbitraries.userJitter))],
  ["decorrelated", Backoff.fromCurve(Curve.decorrelated({ base: 100 })).pipe(Backoff.capped(5_000))],
  ["ethernet", Classic.ethernet({ slot: 51 })],
  ["celery", Classic.celery({ factor: 1, maximum: "5 seconds" })],
  ["truncated", truncated({ base: 100, maximum: 3_000 })],
  ["the first retry at once", Backoff.andThen(Backoff.fromDelays([0]), jittered)],
  ["longest", Backoff.max(jittered, Backoff.fromCurve(Curve.decorrelated({ base: 30 })))],
  ["shortest", Backoff.min(jittered, Backoff.fromCurve(Curve.decorrelated({ base: 30 })))],
  ["within", Backoff.within(jittered, "20 seconds")],
  ["take", Backoff.take(jittered, 4)],
  ["within and take in a composite", Backoff.max(Backoff.take(jittered, 5), Backoff.within(exponential, "1 hour"))],
  ["a curve of one's own", Backoff.fromCurve(Arbitraries.userCurve(40)).pipe(Backoff.jittered(Jitter.full))],
  ["a walk of one's own", Backoff.fromCurve(walk(100)).pipe(Backoff.capped(700))],
  ["resetAfter more than the timeout", Backoff.resetAfter(jittered, "3 seconds")]
]

describe("Plan.explain", () => {
  it.each(goldenDelays)("reports bound, least, mean and most: %s", (_, backoff, expected) => {
    const explained = delaysOf(Plan.explain({ maxAttempts: 4, backoff }))
    const withoutMean = (rows: ReadonlyArray<ReadonlyArray<number>>) =>
      rows.map(([bound, least, , most]) => [bound, least, most])
    expect(withoutMean(explained)).toEqual(withoutMean(expected))
    const meanRatios = explained.map(([, , mean], i) => (mean ?? NaN) / (expected[i]?.[2] ?? NaN))
    expect(meanRatios.filter((ratio) => !(Math.abs(ratio - 1) < 0.005))).toEqual([])
  })

  it("reports when attempts can start, with and without time in them", () => {
    const policy = { maxAttempts: 5, backoff: jittered }
    expect(times(Plan.explain(policy))).toEqual({
      earliest: [0, 50, 150, 350, 750],
      latest: [0, 100, 300, 700, 1500],
      waited: [0, 100, 300, 700, 1500]
    })
    expect(times(Plan.explain(policy, { attemptTakes: "2 seconds" }))).toEqual({
      earliest: [0, 50, 150, 350, 750],
      latest: [0, 2100, 4300, 6700, 9500],
      waited: [0, 100, 300, 700, 1500]
    })
    const attemptTimeout = AttemptTimeout.growing({ initial: 100, factor: 2, maximum: 300 })
    expect(times(Plan.explain({ ...policy, attemptTimeout })).latest).toEqual([0, 200, 600, 1300, 2400])
    expect(times(Plan.explain({ ...policy, attemptTimeout }, { attemptTakes: 150 })).latest).toEqual([
      0, 200, 550, 1100, 2050
    ])
  })

  it("reports the worst case", () => {
    const policy = { maxAttempts: 5, backoff: jittered, attemptTimeout: AttemptTimeout.constant(500) }
    const plan = Plan.explain(policy)
    expect(worstOf(plan.worst)).toEqual({ attempts: 5, waited: 1500, elapsed: 4000, loadFactor: 5 })
    expect(Option.map(plan.hinted, worstOf)).toEqual(
      Option.some({ attempts: 5, waited: 240_000, elapsed: 242_500, loadFactor: 5 })
    )
    expect(Plan.explain({ ...policy, hint: Hint.ignore }).hinted).toEqual(Option.none())
    expect(Plan.explain({ ...policy, maxAttempts: 1 }).hinted).toEqual(Option.none())
  })

  it("changes the worst case by every rule for hints", () => {
    const hinted = (hint: Hint.Hint) =>
      Option.map(Plan.explain({ maxAttempts: 3, backoff: exponential, hint }).hinted, ({ waited }) =>
        Duration.toMillis(waited)
      )
    expect(hinted(Hint.floor({ atMost: 150, otherwise: "giveUp" }))).toEqual(Option.some(350))
    expect(hinted(Hint.override({ atMost: 1_000, otherwise: "clamp" }))).toEqual(Option.some(2_000))
    expect(hinted(Hint.within({ above: 5_000 }))).toEqual(Option.some(10_300))
  })

  it("counts on hints that make room for attempts before a deadline", () => {
    const plan = Plan.explain({
      maxAttempts: 9,
      backoff: Backoff.constant({ delay: 200 }),
      hint: Hint.override({ atMost: 300, otherwise: "clamp" }),
      deadline: Deadline.refuse(500)
    })
    expect([plan.worst.attempts, Option.map(plan.hinted, ({ attempts }) => attempts)]).toEqual([3, Option.some(9)])
  })

  it("counts on hints that are longer than the time that a back-off keeps", () => {
    const policy = {
      maxAttempts: 2,
      backoff: Backoff.within(Backoff.constant({ delay: 100 }), 250),
      hint: Hint.override({ atMost: 1_000, otherwise: "clamp" })
    }
    const { hinted, worst } = Plan.explain(policy, { attemptTakes: 300 })
    expect(worstOf(worst)).toMatchObject({ waited: 100, elapsed: 249 + 300 })
    expect(Option.map(hinted, worstOf)).toMatchObject(Option.some({ waited: 1_000, elapsed: 300 + 1_000 + 300 }))
  })

  it.each([
    ["none", 500],
    ["atOnce", 600]
  ] as const)("counts on hints of zero as the rule reads them: %s", (zero, attempts) => {
    const plan = Plan.explain({
      maxAttempts: 600,
      backoff: Backoff.constant({ delay: 200 }),
      hint: Hint.override({ atMost: 300, otherwise: "clamp", zero }),
      deadline: Deadline.refuse(500)
    })
    expect(Option.map(plan.hinted, ({ attempts }) => attempts)).toEqual(Option.some(attempts))
  })

  it("ends attempts when a deadline cuts the operation", () => {
    const elapsed = (deadline: Deadline.Deadline<unknown>) =>
      worstOf(Plan.explain({ maxAttempts: 2, backoff: exponential, deadline }, { attemptTakes: "1 second" }).worst)
        .elapsed
    expect([Deadline.cut(400), Deadline.refuse(400), Deadline.cut("1 hour")].map(elapsed)).toEqual([400, 1_399, 2_100])
  })

  it("leaves out the delay of other kinds when there are none", () => {
    const delay = Backoff.constant({ delay: 10 })
    const cases = { Transient: delay, Throttling: delay, Timeout: delay, Server: delay, Client: delay }
    const backoff = Backoff.byKind({ ...cases, orElse: exponential })
    expect(delaysOf(Plan.explain({ maxAttempts: 3, backoff }))).toEqual([
      [10, 10, 10, 10],
      [10, 10, 10, 10]
    ])
  })

  it("hands attempts the time left of a deadline as their timeout", () => {
    const plan = Plan.explain({
      attemptTimeout: AttemptTimeout.constant(300),
      maxAttempts: 4,
      backoff: Backoff.constant({ delay: 200 }),
      deadline: Deadline.refuse(700)
    })
    expect(plan.attempts.map(({ attemptTimeout }) => Option.map(attemptTimeout, Duration.toMillis))).toEqual(
      [300, 300, 300, 100].map(Option.some)
    )
  })

  it("keeps every kind of deadline to the millisecond", () => {
    const explained = (deadline: Deadline.Deadline<unknown>) => {
      const plan = Plan.explain({ maxAttempts: 9, backoff: Backoff.constant({ delay: 200 }), deadline })
      return { starts: times(plan).latest, ...worstOf(plan.worst) }
    }
    const four = { attempts: 4, loadFactor: 4, starts: [0, 200, 400, 600], waited: 600, elapsed: 600 }
    const three = { attempts: 3, loadFactor: 3, starts: [0, 200, 400], waited: 400, elapsed: 400 }
    expect(explained(Deadline.refuse(601))).toEqual(four)
    expect(explained(Deadline.refuse(600))).toEqual(three)
    expect(explained(Deadline.refuse(700, { reserve: 100 }))).toEqual(four)
    expect(explained(Deadline.refuse(700, { reserve: 101 }))).toEqual(three)
    expect(explained(Deadline.truncate(600, { reserve: 1 }))).toEqual({
      ...four,
      starts: [0, 200, 400, 599],
      waited: 599,
      elapsed: 599
    })
    expect(explained(Deadline.cut(601))).toEqual({ ...four, waited: 601, elapsed: 601 })
    expect(explained(Deadline.cut(600))).toEqual({ ...three, waited: 600, elapsed: 600 })
  })

  it.effect("agrees with every kind of deadline as it is run", () =>
    Effect.gen(function* () {
      for (const make of [
        (within: number) => Deadline.refuse(within),
        (within: number) => Deadline.refuse(within, { reserve: 100 }),
        (within: number) => Deadline.truncate(within, { reserve: 100 }),
        (within: number) => Deadline.cut(within)
      ]) {
        for (const within of [199, 200, 201, 599, 600, 601, 699, 700, 701]) {
          const policy = { maxAttempts: 9, backoff: Backoff.constant({ delay: 200 }), deadline: make(within) }
          const plan = Plan.explain(policy)
          const seen = yield* fastest(policy)
          expect(times(plan)).toMatchObject({ earliest: seen.starts, latest: seen.starts })
          expect(worstOf(plan.worst)).toMatchObject({ waited: seen.waited, elapsed: seen.elapsed })
        }
      }
    })
  )

  it.effect.each(tight)("is tight to the millisecond: %s", ([, backoff]) =>
    Effect.gen(function* () {
      const policy = { attemptTimeout: AttemptTimeout.constant("2 seconds"), maxAttempts: 7, backoff }
      const plan = Plan.explain(policy)
      const fast = yield* fastest(policy)
      const slow = yield* slowest(policy, 5_000)
      expect(times(plan)).toMatchObject({ earliest: fast.starts, latest: slow.starts })
      expect(worstOf(plan.worst)).toEqual({
        attempts: slow.starts.length,
        waited: slow.waited,
        elapsed: slow.elapsed,
        loadFactor: slow.starts.length
      })
    })
  )

  it.effect("is tight to the millisecond for the kinds that are fastest and slowest", () =>
    Effect.gen(function* () {
      const backoff = Backoff.byKind({ Throttling: Backoff.exponential({ base: 500 }), orElse: jittered })
      const policy = { maxAttempts: 6, backoff, attemptTimeout: AttemptTimeout.constant(100) }
      const plan = Plan.explain(policy)
      expect((yield* fastest(policy, "Server")).starts).toEqual(times(plan).earliest)
      const slow = yield* operation(policy, () => ({ ranMillis: 99, kind: "Throttling" }))
      expect(slow.starts).toEqual(times(plan).latest.map((latest, i) => latest - i))
    })
  )

  it.effect("counts on attempts that start the back-off over", () =>
    Effect.gen(function* () {
      const backoff = Backoff.fromDelays([100, 400]).pipe(Backoff.resetAfter(300))
      const policy = { maxAttempts: 5, backoff, attemptTimeout: AttemptTimeout.constant(300) }
      const plan = Plan.explain(policy)
      const slow = yield* operation(policy, (attempt) => ({
        ranMillis: attempt % 2 === 1 ? 1000 : 299,
        kind: "Server"
      }))
      expect(slow.starts).toEqual([0, 400, 1099, 1499, 2198])
      expect(times(plan).latest).toEqual([0, 400, 1100, 1500, 2200])
      expect(plan.warnings).toEqual([])
      expect(tags(Plan.explain(policy, { attemptTakes: 299 }).warnings)).toEqual(["AttemptsUnreachable"])
    })
  )

  it("lets only short attempts leave the back-off where it was", () => {
    const plan = Plan.explain({
      attemptTimeout: AttemptTimeout.constant(1_000),
      maxAttempts: 3,
      backoff: Backoff.fromDelays([100, 400]).pipe(Backoff.resetAfter(300))
    })
    expect(times(plan)).toEqual({ earliest: [0, 100, 500], latest: [0, 1_100, 2_200], waited: [0, 100, 500] })
  })

  it("leaves no time for delays that attempts must have taken", () => {
    const backoff = Backoff.fromDelays([500]).pipe(Backoff.jittered(Jitter.full), Backoff.resetAfter(300))
    const policy = { attemptTimeout: AttemptTimeout.constant(300), maxAttempts: 3, hint: Hint.ignore }
    for (const plan of [
      Plan.explain({ ...policy, backoff, deadline: Deadline.refuse(1_200) }),
      Plan.explain({ ...policy, backoff: Backoff.within(backoff, 1_200) })
    ]) {
      expect(times(plan)).toEqual({ earliest: [0, 0, 300], latest: [0, 800, 1_199], waited: [0, 500, 899] })
      expect(worstOf(plan.worst).waited).toBe(899)
    }
  })

  it.effect("keeps smooth delays within two milliseconds per retry of what is possible", () =>
    Effect.gen(function* () {
      for (const backoff of [
        Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1000 })),
        Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 70 })).pipe(Backoff.capped(500))
      ]) {
        const policy = { maxAttempts: 7, backoff }
        const plan = times(Plan.explain(policy))
        const fast = yield* fastest(policy)
        const slow = yield* slowest(policy, 0)
        plan.earliest.forEach((earliest, i) => {
          expect(earliest).toBeLessThanOrEqual(fast.starts[i] ?? NaN)
          expect(earliest).toBeGreaterThanOrEqual((fast.starts[i] ?? NaN) - 2 * i)
          expect(plan.latest[i]).toBeGreaterThanOrEqual(slow.starts[i] ?? NaN)
          expect(plan.latest[i]).toBeLessThanOrEqual((slow.starts[i] ?? NaN) + i)
        })
      }
    })
  )

  it("adds up smooth delays one by one when they have to fit into a time", () => {
    const smooth = Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1000 }))
    const latest = (backoff: Backoff.Backoff) => times(Plan.explain({ maxAttempts: 3, backoff })).latest
    expect(latest(smooth)).toEqual([0, 1_378, 1_378 + 1_462])
    expect(latest(Backoff.within(smooth, "1 hour"))).toEqual([0, 1_378, 1_378 + 2_838])
  })

  it.effect("counts on a smooth delay that another one hides", () =>
    Effect.gen(function* () {
      const smooth = Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1000 }))
      const constant = Backoff.constant({ delay: 700 })
      const policy = { maxAttempts: 3, backoff: Backoff.max(smooth, constant) }
      const plan = times(Plan.explain(policy))
      expect(times(Plan.explain({ ...policy, backoff: Backoff.max(constant, smooth) }))).toEqual(plan)
      // The first draw hides below the constant delay, and takes from the second one what is above it.
      const seen = yield* operation(policy, () => ({ ranMillis: 0, kind: "Server" })).pipe(
        Effect.provide(SeededRandom.layerFixed([0.29, 0]))
      )
      expect(seen.starts).toEqual([0, 700, 1400])
      expect((yield* fastest(policy)).starts).toEqual([0, 700, 2078])
      expect(plan.earliest).toEqual([0, 700, 1400])
    })
  )

  it.effect.each<readonly [string, (smooth: Backoff.Backoff, constant: Backoff.Backoff) => Backoff.Backoff]>([
    ["as a case", (Throttling, orElse) => Backoff.byKind({ Throttling, orElse })],
    ["as the rest", (orElse, Throttling) => Backoff.byKind({ Throttling, orElse })]
  ])("counts on a smooth delay after a failure of another kind: %s", ([name, combine]) =>
    Effect.gen(function* () {
      const smooth = Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1000 }))
      const policy = { maxAttempts: 3, backoff: combine(smooth, Backoff.constant({ delay: 700 })) }
      const kinds = name === "as a case" ? (["Server", "Throttling"] as const) : (["Throttling", "Server"] as const)
      // The first draw is left to the second delay, which is the longer for it.
      const seen = yield* operation(policy, (attempt) => ({ ranMillis: 0, kind: kinds[attempt - 1] ?? "Server" })).pipe(
        Effect.provide(SeededRandom.layerFixed([0, 1 - Number.EPSILON]))
      )
      expect(seen.starts).toEqual([0, 700, 3_538])
      expect(times(Plan.explain(policy)).latest[2]).toBeGreaterThanOrEqual(3_538)
    })
  )

  it("goes on when only some draws end the back-off", () => {
    const plan = Plan.explain({ maxAttempts: 9, backoff: Backoff.fromCurve(spent) })
    expect(plan.worst.attempts).toBe(3)
    expect(delaysOf(plan).map(([bound, least, , most]) => [bound, least, most])).toEqual([
      [200, 0, 200],
      [200, 0, 200]
    ])
  })

  it("tells attempts apart that start parts of the back-off over after different times", () => {
    const later = Backoff.fromDelays([10, 1_000]).pipe(Backoff.resetAfter(300))
    const sooner = Backoff.fromDelays([20, 500]).pipe(Backoff.resetAfter(100))
    const latest = (backoff: Backoff.Backoff) =>
      times(Plan.explain({ maxAttempts: 3, backoff, attemptTimeout: AttemptTimeout.constant(1_000) })).latest
    // The second attempt is just too short for the longest delay to start over.
    expect(latest(Backoff.max(later, sooner))).toEqual([0, 1_020, 1_020 + 300 + 1_000])
    expect(latest(Backoff.max(sooner, later))).toEqual([0, 1_020, 1_020 + 300 + 1_000])
  })

  it("takes means over what earlier draws have left behind", () => {
    const means = delaysOf(
      Plan.explain({ maxAttempts: 9, backoff: Backoff.fromCurve(Curve.decorrelated({ base: "1 minute" })) })
    )
    let exact = 1
    for (const [, , mean] of means) {
      exact = (1 + 3 * exact) / 2
      expect((mean ?? NaN) / 60_000 / exact).toBeCloseTo(1, 1)
    }
    expect(means).toHaveLength(8)
  })

  it.effect.prop(
    "is never exceeded by a run",
    [policies, failures, fc.integer()],
    ([policy, failures, seed]) =>
      Effect.gen(function* () {
        const plan = Plan.explain(policy, { attemptTakes: longestMillis })
        const failure = (attempt: number) => failures[attempt - 1] ?? { ranMillis: 0, kind: "Server" as const }
        const seen = yield* operation(policy, failure).pipe(Effect.provide(SeededRandom.layer(seed)))
        expect(excesses(plan, plan.worst, seen, false)).toEqual([])
      }),
    { ...law(60), timeout: 600_000 }
  )

  it.effect.prop(
    "is never exceeded under hints",
    [policies, failures, fc.array(fc.nat(10_000), { minLength: 6, maxLength: 6 }), fc.integer()],
    ([policy, failures, hints, seed]) =>
      Effect.gen(function* () {
        const plan = Plan.explain(policy, { attemptTakes: longestMillis })
        const failure = (attempt: number) => ({
          ...(failures[attempt - 1] ?? { ranMillis: 0, kind: "Server" as const }),
          hintMillis: hints[attempt - 1] ?? 0
        })
        const seen = yield* operation(policy, failure).pipe(Effect.provide(SeededRandom.layer(seed)))
        const worst = Option.getOrElse(plan.hinted, () => plan.worst)
        expect(excesses(plan, worst, seen, Option.isSome(plan.hinted))).toEqual([])
      }),
    { ...law(60), timeout: 600_000 }
  )

  it.each([
    ["constant", Backoff.constant({ delay: 10 })],
    ["jittered", jittered],
    ["decorrelated", Backoff.fromCurve(Curve.decorrelated({ base: 10 })).pipe(Backoff.capped(100))]
  ])("follows a thousand attempts for a table of as many rows: %s", (_, backoff) => {
    const plan = Plan.explain({ maxAttempts: 1_000, backoff }, { rows: 1_000 })
    expect(plan.attempts).toHaveLength(1_000)
    expect(plan.warnings).toEqual([])
  })

  it("ends when the back-off keeps a time, to the millisecond", () => {
    const explained = (within: number, attemptTakes = 0) => {
      const backoff = Backoff.within(Backoff.constant({ delay: 200 }), within)
      const plan = Plan.explain({ maxAttempts: 9, backoff, hint: Hint.ignore }, { attemptTakes })
      return { latest: times(plan).latest, warnings: tags(plan.warnings) }
    }
    expect(explained(601)).toEqual({ latest: [0, 200, 400, 600], warnings: ["AttemptsUnreachable"] })
    expect(explained(600)).toEqual({ latest: [0, 200, 400], warnings: ["AttemptsUnreachable"] })
    expect(explained(601, 150)).toEqual({
      latest: [0, 350, 600, 600],
      warnings: ["AttemptsUnreachable", "AttemptsUncertain"]
    })
  })

  it.effect("agrees with times that back-offs keep, as they are run", () =>
    Effect.gen(function* () {
      for (const within of [199, 200, 201, 599, 600, 601]) {
        for (const backoff of [
          Backoff.within(Backoff.constant({ delay: 200 }), within),
          Backoff.andThen(Backoff.within(Backoff.constant({ delay: 200 }), within), Backoff.fromDelays([5, 7])),
          Backoff.min(Backoff.within(Backoff.constant({ delay: 200 }), within), Backoff.constant({ delay: 300 }))
        ]) {
          const policy = { maxAttempts: 9, backoff }
          const seen = yield* fastest(policy)
          expect(times(Plan.explain(policy))).toMatchObject({ earliest: seen.starts, latest: seen.starts })
        }
      }
    })
  )

  it("keeps a time that started over", () => {
    const plan = Plan.explain({
      attemptTimeout: AttemptTimeout.constant(1_000),
      maxAttempts: 6,
      backoff: Backoff.constant({ delay: 100 }).pipe(Backoff.within(250), Backoff.resetAfter(500))
    })
    expect(times(plan).latest).toEqual([0, 1_100, 2_200, 3_300, 4_400, 5_500])
    expect(times(plan).earliest).toEqual([0, 100, 200, 800, 900, 1_500])
  })

  it("counts attempts by kind", () => {
    const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 100 }) }
    const most = (attemptsByKind: Plan.Explainable["attemptsByKind"]) => {
      const { warnings, worst } = Plan.explain({ ...policy, attemptsByKind })
      expect(warnings).toEqual([])
      return worst.attempts
    }
    expect(most({ Throttling: 5 })).toBe(3 + 4)
    expect(most({ Throttling: 5, Timeout: 1 })).toBe(3 + 4)
    expect(most({ Throttling: 2, Timeout: 2, Server: 2, Client: 2, Transient: 2 })).toBe(1 + 5)
    expect(tags(warningsOf({ ...policy, attemptsByKind: { Throttling: Infinity } }))).toEqual(["NeverEnds"])
    expect(
      tags(warningsOf({ ...policy, attemptsByKind: { Throttling: Infinity }, deadline: Deadline.refuse(500) }))
    ).toEqual([])
  })

  it("counts on hints that start the back-off over", () => {
    const hinted = (startsOver: boolean) =>
      Option.map(
        Plan.explain({
          maxAttempts: 9,
          backoff: Backoff.fromDelays([100, 200]),
          hint: Hint.override({ atMost: 500, otherwise: "clamp", startsOver })
        }).hinted,
        worstOf
      )
    expect(hinted(false)).toEqual(Option.some({ attempts: 3, waited: 1_000, elapsed: 1_000, loadFactor: 3 }))
    expect(hinted(true)).toEqual(Option.some({ attempts: 9, waited: 4_000, elapsed: 4_000, loadFactor: 9 }))
  })

  it("explains a list of hundreds of thousands of delays", () => {
    const backoff = Backoff.fromDelays(Array.from({ length: 200_000 }, () => 5)).pipe(Backoff.capped(3))
    expect(worstOf(Plan.explain({ maxAttempts: 3, backoff }).worst)).toMatchObject({ attempts: 3, waited: 6 })
    expect(tags(warningsOf({ maxAttempts: 3, backoff }))).toEqual(["CapBelowBase"])
    expect(tags(warningsOf({ maxAttempts: Infinity, backoff }))).toEqual(["NotFollowed", "CapBelowBase"])
  })

  it("explains presets of packages built on core", () => {
    const preset = { ...Policy.standard, classifier: { statuses: [503] }, drain: { mostBytes: 128 } }
    expect(Plan.explain(preset)).toEqual(Plan.explain(Policy.standard))
  })

  it("ends the table after the rows asked for, and follows the rest", () => {
    const plan = Plan.explain({ maxAttempts: 100, backoff: Backoff.constant({ delay: 10 }) }, { rows: 3 })
    expect(plan.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(worstOf(plan.worst)).toEqual({ attempts: 100, waited: 990, elapsed: 990, loadFactor: 100 })
  })

  it("takes any policy and any preset, and only a Backoff", () => {
    class Busy extends Data.TaggedError("Busy")<{ readonly after: Duration.DurationInput }> {}
    const classifier = ({ after }: Busy) => Verdict.retryable("Throttling", { hint: after })
    const policy = Policy.make({
      ...Policy.standard,
      classifier,
      result: (n: number) => (n > 0 ? Verdict.noOpinion : Verdict.server)
    })
    expectTypeOf(Plan.explain(policy)).toEqualTypeOf<Plan.Plan>()
    expect(Plan.explain(policy)).toEqual(Plan.explain(Policy.standard))
    expect(
      Plan.explain({ ...policy, attemptTimeout: AttemptTimeout.constant(5, { onTimeout: () => "late" }) }).attempts
    ).toHaveLength(3)
    const foreign = { maxAttempts: 3, classifier: Classifier.always, backoff: Schedule.forever }
    // @ts-expect-error a policy has no such field
    expect(() => Plan.explain({ maxAttempts: 1, backoff: Backoff.fromDelays([]), deadlien: 1 })).toThrow(
      "Plan.explain: deadlien must be absent (did you mean deadline?), got 1"
    )
    // @ts-expect-error a policy has no such field
    expect(() => Plan.explain({ ...Policy.standard, retries: 3 })).toThrow(
      "Plan.explain: retries must be absent (did you mean maxAttempts, which counts the first attempt too?), got 3"
    )
    // Another package's policies have fields of their own.
    const own = { ...Policy.standard, idempotency: {}, drain: {} }
    expect(Plan.explain(own)).toEqual(Plan.explain(Policy.standard))
    // @ts-expect-error a schedule is no Backoff
    expect(() => Plan.explain(foreign)).toThrow(
      "Plan.explain: backoff must be a Backoff; explainSchedule takes any Schedule"
    )
  })

  it.each<readonly [Partial<Plan.Explainable> & Plan.Options, string]>([
    [{ maxAttempts: 0 }, "Plan.explain: maxAttempts must be a whole number >= 1, got 0"],
    [{ maxAttempts: 1.5 }, "Plan.explain: maxAttempts must be a whole number >= 1"],
    [{ maxAttempts: NaN }, "Plan.explain: maxAttempts must be a whole number >= 1"],
    [{ rows: 0 }, "Plan.explain: rows must be a whole number >= 1 and <= 1000"],
    [{ rows: 1001 }, "Plan.explain: rows must be a whole number >= 1 and <= 1000"],
    [{ rows: 2.5 }, "Plan.explain: rows must be a whole number >= 1 and <= 1000"],
    [{ attemptTakes: -1 }, "Plan.explain: attemptTakes must be a finite duration >= 0"],
    [{ attemptTakes: Infinity }, "Plan.explain: attemptTakes must be a finite duration >= 0"]
  ])("refuses %o", (changed, message) => {
    expect(() => Plan.explain({ ...Policy.standard, ...changed }, changed)).toThrow(message)
  })
})

describe("Plan.Warning", () => {
  it("warns of nothing in the presets", () => {
    expect([Policy.standard, Policy.once].flatMap((preset) => warningsOf(preset))).toEqual([])
  })

  it.each<readonly [string, Plan.Explainable, ReadonlyArray<string>]>([
    [
      "nothing ends it",
      { maxAttempts: Infinity, backoff: jittered },
      ["never ends: neither attempts, back-off nor deadline stop it"]
    ],
    ["neither of two ends", endless(Backoff.max(exponential, always)), [never]],
    ["one of two goes on", endless(Backoff.min(ending, always)), [never]],
    ["the other of two goes on", endless(Backoff.min(always, ending)), [never]],
    ["both of two end", endless(Backoff.min(ending, ending)), []],
    ["the second goes on", endless(Backoff.andThen(ending, always)), [never]],
    ["the first goes on", endless(Backoff.andThen(always, ending)), [never]],
    ["the first and the second end", endless(Backoff.andThen(ending, ending)), []],
    ["only one kind goes on", endless(Backoff.byKind({ Timeout: always, orElse: ending })), [never]],
    ["attempts are too short to start it over", endless(Backoff.resetAfter(ending, 51), 50), []],
    ["it starts over with nothing", endless(Backoff.resetAfter(Backoff.fromDelays([]), 50), 50), []],
    [
      "attempts of one kind can start it over",
      endless(Backoff.byKind({ Timeout: ending, orElse: Backoff.fromDelays([]) }).pipe(Backoff.resetAfter(50)), 50),
      [never]
    ],
    ["a time ends it", endless(Backoff.within(always, 50)), []],
    ["a count ends it", endless(Backoff.take(always, 3)), []],
    ["a curve with a state goes on", endless(Backoff.fromCurve(Curve.decorrelated({ base: 100 }))), [never]],
    ["a curve ends by its state", endless(Backoff.fromCurve(counted(3))), []],
    ["a curve ends by its state as late as it is followed", endless(Backoff.fromCurve(counted(999))), []],
    ["a curve ends by its state later than it is followed", endless(Backoff.fromCurve(counted(1_000))), [never]],
    ["a list ends it", { maxAttempts: Infinity, backoff: Backoff.fromDelays([1, 2]) }, []],
    ["ethernet ends", { maxAttempts: Infinity, backoff: Classic.ethernet({ slot: 1 }) }, []],
    ["the longest of two ends", { maxAttempts: Infinity, backoff: Backoff.max(jittered, Backoff.fromDelays([1])) }, []],
    [
      "one kind does not end",
      {
        maxAttempts: Infinity,
        backoff: Backoff.byKind({ Timeout: Backoff.fromDelays([1]), orElse: Backoff.constant({ delay: 1 }) })
      },
      ["never ends: neither attempts, back-off nor deadline stop it"]
    ],
    [
      "attempts can start the back-off over",
      {
        maxAttempts: Infinity,
        attemptTimeout: AttemptTimeout.constant(50),
        backoff: Backoff.fromDelays([1]).pipe(Backoff.resetAfter(50))
      },
      ["never ends: neither attempts, back-off nor deadline stop it"]
    ],
    ["a deadline ends it", { maxAttempts: Infinity, backoff: exponential, deadline: Deadline.refuse("1 minute") }, []],
    [
      "a deadline ends it, but no delay is sure to pass",
      {
        maxAttempts: Infinity,
        backoff: exponential.pipe(Backoff.jittered(Jitter.full)),
        deadline: Deadline.refuse("1 minute")
      },
      ["attempts after 2000 are not followed one by one: the worst case is an upper bound"]
    ],
    [
      "the deadline is too short for the attempts",
      { maxAttempts: 10, backoff: exponential, deadline: Deadline.refuse("1 second") },
      ["attempts from 5 on are never made: the deadline passes before"]
    ],
    [
      "the deadline is too short for slow attempts",
      {
        maxAttempts: 4,
        attemptTimeout: AttemptTimeout.constant("1 second"),
        backoff: exponential,
        deadline: Deadline.cut("3 seconds")
      },
      ["attempts from 4 on are made only if earlier ones end sooner, or wait less, than they may"]
    ],
    [
      "the deadline is too short for the delay of one kind",
      {
        maxAttempts: 2,
        backoff: Backoff.byKind({ Throttling: Backoff.constant({ delay: "2 seconds" }), orElse: exponential }),
        deadline: Deadline.refuse("1 second")
      },
      ["attempts from 2 on are made only if earlier ones end sooner, or wait less, than they may"]
    ],
    [
      "the back-off ends before the attempts are spent",
      { maxAttempts: 10, backoff: Backoff.fromDelays([1, 2, 3]) },
      ["attempts from 5 on are never made: the back-off ends before"]
    ],
    [
      "a count by kind ends it as well as the back-off",
      { maxAttempts: 10, attemptsByKind: { Throttling: 1 }, backoff: Backoff.fromDelays([1]) },
      []
    ],
    [
      "an attempt may take longer than the operation",
      {
        maxAttempts: 1,
        attemptTimeout: AttemptTimeout.constant("2 seconds"),
        backoff: jittered,
        deadline: Deadline.refuse("1 second")
      },
      ["the attempt timeout of 2s is longer than the deadline of 1s"]
    ],
    [
      "an attempt may take as long as the operation",
      {
        maxAttempts: 1,
        attemptTimeout: AttemptTimeout.constant("1 second"),
        backoff: jittered,
        deadline: Deadline.refuse("1 second")
      },
      []
    ],
    [
      "the cap is below a list",
      { maxAttempts: 3, backoff: Backoff.fromDelays([100, 200]).pipe(Backoff.capped(50)) },
      ["the cap of 50ms is below the base of 100ms: nothing grows"]
    ],
    ["a list of nothing is capped", { maxAttempts: 1, backoff: Backoff.capped(Backoff.fromDelays([]), 50) }, []],
    [
      "the cap is below the first delays that are looked at",
      { maxAttempts: 3, backoff: Backoff.fromDelays([...Array<number>(20).fill(100), 5]).pipe(Backoff.capped(50)) },
      ["the cap of 50ms is below the base of 100ms: nothing grows"]
    ],
    [
      "the cap is below one of the first delays that are looked at",
      { maxAttempts: 3, backoff: Backoff.fromDelays([...Array<number>(19).fill(100), 5]).pipe(Backoff.capped(50)) },
      []
    ],
    [
      "the cap is below a slot",
      { maxAttempts: 3, backoff: Backoff.capped(Classic.ethernet({ slot: 100 }), 50) },
      ["the cap of 50ms is below the base of 100ms: nothing grows"]
    ],
    [
      "the cap is below the base",
      { maxAttempts: 3, backoff: exponential.pipe(Backoff.capped(99)) },
      ["the cap of 99ms is below the base of 100ms: nothing grows"]
    ],
    [
      "the cap is below the base, somewhere",
      {
        maxAttempts: 3,
        backoff: Backoff.byKind({
          Timeout: exponential,
          orElse: Backoff.fromCurve(Curve.decorrelated({ base: 500 }))
        }).pipe(Backoff.capped(400))
      },
      ["the cap of 400ms is below the base of 500ms: nothing grows"]
    ],
    ["the cap is the base", { maxAttempts: 3, backoff: exponential.pipe(Backoff.capped(100)) }, []],
    [
      "jitter of nothing",
      { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }).pipe(Backoff.jittered(Jitter.full)) },
      ["the jitter has no effect: no delay has more than one value"]
    ],
    [
      "jitter of what is never the shortest",
      { maxAttempts: 3, backoff: Backoff.min(jittered, Backoff.constant({ delay: 50 })) },
      ["the jitter has no effect: no delay has more than one value"]
    ],
    ["jitter of no delay", { maxAttempts: 1, backoff: jittered }, []],
    [
      "hints are followed beyond the cap",
      { maxAttempts: 3, backoff: jittered, hint: Hint.floor({ atMost: "2 seconds", otherwise: "clamp" }) },
      ["hints are followed up to 2s, above the cap of 1s"]
    ],
    [
      "hints that take the place of delays are followed beyond the cap",
      { maxAttempts: 3, backoff: jittered, hint: Hint.override({ atMost: "2 seconds", otherwise: "clamp" }) },
      ["hints are followed up to 2s, above the cap of 1s"]
    ],
    [
      "hints are followed up to the cap",
      { maxAttempts: 3, backoff: jittered, hint: Hint.floor({ atMost: "1 second", otherwise: "clamp" }) },
      []
    ],
    [
      "hints are followed up to one of the caps",
      {
        maxAttempts: 3,
        backoff: Backoff.byKind({ Throttling: Backoff.capped(exponential, "2 seconds"), orElse: jittered }),
        hint: Hint.floor({ atMost: "2 seconds", otherwise: "clamp" })
      },
      []
    ],
    [
      "hints that take the place of delays are followed beyond the deadline",
      {
        maxAttempts: 3,
        backoff: exponential,
        hint: Hint.override({ atMost: "2 seconds", otherwise: "giveUp" }),
        deadline: Deadline.refuse("1 second")
      },
      ["hints are followed up to 2s, which does not fit the deadline of 1s"]
    ],
    [
      "hints are followed as long as the deadline allows",
      {
        maxAttempts: 3,
        backoff: exponential,
        hint: Hint.override({ atMost: 999, otherwise: "giveUp" }),
        deadline: Deadline.refuse("1 second")
      },
      []
    ],
    [
      "no hint is followed beyond a window",
      { maxAttempts: 3, backoff: jittered, hint: Hint.within({ above: 5_000 }) },
      []
    ],
    [
      "hints are followed, and nothing is capped",
      { maxAttempts: 3, backoff: exponential, hint: Hint.override({ atMost: "2 seconds", otherwise: "clamp" }) },
      []
    ],
    [
      "hints are followed beyond the deadline",
      {
        maxAttempts: 3,
        backoff: exponential,
        hint: Hint.floor({ atMost: "2 seconds", otherwise: "giveUp" }),
        deadline: Deadline.truncate("2 seconds", { reserve: 1 })
      },
      ["hints are followed up to 2s, which does not fit the deadline of 2s"]
    ]
  ])("%s", (_, policy, messages) => {
    expect(warningsOf(policy).map(({ message }) => message)).toEqual(messages)
  })

  it("gives only the numbers that the policy bounds when not everything is followed", () => {
    const backoff = exponential.pipe(Backoff.jittered(Jitter.full))
    const endless = { maxAttempts: Infinity, backoff, deadline: Deadline.refuse("1 minute", { reserve: 5 }) }
    expect(worstOf(Plan.explain(endless).worst)).toEqual({
      attempts: Infinity,
      waited: 59_995,
      elapsed: 59_995,
      loadFactor: Infinity
    })
    expect(worstOf(Plan.explain({ ...endless, deadline: Deadline.cut("1 minute") }).worst).waited).toBe(60_000)
    expect(worstOf(Plan.explain({ maxAttempts: 6_000, backoff }).worst)).toEqual({
      attempts: 6_000,
      waited: Infinity,
      elapsed: Infinity,
      loadFactor: 6_000
    })
  })

  it("carries the values that it speaks of", () => {
    expect(
      warningsOf({ maxAttempts: 10, backoff: exponential.pipe(Backoff.capped(50)), deadline: Deadline.refuse(140) })
    ).toEqual([
      {
        _tag: "AttemptsUnreachable",
        from: 4,
        by: "Deadline",
        message: "attempts from 4 on are never made: the deadline passes before"
      },
      {
        _tag: "CapBelowBase",
        cap: Duration.millis(50),
        base: Duration.millis(100),
        message: "the cap of 50ms is below the base of 100ms: nothing grows"
      }
    ])
  })
})

describe("Plan.Assumption", () => {
  const assumed = (policy: Plan.Explainable, options?: Plan.Options) => tags(Plan.explain(policy, options).assumptions)
  const silent = { maxAttempts: 3, backoff: exponential, hint: Hint.ignore }
  const timed = { ...silent, attemptTimeout: AttemptTimeout.constant("1 second") }

  it.each<readonly [string, Plan.Explainable, ReadonlyArray<string>]>([
    ["nothing, where the policy says it all", timed, []],
    ["how long attempts take", silent, ["AttemptsTake"]],
    ["that no server sends hints", { ...timed, hint: Hint.standard }, ["NoHints"]],
    [
      "that services grant",
      { ...timed, bucket: TokenBucket.unlimited, rateLimiter: TokenBucket.unlimited },
      ["BucketGrants", "RateLimiterGrants"]
    ],
    ["any kind", { ...timed, backoff: Backoff.byKind({ Client: exponential, orElse: jittered }) }, ["AnyKind"]],
    ["that no attempt resets", { ...timed, backoff: Backoff.resetAfter(exponential, 1001) }, ["NeverReset"]],
    ["nothing of a reset that an attempt can cause", { ...timed, backoff: Backoff.resetAfter(exponential, 1000) }, []]
  ])("shows %s", (_, policy, expected) => {
    expect(assumed(policy)).toEqual(expected)
  })

  it("can be read", () => {
    const read = (options?: Plan.Options) => Plan.explain(silent, options).assumptions.map(({ message }) => message)
    expect(read()).toEqual(["attempts have no timeout and are taken to end at once"])
    expect(read({ attemptTakes: "3 seconds" })).toEqual(["attempts end within 3s"])
    const rateLimiter = TokenBucket.unlimited
    expect(Plan.explain({ ...timed, rateLimiter }).assumptions.map(({ message }) => message)).toEqual([
      "the rate limiter grants every attempt at once"
    ])
  })
})
