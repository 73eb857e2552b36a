import { AttemptTimeout, Backoff, Classifier, Deadline, Policy, Retry } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import {
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  ManagedRuntime,
  Runtime,
  Schedule,
  Scope
} from "effect"
import * as ActiveOperation from "../../src/fund/fiber/ActiveOperation.ts"
import * as Line from "../../src/fund/fiber/Line.ts"
import * as Heard from "./Heard.ts"
import { nowMillis, world } from "./Recording.ts"

const twice = {
  classifier: Classifier.always,
  maxAttempts: 2,
  backoff: Backoff.constant({ delay: "1 second" })
}

const second = AttemptTimeout.constant("1 second")

const named = (name: string) => ({ ...twice, name })

/** An effect that counts its runs and always fails. */
const failing = () => {
  let runs = 0
  return { attempt: Effect.suspend(() => Effect.fail(`failure ${++runs}`)), runs: () => runs }
}

/** A nested operation, and the outer attempts that it has noticed. */
const nested = (more: Partial<Policy.Preset> = {}) => {
  const { events, observer } = Heard.make()
  const { attempt, runs } = failing()
  return {
    operation: Retry.retry(attempt, { ...named("inner"), ...more, observe: [observer] }),
    runs,
    noticed: () => events.filter(({ _tag }) => _tag === "NestingNoticed").map(({ outer }) => outer)
  }
}

const outer = (attempt: number, name = "outer") => ({ name, attempt })

