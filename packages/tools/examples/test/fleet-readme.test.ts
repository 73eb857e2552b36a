import { TokenBucket } from "@effect-retry/core"
import type { FleetEvent, Store } from "@effect-retry/fleet"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Option, Schedule, Scope } from "effect"
import { request, succeed, tokensOf } from "../../../core/test/fund/Asking.ts"
import * as Stories from "../../../fleet/test/fund/bucket/Stories.ts"
import { read, rowsOf, storyOf, tableOf } from "./rows.ts"

const path = "packages/fleet/README.md"

describe(`${path} ## Defaults`, () => {
  /** A store with tokens for everything, and what it was called with. */
  const generous = () => {
    const puts: Array<number> = []
    const store: Store.Store<never> = {
      take: (_key, { burst }, want) => Effect.succeed({ granted: want, retryAfterMillis: 0, level: burst - want }),
      put: () => Effect.map(Clock.currentTimeMillis, (now) => void puts.push(now)),
      level: (_key, { burst }) => Effect.succeed(burst),
      present: () => Effect.succeed(1),
      swap: (_key, text) => Effect.succeed({ text, nowMillis: 0 })
    }
    return { puts, store: Layer.succeed(RedisStore.RedisStore, store) }
  }

  const millisOf = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.zipRight(Effect.ignore(effect), Clock.currentTimeMillis).pipe(VirtualClock.run)

  const limits = { capacity: 1000, refillPerSecond: 1 }
  const hung = { evalsha: () => new Promise(() => {}), eval: () => new Promise(() => {}) }

  const bound = millisOf(RedisStore.make(hung).level("within", { burst: 1, perSecond: 1 }))

  const held = Effect.gen(function* () {
    const { puts, store } = generous()
    const sizes: Array<number> = []
    const observe = [
      (event: FleetEvent.FleetEvent) => Effect.sync(() => void (event._tag === "Asked" && sizes.push(event.leaseSize)))
    ]
    const spend = Effect.gen(function* () {
      const bucket = yield* RedisBucket.quota({ name: "held", ...limits, cost: { orElse: 1 }, observe })
      for (let n = 0; n < 1000; n++) yield* bucket.acquire(request({ attempt: 1 }))
      yield* Effect.sleep("1 minute")
      // An attempt with a lease of its own: it is the only one between two sweeps.
      const { length } = puts
      yield* bucket.acquire(request({ attempt: 1 }))
      const spentMillis = yield* Clock.currentTimeMillis
      yield* Effect.sleep("1 minute")
      return (puts[length] ?? NaN) - spentMillis
    })
    const idleMillis = yield* spend.pipe(Effect.scoped, Effect.provide(store), VirtualClock.run)
    return { idleMillis, most: Math.max(...sizes) }
  })

  const quota = Effect.gen(function* () {
    const bucket = yield* RedisBucket.quota({ name: "costs", ...limits })
    const costOf = (kind: "Throttling" | "Server") =>
      Effect.map(Effect.map(bucket.acquire(request({ kind })), Option.getOrThrow), ({ tokens }) => tokens)
    const costs = { throttling: yield* costOf("Throttling"), orElse: yield* costOf("Server") }
    const before = yield* bucket.level
    yield* succeed(bucket)
    return { ...costs, increment: (yield* bucket.level) - before }
  }).pipe(Effect.scoped, Effect.provide(generous().store), VirtualClock.run)

  /** When a circuit is read again of which an attempt is made every tenth of a second. */
  const refreshed = Effect.gen(function* () {
    const reads: Array<number> = []
    const read = Effect.map(Clock.currentTimeMillis, (now) => void reads.push(now))
    const reading = Effect.map(RedisStore.RedisStore, ({ swap, ...rest }) => ({
      ...rest,
      swap: (...asked: Parameters<typeof swap>) => Effect.zipRight(read, swap(...asked))
    }))
    const store = Layer.provide(Layer.effect(RedisStore.RedisStore, reading), generous().store)
    const breaker = yield* Effect.provide(RedisBucket.circuitBreaker({ name: "refreshed" }), store)
    for (let n = 0; n < 20; n++) yield* Effect.delay(breaker.acquire(request({ attempt: 1 })), "100 millis")
    return (reads[1] ?? NaN) - (reads[0] ?? NaN)
  }).pipe(VirtualClock.run)

  /** What a bucket does with a first attempt for which the store has no token yet. */
  const whenShort = (bucket: ReturnType<typeof RedisBucket.quota>) => {
    const { store } = generous()
    let isFirst = true
    const refusing = Effect.map(RedisStore.RedisStore, (full) => {
      const take: typeof full.take = (...question) => {
        const isRefused = isFirst
        isFirst = false
        return isRefused ? Effect.succeed({ granted: 0, retryAfterMillis: 1000, level: 0 }) : full.take(...question)
      }
      return { ...full, take }
    })
    const short = Layer.provide(Layer.effect(RedisStore.RedisStore, refusing), store)
    return Effect.flatMap(bucket, (bucket) => tokensOf(bucket, { attempt: 1 })).pipe(
      Effect.map(Option.match({ onNone: () => "refuse", onSome: () => "wait" })),
      Effect.scoped,
      Effect.provide(short),
      VirtualClock.run
    )
  }

  it.effect("are what the table says, row by row", () =>
    Effect.gen(function* () {
      const { idleMillis, most } = yield* held
      const { increment, orElse, throttling } = yield* quota
      const values = {
        "`within` of `RedisStore.layer`, `IoRedis.layer` and `NodeRedis.layer`": yield* bound,
        "`leaseShare`": most / limits.capacity,
        "`idleAfter`": idleMillis,
        "`RedisBucket.circuitBreaker` `refreshAfter`": yield* refreshed,
        "`RedisBucket.quota` `cost.Throttling`": throttling,
        "`RedisBucket.quota` `cost.orElse`": orElse,
        "`RedisBucket.quota` `firstSuccessIncrement`": increment,
        "`RedisBucket.quota` `whenShort`": yield* whenShort(RedisBucket.quota({ name: "short", ...limits })),
        "`RedisBucket.fixed` `whenShort`": yield* whenShort(RedisBucket.fixed({ name: "short", rate: 1, burst: 10 }))
      }
      const rows = rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value])
      expect(Object.entries(values).map(([option, value]) => [option, String(value)])).toEqual(rows)
    })
  )
})

