import { Backoff, CircuitBreaker, type TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import * as LogLines from "../../../../core/test/support/LogLines.ts"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck, Logger, Option } from "effect"
import { acquire, isGranted } from "../../../../core/test/fund/Asking.ts"
import { circuitOf } from "../../../../core/test/fund/bucket/CircuitPlay.ts"
import {
  cockatiel,
  effect4,
  failsafeGo,
  opossum,
  polly,
  resilience4j
} from "../../../../core/test/fund/bucket/CircuitRows.ts"
import { play } from "../../../../core/test/fund/bucket/CircuitSteps.ts"
import { circuitBreaker, type CircuitBreakerOptions } from "../../../src/fund/bucket/SharedBucket.ts"
import type { Store, Swapped } from "../../../src/fund/store/Store.ts"
import * as SpecStore from "../../SpecStore.ts"
import { makeNetwork, settled } from "./Shared.ts"

type Breaker = CircuitBreaker.CircuitBreaker
type Options = Partial<CircuitBreakerOptions>

const make = (store: Store<unknown>, options: Options = {}) =>
  circuitBreaker("shared", { name: "payments", opensAt: { consecutive: 1 }, openFor: "1 second", ...options })({
    store
  })

/** The same circuit in so many processes, which ask the store for each attempt. */
const fleet = (store: Store<unknown>, processes: number, options?: Options) =>
  Effect.replicateEffect(make(store, { refreshAfter: 0, ...options }), processes)

const inVirtualTime = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(VirtualClock.run, Effect.provide(SeededRandom.layer("shared circuits")))

const outcome = (granted: TokenBucket.Grant, how: string): TokenBucket.Outcome => {
  const end = { attempt: 1, granted }
  if (how === "fails") return { _tag: "Failed", ...end, verdict: Verdict.server }
  return { _tag: how === "succeeds" ? "Succeeded" : "Abandoned", ...end }
}

const begin = (breaker: Breaker) => Effect.map(acquire(breaker), Option.getOrThrow)

/** One attempt, from the question to its end; whether it was let through. */
const attempt = (breaker: Breaker, how: string) =>
  Effect.flatMap(acquire(breaker), (answer) =>
    Option.isNone(answer) ? Effect.succeed(false) : Effect.as(breaker.record(outcome(answer.value, how)), true)
  )

const tagOf = ({ state }: Breaker) => Effect.map(state, ({ _tag }) => _tag)

const tagsOf = (breakers: ReadonlyArray<Breaker>) =>
  Effect.map(Effect.forEach(breakers, tagOf), (tags) => tags.join(" "))

/** A store that answers until it freezes: then its calls end after so long without an answer. */
const freezing = (within: Duration.DurationInput) => {
  const store = SpecStore.make()
  let isFrozen = false
  const swap: Store<unknown>["swap"] = (...asked) =>
    Effect.suspend((): Effect.Effect<Swapped, unknown> =>
      isFrozen ? Effect.delay(Effect.fail("away"), within) : store.swap(...asked)
    )
  return { store: { ...store, swap }, freeze: Effect.sync(() => void (isFrozen = true)) }
}

/** A store whose calls end without an answer while it is frozen, and are carried out once it thaws. */
const thawing = () => {
  const store = SpecStore.make()
  let isFrozen = false
  const abandoned: Array<Effect.Effect<unknown>> = []
  const swap: Store<unknown>["swap"] = (...asked) =>
    Effect.suspend((): Effect.Effect<Swapped, unknown> => {
      if (!isFrozen) return store.swap(...asked)
      abandoned.push(store.swap(...asked))
      return Effect.delay(Effect.fail("away"), "700 millis")
    })
  return {
    store: { ...store, swap },
    freeze: Effect.sync(() => void (isFrozen = true)),
    thaw: Effect.suspend(() => {
      isFrozen = false
      return Effect.all(abandoned.splice(0), { discard: true })
    })
  }
}

/** The lines that are logged, without their times. */
const logging = <A, E, R>(self: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(
    (line) => void lines.push(`${LogLines.of(line).level} ${String(LogLines.of(line).message)}`)
  )
  return Effect.provide(self(lines), Logger.replace(Logger.defaultLogger, logger))
}

