import { Backoff, CircuitBreaker, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Fiber, Option } from "effect"
import { law } from "../../support/Laws.ts"
import { acquire, isGranted, start, succeed } from "../Asking.ts"
import * as SteppedClock from "../SteppedClock.ts"

type Level = "critical" | "default" | "sheddable"

const levels: ReadonlyArray<Level> = ["sheddable", "default", "critical"]

const at = (level: Level) => Effect.provideService(TokenBucket.Priority, level)

const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  VirtualClock.run(Effect.provide(self, SeededRandom.layer("priority")))

const settle = Effect.replicateEffect(Effect.yieldNow(), 30)

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** Asks after so many milliseconds, and notes when it was granted. */
const asking = (
  bucket: TokenBucket.TokenBucket,
  log: Array<string>,
  level: Level,
  after: number,
  name: string = level
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(after)
    const answer = yield* at(level)(acquire(bucket))
    log.push(`${name} ${Option.isSome(answer) ? "at" : "refused at"} ${yield* nowMillis}`)
    return answer
  })

describe("TokenBucket.Priority", () => {
  it.effect("is default unless set, and can be set for a part of a program", () =>
    Effect.gen(function* () {
      expect(yield* TokenBucket.Priority).toBe("default")
      expect(TokenBucket.Priority.defaultValue()).toBe("default")
      expect(yield* at("critical")(Effect.flatMap(Effect.yieldNow(), () => TokenBucket.Priority))).toBe("critical")
    })
  )

  it.effect("is default where a program has set what is no priority", () =>
    Effect.gen(function* () {
      const bucket = yield* RateLimiter.concurrencyLimit({ limit: 5, whenShort: "refuse" })
      yield* isGranted(bucket)
      const granted = yield* at("urgent" as Level)(Effect.replicateEffect(isGranted(bucket), 4))
      expect(granted).toEqual([true, true, true, true])
    })
  )

  it.effect("takes nothing away from attempts that cost nothing", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 10, cost: { Client: 0, orElse: 10 } })
      yield* isGranted(bucket)
      expect(Option.isSome(yield* at("sheddable")(acquire(bucket, { kind: "Client" })))).toBe(true)
    })
  )

  it.effect("serves those that wait by level, then by arrival", () =>
    world(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.fixed({ rate: 10, burst: 1 })
        yield* acquire(bucket)
        const log: Array<string> = []
        const order: ReadonlyArray<readonly [Level, string]> = [
          ["sheddable", "s1"],
          ["default", "d1"],
          ["critical", "c1"],
          ["sheddable", "s2"],
          ["critical", "c2"],
          ["default", "d2"]
        ]
        yield* Effect.all(
          order.map(([level, name], i) => asking(bucket, log, level, i, name)),
          { concurrency: "unbounded" }
        )
        expect(log).toEqual(["c1 at 100", "c2 at 200", "d1 at 300", "d2 at 400", "s1 at 500", "s2 at 600"])
      })
    )
  )

  it.effect("lets no attempt wait for ever: a second of a wait counts as a level", () =>
    world(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.fixed({ rate: 10, burst: 1 })
        yield* acquire(bucket)
        const log: Array<string> = []
        const criticals = Array.from({ length: 40 }, (_, i) => asking(bucket, log, "critical", i * 100, `c${i}`))
        yield* Effect.all([asking(bucket, log, "sheddable", 1), ...criticals], { concurrency: "unbounded" })
        expect(log.length).toBe(41)
        const served = log.find((line) => line.startsWith("sheddable"))
        expect(Number(served?.split(" ").at(-1))).toBeLessThanOrEqual(2_200)
        expect(Number(served?.split(" ").at(-1))).toBeGreaterThanOrEqual(2_000)
      })
    )
  )

  it.effect("loses no token and leaves none waiting, whatever the levels and whoever is interrupted", () =>
    world(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.concurrencyLimit({ limit: 2 })
        let running = 0
        let most = 0
        let done = 0
        const call = Effect.gen(function* () {
          most = Math.max(most, (running += 1))
          yield* Effect.ensuring(
            Effect.sleep(300),
            Effect.sync(() => void (running -= 1))
          )
          done += 1
        })
        const policy = {
          classifier: () => Verdict.server,
          maxAttempts: 1,
          backoff: Backoff.constant({ delay: 0 }),
          rateLimiter: bucket
        }
        const fibers = yield* Effect.forEach(Array.from({ length: 60 }), (_, i) =>
          Effect.fork(at(levels[(i * 7) % 3]!)(Effect.delay(Retry.retry(call, policy), (i * 37) % 900)))
        )
        yield* Effect.sleep(1_000)
        yield* Effect.forEach(
          fibers.filter((_, i) => i % 4 === 0),
          Fiber.interrupt
        )
        yield* Effect.forEach(fibers, Fiber.await)
        expect(most).toBe(2)
        expect(done).toBeGreaterThanOrEqual(45)
        expect(yield* bucket.level).toBe(2)
      })
    )
  )

  it.effect("makes the first critical caller the probe of a circuit", () =>
    world(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make({
          opensAt: { consecutive: 1 },
          openFor: "500 millis",
          whenShort: "wait"
        })
        const granted = Option.getOrThrow(yield* acquire(breaker))
        yield* breaker.record({ _tag: "Failed", attempt: 1, granted, verdict: Verdict.server })
        const log: Array<string> = []
        const callers = yield* Effect.fork(
          Effect.all([asking(breaker, log, "sheddable", 1), asking(breaker, log, "critical", 2)], { concurrency: 2 })
        )
        yield* Effect.sleep(501)
        expect(log).toEqual(["critical at 500"])
        yield* breaker.reset
        yield* Fiber.join(callers)
      })
    )
  )

  it.effect.each([
    {
      name: "concurrencyLimit",
      make: (limit: number) => RateLimiter.concurrencyLimit({ limit, whenShort: "refuse" })
    },
    {
      name: "adaptiveConcurrency",
      make: (limit: number) => RateLimiter.adaptiveConcurrency({ least: 1, initial: limit, whenShort: "refuse" })
    }
  ])("leaves a fifth of a limit to attempts that are not sheddable once one has asked: $name", ({ make }) =>
    world(
      Effect.gen(function* () {
        for (const [limit, sheddable] of [
          [10, 8],
          [5, 4],
          [2, 1],
          [1, 1]
        ] as const) {
          const bucket = yield* make(limit)
          const grants = (level: Level) =>
            Effect.map(Effect.replicateEffect(at(level)(acquire(bucket)), limit + 1), (answers) =>
              answers.flatMap(Option.toArray)
            )
          const alone = yield* grants("sheddable")
          expect(alone.length).toBe(limit)
          yield* Effect.forEach(alone, ({ refund }) => refund)
          expect(yield* at("default")(isGranted(bucket))).toBe(true)
          expect((yield* grants("sheddable")).length).toBe(Math.max(0, sheddable - 1))
          expect((yield* grants("default")).length).toBe(Math.min(limit - 1, limit - sheddable))
        }
      })
    )
  )

  it.effect("has an accept ratio refuse sheddable attempts before default ones, and as many as without", () =>
    world(
      Effect.gen(function* () {
        const granted = { sheddable: 0, default: 0, critical: 0 }
        const bucket = yield* RateLimiter.acceptRatio({ K: 1 })
        const plain = yield* RateLimiter.acceptRatio({ K: 1 })
        let withoutLevels = 0
        const fails = (answer: Option.Option<TokenBucket.Grant>, of: TokenBucket.TokenBucket, takes: () => boolean) =>
          Option.match(answer, {
            onNone: () => Effect.succeed(0),
            onSome: (granted) =>
              Effect.as(
                of.record(
                  takes()
                    ? { _tag: "Succeeded", attempt: 1, granted }
                    : { _tag: "Failed", attempt: 1, granted, verdict: Verdict.throttling }
                ),
                1
              )
          })
        /** A server that takes every other request, refused ones counted. */
        const server = () => {
          let room = 0
          return {
            pass: () => void (room = Math.min(2, room + 0.5)),
            takes: () => {
              const isTaken = room >= 1
              if (isTaken) room -= 1
              return isTaken
            }
          }
        }
        const [one, other] = [server(), server()]
        for (let i = 0; i < 3_000; i++) {
          const level = levels[i % 3]!
          one.pass()
          other.pass()
          const asked = yield* fails(yield* at(level)(acquire(bucket)), bucket, one.takes)
          if (i >= 1_500) granted[level] += asked
          const without = yield* fails(yield* acquire(plain), plain, other.takes)
          if (i >= 1_500) withoutLevels += without
        }
        expect(granted.critical).toBeGreaterThan(granted.default)
        expect(granted.default).toBeGreaterThan(granted.sheddable)
        expect(granted.sheddable).toBeLessThan(50)
        const all = granted.critical + granted.default + granted.sheddable
        expect(Math.abs(all - withoutLevels)).toBeLessThan(200)
      })
    )
  )

  it.effect("changes nothing when all attempts have one level", () =>
    world(
      Effect.gen(function* () {
        const run = (level: Level) =>
          Effect.provide(
            Effect.gen(function* () {
              const bucket = yield* RateLimiter.acceptRatio()
              const answers: Array<boolean> = []
              for (let i = 0; i < 400; i++) {
                const answer = yield* at(level)(acquire(bucket))
                answers.push(Option.isSome(answer))
                if (Option.isSome(answer) && i % 3 === 0) {
                  yield* bucket.record({ _tag: "Succeeded", attempt: 1, granted: answer.value })
                }
              }
              return answers
            }),
            SeededRandom.layer("one level")
          )
        const expected = yield* run("default")
        expect(expected.filter(Boolean).length).toBeLessThan(400)
        for (const level of levels) expect(yield* run(level)).toEqual(expected)
      })
    )
  )
})