describe("Retry.retry inside an attempt of another operation", () => {
  it.effect("tells observers both names and the outer attempt, when the first attempt has ended", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const inner = Retry.retry(Effect.fail("busy"), { ...named("inner"), maxAttempts: 2, observe: [heard.observer] })
      yield* Effect.exit(Retry.retry(inner, named("outer")))
      expect(heard.events.slice(0, 1)).toStrictEqual([
        { _tag: "NestingNoticed", name: "inner", attempt: 1, maxAttempts: 2, elapsed: 0, level: null, outer: outer(1) }
      ])
      const once = ["NestingNoticed", "AttemptFailed", "RetryScheduled", "AttemptFailed", "GaveUp"]
      expect(heard.tags()).toEqual([...once, ...once])
    }).pipe(world)
  )

  it.effect("multiplies the attempts unless the policy says otherwise", () =>
    Effect.gen(function* () {
      const inner = nested()
      yield* Effect.exit(Retry.retry(inner.operation, { ...named("outer"), maxAttempts: 3 }))
      expect(inner.runs()).toBe(3 * 2)
      expect(inner.noticed()).toEqual([outer(1), outer(2), outer(3)])
    }).pipe(world)
  )

  type Inside = <A>(self: Effect.Effect<A, string>) => Effect.Effect<unknown, unknown>

  it.effect.each<{ readonly where: string; readonly inside: Inside }>([
    { where: "in a fiber that is joined", inside: (self) => Effect.flatMap(Effect.fork(self), Fiber.join) },
    { where: "in a daemon", inside: (self) => Effect.flatMap(Effect.forkDaemon(self), Fiber.join) },
    { where: "beside others", inside: (self) => Effect.all([self, Effect.never], { concurrency: "unbounded" }) },
    { where: "in a race", inside: (self) => Effect.raceFirst(self, Effect.never) },
    { where: "under a timeout", inside: (self) => Effect.timeout(self, "1 hour") },
    { where: "disconnected", inside: Effect.disconnect },
    { where: "in a finalizer", inside: (self) => Effect.ensuring(Effect.fail("late"), Effect.exit(self)) },
    {
      where: "where the outer one has a timeout",
      inside: (self) => Effect.timeoutFail(self, { duration: "1 day", onTimeout: () => "too late" })
    }
  ])("is noticed $where", ({ inside }) =>
    Effect.gen(function* () {
      const inner = nested()
      yield* Effect.exit(Retry.retry(inside(inner.operation), named("outer")))
      expect(inner.noticed()).toEqual([outer(1), outer(2)])
      expect(inner.runs()).toBe(2 * 2)
    }).pipe(world)
  )

  it.effect.each([
    { door: "orStopped", operation: (self: Effect.Effect<never, string>) => Retry.orStopped(self, named("outer")) },
    {
      door: "retryOrElse",
      operation: (self: Effect.Effect<never, string>) => Retry.retryOrElse(self, named("outer"), Effect.fail)
    }
  ])("is noticed under an outer $door", ({ operation }) =>
    Effect.gen(function* () {
      const inner = nested()
      yield* Effect.exit(operation(inner.operation))
      expect(inner.noticed()).toEqual([outer(1), outer(2)])
    }).pipe(world)
  )

  it.effect("notices the nearest of several levels", () =>
    Effect.gen(function* () {
      const middle = Heard.make()
      const inner = nested({ maxAttempts: 2 })
      const between = Retry.retry(inner.operation, { ...named("middle"), observe: [middle.observer] })
      yield* Effect.exit(Retry.retry(between, named("outer")))
      expect(inner.runs()).toBe(2 * 2 * 2)
      expect(inner.noticed()).toEqual([1, 2, 1, 2].map((attempt) => outer(attempt, "middle")))
      const noticed = middle.events.filter(({ _tag }) => _tag === "NestingNoticed")
      expect(noticed.map(({ outer }) => outer)).toEqual([outer(1), outer(2)])
    }).pipe(world)
  )

  it.effect.each([
    { between: "has no name", middle: { name: undefined } },
    { between: "makes one attempt", middle: { name: "middle", maxAttempts: 1 } }
  ])("notices the next operation further out when the one between $between", ({ middle }) =>
    Effect.gen(function* () {
      const inner = nested()
      yield* Effect.exit(Retry.retry(Retry.retry(inner.operation, { ...twice, ...middle }), named("outer")))
      expect(inner.noticed().length).toBeGreaterThan(0)
      expect(new Set(inner.noticed().map((outer) => JSON.stringify(outer)))).toEqual(
        new Set([outer(1), outer(2)].map((outer) => JSON.stringify(outer)))
      )
    }).pipe(world)
  )

  it.effect("is not noticed without an outer name, or if the outer or the inner operation makes one attempt", () =>
    Effect.gen(function* () {
      const inUnnamed = nested()
      yield* Effect.exit(Retry.retry(inUnnamed.operation, twice))
      yield* Effect.exit(
        Retry.retry(inUnnamed.operation, { ...twice, attemptTimeout: AttemptTimeout.constant("1 hour") })
      )
      const inSingle = nested()
      yield* Effect.exit(Retry.retry(inSingle.operation, { ...named("outer"), maxAttempts: 1 }))
      const single = nested({ maxAttempts: 1 })
      yield* Effect.exit(Retry.retry(single.operation, named("outer")))
      expect([...inUnnamed.noticed(), ...inSingle.noticed(), ...single.noticed()]).toEqual([])
    }).pipe(world)
  )

  it.effect("is not noticed beside an operation, after it, or between its attempts", () =>
    Effect.gen(function* () {
      const beside = nested()
      const siblings = [Retry.retry(Effect.fail("busy"), named("outer")), beside.operation]
      yield* Effect.all(siblings.map(Effect.exit), { concurrency: "unbounded" })
      const after = nested()
      yield* Effect.exit(Retry.retry(Effect.succeed("done"), named("outer")))
      yield* Effect.exit(after.operation)
      const fallback = nested()
      yield* Effect.exit(Retry.retryOrElse(Effect.fail("busy"), named("outer"), () => fallback.operation))
      const observing = nested()
      const observe = [() => Effect.asVoid(Effect.exit(observing.operation))]
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...named("outer"), observe }))
      const scheduling = nested()
      const backoff = Schedule.tapInput(Schedule.recurs(1), () => Effect.exit(scheduling.operation))
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...named("outer"), backoff }))
      for (const { noticed, runs } of [beside, after, fallback, observing, scheduling]) {
        expect(runs()).toBeGreaterThan(1)
        expect(noticed()).toEqual([])
      }
    }).pipe(world)
  )

  it.effect("is not confused by attempts of several operations at once", () =>
    Effect.gen(function* () {
      const inners = ["first", "second"].map((name) => ({ name, ...nested() }))
      const operations = inners.map(({ name, operation }, i) =>
        Retry.retry(Effect.delay(operation, i * 100), named(name))
      )
      yield* Effect.all(operations.map(Effect.exit), { concurrency: "unbounded" })
      for (const { name, noticed } of inners) expect(noticed()).toEqual([outer(1, name), outer(2, name)])
    }).pipe(world)
  )

  it.effect("is not noticed in fibers that outlive the attempt: beside a later one, an interruption, a success", () =>
    Effect.gen(function* () {
      const later = nested()
      let attempts = 0
      const attempt = Effect.suspend(() =>
        ++attempts === 1
          ? Effect.zipRight(Effect.forkDaemon(Effect.delay(later.operation, "2 seconds")), Effect.fail("busy"))
          : Effect.never
      )
      yield* Effect.fork(Retry.retry(attempt, named("outer")))
      const ended = nested()
      const forking = Effect.forkDaemon(Effect.delay(ended.operation, "2 seconds"))
      const interrupted = yield* Effect.fork(Retry.retry(Effect.zipRight(forking, Effect.never), named("outer")))
      yield* Retry.retry(forking, named("outer"))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(interrupted)
      yield* Effect.sleep("1 hour")
      expect([later.runs(), ended.runs()]).toEqual([2, 2 * 2])
      expect([...later.noticed(), ...ended.noticed()]).toEqual([])
    }).pipe(world)
  )

  it.effect("is over when the attempt dies or is interrupted", () =>
    Effect.gen(function* () {
      for (const attempt of [Effect.die("defect"), Effect.interrupt, Effect.timeout(Effect.never, "1 second")]) {
        yield* Effect.exit(Retry.retry(attempt, named("outer")))
        const after = nested()
        yield* Effect.exit(after.operation)
        expect(after.noticed()).toEqual([])
      }
    }).pipe(world)
  )

  /** Runs an effect by a runtime, from outside of the fiber that captured it, and waits for its end. */
  const run = (runtime: Runtime.Runtime<never>, self: Effect.Effect<unknown, unknown>) =>
    Fiber.await(Runtime.runFork(runtime, self))

  it.effect("is noticed until the end when a fiber cannot be written to at once", () =>
    Effect.gen(function* () {
      const inner = nested()
      const wrapped = Line.withFiber((fiber, { runtimeFlags }) => {
        const active = ActiveOperation.make({ name: "outer", attempt: 3 }, fiber, runtimeFlags)
        const end = Effect.sync(() => ActiveOperation.end(active))
        return Effect.zipRight(ActiveOperation.inside(Effect.ignore(inner.operation), active, fiber), end)
      })
      yield* wrapped
      yield* Effect.ignore(inner.operation)
      expect(inner.runs()).toBe(2 * 2)
      expect(inner.noticed()).toEqual([outer(3)])
    }).pipe(world)
  )

  it.effect("is noticed in a runtime that was captured inside, for as long as the attempt runs", () =>
    Effect.gen(function* () {
      const inner = nested()
      const runtimes: Array<Runtime.Runtime<never>> = []
      const attempt = Effect.gen(function* () {
        runtimes.push(yield* Effect.runtime<never>())
        yield* Effect.sleep("1 minute")
        for (const runtime of runtimes) yield* run(runtime, inner.operation)
        yield* Effect.fail("busy")
      })
      yield* Effect.exit(Retry.retry(attempt, named("outer")))
      expect(inner.noticed()).toEqual([outer(1), outer(2)])
    }).pipe(world)
  )

  it.effect("is not noticed in a runtime that was captured outside, while the same fiber makes attempts", () =>
    Effect.gen(function* () {
      yield* Retry.retry(Effect.void, named("earlier"))
      const runtime = yield* Effect.runtime<never>()
      const inner = nested()
      const attempt = Effect.zipRight(
        Effect.suspend(() => run(runtime, inner.operation)),
        Effect.fail("busy")
      )
      yield* Effect.exit(Retry.retry(attempt, named("outer")))
      expect(inner.runs()).toBe(2 * 2)
      expect(inner.noticed()).toEqual([])
    }).pipe(world)
  )

  it.effect("is noticed after another operation with a name has ended in the same attempt", () =>
    Effect.gen(function* () {
      const inner = nested()
      const before = Retry.retry(Effect.fail("busy"), named("before"))
      const attempt = Effect.zipRight(Effect.exit(before), inner.operation)
      yield* Effect.exit(Retry.retry(attempt, named("outer")))
      const forked = Effect.flatMap(Effect.fork(Effect.exit(before)), Fiber.join)
      yield* Effect.exit(Retry.retry(Effect.zipRight(forked, inner.operation), named("outer")))
      expect(inner.noticed()).toEqual([outer(1), outer(2), outer(1), outer(2)])
    }).pipe(world)
  )

  class Connection extends Context.Tag("test/Connection")<Connection, string>() {}

  const connect = Retry.retry(Effect.succeed("connection"), named("connect"))

  type After = (self: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>

  interface Shared {
    readonly by: string
    readonly make: (self: Effect.Effect<string>) => Effect.Effect<After>
  }

  /** Each runs an effect the first time that it is used. Every use then repeats the changes of FiberRefs of that time. */
  const shared: ReadonlyArray<Shared> = [
    {
      by: "a cached function",
      make: (self) =>
        Effect.map(
          Effect.cachedFunction(() => self),
          (load) => (after) => Effect.zipRight(load("key"), after)
        )
    },
    {
      by: "a memoized layer",
      make: (self) =>
        Effect.gen(function* () {
          const memo = yield* Layer.makeMemoMap
          const scope = yield* Scope.make()
          const layer = Layer.effect(Connection, self)
          return (after) => Effect.zipRight(Layer.buildWithMemoMap(layer, memo, scope), after)
        })
    },
    {
      by: "a managed runtime",
      make: (self) =>
        Effect.sync(() => {
          const runtime = ManagedRuntime.make(Layer.effect(Connection, self))
          return (after) => Effect.provide(after, runtime)
        })
    }
  ]

  /** A fiber that an attempt has begun, and that makes one itself after that has ended. */
  const worker = Retry.retry(Effect.fork(Effect.zipRight(Effect.yieldNow(), connect)), named("ended"))

  it.effect.each(shared)("is noticed after $by that an operation has made before", ({ make }) =>
    Effect.gen(function* () {
      const joining = Effect.flatMap(worker, Fiber.join)
      const made = yield* Effect.all([make(connect), make(connect), make(connect), make(joining)])
      const [alone, inWorker, afterJoin, withWorker] = made
      yield* alone(Effect.void)
      const late = Effect.forkDaemon(Effect.delay(inWorker(Effect.void), "1 second"))
      yield* Fiber.join(yield* Retry.retry(late, named("ended")))
      yield* withWorker(Effect.void)
      yield* joining
      yield* afterJoin(Effect.void)
      for (const after of made) {
        const inner = nested()
        const fiber = yield* Effect.fork(Retry.retry(after(inner.operation), named("outer")))
        yield* Fiber.await(fiber)
        expect(inner.noticed()).toEqual([outer(1), outer(2)])
      }
    }).pipe(world)
  )

  it.effect.each(shared)("is not noticed after $by that an attempt of another fiber has made", ({ make }) =>
    Effect.gen(function* () {
      const after = yield* make(connect)
      const other = yield* Effect.fork(Retry.retry(after(Effect.never), named("other")))
      yield* Effect.sleep("1 second")
      const inner = nested()
      yield* Effect.exit(after(inner.operation))
      yield* Fiber.interrupt(other)
      expect(inner.runs()).toBe(2)
      expect(inner.noticed()).toEqual([])
    }).pipe(world)
  )

  it.effect("stays as it is when a fiber takes over the FiberRefs of one that makes an attempt", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Retry.retry(Effect.never, named("outer")))
      yield* Effect.yieldNow()
      const after = nested()
      yield* Fiber.inheritAll(fiber)
      yield* Effect.exit(after.operation)
      yield* Retry.retry(Effect.void, named("own"))
      yield* Fiber.inheritAll(fiber)
      yield* Effect.exit(after.operation)
      const inside = nested()
      yield* Effect.exit(Retry.retry(Effect.zipRight(Fiber.inheritAll(fiber), inside.operation), named("own")))
      expect(inside.noticed()).toEqual([outer(1, "own"), outer(2, "own")])
      yield* Fiber.interrupt(fiber)
      expect(after.noticed()).toEqual([])
    }).pipe(world)
  )

  it.effect("is over when the operation is interrupted, though its fiber goes on", () =>
    Effect.gen(function* () {
      const after = nested()
      const operation = Effect.uninterruptibleMask((restore) =>
        Effect.catchAllCause(restore(Retry.retry(Effect.never, named("outer"))), () => after.operation)
      )
      const fiber = yield* Effect.fork(operation)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      expect(after.runs()).toBe(2)
      expect(after.noticed()).toEqual([])
    }).pipe(world)
  )

  it.effect("is noticed in what an attempt does when its time is up", () =>
    Effect.gen(function* () {
      const inner = nested()
      const attempt = Effect.onInterrupt(Effect.never, () => Effect.exit(inner.operation))
      const timeout = { ...named("outer"), attemptTimeout: AttemptTimeout.constant("1 second") }
      yield* Effect.exit(Retry.retry(attempt, timeout))
      expect(inner.noticed()).toEqual([outer(1), outer(2)])
    }).pipe(world)
  )

  type Bound = (
    self: Effect.Effect<never, unknown>,
    fields: { readonly name?: string }
  ) => Effect.Effect<never, unknown>

  const bounds: ReadonlyArray<{ readonly bound: string; readonly bounded: Bound; readonly attempts: number }> = [
    {
      bound: "an attempt timeout",
      bounded: (self, fields) => Retry.retry(self, { ...twice, ...fields, attemptTimeout: second }),
      attempts: 2
    },
    {
      bound: "a timeout around a longer one",
      bounded: (self, fields) => {
        const longer = Retry.retry(self, {
          ...twice,
          maxAttempts: 1,
          attemptTimeout: AttemptTimeout.constant("1 hour")
        })
        return Retry.retry(longer, { ...twice, ...fields, attemptTimeout: second })
      },
      attempts: 2
    },
    {
      bound: "a timeout that another one in it came before",
      bounded: (self, fields) => {
        const before = Retry.retry(Effect.yieldNow(), { ...twice, attemptTimeout: second })
        return Retry.retry(Effect.zipRight(before, self), { ...twice, ...fields, attemptTimeout: second })
      },
      attempts: 2
    },
    {
      bound: "a cut",
      bounded: (self, fields) => Retry.retry(self, { ...twice, ...fields, deadline: Deadline.cut("1 second") }),
      attempts: 1
    },
    {
      bound: "Effect.timeout",
      bounded: (self, fields) => Retry.retry(Effect.timeout(self, "1 second"), { ...twice, ...fields }),
      attempts: 2
    }
  ]

  interface Finalizing {
    readonly finalizer: string
    readonly around: (self: Effect.Effect<never, unknown>, last: Effect.Effect<void>) => Effect.Effect<never, unknown>
  }

  const finalizers: ReadonlyArray<Finalizing> = [
    { finalizer: "a finalizer", around: (self, last) => Effect.ensuring(self, last) },
    {
      finalizer: "a scope",
      around: (self, last) =>
        Effect.scoped(
          Effect.zipRight(
            Effect.addFinalizer(() => last),
            self
          )
        )
    }
  ]

  const boundsAndFinalizers = bounds.flatMap((bound) => finalizers.map((finalizer) => ({ ...bound, ...finalizer })))

  const endless = Retry.retry(Effect.never, named("endless"))

  it.effect.each(boundsAndFinalizers)("is over in $finalizer around it, when $bound ends it", (row) =>
    Effect.gen(function* () {
      const inner = nested()
      const ended = row.around(endless, Effect.ignore(inner.operation))
      yield* Effect.exit(row.bounded(ended, {}))
      yield* Effect.exit(row.bounded(Effect.zipRight(Retry.retry(Effect.void, named("earlier")), ended), {}))
      // Two runs, of two attempts in each one under the bound.
      expect(inner.runs()).toBe(2 * 2 * row.attempts)
      expect(inner.noticed()).toEqual([])
    }).pipe(world)
  )

  it.effect.each(boundsAndFinalizers)(
    "notices the attempt further out in $finalizer, when $bound ends the one inside",
    (row) =>
      Effect.gen(function* () {
        const inner = nested()
        const ended = row.around(endless, Effect.ignore(inner.operation))
        yield* Effect.exit(row.bounded(ended, { name: "outer" }))
        const attempts = Array.from({ length: row.attempts }, (_, i) => i + 1)
        expect(inner.noticed()).toEqual(attempts.map((attempt) => outer(attempt)))
        yield* Effect.exit(Retry.retry(row.bounded(ended, {}), { ...named("outermost"), maxAttempts: 3 }))
        const outermost = [1, 2, 3].flatMap((attempt) => attempts.map(() => outer(attempt, "outermost")))
        expect(inner.noticed().slice(row.attempts)).toEqual(outermost)
      }).pipe(world)
  )

  /** Effects in which a fiber does not have the attempt in its FiberRef when the time is up. */
  const covered: ReadonlyArray<{ readonly place: string; readonly make: Effect.Effect<Effect.Effect<never>> }> = [
    {
      place: "in a runtime from before it",
      make: Effect.map(Effect.runtime(), (runtime) => Effect.provide(Effect.never, runtime))
    },
    {
      place: "in a runtime of an attempt that has ended",
      make: Effect.map(Effect.orDie(Retry.retry(Effect.runtime(), named("ended"))), (runtime) =>
        Effect.provide(Effect.never, runtime)
      )
    },
    {
      place: "while it releases a scope from before it",
      make: Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Scope.extend(
          Effect.addFinalizer(() => Effect.sleep("2 seconds")),
          scope
        )
        return Effect.zipRight(Scope.close(scope, Exit.void), Effect.never)
      })
    }
  ]

  it.effect.each(bounds.flatMap((bound) => covered.map((one) => ({ ...bound, ...one }))))(
    "is over when $bound ends it $place",
    (row) =>
      Effect.gen(function* () {
        const inner = nested()
        yield* Retry.retry(Effect.void, named("earlier"))
        const ended = Effect.ensuring(Retry.retry(yield* row.make, named("endless")), Effect.ignore(inner.operation))
        yield* Effect.exit(row.bounded(ended, {}))
        expect(inner.runs()).toBe(2 * row.attempts)
        expect(inner.noticed()).toEqual([])
        const attempts = Array.from({ length: row.attempts }, (_, i) => i + 1)
        const within = Effect.flatMap(row.make, (self) =>
          Effect.ensuring(Retry.retry(self, named("endless")), Effect.ignore(inner.operation))
        )
        yield* Effect.exit(row.bounded(within, { name: "outer" }))
        expect(inner.noticed()).toEqual(attempts.map((attempt) => outer(attempt)))
      }).pipe(world)
  )

  it.effect.each(bounds)("is noticed in an operation that $bound does not end", (row) =>
    Effect.gen(function* () {
      const inner = nested()
      const slow = Retry.retry(Effect.zipRight(Effect.sleep("2 seconds"), inner.operation), named("slow"))
      yield* Effect.exit(row.bounded(Effect.uninterruptible(slow) as Effect.Effect<never, unknown>, {}))
      const attempts = Array.from({ length: row.attempts }, () => [outer(1, "slow"), outer(2, "slow")])
      expect(inner.noticed()).toEqual(attempts.flat())
    }).pipe(world)
  )

  it.effect.each(bounds)("is noticed in an attempt of another fiber whose runtime $bound had", (row) =>
    Effect.gen(function* () {
      const inner = nested()
      const begun = yield* Deferred.make<Runtime.Runtime<never>>()
      const attempt = Effect.gen(function* () {
        yield* Deferred.succeed(begun, yield* Effect.runtime())
        yield* Effect.sleep("1 hour")
        yield* Effect.exit(inner.operation)
      })
      const other = yield* Effect.forkDaemon(Retry.retry(attempt, named("outer")))
      yield* Effect.exit(row.bounded(Effect.provide(Effect.never, yield* Deferred.await(begun)), {}))
      yield* Fiber.join(other)
      expect(inner.noticed()).toEqual([outer(1)])
    }).pipe(world)
  )

  it.effect("is noticed in an attempt that begins after the time of another one was up, under a bound of both", () =>
    Effect.gen(function* () {
      const inner = nested()
      const timedOut = Effect.ignore(Retry.retry(Effect.never, { ...twice, attemptTimeout: second }))
      const later = Retry.retry(inner.operation, named("outer"))
      yield* Effect.exit(
        Retry.retry(Effect.zipRight(timedOut, later), {
          ...twice,
          maxAttempts: 1,
          attemptTimeout: AttemptTimeout.constant("1 hour")
        })
      )
      expect(inner.noticed()).toEqual([outer(1), outer(2)])
    }).pipe(world)
  )

  it.effect("is noticed in an operation that an interruption of its fiber does not end", () =>
    Effect.gen(function* () {
      const inner = nested()
      const slow = Retry.retry(Effect.zipRight(Effect.sleep("1 second"), inner.operation), named("outer"))
      const fiber = yield* Effect.fork(Effect.uninterruptible(Effect.exit(slow)))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      expect(inner.noticed()).toEqual([outer(1), outer(2)])
    }).pipe(world)
  )
})