/** Real servers: nothing here depends on how fast they answer. */
type Body = Effect.Effect<void, unknown, Scope.Scope>

let events: ReadonlyArray<string> = []
/** Of the test that runs: observers hear the last events of a bucket after its scope has ended. */
let heard: Array<FleetEvent.FleetEvent> = []

const eventually = (check: () => boolean) =>
  Effect.repeat(Effect.delay(Effect.sync(check), "2 millis"), { until: (isTrue) => isTrue })

const tagsHeard = () => heard.map(({ _tag }) => _tag)

/** A test of a row, in which the events of the row are heard, in their order, and no others. */
const live = (name: string, body: () => Body) => {
  const expected = events
  it.live(name, () =>
    Effect.gen(function* () {
      heard = []
      yield* body()
      yield* eventually(() => isIn(expected, tagsHeard()))
      expect(tagsHeard().filter((tag) => !expected.includes(tag))).toEqual([])
    }).pipe(Effect.scoped)
  )
}

/** A row whose bucket and store are those of the package's own tests. */
const stories =
  (...names: ReadonlyArray<string>) =>
  () => {
    const expected = events
    const check = () => {
      expect(isIn(expected, tagsHeard())).toBe(true)
      expect(tagsHeard().filter((tag) => !expected.includes(tag))).toEqual([])
    }
    it.effect.each(names)("%s", (name) => {
      heard = []
      return Stories.run(storyOf(Stories.stories, name), observing(), check)
    })
  }

const isIn = (events: ReadonlyArray<string>, all: ReadonlyArray<string>): boolean => {
  let at = 0
  for (const event of all) if (event === events[at]) at += 1
  return at === events.length
}

const observing = () => {
  const own = heard
  return [(event: FleetEvent.FleetEvent) => Effect.sync(() => void own.push(event))]
}

type Options = Parameters<typeof RedisBucket.quota>[0]

let names = 0
const options = (others: Partial<Options> = {}): Options => ({
  name: `fleet-readme-${(names += 1)}`,
  capacity: 100,
  refillPerSecond: 0.001,
  cost: { orElse: 1 },
  observe: observing(),
  ...others
})

const storeOf = ({ host, port }: Redis.Server, others: object = {}) =>
  Layer.build(IoRedis.layer({ host, port, within: "30 seconds", ...others }))

const quotaOf = (redis: Redis.Server, others: Partial<Options> = {}, connection: object = {}) =>
  Effect.flatMap(storeOf(redis, connection), (store) => Effect.provide(RedisBucket.quota(options(others)), store))