TokenBucketContract.suite(
  { describe, expect, it },
  "SharedCircuit",
  Effect.suspend(() => circuitBreaker("shared", { name: "contract" })({ store: SpecStore.make() })),
  { grants: "all", isExact: false }
)

describe("a shared circuit of one process", () => {
  const rows = [cockatiel, opossum, effect4, polly, resilience4j, failsafeGo].flat()
  const alone = rows.filter(({ options }) => options.whenShort === undefined)

  it.effect.each(alone.map((row, index) => ({ ...row, index })))(
    "does what a circuit in memory does: $index, $id",
    ({ options, ours, steps }) =>
      Effect.gen(function* () {
        const played = Effect.flatMap(make(SpecStore.make(), { opensAt: { consecutive: 5 }, ...options }), (breaker) =>
          play(circuitOf(breaker), ours ?? steps)
        )
        expect(yield* inVirtualTime(played)).toBe(ours ?? steps)
      })
  )

  it.effect.prop(
    "does what a circuit in memory does, whatever happens",
    [
      FastCheck.array(
        FastCheck.oneof(
          FastCheck.record({ _tag: FastCheck.constant("ask" as const) }),
          FastCheck.record({
            _tag: FastCheck.constant("end" as const),
            index: FastCheck.nat(4),
            how: FastCheck.constantFrom("fails", "fails", "succeeds", "is abandoned")
          }),
          FastCheck.record({ _tag: FastCheck.constant("wait" as const), millis: FastCheck.nat(1500) }),
          FastCheck.record({ _tag: FastCheck.constantFrom("isolate" as const, "reset" as const, "reset" as const) })
        ),
        { maxLength: 40 }
      ),
      FastCheck.integer({ min: 1, max: 3 }),
      FastCheck.integer({ min: 1, max: 2 })
    ],
    ([steps, probes, successes]) =>
      inVirtualTime(
        Effect.gen(function* () {
          const options: Options = {
            opensAt: { consecutive: 2 },
            openFor: Backoff.exponential({ base: "1 second" }),
            probes,
            successes,
            probeTimeout: "2 seconds"
          }
          const trace = (breaker: Breaker) =>
            Effect.gen(function* () {
              const running: Array<TokenBucket.Grant> = []
              const seen: Array<unknown> = []
              for (const step of steps) {
                if (step._tag === "ask") {
                  const answer = yield* acquire(breaker)
                  if (Option.isSome(answer)) running.push(answer.value)
                  seen.push(Option.isSome(answer))
                } else if (step._tag === "end") {
                  const [granted] = running.splice(step.index, 1)
                  if (granted !== undefined) yield* breaker.record(outcome(granted, step.how))
                } else if (step._tag === "wait") yield* Effect.sleep(step.millis)
                else yield* breaker[step._tag]
                seen.push(yield* breaker.state, yield* breaker.level)
              }
              return seen
            })
          const inMemory = yield* trace(yield* CircuitBreaker.make(options))
          expect(yield* trace(yield* make(SpecStore.make(), options))).toEqual(inMemory)
        })
      ),
    { fastCheck: { numRuns: 25 } }
  )

  it.effect("asks the store nothing more while attempts succeed than once per refreshAfter", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const store = SpecStore.make()
        const breaker = yield* make(store, { refreshAfter: "1 second" })
        for (let i = 0; i < 50; i += 1) {
          yield* attempt(breaker, "succeeds")
          yield* Effect.sleep("100 millis")
        }
        expect(store.calls).toHaveLength(5)
      })
    )
  )

  it("refuses bad options, and names the field", () => {
    const bad: ReadonlyArray<readonly [object, string]> = [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "a", refreshAfter: -1 }, "refreshAfter"],
      [{ name: "a", whenShort: "wait" }, "whenShort"],
      [{ name: "a", probs: 2 }, "probs"],
      [{ name: "a", probes: 1001 }, "probes"],
      [{ name: "a", openFor: "36526 days" }, "openFor"],
      [{ name: "a", openFor: Backoff.constant({ delay: "36526 days" }) }, "openFor"],
      [{ name: "a", maxHint: "36526 days" }, "maxHint"],
      [{ name: "a", probeTimeout: "36526 days" }, "probeTimeout"],
      [{ name: "a", opensAt: { consecutive: 0 } }, "opensAt.consecutive"]
    ]
    for (const [options, field] of bad) {
      expect(() => circuitBreaker("RedisBucket.circuitBreaker", options as CircuitBreakerOptions)).toThrow(
        `RedisBucket.circuitBreaker: ${field} must be`
      )
    }
  })
})

