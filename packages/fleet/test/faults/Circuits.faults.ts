/**
 * A circuit that several processes share, over a real server that is frozen, killed and started again, or emptied. Each
 * holder has a store, and so a connection, of its own, as a process of a fleet has. Time is that of the machine.
 */
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { CircuitBreaker, type TokenBucket, Verdict } from "@effect-retry/core"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as Postgres from "@effect-retry/servers/Postgres"
import * as Redis from "@effect-retry/servers/Redis"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Option, type Scope } from "effect"
import { acquire } from "../../../core/test/fund/Asking.ts"
import * as RedisBucket from "../../src/fund/redis/RedisBucket.ts"
import * as Database from "../fund/postgres/Database.ts"
import * as Resources from "./Resources.ts"
import * as Stalls from "./Stalls.ts"
import * as Stores from "./Stores.ts"

const probes = 2

const options = {
  name: "payments",
  opensAt: { consecutive: 3 },
  openFor: "100 millis",
  probes,
  successes: 2,
  // A frozen store may still take the probes of a call that the process has given up: their places are free after this.
  probeTimeout: "1500 millis",
  refreshAfter: "50 millis"
} as const

const callers = 3
const attemptMillis = 20
const pauseMillis = 5

/** Most time of a call of the store: a busy machine takes a part of it, and a freeze lasts longer. */
const withinMillis = 1000

/** What a busy machine adds to a bound. */
const marginMillis = 3000

/** More than a busy machine and a server that is back take. */
const longestWaitMillis = 120_000

/** After this, what the processes knew before a change has become old. */
const settledMillis = 400

/** Probes are counted for so long: several open times. */
const countedMillis = 600

/** A process that found the store away asks it again after a second. */
const awayMillis = 1500

/** Makes the circuit of a process. */
type Holder = Effect.Effect<CircuitBreaker.CircuitBreaker, never, Scope.Scope>

/** Processes that call a service that is down, while a fault happens. */
interface Calls {
  /** Counts for so long how many probes are under way while each process is alone. */
  readonly alone: (millis: number) => Effect.Effect<void>
  /** Waits until so many lines that begin so have been logged. */
  readonly logged: (start: string, count: number) => Effect.Effect<void>
}

const pause = (millis: number) => Effect.promise(() => sleep(millis))

const until = (what: string, isSo: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const since = performance.now()
    while (!(yield* isSo)) {
      if (performance.now() - since > longestWaitMillis) return yield* Effect.dieMessage(`waited in vain until ${what}`)
      yield* pause(pauseMillis)
    }
  })

const outcomeOf = (granted: TokenBucket.Grant, isUp: boolean): TokenBucket.Outcome =>
  isUp ? { _tag: "Succeeded", attempt: 1, granted } : { _tag: "Failed", attempt: 1, granted, verdict: Verdict.server }

/**
 * All circuits open when the service is down, through the fault, and close when it is up again. Before and after the fault the
 * fleet has no more probes under way than one process may have; while the store is away each process has as many. No attempt
 * waits for the store longer than one call of it takes, none hangs, and no connection is left.
 */
const during = (
  name: string,
  holders: ReadonlyArray<Holder>,
  outages: 0 | 1,
  fault: (calls: Calls) => Effect.Effect<unknown, unknown, Scope.Scope>
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const stalls = yield* Stalls.watch
    const before = Resources.resources()
    const service = { isUp: true, isOver: false, underWay: 0, most: 0 }
    const callsUnderWay = new Set<object>()
    let longestMillis = 0
    const timed = <A>(self: Effect.Effect<A>) =>
      Effect.suspend(() => {
        const startedAt = performance.now()
        return Effect.tap(self, () => {
          longestMillis = Math.max(longestMillis, stalls.without(startedAt, performance.now()))
        })
      })
    const calledOnce = (breaker: CircuitBreaker.CircuitBreaker) =>
      Effect.gen(function* () {
        const granted = yield* timed(acquire(breaker))
        if (Option.isNone(granted)) return yield* pause(pauseMillis)
        service.underWay += 1
        service.most = Math.max(service.most, service.underWay)
        yield* pause(attemptMillis)
        service.underWay -= 1
        yield* timed(breaker.record(outcomeOf(granted.value, service.isUp)))
      })
    const call = (breaker: CircuitBreaker.CircuitBreaker) =>
      Effect.suspend(() => {
        const self = {}
        callsUnderWay.add(self)
        return Effect.ensuring(
          calledOnce(breaker),
          Effect.sync(() => void callsUnderWay.delete(self))
        )
      })
    /** Waits until what the processes knew before a change is old, and the calls under way have ended. */
    const settled = Effect.gen(function* () {
      yield* pause(settledMillis)
      const earlier = [...callsUnderWay]
      yield* until(
        "the calls under way have ended",
        Effect.sync(() => !earlier.some((call) => callsUnderWay.has(call)))
      )
    })
    const most = (meanwhile: Effect.Effect<void>) =>
      Effect.gen(function* () {
        service.most = 0
        yield* meanwhile
        return service.most
      })
    const play = Effect.gen(function* () {
      const breakers = yield* Effect.all(holders)
      const calling = breakers.flatMap((breaker) => Array.from({ length: callers }, () => call(breaker)))
      const running = yield* Effect.forEach(calling, (call) =>
        Effect.forkScoped(Effect.repeat(call, { until: () => service.isOver }))
      )
      yield* all(breakers)("Closed")
      service.isUp = false
      const probed = until(
        "a probe is made",
        Effect.sync(() => service.most > 0)
      )
      const counted = (millis: number) => most(Effect.zipRight(probed, pause(millis)))
      const probing = Effect.gen(function* () {
        yield* all(breakers)("Open", "HalfOpen")
        yield* settled
        return yield* counted(countedMillis)
      })
      const first = yield* probing
      let alone = 0
      const calls: Calls = {
        alone: (millis) =>
          Effect.gen(function* () {
            yield* settled
            alone = yield* counted(millis)
          }),
        logged: (start, count) =>
          until(
            `${count} lines say ${start}`,
            Effect.sync(() => lines.filter((line) => line.startsWith(start)).length >= count)
          )
      }
      yield* fault(calls)
      const second = yield* probing
      service.isUp = true
      yield* all(breakers)("Closed")
      service.isOver = true
      // An attempt that hangs keeps this from ending.
      yield* Fiber.joinAll(running)
      return { first, alone, second }
    })
    const { alone, first, second } = yield* Effect.scoped(play).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    yield* Effect.promise(() => Resources.ended(before, marginMillis))
    console.info(
      `| a shared circuit: ${name} | ${Math.round(longestMillis)} ms | probes: ${first}, ${alone} meanwhile, ${second} |`
    )
    assert.isAtMost(first, probes)
    assert.isAtMost(second, probes)
    assert.isAtMost(alone, holders.length * probes)
    assert.isBelow(longestMillis, withinMillis + marginMillis)
    const ofStore = lines.filter((line) => line.startsWith("store ")).map((line) => line.split(":")[0])
    assert.deepStrictEqual(ofStore.toSorted(), [
      ...holders.flatMap(() => Array.from({ length: outages }, () => "store away")),
      ...holders.flatMap(() => Array.from({ length: outages }, () => "store back"))
    ])
  })