const reasonOf = (bucket: RedisBucketOf) =>
  Effect.map(Effect.flip(bucket.acquire(request({ kind: "Server" }))), ({ reason }) => reason)

const arrivals = ({ admin }: Redis.Server, name = "") => Effect.promise(() => admin.keys(`effect-retry:{${name}*`))

const admin = <A>(redis: Redis.Server, command: (admin: Redis.Server["admin"]) => Promise<A>) =>
  Effect.promise(() => command(redis.admin))

const away = (choose: (bucket: RedisBucketOf) => Effect.Effect<TokenBucket.TokenBucket, never, Scope.Scope>) =>
  Effect.gen(function* () {
    const redis = yield* Redis.start()
    const bucket = yield* Effect.flatMap(quotaOf(redis), choose)
    yield* redis.kill
    return yield* tokensOf(bucket, { kind: "Server" })
  })

type RedisBucketOf = Effect.Effect.Success<ReturnType<typeof RedisBucket.quota>>

const rows: Readonly<Record<string, () => void>> = {
  "The process holds no tokens": stories(
    "ask one question at a time, for all that wait, and serve them in the order in which they came"
  ),

  "The process holds tokens": stories(
    "take what an attempt needs and more as the demand grows, and grant what the process holds without a call"
  ),

  "The store is short of tokens": stories("ask no more until the store has the tokens, times one and half of 0.5"),

  "Attempts give back more than a lease": stories(
    "get back the cost of a retry that succeeded, and return at once what is more than a lease"
  ),

  "No attempt needs tokens for `idleAfter`": stories("return what is left after a time without an attempt"),

  "The scope ends": stories("return everything at the end of the scope, including what comes meanwhile"),

  "The server is away": () =>
    live("fails with Unavailable", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        const bucket = yield* quotaOf(redis)
        yield* redis.kill
        expect(yield* reasonOf(bucket)).toBe("Unavailable")
      })
    ),

  "The server comes back": () =>
    live("asks it again", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        const bucket = yield* quotaOf(redis)
        yield* redis.kill
        yield* reasonOf(bucket)
        yield* redis.restart
        yield* Effect.retry(bucket.acquire(request({ kind: "Server" })), Schedule.spaced("5 millis"))
      })
    ),

  "The server gives no answer `within` the bound": () =>
    live("fails with TimedOut, and what is taken later counts as spent", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        const bucket = yield* quotaOf(redis, { leaseShare: 0 }, { within: "50 millis" })
        // On a busy machine, the connection and the first answers may take longer than the bound.
        yield* Effect.retry(tokensOf(bucket, { kind: "Server" }), Schedule.spaced("5 millis"))
        yield* eventually(() => tagsHeard().includes("Asked"))
        heard.length = 0
        const [key = ""] = yield* arrivals(redis)
        const arrival = Effect.map(
          admin(redis, (admin) => admin.get(key)),
          Number
        )
        const before = yield* arrival
        yield* redis.freeze
        expect(yield* reasonOf(bucket)).toBe("TimedOut")
        yield* redis.thaw
        yield* Effect.repeat(arrival, { until: (after) => after > before })
      })
    ),

  "The server is full": () =>
    live("fails with Full, and takes nothing", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start({ config: { maxmemory: "100kb", "maxmemory-policy": "noeviction" } })
        expect(yield* reasonOf(yield* quotaOf(redis))).toBe("Full")
        expect(yield* arrivals(redis)).toEqual([])
      })
    ),

  "The key holds a value that no bucket wrote": () =>
    live("fails with WrongType, and leaves the value alone", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        yield* tokensOf(yield* quotaOf(redis, { name: "wrong", observe: [] }), { kind: "Server" })
        const [key = ""] = yield* arrivals(redis)
        yield* admin(redis, (admin) => admin.set(key, "a note"))
        expect(yield* reasonOf(yield* quotaOf(redis, { name: "wrong" }))).toBe("WrongType")
        expect(yield* admin(redis, (admin) => admin.get(key))).toBe("a note")
      })
    ),

  "The user may not run scripts": () =>
    live("fails with Refused", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        yield* admin(redis, (admin) => admin.call("ACL", "SETUSER", "reader", "on", ">secret", "~*", "+get", "+info"))
        const bucket = yield* quotaOf(redis, {}, { username: "reader", password: "secret" })
        expect(yield* reasonOf(bucket)).toBe("Refused")
      })
    ),

  "A command that the scripts need is renamed or disabled": () =>
    live("fails with Refused", () =>
      Effect.gen(function* () {
        for (const command of ["evalsha", "get"]) {
          const redis = yield* Redis.start({ file: [`rename-command ${command} ""`] })
          expect(yield* reasonOf(yield* quotaOf(redis))).toBe("Refused")
        }
      })
    ),

  "The scripts are flushed": () =>
    live("sends the script in full", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        const bucket = yield* quotaOf(redis)
        for (const _ of [1, 2]) {
          expect(yield* tokensOf(bucket, { kind: "Server" })).toEqual(Option.some(1))
          yield* admin(redis, (admin) => admin.script("FLUSH"))
        }
      })
    ),

  "The server is flushed, or evicts the bucket": () =>
    live("goes on with a full bucket", () =>
      Effect.gen(function* () {
        const redis = yield* Redis.start()
        const takes = Effect.flatMap(quotaOf(redis, { name: "flushed", capacity: 1 }), (bucket) =>
          tokensOf(bucket, { kind: "Server" })
        )
        expect(yield* takes).toEqual(Option.some(1))
        expect(yield* takes).toEqual(Option.none())
        yield* admin(redis, (admin) => admin.flushall())
        expect(yield* takes).toEqual(Option.some(1))
      })
    ),

  "`TokenBucket.failOpen`, and the server is away": () =>
    live("grants for nothing", () =>
      Effect.gen(function* () {
        const open = (bucket: RedisBucketOf) => Effect.succeed(TokenBucket.failOpen(bucket, { within: "30 seconds" }))
        expect(yield* away(open)).toEqual(Option.some(0))
      })
    ),

  "`TokenBucket.failClosed`, and the server is away": () =>
    live("refuses", () =>
      Effect.gen(function* () {
        const closed = (bucket: RedisBucketOf) =>
          Effect.succeed(TokenBucket.failClosed(bucket, { within: "30 seconds" }))
        expect(yield* away(closed)).toEqual(Option.none())
      })
    ),

  "`RedisBucket.orLocalShare`, and the server is away": () =>
    live("grants the share of the process", () =>
      Effect.gen(function* () {
        expect(yield* away(RedisBucket.orLocalShare({ within: "30 seconds" }))).toEqual(Option.some(1))
      })
    ),

  "`RedisBucket.successRatio`, and every attempt succeeds": stories(
    "do not call the store while one in ten attempts is retried, under a success ratio"
  ),

  "`RedisBucket.fixed`, and the store is short of tokens": stories(
    "wait for their turn under a fixed rate, unless they are told otherwise"
  )
}

