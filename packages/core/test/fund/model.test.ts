/**
 * The buckets beside models of them: whole operations at once, interrupted anywhere, while the wall clock is set.
 */
import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import type { Fiber } from "effect"
import { Effect, FastCheck, Option } from "effect"
import { law, runsOf } from "../support/Laws.ts"
import { request, succeed } from "./Asking.ts"
import type { Model } from "./Models.ts"
import * as Models from "./Models.ts"
import * as SteppedClock from "./SteppedClock.ts"

type Options = NonNullable<Parameters<typeof TokenBucket.quota>[0]>

const requestModel = (ratio: number, floorPerSecond: number, windowMillis: number): Model => {
  const reserve = (floorPerSecond * windowMillis) / 1000
  const slotOf = (now: number) => Math.floor(now / (windowMillis / 100))
  const requests: Array<number> = []
  const retries = new Set<{ readonly slot: number }>()
  const level = (now: number) => {
    const isRemembered = (slot: number) => slotOf(now) - slot <= 100
    const remembered = [...retries].filter(({ slot }) => isRemembered(slot))
    return Math.max(0, reserve + ratio * requests.filter(isRemembered).length - remembered.length)
  }
  return {
    acquire: (_, now) => {
      if (level(now) < 1 - 1e-6) return Option.none()
      const retry = { slot: slotOf(now) }
      retries.add(retry)
      return Option.some({ tokens: 1, refund: () => void retries.delete(retry) })
    },
    record: () => {},
    started: (attempt, now) => {
      if (attempt === 1) requests.push(slotOf(now))
    },
    level,
    most: (now) => reserve + ratio * requests.length + (floorPerSecond * now) / 1000
  }
}

const concurrencyModel = (limit: number): Model => {
  let inFlight = 0
  return {
    acquire: () => {
      if (inFlight === limit) return Option.none()
      inFlight += 1
      return Option.some({ tokens: 1, refund: () => void (inFlight -= 1) })
    },
    record: ({ granted }) => {
      inFlight -= granted.tokens
    },
    started: () => {},
    level: () => limit - inFlight,
    most: () => Infinity
  }
}

const quota = (options: Options & { readonly capacity: number; readonly cost: { readonly orElse: number } }) => ({
  make: TokenBucket.quota(options),
  makeModel: () =>
    Models.tokens({
      capacity: options.capacity,
      refillPerSecond: options.refillPerSecond ?? 0,
      cost: (kind) => options.cost[kind as "orElse"] ?? options.cost.orElse,
      credit: (outcome) => {
        if (outcome._tag !== "Succeeded") return 0
        return outcome.attempt === 1 ? (options.firstSuccessIncrement ?? 1) : outcome.granted.tokens
      }
    })
})

const models = [
  { name: "quota", runs: 400, ...quota({ capacity: 40, cost: { Throttling: 5, orElse: 14 } }) },
  {
    name: "quota with a refill",
    runs: 400,
    ...quota({ capacity: 7, cost: { Timeout: 7, orElse: 1.3 }, firstSuccessIncrement: 0.1, refillPerSecond: 0.37 })
  },
  {
    name: "successRatio",
    runs: 400,
    make: TokenBucket.successRatio({ ratio: 0.3, capacity: 3, floorPerSecond: 0.2 }),
    makeModel: () =>
      Models.tokens({
        capacity: 3,
        refillPerSecond: 0.2,
        cost: () => 1,
        credit: ({ _tag }) => (_tag === "Succeeded" ? 0.3 : 0)
      })
  },
  {
    name: "requestRatio",
    runs: 800,
    make: TokenBucket.requestRatio({ ratio: 0.25, floorPerSecond: 0.4, window: "5 seconds" }),
    makeModel: () => requestModel(0.25, 0.4, 5000)
  },
  {
    name: "concurrencyLimit",
    runs: 700,
    make: RateLimiter.concurrencyLimit({ limit: 1, whenShort: "refuse" }),
    makeModel: () => concurrencyModel(1)
  }
]

interface Waiter {
  readonly id: number
  readonly cost: number
}

/** The outcome of a take, and when it comes. */
type Fate = readonly [outcome: "granted" | "refused" | "interrupted" | "waits", atMillis: number]

interface WaitingOptions {
  readonly capacity: number
  readonly refillPerSecond: number
  readonly maxWaitMillis: number
}

/** First come, first served: the first waiter gets its tokens in the first whole millisecond in which they are there. */
const waitingModel = ({ capacity, maxWaitMillis, refillPerSecond }: WaitingOptions) => {
  const fates = new Map<number, Fate>()
  let line: ReadonlyArray<Waiter> = []
  let now = 0
  let level = capacity
  const pass = (untilMillis: number) => {
    level = Math.min(capacity, level + ((untilMillis - now) * refillPerSecond) / 1000)
    now = untilMillis
  }
  const millisUntil = (cost: number) => Math.max(0, Math.ceil(((cost - level) / refillPerSecond) * 1000 - 1e-3))
  const serve = () => {
    for (let [first] = line; first !== undefined && millisUntil(first.cost) === 0; [first] = line) {
      line = line.slice(1)
      level = Math.max(0, level - first.cost)
      fates.set(first.id, ["granted", now])
    }
  }
  return {
    fates,
    level: () => level,
    take: (id: number, cost: number) => {
      const demand = line.reduce((sum, waiter) => sum + waiter.cost, cost)
      if (millisUntil(demand) > maxWaitMillis) return fates.set(id, ["refused", now])
      fates.set(id, ["waits", now])
      line = [...line, { id, cost }]
      return serve()
    },
    interrupt: (id: number) => {
      if (fates.get(id)?.[0] === "waits") fates.set(id, ["interrupted", now])
      line = line.filter((waiter) => waiter.id !== id)
      serve()
    },
    credit: (tokens: number) => {
      level = Math.min(capacity, level + tokens)
      serve()
    },
    advance: (millis: number) => {
      const untilMillis = now + millis
      for (let [first] = line; first !== undefined; [first] = line) {
        const ready = now + millisUntil(first.cost)
        if (ready > untilMillis) break
        pass(ready)
        serve()
      }
      pass(untilMillis)
    }
  }
}