/** Two processes with each of the clients. */
const onRedis = (server: Redis.Server): ReadonlyArray<Holder> =>
  Object.values(Stores.of(Stores.server(server), withinMillis)).flatMap((store) =>
    Array.from({ length: 2 }, () =>
      Effect.flatMap(Layer.build(store), (context) => Effect.provide(RedisBucket.circuitBreaker(options), context))
    )
  )

const onPostgres = ({ database, host, port, user }: Postgres.Server): ReadonlyArray<Holder> =>
  Array.from({ length: 3 }, () => {
    const pool = Database.poolOf({ database, host, port, user, max: 2 })
    const store = PostgresStore.layer(
      Effect.map(pool, (pool) => PostgresClient.fromPool(pool)),
      {
        within: withinMillis
      }
    )
    return Effect.flatMap(Layer.build(store), (context) =>
      Effect.provide(PostgresBucket.circuitBreaker(options), context)
    )
  })

const startPostgres = Effect.tap(Postgres.start(), ({ admin }) =>
  PostgresStore.createTable(PostgresClient.fromPool(admin), { within: "1 minute" })
)

/** A server that stops answering: each process has a circuit of its own until the server goes on. */
const meanwhile =
  (holders: ReadonlyArray<Holder>, stop: Effect.Effect<void>, goOn: Effect.Effect<void, unknown>) =>
  ({ alone, logged }: Calls) =>
    Effect.gen(function* () {
      yield* stop
      yield* logged("store away", holders.length)
      yield* alone(countedMillis)
      yield* goOn
      yield* logged("store back", holders.length)
    })

/** Waits until all circuits are in one of the states. */
const all =
  (breakers: ReadonlyArray<CircuitBreaker.CircuitBreaker>) =>
  (...states: ReadonlyArray<CircuitBreaker.State["_tag"]>) =>
    until(
      `all circuits are ${states.join(" or ")}`,
      Effect.map(
        Effect.forEach(breakers, ({ state }) => state),
        (found) => found.every(({ _tag }) => states.includes(_tag))
      )
    )

/** A store that is frozen carries out the first change when it goes on: that does not undo the second one. */
const undone = (
  holders: ReadonlyArray<Holder>,
  stop: Effect.Effect<void>,
  goOn: Effect.Effect<void, unknown>
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const breakers = yield* Effect.all(holders)
    const [first] = breakers
    if (first === undefined) return yield* Effect.dieMessage("no process")
    yield* stop
    yield* first.isolate
    yield* first.reset
    yield* goOn
    yield* pause(awayMillis)
    yield* all(breakers)("Closed")
  }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none)))

describe("a shared circuit whose Redis", () => {
  it.scopedLive("is frozen is as the last change by hand left it, not the first", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      yield* undone(onRedis(server), server.freeze, server.thaw)
    })
  )

  it.scopedLive("is frozen is that of each process meanwhile, and shared again when it goes on", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const holders = onRedis(server)
      yield* during("SIGSTOP", holders, 1, meanwhile(holders, server.freeze, server.thaw))
    })
  )

  it.scopedLive("is killed is that of each process meanwhile, and shared again when it is back", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const holders = onRedis(server)
      yield* during("kill -9, restart", holders, 1, meanwhile(holders, server.kill, server.restart))
    })
  )

  it.scopedLive("is emptied closes, and opens again while the service is down", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      // Its connection is there before those of the processes.
      yield* Effect.promise(() => server.admin.ping())
      yield* during("FLUSHALL", onRedis(server), 0, () => Effect.promise(() => server.admin.flushall()))
    })
  )
})

describe("a shared circuit whose Postgres", () => {
  it.scopedLive("is frozen is that of each process meanwhile, and shared again when it goes on", () =>
    Effect.gen(function* () {
      const server = yield* startPostgres
      const holders = onPostgres(server)
      yield* during("Postgres, SIGSTOP", holders, 1, meanwhile(holders, server.freeze, server.thaw))
    })
  )

  it.scopedLive("crashes is that of each process meanwhile, and shared again when it is back", () =>
    Effect.gen(function* () {
      const server = yield* startPostgres
      const holders = onPostgres(server)
      yield* during("Postgres, kill -9", holders, 1, meanwhile(holders, server.kill, server.restart))
    })
  )
})