tableOf(path, "## What it does when", rows, (cells) => {
  events = Array.from((cells[2] ?? "").matchAll(/`(\w+)`/g), ([, tag = ""]) => tag)
})

describe("docs/fleet.md ## Layouts", () => {
  it.live("names the permissions that all questions need, and no more", () =>
    Effect.gen(function* () {
      const [, rules = ""] = /```text\n +(~effect-retry:.*)\n/.exec(read("docs/fleet.md")) ?? []
      const redis = yield* Redis.start()
      const asked = (without: string) =>
        Effect.gen(function* () {
          const name = `without${without}`
          const granted = rules.split(" ").filter((rule) => rule !== without)
          yield* admin(redis, (admin) => admin.call("ACL", "SETUSER", name, "on", ">secret", ...granted))
          const context = yield* storeOf(redis, { username: name, password: "secret" })
          const store = Context.get(context, RedisStore.RedisStore)
          const limits = { burst: 10, perSecond: 1 }
          yield* store.take(name, limits, 2, 1)
          yield* store.put(name, limits, 2)
          yield* store.level(name, limits)
          yield* store.present(name, "a member", 1000)
        }).pipe(Effect.scoped, Effect.option)
      expect(Option.isSome(yield* asked(""))).toBe(true)
      const needed = rules.split(" ").filter((rule) => !["+info", "+eval"].includes(rule))
      const refused = yield* Effect.filter(needed, (rule) => Effect.map(asked(rule), Option.isNone))
      expect(refused).toEqual(needed)
    }).pipe(Effect.scoped)
  )
})

describe("docs/fleet.md ## Postgres", () => {
  it("shows the statement that makes the table", () => {
    expect(read("docs/fleet.md")).toContain(`\`\`\`sql\n${PostgresStore.table}\n\`\`\``)
  })
})
