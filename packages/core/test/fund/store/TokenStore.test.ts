import type { TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import type { Clock, FastCheck } from "effect"
import { Duration, Effect, Exit, FastCheck as fc, Fiber, Option, Ref } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"
import type { Arithmetic } from "../../../src/fund/port/Arithmetic.ts"
import * as TimedRef from "../../../src/fund/store/TimedRef.ts"
import * as TokenStore from "../../../src/fund/store/TokenStore.ts"
import * as PriorityQueue from "../../../src/fund/store/PriorityQueue.ts"
import { law } from "../../support/Laws.ts"
import { type Asked, request } from "../Asking.ts"
import { interruptedBefore } from "../Interrupting.ts"
import * as SteppedClock from "../SteppedClock.ts"

/** Lasts until all other fibers wait. */
const settled = Effect.sleep(Duration.zero)

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

const isTimeless = () => true

/** A store of tokens that come when the test says so; time brings them as `millisPerToken` promises, or never. */
const makeQueue = (initial: number, millisPerToken = Infinity) => {
  const demands: Array<number> = []
  const costs = new Map<TokenBucket.Request, number>()
  const arithmetic: Arithmetic<number> = {
    initial: () => initial,
    costOf: (request) => costs.get(request) ?? 1,
    take: (tokens, _now, cost, demand) => {
      demands.push(demand)
      return tokens < cost ? undefined : [cost, tokens - cost]
    },
    put: (tokens, _now, count) => tokens + count,
    millisUntil: (tokens, _now, cost) => (tokens >= cost ? 0 : (cost - tokens) * millisPerToken),
    level: (tokens) => tokens
  }
  const ref = Effect.runSync(TimedRef.makeUnread({ tokens: initial, queue: PriorityQueue.empty }))
  const steps = TokenStore.makeSteps(arithmetic, Option.some(Infinity))
  const drip = (tokens: number) =>
    TimedRef.modify(ref, (state) => [undefined, { ...state, tokens: state.tokens + tokens }], isTimeless)
  const change = steps.change((before, _now, tokens: number) => before + tokens)
  const add = (tokens: number) => change(ref, tokens)
  const wakeFirst = add(0)
  const store = {
    demands,
    get tokens() {
      return Effect.runSync(Ref.get(ref)).state.tokens
    },
    set tokens(tokens: number) {
      Effect.runSync(drip(tokens - this.tokens))
    }
  }
  const queue = {
    length: Effect.map(Ref.get(ref), ({ state }) => PriorityQueue.size(state.queue)),
    acquire: (cost: number, maxWaitMillis: number, asked: Pick<Asked, "restore"> = {}) => {
      const asking = request({ ...asked, ...(maxWaitMillis !== Infinity && { atMostMillis: maxWaitMillis }) })
      costs.set(asking, cost)
      return steps.acquire(ref, asking)
    }
  }
  const served: Array<string> = []
  return {
    store,
    queue,
    served,
    wakeFirst,
    /** Adds tokens and wakes the first waiter. */
    add,
    /** Adds tokens and wakes no waiter, as time does. */
    drip,
    /** Waits, and signs the list when served. */
    ask: (name: string, { cost = 1, maxWaitMillis = Infinity } = {}) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.map(queue.acquire(cost, maxWaitMillis, { restore }), (grant) => {
          if (Option.isSome(grant)) served.push(name)
          return Option.isSome(grant)
        })
      )
  }
}

/** Fibers let others go first after so many steps; with fewer, none gets on. */
const turn = 16

const turns = Array.from({ length: turn }, (_, early) => early)

/** Takes its first turn `early` steps into an effect that takes turns. */
const turning = <A, E, R>(early: number, self: Effect.Effect<A, E, R>) =>
  Effect.withMaxOpsBeforeYield(Effect.zipRight(Effect.replicateEffect(Effect.void, early), self), turn)

/** Forks in the order given, each when the one before it has come to its place. */
const queueUp = (asks: ReadonlyArray<Effect.Effect<boolean>>) =>
  Effect.forEach(asks, (ask) => Effect.zipLeft(Effect.fork(ask), settled))