const moves = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({ _tag: FastCheck.constant("Take" as const), kind: FastCheck.constantFrom(...Verdict.kinds) }),
    FastCheck.record({ _tag: FastCheck.constant("Advance" as const), millis: FastCheck.nat(4000) }),
    FastCheck.record({ _tag: FastCheck.constant("Interrupt" as const), id: FastCheck.nat(15) }),
    FastCheck.record({ _tag: FastCheck.constant("Credit" as const), tokens: FastCheck.integer({ min: 1, max: 6 }) })
  ),
  { minLength: 5, maxLength: 30, size: "max" }
)

type Moves = typeof moves extends FastCheck.Arbitrary<infer A> ? A : never

const costs = { Throttling: 1.7, Timeout: 6, Server: 3, orElse: 2.5 }

const costOf = (kind: Verdict.Kind) => (kind === "Transient" || kind === "Client" ? costs.orElse : costs[kind])

const waitsAsPredicted = (options: WaitingOptions, path: Moves) => {
  const clock = SteppedClock.make()
  const { capacity, maxWaitMillis, refillPerSecond } = options
  const bucket = clock.run(
    TokenBucket.quota({ capacity, cost: costs, refillPerSecond, whenShort: "wait", maxWait: maxWaitMillis })
  )
  const model = waitingModel(options)
  const fates = new Map<number, Fate>()
  const fibers: Array<Fiber.RuntimeFiber<unknown>> = []
  const fate = (id: number, outcome: Fate[0]) => void fates.set(id, [outcome, clock.passedMillis()])
  const take = (id: number, kind: Verdict.Kind) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.map(bucket.acquire(request({ kind, restore })), (granted) =>
        fate(id, Option.isSome(granted) ? "granted" : "refused")
      )
    ).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (fates.get(id)?.[0] === "waits") fate(id, "interrupted")
        })
      ),
      Effect.withMaxOpsBeforeYield(24)
    )
  for (const move of path) {
    switch (move._tag) {
      case "Take": {
        const id = fibers.length
        fate(id, "waits")
        fibers.push(clock.fork(take(id, move.kind)))
        model.take(id, costOf(move.kind))
        break
      }
      case "Advance":
        clock.advance(move.millis)
        model.advance(move.millis)
        break
      case "Interrupt":
        SteppedClock.interrupt(fibers[move.id])
        model.interrupt(move.id)
        break
      case "Credit":
        clock.run(succeed(bucket, 2, move.tokens))
        model.credit(move.tokens)
        break
    }
    const level = clock.run(bucket.level)
    const isAsPredicted = haveSameFates(fates, model.fates) && Math.abs(level - model.level()) < 5e-6
    if (!isAsPredicted) return { fates, level, expected: { fates: model.fates, level: model.level() } }
  }
  return undefined
}

const haveSameFates = (one: ReadonlyMap<number, Fate>, other: ReadonlyMap<number, Fate>): boolean => {
  if (one.size !== other.size) return false
  for (const [id, [outcome, atMillis]] of one) {
    const fate = other.get(id)
    if (fate?.[0] !== outcome || fate[1] !== atMillis) return false
  }
  return true
}

describe("TokenBucket models", () => {
  for (const { make, makeModel, name, runs } of models) {
    const seen: Models.Seen = { granted: 0, refunded: 0, refused: 0 }

    it.prop(
      `${name} agrees with its model on any path, keeps its law on every prefix, and its accounts to the end`,
      [Models.commands],
      ([path]) => {
        const faults = Models.run(Models.compared(make, makeModel), path, seen)
        if (faults.length > 0) expect(faults).toEqual([])
      },
      law(runs)
    )

    it(`${name} was granted, refused and interrupted on those paths`, () => {
      expect(Math.min(seen.granted, 12 * seen.refused, 12 * seen.refunded)).toBeGreaterThan(runsOf(runs))
    })
  }

  it.prop(
    "quota that waits serves the attempts that its model serves, in the same millisecond",
    [
      FastCheck.record({
        capacity: FastCheck.integer({ min: 6, max: 12 }),
        refillPerSecond: FastCheck.constantFrom(0.3, 1, 2.7, 1000),
        maxWaitMillis: FastCheck.constantFrom(0, 1000, 5000, 1_000_000)
      }),
      moves
    ],
    ([options, path]) => {
      const differing = waitsAsPredicted(options, path)
      if (differing !== undefined) expect(differing).toEqual(differing.expected)
    },
    law(400)
  )
})