describe("a shared circuit of several processes", () => {
  it.effect("is open for all of them once one has opened it, and closed once one has closed it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const processes = yield* fleet(SpecStore.make(), 3)
        const [a, b, c] = processes as [Breaker, Breaker, Breaker]
        yield* attempt(a, "fails")
        expect(yield* tagsOf(processes)).toBe("Open Open Open")
        expect([yield* isGranted(b), yield* isGranted(c)]).toEqual([false, false])
        yield* Effect.sleep("1 second")
        yield* attempt(b, "succeeds")
        expect(yield* tagsOf(processes)).toBe("Closed Closed Closed")
      })
    )
  )

  it.effect("lets attempts through for at most refreshAfter after another process has opened it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const [a, b] = (yield* fleet(SpecStore.make(), 2, { refreshAfter: "300 millis", openFor: "1 minute" })) as [
          Breaker,
          Breaker
        ]
        yield* attempt(a, "fails")
        expect(yield* isGranted(b)).toBe(true)
        yield* Effect.sleep("299 millis")
        expect(yield* isGranted(b)).toBe(true)
        yield* Effect.sleep("1 milli")
        expect(yield* isGranted(b)).toBe(false)
      })
    )
  )

  it.effect.each([1, 2, 3])("has at most %i probes under way in all processes, asked at once", (probes) =>
    inVirtualTime(
      Effect.gen(function* () {
        // All read the store before one of them has changed it.
        const store = SpecStore.make((decide) => Effect.zipRight(Effect.sleep("5 millis"), decide))
        const processes = yield* fleet(store, 4, { probes })
        yield* attempt(processes[0]!, "fails")
        yield* Effect.sleep("1 second")
        const granted = yield* Effect.forEach([...processes, ...processes], (breaker) => isGranted(breaker), {
          concurrency: "unbounded"
        })
        expect(granted.filter(Boolean)).toHaveLength(probes)
        expect(yield* processes[3]!.state).toEqual({ _tag: "HalfOpen", probes })
      })
    )
  )

  it.effect("closes after the successes of all processes together", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const processes = yield* fleet(SpecStore.make(), 2, { probes: 2, successes: 2 })
        const [a, b] = processes as [Breaker, Breaker]
        yield* attempt(a, "fails")
        yield* Effect.sleep("1 second")
        const first = yield* begin(a)
        const second = yield* begin(b)
        yield* a.record(outcome(first, "succeeds"))
        expect(yield* tagsOf(processes)).toBe("HalfOpen HalfOpen")
        yield* b.record(outcome(second, "succeeds"))
        expect(yield* tagsOf(processes)).toBe("Closed Closed")
      })
    )
  )

  it.effect("gives the place of a probe whose process has stopped to another after probeTimeout", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const [a, b] = (yield* fleet(SpecStore.make(), 2, { probeTimeout: "5 seconds" })) as [Breaker, Breaker]
        yield* attempt(a, "fails")
        yield* Effect.sleep("1 second")
        const stopped = yield* begin(a)
        yield* Effect.sleep("4999 millis")
        expect(yield* isGranted(b)).toBe(false)
        yield* Effect.sleep("1 milli")
        const probe = yield* begin(b)
        // The first probe no longer counts.
        yield* a.record(outcome(stopped, "fails"))
        expect(yield* tagOf(b)).toBe("HalfOpen")
        yield* b.record(outcome(probe, "succeeds"))
        expect(yield* tagOf(a)).toBe("Closed")
      })
    )
  )

  it.effect("gives up the place of a probe that is not made, is interrupted or dies", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const [a, b] = (yield* fleet(SpecStore.make(), 2)) as [Breaker, Breaker]
        yield* attempt(a, "fails")
        yield* Effect.sleep("1 second")
        const { refund } = yield* begin(a)
        expect(yield* isGranted(b)).toBe(false)
        yield* refund
        yield* attempt(b, "is abandoned")
        expect(yield* isGranted(a)).toBe(true)
      })
    )
  )

  it.effect("drops what an attempt of an earlier state tells", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const processes = yield* fleet(SpecStore.make(), 2)
        const [a, b] = processes as [Breaker, Breaker]
        const late = yield* begin(b)
        yield* attempt(a, "fails")
        yield* Effect.sleep("1 second")
        yield* attempt(a, "succeeds")
        yield* b.record(outcome(late, "fails"))
        expect(yield* tagsOf(processes)).toBe("Closed Closed")
      })
    )
  )

  it.effect("lets open times grow over the processes", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const openFor = Backoff.exponential({ base: "1 second" })
        const processes = yield* fleet(SpecStore.make(), 3, { openFor })
        const open: Array<number> = []
        for (const breaker of processes) {
          yield* attempt(breaker, "fails")
          const state = yield* breaker.state
          open.push(state._tag === "Open" ? Duration.toSeconds(state.retryAfter) : NaN)
          yield* Effect.sleep(state._tag === "Open" ? state.retryAfter : 0)
        }
        expect(open).toEqual([1, 2, 4])
      })
    )
  )

  it.effect("is isolated and reset for all", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const processes = yield* fleet(SpecStore.make(), 2)
        const [a, b] = processes as [Breaker, Breaker]
        yield* a.isolate
        yield* Effect.sleep("30 days")
        expect(yield* tagsOf(processes)).toBe("Isolated Isolated")
        yield* b.reset
        expect(yield* tagsOf(processes)).toBe("Closed Closed")
      })
    )
  )

  it.effect("is another circuit under another name, and for another key", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const store = SpecStore.make()
        const [a] = (yield* fleet(store, 1)) as [Breaker]
        const [b] = (yield* fleet(store, 1, { name: "orders" })) as [Breaker]
        yield* attempt(a, "fails")
        expect(yield* tagsOf([a, b])).toBe("Open Closed")
      })
    )
  )
})