describe("Retry.orStopped that stands down", () => {
  const quiet = { ...twice, maxAttempts: 3, whenNested: "standDown" } as const

  /** An operation that stands down, and how it has ended each time. */
  const standing = () => {
    const { attempt, runs } = failing()
    const reasons: Array<Retry.StopReason> = []
    const operation = Retry.orStopped(attempt, quiet).pipe(
      Effect.tapError(({ reason }) => Effect.sync(() => void reasons.push(reason)))
    )
    return { operation, runs, reasons }
  }

  it.effect("makes one attempt in each of the outer one, without a wait", () =>
    Effect.gen(function* () {
      const { operation, reasons, runs } = standing()
      yield* Effect.exit(Retry.retry(operation, named("outer")))
      expect(runs()).toBe(2)
      expect(reasons).toEqual([
        { _tag: "StoodDown", outer: "outer" },
        { _tag: "StoodDown", outer: "outer" }
      ])
      expect(yield* nowMillis).toBe(1_000)
    }).pipe(world)
  )

  it.effect("retries outside of any attempt, and inside an operation without a name or a second attempt", () =>
    Effect.gen(function* () {
      const spent = { _tag: "AttemptsSpent", maxAttempts: 3 }
      const alone = standing()
      yield* Effect.exit(alone.operation)
      expect([alone.runs(), alone.reasons]).toEqual([3, [spent]])
      const inUnnamed = standing()
      yield* Effect.exit(Retry.retry(inUnnamed.operation, twice))
      expect([inUnnamed.runs(), inUnnamed.reasons]).toEqual([2 * 3, [spent, spent]])
      const inSingle = standing()
      yield* Effect.exit(Retry.retry(inSingle.operation, { ...named("outer"), maxAttempts: 1 }))
      expect([inSingle.runs(), inSingle.reasons]).toEqual([3, [spent]])
    }).pipe(world)
  )

  it.effect("fails with the error of that attempt", () =>
    Effect.gen(function* () {
      const exits: Array<unknown> = []
      const inner = Effect.tap(Effect.exit(Retry.retry(failing().attempt, quiet)), (exit) =>
        Effect.sync(() => void exits.push(exit))
      )
      yield* Effect.exit(Retry.retry(Effect.flatten(inner), named("outer")))
      expect(exits).toEqual([Exit.fail("failure 1"), Exit.fail("failure 2")])
    }).pipe(world)
  )

  it.effect("makes one attempt in fibers of the attempt and on every level, each for the nearest", () =>
    Effect.gen(function* () {
      const { operation, reasons, runs } = standing()
      const forked = Effect.flatMap(Effect.fork(Effect.timeout(operation, "1 hour")), Fiber.join)
      const middle = Retry.orStopped(forked, { ...quiet, name: "middle" })
      const stopped = yield* Effect.flip(Retry.retry(middle, { ...named("outer"), maxAttempts: 4 }))
      expect(runs()).toBe(4)
      expect(new Set(reasons.map((reason) => JSON.stringify(reason)))).toEqual(
        new Set([JSON.stringify({ _tag: "StoodDown", outer: "middle" })])
      )
      expect(stopped.reason).toEqual({ _tag: "StoodDown", outer: "outer" })
    }).pipe(world)
  )

  it.effect("stops for a terminal failure and spent attempts first", () =>
    Effect.gen(function* () {
      const reasonOf = (policy: Policy.Policy<string>) =>
        Effect.gen(function* () {
          const operation = Retry.orStopped(Effect.fail("busy"), { ...policy, whenNested: "standDown" })
          return (yield* Effect.flip(Retry.retry(operation, named("outer")))).reason._tag
        })
      expect(yield* reasonOf({ ...twice, classifier: Classifier.never })).toBe("Terminal")
      expect(yield* reasonOf({ ...twice, maxAttempts: 1 })).toBe("AttemptsSpent")
      expect(yield* reasonOf({ ...twice, backoff: Backoff.fromDelays([]) })).toBe("StoodDown")
    }).pipe(world)
  )

  it.effect("tells its observers of the outer operation and of standing down", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const inner = Retry.retry(Effect.fail("busy"), { ...quiet, name: "inner", observe: [heard.observer] })
      yield* Effect.exit(Retry.retry(Effect.delay(inner, Duration.millis(10)), { ...named("outer"), maxAttempts: 2 }))
      expect(heard.events.slice(0, 3).map(({ _tag, outer, reason }) => [_tag, outer ?? reason ?? null])).toEqual([
        ["NestingNoticed", outer(1)],
        ["AttemptFailed", null],
        ["GaveUp", { _tag: "StoodDown", outer: "outer" }]
      ])
    }).pipe(world)
  )

  it.effect("retries in fibers that outlive the attempt", () =>
    Effect.gen(function* () {
      const { operation, reasons, runs } = standing()
      const attempt = Effect.zipRight(
        Effect.forkDaemon(Effect.delay(Effect.exit(operation), "1 hour")),
        Effect.fail("busy")
      )
      yield* Effect.exit(Retry.retry(attempt, named("outer")))
      yield* Effect.sleep("2 hours")
      expect(runs()).toBe(2 * 3)
      expect(reasons.map(({ _tag }) => _tag)).toEqual(["AttemptsSpent", "AttemptsSpent"])
    }).pipe(world)
  )

  it.effect("stands down also from an operation that retries only some kinds", () =>
    Effect.gen(function* () {
      const { operation, reasons, runs } = standing()
      const outer = { ...named("outer"), maxAttempts: 1, attemptsByKind: { Transient: 2 } }
      yield* Effect.exit(Retry.retry(operation, outer))
      expect(runs()).toBe(2)
      expect(reasons.map(({ _tag }) => _tag)).toEqual(["StoodDown", "StoodDown"])
    }).pipe(world)
  )
})