/** Buckets that pay for ten retries. */
const budgets = [
  ["quota", TokenBucket.quota({ capacity: 10, cost: { orElse: 1 } })],
  ["quota that refills", TokenBucket.quota({ capacity: 10, cost: { orElse: 1 }, refillPerSecond: 1 })],
  ["successRatio", TokenBucket.successRatio({ capacity: 10, ratio: 0.1 })],
  ["requestRatio", TokenBucket.requestRatio({ floorPerSecond: 1, window: "10 seconds" })]
] as const

/** Limiters that refuse what they cannot grant at once. */
const limiters = [
  ["concurrencyLimit", RateLimiter.concurrencyLimit({ limit: 5, whenShort: "refuse" })],
  ["concurrencyLimit by ratio", RateLimiter.concurrencyLimit({ limit: 6, ratio: 0.2, whenShort: "refuse" })],
  ["adaptiveConcurrency", RateLimiter.adaptiveConcurrency({ initial: 5, samples: 2, whenShort: "refuse" })],
  ["adaptiveConcurrency by aimd", RateLimiter.adaptiveConcurrency({ initial: 5, rule: "aimd", whenShort: "refuse" })],
  ["acceptRatio", RateLimiter.acceptRatio({ K: 1 })],
  ["fixed", RateLimiter.fixed({ rate: 1, burst: 4, whenShort: "refuse" })],
  ["circuit breaker", CircuitBreaker.make({ opensAt: { consecutive: 2 }, openFor: "1 second" })]
] as const