describe("TokenStore.acquire", () => {
  it.effect("serves at once while there are tokens, and keeps no waiter", () =>
    Effect.gen(function* () {
      const { ask, queue, store } = makeQueue(2)
      expect([yield* ask("a"), yield* ask("b")]).toEqual([true, true])
      expect([store.tokens, yield* queue.length, yield* nowMillis]).toEqual([0, 0, 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("serves no attempt before those that wait, whatever it costs", () =>
    Effect.gen(function* () {
      const { add, ask, store } = makeQueue(0, 1000)
      yield* queueUp([ask("first", { cost: 3 })])
      yield* add(2)
      expect([yield* ask("late", { maxWaitMillis: 0 }), store.tokens]).toEqual([false, 2])
    }).pipe(VirtualClock.run)
  )

  it.effect("dies of a clock whose sleep dies, and keeps no place in the queue", () =>
    Effect.gen(function* () {
      const { ask, drip, queue } = makeQueue(0, 1000)
      const clock = yield* Effect.clock
      const broken: Clock.Clock = {
        ...clock,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        sleep: () => Effect.die("defect")
      }
      const dying = yield* Effect.fork(Effect.withClock(ask("dying"), broken))
      yield* settled
      const [behind] = yield* queueUp([ask("behind")])
      yield* drip(1)
      yield* Effect.sleep(5000)
      expect(yield* Fiber.poll(dying)).toEqual(Option.some(Exit.die("defect")))
      expect(yield* Fiber.poll(behind!)).toEqual(Option.some(Exit.succeed(true)))
      expect(yield* queue.length).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("waits for its maximum when only another attempt can bring the tokens", () =>
    Effect.gen(function* () {
      const { add, ask } = makeQueue(0)
      expect(yield* ask("a", { maxWaitMillis: 1000 })).toBe(false)
      expect(yield* nowMillis).toBe(1000)
      const waiting = yield* Effect.fork(ask("b", { maxWaitMillis: 1000 }))
      yield* Effect.zipRight(Effect.sleep("400 millis"), add(1))
      expect([yield* Fiber.join(waiting), yield* nowMillis]).toEqual([true, 1400])
      expect([yield* ask("c", { maxWaitMillis: 0 }), yield* nowMillis]).toEqual([false, 1400])
    }).pipe(VirtualClock.run)
  )

  it.effect("serves in the order of arrival, however the tokens come", () =>
    Effect.gen(function* () {
      const { add, ask, served } = makeQueue(0)
      const names = ["a", "b", "c", "d", "e", "f"]
      yield* queueUp(names.map((name) => ask(name)))
      for (const tokens of [1, 3, 2]) yield* Effect.zipRight(add(tokens), settled)
      expect(served).toEqual(names)
    }).pipe(VirtualClock.run)
  )

  it.effect("serves in the order of arrival when all arrive at once", () =>
    Effect.gen(function* () {
      const { add, ask, served } = makeQueue(0)
      const names = Array.from({ length: 100 }, (_, i) => `${i}`)
      const all = yield* Effect.fork(Effect.forEach(names, (name) => ask(name), { concurrency: "unbounded" }))
      yield* settled
      yield* add(100)
      yield* Fiber.join(all)
      expect(served).toEqual(names)
    }).pipe(VirtualClock.run)
  )

  it.effect("lets no waiter pass one with a higher cost", () =>
    Effect.gen(function* () {
      const { add, ask, queue, served } = makeQueue(0)
      yield* queueUp([ask("costly", { cost: 3 }), ask("cheap")])
      yield* Effect.zipRight(add(2), settled)
      expect([served, yield* queue.length]).toEqual([[], 2])
      yield* Effect.zipRight(add(2), settled)
      expect(served).toEqual(["costly", "cheap"])
    }).pipe(VirtualClock.run)
  )

  it.effect("lets no waiter pass another one at the end of its wait either", () =>
    Effect.gen(function* () {
      const { ask, served, store } = makeQueue(1, 1)
      const [costly, cheap] = yield* queueUp([ask("costly", { cost: 3 }), ask("cheap", { maxWaitMillis: 20 })])
      expect(yield* Fiber.join(cheap!)).toBe(false)
      expect([served, store.tokens, yield* nowMillis]).toEqual([[], 1, 21])
      yield* Fiber.interrupt(costly!)
    }).pipe(VirtualClock.run)
  )

  it.effect("gives tokens that came for a waiter to no later attempt", () =>
    Effect.gen(function* () {
      const { add, ask, served, store } = makeQueue(0)
      yield* queueUp([ask("waiting")])
      yield* add(1)
      // Woken, but it has not run yet.
      expect(store.tokens).toBe(1)
      yield* queueUp([ask("late")])
      expect([served, store.tokens]).toEqual([["waiting"], 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells the arithmetic what all waiters want together, and zero for an attempt that has just come", () =>
    Effect.gen(function* () {
      const { add, ask, store } = makeQueue(0)
      yield* queueUp([ask("a", { cost: 1 }), ask("b", { cost: 2 }), ask("c", { cost: 4 })])
      expect(store.demands).toEqual([0, 0])
      yield* Effect.zipRight(add(7), settled)
      expect(store.demands).toEqual([0, 0, 7, 6, 4])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells the arithmetic exactly what a waiter wants when all before it have left, also in fractions", () =>
    Effect.gen(function* () {
      const { add, ask, store } = makeQueue(0)
      yield* queueUp([ask("a", { cost: 0.1 }), ask("b", { cost: 0.2 })])
      yield* Effect.zipRight(add(1), settled)
      store.tokens = 0
      yield* queueUp([ask("c", { cost: 0.1 })])
      yield* Effect.zipRight(add(1), settled)
      expect(store.demands.at(-1)).toBe(0.1)
    }).pipe(VirtualClock.run)
  )

  it.effect("serves at once when the tokens come between its first look and its place in the queue", () =>
    Effect.gen(function* () {
      const { drip, queue, store } = makeQueue(0)
      const asked = yield* Effect.sync(() => AtOnce.run(queue.acquire(1, 0)))
      yield* drip(1)
      expect(Option.isSome(yield* asked)).toBe(true)
      expect([store.tokens, yield* queue.length, yield* nowMillis]).toEqual([0, 0, 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses at once when time brings the tokens too late, counting the waiters ahead", () =>
    Effect.gen(function* () {
      const { ask, queue } = makeQueue(0, 1000)
      yield* queueUp([ask("a"), ask("b")])
      expect(yield* ask("c", { maxWaitMillis: 2999 })).toBe(false)
      expect([yield* nowMillis, yield* queue.length]).toEqual([0, 2])
      const waiting = yield* Effect.fork(ask("c", { maxWaitMillis: 3000 }))
      yield* settled
      expect(yield* queue.length).toBe(3)
      yield* Fiber.interrupt(waiting)
    }).pipe(VirtualClock.run)
  )

  it.effect("counts no waiter behind another one, at whatever step they take turns", () =>
    Effect.forEach(turns, (early) =>
      Effect.gen(function* () {
        const { ask, queue } = makeQueue(0, 1000)
        const waits = [1000, 2000, 3000]
        const asks = waits.map((maxWaitMillis) => turning(early, ask(`${maxWaitMillis}`, { maxWaitMillis })))
        const waiting = yield* Effect.forEach(asks, Effect.fork)
        yield* settled
        expect(yield* queue.length).toBe(3)
        yield* Fiber.interruptAll(waiting)
      })
    ).pipe(VirtualClock.run)
  )

  it.effect("refuses when the longest wait is over, and lets the next waiter look", () =>
    Effect.gen(function* () {
      const { ask, queue, served } = makeQueue(1, 1)
      const [costly] = yield* queueUp([ask("costly", { cost: 9, maxWaitMillis: 50 }), ask("cheap")])
      expect(yield* Fiber.join(costly!)).toBe(false)
      yield* settled
      expect([served, yield* queue.length, yield* nowMillis]).toEqual([["cheap"], 0, 50])
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses behind other waiters too when the longest wait is over", () =>
    Effect.gen(function* () {
      const { ask, queue } = makeQueue(0, 1)
      const [, second] = yield* queueUp([ask("first"), ask("second", { maxWaitMillis: 20 })])
      expect(yield* Fiber.join(second!)).toBe(false)
      expect(yield* queue.length).toBe(1)
      expect(yield* nowMillis).toBe(21)
    }).pipe(VirtualClock.run)
  )

  it.effect("waits for its maximum behind other waiters too when that ends right after the longest timer", () =>
    Effect.gen(function* () {
      const { ask } = makeQueue(0)
      const longest = 2 ** 31 - 1
      const [first, second] = yield* queueUp([ask("first"), ask("second", { maxWaitMillis: longest + 1 })])
      expect(yield* Fiber.join(second!)).toBe(false)
      expect(yield* nowMillis).toBe(longest + 2)
      yield* Fiber.interrupt(first!)
    }).pipe(VirtualClock.run)
  )

  it.effect("waits for its maximum however the clock is set meanwhile", () =>
    Effect.gen(function* () {
      for (const set of [VirtualClock.stepBack("1 hour"), VirtualClock.setWallTime("365 days")]) {
        const { ask } = makeQueue(0, 1)
        const before = yield* nowMillis
        const waiting = yield* Effect.fork(ask("a", { maxWaitMillis: 1000 }))
        yield* Effect.zipRight(Effect.sleep("300 millis"), set)
        expect(yield* Fiber.join(waiting)).toBe(false)
        expect((yield* nowMillis) - before).toBe(1000)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("lets time stand still when the clock itself steps back", () =>
    Effect.gen(function* () {
      const stepped = { backNanos: 0n }
      const { ask } = makeQueue(0, 1)
      const waiting = yield* Effect.clockWith((clock) =>
        Effect.withClock(Effect.fork(ask("a", { maxWaitMillis: 1000 })), {
          ...clock,
          unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() - stepped.backNanos
        })
      )
      yield* Effect.sleep("300 millis")
      stepped.backNanos = 3_600_000_000_000n
      expect(yield* Fiber.join(waiting)).toBe(false)
      expect(yield* nowMillis).toBe(1001)
    }).pipe(VirtualClock.run)
  )

  it.effect("looks only when time has brought tokens or when it is woken", () =>
    Effect.gen(function* () {
      const { ask, drip, served, store, wakeFirst } = makeQueue(0, 60_000)
      yield* queueUp([ask("a"), ask("b"), ask("c")])
      yield* Effect.sleep("30 seconds")
      expect(store.demands).toHaveLength(2)
      yield* Effect.repeatN(Effect.zipRight(wakeFirst, settled), 4)
      expect(store.demands).toHaveLength(7)
      const [last] = yield* queueUp([ask("d")])
      yield* Effect.zipRight(Fiber.interrupt(last!), settled)
      expect(store.demands).toHaveLength(7)
      yield* Effect.zipRight(drip(3), Effect.sleep("2 minutes"))
      expect(served).toEqual(["a", "b", "c"])
      expect(store.demands).toHaveLength(10)
    }).pipe(VirtualClock.run)
  )

  it.effect("never looks by itself when time brings no tokens", () =>
    Effect.gen(function* () {
      const { ask, store } = makeQueue(0)
      const [waiting] = yield* queueUp([ask("a")])
      yield* Effect.sleep("60 days")
      expect(store.demands).toHaveLength(2)
      yield* Fiber.interrupt(waiting!)
    }).pipe(VirtualClock.run)
  )

  it.effect("looks at most once a millisecond, also in a store whose promised tokens do not come", () =>
    Effect.gen(function* () {
      const { ask, queue, store } = makeQueue(0, 0)
      const waiting = yield* Effect.fork(ask("a"))
      yield* Effect.sleep("1 second")
      expect(store.demands.length).toBeLessThanOrEqual(1002)
      yield* Fiber.interrupt(waiting)
      expect(yield* queue.length).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("looks again after the longest timer when the wait is longer than that", () =>
    Effect.gen(function* () {
      const { ask, drip } = makeQueue(0, 2 ** 32)
      const waiting = yield* Effect.fork(ask("a"))
      yield* Effect.zipRight(Effect.sleep("1 millis"), drip(1))
      expect(yield* Fiber.join(waiting)).toBe(true)
      expect(yield* nowMillis).toBe(2 ** 31 - 1)
    }).pipe(VirtualClock.run)
  )

  it.effect("wakes a waiter that cannot be interrupted as soon as tokens come", () =>
    Effect.gen(function* () {
      const { add, ask } = makeQueue(0, 60_000)
      const waiting = yield* Effect.fork(Effect.uninterruptible(ask("a")))
      yield* Effect.zipRight(Effect.sleep("1 second"), add(1))
      expect(yield* Fiber.join(waiting)).toBe(true)
      expect(yield* nowMillis).toBe(1000)
    }).pipe(VirtualClock.run)
  )

  it.effect("wakes a waiter that was interrupted in vain when time has brought tokens, and those behind it", () =>
    Effect.gen(function* () {
      const { ask, drip, queue, served } = makeQueue(0, 1000)
      const stubborn = yield* Effect.forkDaemon(Effect.uninterruptible(ask("stubborn")))
      yield* settled
      const [behind] = yield* queueUp([ask("behind")])
      yield* Fiber.interruptFork(stubborn)
      yield* Effect.delay(drip(1), 999)
      yield* Effect.delay(drip(1), 1000)
      yield* Effect.sleep(1000)
      expect(served).toEqual(["stubborn", "behind"])
      expect(Option.isSome(yield* Fiber.poll(behind!))).toBe(true)
      expect(yield* queue.length).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps nothing of two thousand waiters, served or interrupted", () =>
    Effect.gen(function* () {
      const { add, ask, queue, served, store } = makeQueue(0)
      const fibers = yield* Effect.forEach(Array.from({ length: 2_000 }), (_, i) => Effect.fork(ask(`${i}`)))
      yield* settled
      expect(yield* queue.length).toBe(2_000)
      // From the end, the middle and the front.
      yield* Fiber.interruptAll(fibers.filter((_, i) => i % 2 === 1 || i < 100))
      expect(yield* queue.length).toBe(950)
      yield* Effect.zipRight(add(950), settled)
      expect([served.length, store.tokens, yield* queue.length]).toEqual([950, 0, 0])
      expect(served.map(Number)).toEqual(served.map(Number).toSorted((a, b) => a - b))
    }).pipe(VirtualClock.run)
  )
})

/** Two wait for a token that comes after a millisecond, the first of them interrupted right before its step `at`. */
const firstInterrupted = (at: number, millisPerToken: number) =>
  Effect.gen(function* () {
    const { add, ask, drip, queue, served, store } = makeQueue(0, millisPerToken)
    const first = yield* Effect.fork(interruptedBefore(at, ask("first")))
    const second = yield* Effect.fork(Effect.zipRight(settled, ask("second")))
    yield* Effect.sleep("1 millis")
    yield* millisPerToken === Infinity ? add(1) : drip(1)
    yield* Effect.sleep("10 millis")
    const { exit, steps } = yield* Fiber.join(first)
    const servedByOne = [...served]
    yield* Effect.zipRight(add(1), settled)
    const left = { tokens: store.tokens, length: yield* queue.length }
    yield* Fiber.join(second)
    return { exit, steps, servedByOne, served, left }
  }).pipe(VirtualClock.run)

describe("TokenStore.acquire under interruption", () => {
  it.effect.each([
    { how: "with a wake-up", millisPerToken: Infinity },
    { how: "with time", millisPerToken: 1 }
  ])("loses no token and delays no other waiter at any step, when tokens come $how", ({ millisPerToken }) =>
    Effect.gen(function* () {
      const { steps } = yield* firstInterrupted(Infinity, millisPerToken)
      let interrupted = 0
      for (let at = 1; at <= steps + 1; at++) {
        const { exit, left, served, servedByOne } = yield* firstInterrupted(at, millisPerToken)
        if (Exit.isInterrupted(exit)) interrupted += 1
        // Served and then interrupted counts as served: it holds what it got.
        const firstHolds = served.includes("first")
        expect(servedByOne).toEqual([firstHolds ? "first" : "second"])
        expect(served).toEqual(firstHolds ? ["first", "second"] : ["second"])
        expect(left).toEqual({ tokens: firstHolds ? 0 : 1, length: 0 })
      }
      expect(interrupted).toBeGreaterThan(10)
    })
  )
})

type Action =
  | { readonly _tag: "Ask"; readonly cost: number }
  | { readonly _tag: "Interrupt"; readonly index: number }
  | { readonly _tag: "Add"; readonly tokens: number }
  | { readonly _tag: "Settle" }

const action: FastCheck.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Ask" as const), cost: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Interrupt" as const), index: fc.nat(40) }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Add" as const), tokens: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.constant({ _tag: "Settle" as const }) }
)

/** Runs the actions one after the other, and lets fibers run between them, or not before one that says so. */
const played = (actions: ReadonlyArray<Action>, between: "settle" | "go on") => {
  const clock = SteppedClock.make()
  const { add, ask, queue, served, store } = makeQueue(0)
  const fibers: Array<Fiber.RuntimeFiber<boolean>> = []
  for (const act of actions) {
    if (act._tag === "Ask") fibers.push(clock.fork(ask(`${fibers.length}`, act)))
    else if (act._tag === "Add") Effect.runSync(add(act.tokens))
    else if (act._tag === "Interrupt") SteppedClock.interrupt(fibers[act.index])
    if (act._tag === "Settle" || between === "settle") clock.settle()
  }
  clock.settle()
  return { served: served.map(Number), left: { tokens: store.tokens, length: clock.run(queue.length) } }
}

/** A queue as an array, without fibers. */
const expected = (actions: ReadonlyArray<Action>) => {
  let tokens = 0
  let asked = 0
  let line: Array<{ readonly name: number; readonly cost: number }> = []
  const served: Array<number> = []
  for (const act of actions) {
    if (act._tag === "Ask") line.push({ name: asked++, cost: act.cost })
    if (act._tag === "Add") tokens += act.tokens
    if (act._tag === "Interrupt") line = line.filter(({ name }) => name !== act.index)
    while (line[0] !== undefined && line[0].cost <= tokens) {
      tokens -= line[0].cost
      served.push(line.shift()!.name)
    }
  }
  return { served, left: { tokens, length: line.length } }
}

describe("TokenStore laws", () => {
  it.prop(
    "serves as an array does",
    [fc.array(action, { maxLength: 40 })],
    ([actions]) => {
      expect(played(actions, "settle")).toEqual(expected(actions))
    },
    law(100)
  )

  it.prop(
    "keeps the order and loses no token when all happens at once",
    [fc.array(action, { maxLength: 40 })],
    ([actions]) => {
      const { left, served } = played(actions, "go on")
      expect(served).toEqual(served.toSorted((a, b) => a - b))
      const costs = actions.flatMap((act) => (act._tag === "Ask" ? [act.cost] : []))
      const spent = served.reduce((sum, name) => sum + costs[name]!, 0)
      const added = actions.reduce((sum, act) => sum + (act._tag === "Add" ? act.tokens : 0), 0)
      expect(spent + left.tokens).toBe(added)
      const interrupted = new Set(actions.flatMap((act) => (act._tag === "Interrupt" ? [act.index] : [])))
      const next = costs.findIndex((_, name) => !served.includes(name) && !interrupted.has(name))
      // No waiter is left whose tokens are there.
      if (next >= 0) expect(costs[next]).toBeGreaterThan(left.tokens)
    },
    law(100)
  )
})