describe("a shared circuit while the store is away", () => {
  it.effect("goes on in each process alone, tells once, and is shared again after it", () =>
    logging((lines) =>
      inVirtualTime(
        Effect.gen(function* () {
          const network = yield* makeNetwork
          const processes = yield* fleet(network.store, 2, { openFor: "1 minute" })
          const [a, b] = processes as [Breaker, Breaker]
          yield* network.fail
          expect([yield* attempt(a, "fails"), yield* attempt(a, "fails")]).toEqual([true, false])
          expect([yield* attempt(b, "succeeds"), yield* attempt(b, "succeeds")]).toEqual([true, true])
          expect(yield* tagsOf(processes)).toBe("Open Closed")
          yield* network.open
          yield* Effect.sleep("1 second")
          yield* isGranted(a)
          yield* settled
          expect(yield* isGranted(a)).toBe(false)
          yield* isGranted(b)
          yield* settled
          expect(yield* isGranted(b)).toBe(false)
          expect(lines).toEqual(["Warning store away: payments: string", "Info store back: payments after 1 s"])
        })
      )
    )
  )

  it.effect("takes the state of the store after it, if another process has changed that", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const network = yield* makeNetwork
        const away = { ...network.store }
        const [a] = (yield* fleet(away, 1, { openFor: "1 minute" })) as [Breaker]
        const [b] = (yield* fleet(network.store, 1)) as [Breaker]
        away.swap = () => Effect.fail("away")
        yield* attempt(a, "fails")
        yield* b.isolate
        away.swap = network.store.swap
        yield* Effect.sleep("1 second")
        yield* isGranted(a)
        yield* settled
        expect(yield* tagsOf([a, b])).toBe("Isolated Isolated")
      })
    )
  )

  it.effect.each<readonly [name: string, change: (a: Breaker) => Effect.Effect<unknown>, expected: string]>([
    ["an isolation, and then a reset", (a) => Effect.zipRight(a.isolate, a.reset), "Closed Closed"],
    ["a reset, and then an isolation", (a) => Effect.zipRight(a.reset, a.isolate), "Isolated Isolated"],
    ["a probe, and its success", (a) => attempt(a, "succeeds"), "Closed Closed"],
    ["a probe, and its failure", (a) => attempt(a, "fails"), "HalfOpen HalfOpen"]
  ])("knows its own change again if a frozen store carries it out later: %s", ([, change, expected]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const { store, freeze, thaw } = thawing()
        const options: Options = { refreshAfter: "1 second", openFor: "500 millis" }
        const [a, b] = (yield* fleet(store, 2, options)) as [Breaker, Breaker]
        yield* attempt(a, "fails")
        yield* Effect.sleep("500 millis")
        yield* freeze
        yield* change(a)
        yield* thaw
        yield* Effect.sleep("1 second")
        yield* tagOf(a)
        yield* settled
        yield* Effect.sleep("1 second")
        expect(yield* tagsOf([a, b])).toBe(expected)
        const isLet = !expected.startsWith("Isolated")
        expect([yield* attempt(b, "succeeds"), yield* attempt(a, "succeeds")]).toEqual([isLet, isLet])
      })
    )
  )

  it.effect("waits for a frozen server once, and never for one that refuses", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const frozen = { evalsha: () => new Promise(() => {}), eval: () => new Promise(() => {}) }
        const [a] = (yield* fleet(RedisStore.make(frozen, { within: "700 millis" }), 1)) as [Breaker]
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(700)
        expect([yield* attempt(a, "fails"), yield* attempt(a, "fails")]).toEqual([true, false])
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(700)
      })
    )
  )

  it.effect("waits for one call of a server that freezes, however late an attempt comes to that", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { store, freeze } = freezing("1200 millis")
        const [a] = (yield* fleet(store, 1)) as [Breaker]
        yield* freeze
        const late = Effect.delay(isGranted(a), "100 millis")
        // The second attempt of the first one begins a call in the background, before which the late ones are answered.
        const twice = Effect.zipRight(isGranted(a), isGranted(a))
        expect(yield* Effect.all([twice, late, late], { concurrency: "unbounded" })).toEqual([true, true, true])
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1200)
      })
    )
  )

  it.effect("makes a probe while a frozen server is asked in the background", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { store, freeze } = freezing("700 millis")
        const [a] = (yield* fleet(store, 1, { openFor: "1200 millis" })) as [Breaker]
        yield* attempt(a, "fails")
        yield* freeze
        // The first call waits, and the next one is begun in the background.
        yield* isGranted(a)
        yield* Effect.sleep("300 millis")
        yield* isGranted(a)
        yield* Effect.sleep("200 millis")
        expect([yield* attempt(a, "succeeds"), yield* tagOf(a)]).toEqual([true, "Closed"])
        expect(Duration.toMillis(yield* VirtualClock.now)).toBe(1200)
      })
    )
  )

  it.effect("begins without a store", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const network = yield* makeNetwork
        yield* network.fail
        const [a] = (yield* fleet(network.store, 1)) as [Breaker]
        expect([yield* attempt(a, "fails"), yield* isGranted(a)]).toEqual([true, false])
      })
    )
  )

  it.effect("is closed again if the store has lost it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const stores = [SpecStore.make(), SpecStore.make()] as const
        let store: Store<never> = stores[0]
        const [a] = (yield* fleet({ ...store, swap: (...asked) => store.swap(...asked) }, 1)) as [Breaker]
        yield* attempt(a, "fails")
        store = stores[1]
        expect(yield* isGranted(a)).toBe(true)
        expect(yield* tagOf(a)).toBe("Closed")
      })
    )
  )

  it.effect("lets an attempt through or refuses it, whatever a store answers", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const texts = ["", "Open 1 1 1 9", "HalfOpen 1 1 1 0", "Isolated 1 1 1", "Closed 1 1 1 1", "Open", "x"]
        let calls = 0
        const swap = () => Effect.sync(() => ({ text: texts[(calls += 1) % texts.length]!, nowMillis: 0 }))
        const [a] = (yield* fleet({ ...SpecStore.make(), swap }, 1)) as [Breaker]
        for (let i = 0; i < 50; i += 1) yield* attempt(a, i % 3 === 0 ? "fails" : "succeeds")
        expect(calls).toBeLessThan(50 * 40)
      })
    )
  )
})