type Told = "Start" | "Succeed" | "Throttle" | "Timeout" | "Wait"

type Asked = { readonly _tag: "Ask"; readonly level: Level } | { readonly _tag: Told }

const asked: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Ask" as const), level: fc.constantFrom(...levels) }) },
  {
    weight: 1,
    arbitrary: fc.record({ _tag: fc.constantFrom<Told>("Start", "Succeed", "Throttle", "Timeout", "Wait") })
  }
)

/** Ends the attempt that was granted first, if there is one. */
const told = (bucket: TokenBucket.TokenBucket, _tag: Told, granted: TokenBucket.Grant) => {
  const ended = { attempt: 2, granted, ran: Duration.millis(granted.tokens) }
  if (_tag === "Succeed") return bucket.record({ _tag: "Succeeded", ...ended })
  const verdict = _tag === "Throttle" ? Verdict.throttling : Verdict.timeout
  return bucket.record({ _tag: "Failed", ...ended, verdict })
}

/** What a bucket answers, and its level in the end. */
const played = (
  make: Effect.Effect<TokenBucket.TokenBucket>,
  history: ReadonlyArray<Asked>,
  of: (level: Level) => Level | undefined = (level) => level
) => {
  const clock = SteppedClock.make()
  const random = Effect.runSync(Effect.provide(Effect.random, SeededRandom.layer("priority")))
  const run = <A>(self: Effect.Effect<A>) => clock.run(Effect.withRandom(self, random))
  const bucket = run(make)
  const held: Array<TokenBucket.Grant> = []
  const step = (asked: Asked): ReadonlyArray<boolean> => {
    if (asked._tag === "Wait") clock.advance(700)
    else if (asked._tag === "Start") run(start(bucket))
    else if (asked._tag === "Ask") {
      const level = of(asked.level)
      const answer = run(level === undefined ? acquire(bucket) : at(level)(acquire(bucket)))
      if (Option.isSome(answer)) held.push(answer.value)
      return [Option.isSome(answer)]
    } else {
      const granted = held.shift()
      run(granted === undefined ? succeed(bucket) : told(bucket, asked._tag, granted))
    }
    return []
  }
  return { answers: history.flatMap(step), left: run(bucket.level) }
}

describe.each(budgets)("TokenBucket.Priority of a %s", (_, make) => {
  it("has sheddable retries leave half of the tokens, once others have asked, whatever their priority", () => {
    const times = (level: Level, count: number) =>
      Array.from({ length: count }, () => ({ _tag: "Ask", level }) as const)
    const granted = (history: ReadonlyArray<Asked>) =>
      played(make, history)
        .answers.map((isGranted) => (isGranted ? 1 : 0))
        .join("")
    expect(granted(times("sheddable", 11))).toBe("11111111110")
    for (const other of ["default", "urgent"] as ReadonlyArray<Level>) {
      expect(granted([...times(other, 1), ...times("sheddable", 6), ...times(other, 6)])).toBe("1111100111110")
    }
    expect(granted([...times("sheddable", 9), ...times("critical", 1), ...times("sheddable", 1)])).toBe("11111111110")
  })
})

describe.each([...budgets, ...limiters])("TokenBucket.Priority of a %s", (_, make) => {
  it.prop(
    "changes nothing when all have one level",
    [fc.array(asked, { maxLength: 40 })],
    ([history]) => {
      const expected = played(make, history, () => undefined)
      for (const level of levels) expect(played(make, history, () => level)).toEqual(expected)
    },
    law(50)
  )

  it.prop(
    "grants to a higher level what it grants to a lower one",
    [fc.array(asked, { maxLength: 40 })],
    ([history]) => {
      const last = (level: Level) => played(make, [...history, { _tag: "Ask", level }]).answers.at(-1)
      if (last("sheddable")) expect(last("default")).toBe(true)
      if (last("default")) expect(last("critical")).toBe(true)
    },
    law(50)
  )
})

describe("RateLimiter.concurrencyLimit with maxWaiting", () => {
  it.effect("refuses one more than may wait at once, and serves those that wait", () =>
    world(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.concurrencyLimit({ limit: 1, maxWaiting: 2 })
        const log: Array<string> = []
        const first = Option.getOrThrow(yield* acquire(bucket))
        const all = yield* Effect.fork(
          Effect.all(
            ["a", "b", "c"].map((name, i) => asking(bucket, log, "default", i, name)),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.sleep(100)
        expect(log).toEqual(["c refused at 2"])
        yield* first.refund
        yield* settle
        expect(log).toEqual(["c refused at 2", "a at 100"])
        yield* Fiber.interrupt(all)
      })
    )
  )

  it.effect("refuses the newest one of the lowest level for a higher one, and no critical one for it", () =>
    world(
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.concurrencyLimit({ limit: 1, maxWaiting: 3 })
        const log: Array<string> = []
        yield* acquire(bucket)
        const order: ReadonlyArray<readonly [Level, string]> = [
          ["sheddable", "s1"],
          ["critical", "c1"],
          ["sheddable", "s2"],
          ["critical", "c2"],
          ["default", "d1"],
          ["default", "d2"],
          ["critical", "c3"],
          ["critical", "c4"]
        ]
        const all = yield* Effect.fork(
          Effect.all(
            order.map(([level, name], i) => asking(bucket, log, level, i, name)),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.sleep(100)
        expect(log).toEqual([
          "s2 refused at 3",
          "s1 refused at 4",
          "d2 refused at 5",
          "d1 refused at 6",
          "c4 refused at 7"
        ])
        yield* Fiber.interrupt(all)
      })
    )
  )

  it("is refused if no attempt waits, and if it is not a number of attempts", () => {
    const bad = [
      { limit: 1, maxWaiting: 1, whenShort: "refuse" },
      { limit: 1, maxWaiting: -1 },
      { limit: 1, maxWaiting: 0.5 }
    ] as const
    for (const options of bad) {
      expect(() => RateLimiter.concurrencyLimit(options)).toThrow("RateLimiter.concurrencyLimit: maxWaiting must be")
    }
  })
})
