import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck as fc, Fiber, Layer, Option, Queue, Scope, TestClock } from "effect"
import * as Arrival from "../../decide/Arrival.ts"
import * as Gcra from "../../../src/decide/Gcra.ts"
import * as Database from "./Database.ts"

const start = 1_800_000_000_000_000

const scope = Effect.runSync(Scope.make())
let database: Database.Database

beforeAll(async () => {
  database = await Effect.runPromise(Scope.extend(Database.make, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const rows = (text: string, values: Array<unknown> = []) =>
  Effect.suspend(() => Database.rows(database.pool, text, values))

/** A store whose server has one time. */
const storeAt = (time: Database.Time = { micros: start }) =>
  Effect.sync(() => PostgresStore.make(Database.clientAt(database.pool, time)))

const rowOf = (key: string) =>
  Effect.map(
    rows("select xmin::text, xmax::text, ctid::text, until from effect_retry where key = $1", [key]),
    ([row]) => row
  )

/** Waits until a statement of this database waits for a row. */
const rowIsAwaited = Effect.repeat(
  rows("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
  { until: ({ length }) => length > 0 }
)

/** A connection in a transaction, which ends with `commit`. */
const transaction = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => database.pool.connect()),
    (client) => Effect.sync(() => client.release(true))
  ),
  (client) => (text: string) => Effect.promise(async () => (await client.query<Record<string, unknown>>(text)).rows)
)

/** What a store is asked; `store` puts an arrival time in its place, in microseconds from now. */
type Step =
  | { readonly does: "take"; readonly want: number; readonly least: number }
  | { readonly does: "put"; readonly tokens: number }
  | { readonly does: "wait"; readonly micros: number }
  | { readonly does: "store"; readonly micros: number }

const tokens = fc.oneof(fc.constantFrom(1, 2, 5, 0.1), fc.double({ min: 0.001, max: 6, noNaN: true }))

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("take" as const), want: tokens, least: tokens }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("put" as const), tokens }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("wait" as const), micros: fc.integer({ min: -1e6, max: 3e6 }) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("store" as const),
      micros: fc.constantFrom(-start - 5, -1, 0, 1, 5e6, 9e15 - start)
    })
  }
)

describe("PostgresStore.make", () => {
  it.effect.prop(
    "answers and keeps what the specification says",
    [
      fc.array(step, { minLength: 60, maxLength: 60 }),
      fc.constantFrom({ burst: 5, perSecond: 2 }, { burst: 0.5, perSecond: 3 })
    ],
    ([steps, limits]) =>
      Effect.gen(function* () {
        const batch = Database.batch(database.pool)
        const window = Gcra.window(limits)
        const key = `law|${window}`
        const asked: Array<Effect.Effect<unknown, unknown>> = []
        const expected: Array<unknown> = []
        let [now, arrival] = [start, 0]
        const ask = (call: Effect.Effect<unknown, unknown>, answer: unknown) => {
          asked.push(call)
          expected.push(answer)
        }
        ask(batch.at(now).query(`delete from effect_retry where key = '${key}'`, []), [])
        for (const step of steps) {
          if (step.does === "wait") now += step.micros
          const store = () => PostgresStore.make(batch.at(now))
          if (step.does === "store") {
            arrival = now + step.micros
            ask(
              batch.at(now).query(
                `insert into effect_retry values ('${key}', ${arrival}, 7)
              on conflict (key) do update set until = excluded.until`,
                []
              ),
              []
            )
          } else if (step.does === "put") {
            if (arrival > now) arrival = Arrival.put(arrival, now, window, Gcra.credit(limits, step.tokens))
            ask(store().put("law", limits, step.tokens), undefined)
          } else if (step.does === "take") {
            const want = Math.max(step.want, step.least)
            const answer = Arrival.taken(arrival, now, Gcra.question(limits, want, step.least))
            arrival = answer.arrival
            ask(
              store().take("law", limits, want, step.least),
              Option.getOrThrow(Gcra.fromAnswer(limits, want, step.least, answer))
            )
          }
          ask(store().level("law", limits), Gcra.tokens(limits, Arrival.room(arrival, now, window)))
        }
        ask(
          batch.at(now).query(`select until from effect_retry where key = '${key}'`, []),
          arrival === 0 ? [] : [{ until: `${arrival}` }]
        )
        const answers = yield* Effect.fork(Effect.all(asked, { concurrency: "unbounded" }))
        yield* batch.run
        assert.deepStrictEqual(yield* Fiber.join(answers), expected)
      }),
    { fastCheck: { seed: 20_261_122, numRuns: 4 } }
  )

  it.effect("grants no more than the burst to eight connections at once", () =>
    Effect.gen(function* () {
      const store = yield* storeAt()
      const limits = { burst: 600, perSecond: 100 }
      const take = store.take("crowd", limits, 7, 5)
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.replicateEffect(take, 12)),
        { concurrency: "unbounded" }
      ).pipe(Effect.map((each) => each.flat()))
      const left = yield* store.level("crowd", limits)
      assert.strictEqual(
        answers.reduce((sum, { granted }) => sum + granted, 0),
        limits.burst - left
      )
      assert.isBelow(left, 5)
      const refused = answers.filter(({ granted }) => granted === 0)
      assert.isNotEmpty(refused)
      for (const { level, retryAfterMillis } of refused) {
        assert.deepStrictEqual({ level, retryAfterMillis }, { level: left, retryAfterMillis: (5 - left) * 10 })
      }
    })
  )

  it.effect("writes nothing when it refuses", () =>
    Effect.gen(function* () {
      const store = yield* storeAt()
      const limits = { burst: 2, perSecond: 1 }
      yield* store.take("poor", limits, 2, 2)
      const before = yield* rowOf("poor|2000000")
      assert.strictEqual((yield* store.take("poor", limits, 1, 1)).granted, 0)
      assert.deepStrictEqual(yield* rowOf("poor|2000000"), before)
    })
  )

  it.scoped("answers from the newest row, and writes nothing, when another connection was faster", () =>
    Effect.gen(function* () {
      const store = yield* storeAt()
      const limits = { burst: 4, perSecond: 1 }
      yield* store.take("race", limits, 1, 1)
      const other = yield* transaction
      yield* other("begin")
      yield* other(`update effect_retry set until = ${start} + 2500000 where key = 'race|4000000'`)
      const written = yield* other("select xmin::text, ctid::text, until from effect_retry where key = 'race|4000000'")
      const taking = yield* Effect.fork(store.take("race", limits, 3, 2))
      yield* rowIsAwaited
      yield* other("commit")
      assert.deepStrictEqual(yield* Fiber.join(taking), { granted: 0, retryAfterMillis: 500, level: 1.5 })
      const { xmax: _locked, ...row } = (yield* rowOf("race|4000000")) ?? {}
      assert.deepStrictEqual([row], written)
    })
  )

  it.scoped("waits for a row at the time at which it gets it", () =>
    Effect.gen(function* () {
      const limits = { burst: 1, perSecond: 1_000_000 }
      const store = PostgresStore.make(PostgresClient.fromPool(database.pool))
      yield* store.take("wait", limits, 1, 1)
      const other = yield* transaction
      yield* other("begin")
      yield* other("update effect_retry set amount = 0 where key like 'wait|%'")
      const taking = yield* Effect.fork(store.take("wait", limits, 1, 1))
      yield* rowIsAwaited
      const [{ micros } = {}] = yield* rows("select extract(epoch from clock_timestamp()) * 1000000 as micros")
      yield* other("commit")
      yield* Fiber.join(taking)
      assert.isAbove(Number((yield* rowOf("wait|1"))?.["until"]), Number(micros))
    })
  )

  it.effect("never makes a bucket more than full, whatever a row holds", () =>
    Effect.gen(function* () {
      const store = yield* storeAt()
      const limits = { burst: 10, perSecond: 1 }
      yield* rows("alter table effect_retry alter column until drop not null")
      for (const [until, level, granted = level] of [
        [null, 10],
        ["-9223372036854775808", 10],
        [`${start - 1}`, 10],
        [`${start + 20_000_000}`, 0],
        ["9223372036854775807", 0, 1]
      ] as const) {
        const put =
          "insert into effect_retry values ('odd|10000000', $1) on conflict (key) do update set until = excluded.until"
        yield* rows(put, [until])
        assert.strictEqual(yield* store.level("odd", limits), level)
        assert.strictEqual((yield* store.take("odd", limits, 100, 1)).granted, granted)
        yield* rows(put, [until])
        yield* store.put("odd", limits, 4)
        assert.strictEqual(yield* store.level("odd", limits), Math.min(10, level + 4))
      }
    })
  )

  it.effect("keeps buckets apart, whatever their names hold", () =>
    Effect.gen(function* () {
      const store = yield* storeAt()
      const limits = { burst: 1, perSecond: 1 }
      const names = [
        "",
        "a",
        "A",
        "a|1",
        "a\u0000",
        "a'; drop table effect_retry; --",
        "\ud800",
        "\udbff",
        "ä",
        "a".repeat(9999),
        "a".repeat(9998)
      ]
      for (const name of names) assert.strictEqual((yield* store.take(name, limits, 1, 1)).granted, 1)
      assert.strictEqual((yield* store.take("a", { burst: 1, perSecond: 2 }, 1, 1)).granted, 1)
    })
  )

  it.effect("counts the members of a group that are there", () =>
    Effect.gen(function* () {
      const time = { micros: start }
      const store = yield* storeAt(time)
      const counts: Array<number> = []
      for (const [group, member, millis, later] of [
        ["group", "a", 1000, 0],
        ["group", "b", 500, 0],
        ["group|members", "c", 1000, 0],
        ["group", "a", 1000, 500],
        ["group", "b", 500, 0],
        ["group", "b", 0, 0],
        ["group", "a", 1000, 0]
      ] as const) {
        time.micros += later * 1000
        counts.push(yield* store.present(group, member, millis))
      }
      assert.deepStrictEqual(counts, [1, 2, 1, 1, 2, 1, 1])
    })
  )

  it.effect("keeps the text of a circuit for the time of the swap that wrote it", () =>
    Effect.gen(function* () {
      const time = { micros: start }
      const store = yield* storeAt(time)
      const read = Effect.map(store.swap("circuit", "", "", 1000), ({ text }) => text)
      yield* store.swap("circuit", "", "Isolated 0 0 0", 1000)
      time.micros += 999_999
      // Neither a swap that comes too late nor one that only reads makes it last longer.
      yield* store.swap("circuit", "", "Isolated 1 1 1", 600_000)
      assert.strictEqual(yield* read, "Isolated 0 0 0")
      time.micros += 1
      assert.strictEqual(yield* read, "")
    })
  )

  it.scoped("fails rather than decide by an old row, when statements are isolated from each other", () =>
    Effect.gen(function* () {
      const options = "-c default_transaction_isolation=serializable"
      const client = PostgresClient.fromPool(yield* Database.poolOf({ ...database.connection, options }))
      const store = PostgresStore.make(client)
      const limits = { burst: 2, perSecond: 0.001 }
      yield* store.take("isolated", limits, 1, 1)
      const other = yield* transaction
      yield* other("begin")
      yield* other("update effect_retry set until = until + 1 where key like 'isolated|%'")
      const taking = yield* Effect.fork(Effect.flip(store.take("isolated", limits, 1, 1)))
      yield* rowIsAwaited
      yield* other("commit")
      const { code, reason } = yield* Fiber.join(taking)
      assert.deepStrictEqual({ code, reason }, { code: "40001", reason: "Unavailable" })
    })
  )

  it.scoped("times out while the pool has no connection, and then leaves nothing behind", () =>
    Effect.gen(function* () {
      const single = yield* Database.poolOf({ ...database.connection, max: 1 })
      const store = PostgresStore.make(PostgresClient.fromPool(single), { within: "50 millis" })
      const limits = { burst: 1, perSecond: 0.001 }
      const held = yield* Effect.promise(() => single.connect())
      const taking = yield* Effect.fork(Effect.flip(store.take("exhausted", limits, 1, 1)))
      yield* TestClock.adjust("50 millis")
      assert.strictEqual((yield* Fiber.join(taking)).reason, "TimedOut")
      held.release()
      assert.strictEqual(yield* store.level("exhausted", limits), 1)
      assert.strictEqual(single.waitingCount, 0)
    })
  )

  it.scoped("times out while another connection has the row, and gives up its own connection", () =>
    Effect.gen(function* () {
      const single = yield* Database.poolOf({ ...database.connection, max: 1 })
      const store = PostgresStore.make(PostgresClient.fromPool(single))
      const limits = { burst: 2, perSecond: 0.001 }
      yield* store.take("held", limits, 1, 1)
      const other = yield* transaction
      yield* other("begin")
      yield* other("update effect_retry set amount = 0 where key like 'held|%'")
      const taking = yield* Effect.fork(Effect.flip(store.take("held", limits, 1, 1)))
      yield* rowIsAwaited
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(taking)).reason, "TimedOut")
      assert.closeTo(yield* store.level("held", limits), 1, 0.1)
      yield* other("commit")
    })
  )

  const answers: ReadonlyArray<readonly [string, unknown]> = [
    ["no rows", []],
    [
      "two rows",
      [
        { granted: "1", owed: "1" },
        { granted: "1", owed: "1" }
      ]
    ],
    ["no columns", [{}]],
    ["a null", [{ granted: null, owed: "1" }]],
    ["a fraction", [{ granted: "0.5", owed: "1" }]],
    ["more than was wanted", [{ granted: "3000000", owed: "1" }]],
    ["nothing that is a list", undefined]
  ]
  it.effect.each(answers)("rejects %s as an answer", ([, answer]) =>
    Effect.gen(function* () {
      const store = PostgresStore.make({ query: () => Effect.succeed(answer as []) })
      const { message } = yield* Effect.flip(store.take("orders:secret", { burst: 5, perSecond: 1 }, 2, 1))
      assert.strictEqual(
        message,
        "orders: Postgres gave an answer that is not that of a bucket; see what stands between it and this client"
      )
    })
  )
})

describe("PostgresStore.createTable", () => {
  it.scoped("makes the table once, however many ask for it at the same time", () =>
    Effect.gen(function* () {
      yield* rows("create schema fresh")
      const fresh = yield* Database.poolOf({ ...database.connection, options: "-c search_path=fresh" })
      const client = PostgresClient.fromPool(fresh)
      const { code, message } = yield* Effect.flip(
        PostgresStore.make(client).level("orders", { burst: 1, perSecond: 1 })
      )
      assert.strictEqual(code, "42P01")
      assert.match(message, /make it with PostgresStore.createTable/)
      yield* Effect.replicateEffect(PostgresStore.createTable(client), 8, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        yield* rows("select relpersistence, reloptions from pg_class where oid = 'fresh.effect_retry'::regclass"),
        [{ relpersistence: "u", reloptions: ["fillfactor=50"] }]
      )
    })
  )

  it.scoped("leaves another table of that name alone", () =>
    Effect.gen(function* () {
      yield* rows("create schema other")
      yield* rows("create table other.effect_retry (key integer)")
      const client = PostgresClient.fromPool(
        yield* Database.poolOf({ ...database.connection, options: "-c search_path=other" })
      )
      yield* PostgresStore.createTable(client)
      const { reason } = yield* Effect.flip(PostgresStore.make(client).level("orders", { burst: 1, perSecond: 1 }))
      assert.strictEqual(reason, "WrongType")
    })
  )
})

describe("PostgresStore.sweep", () => {
  it.scoped("deletes ended rows, page by page, and leaves locked ones", () =>
    Effect.gen(function* () {
      const client = Database.clientAt(database.pool, { micros: start })
      yield* rows("truncate effect_retry")
      yield* rows(
        "insert into effect_retry select 'sweep|' || n, $1::bigint + n % 10 from generate_series(1, 2500) n",
        [start]
      )
      const other = yield* transaction
      yield* other("begin")
      yield* other("select from effect_retry where key = 'sweep|500' for update")
      assert.strictEqual(yield* PostgresStore.sweep(client), 249)
      yield* other("commit")
      assert.strictEqual(yield* PostgresStore.sweep(client), 1)
      assert.deepStrictEqual(yield* rows("select min(until - $1)::int as least from effect_retry", [start]), [
        { least: 1 }
      ])
    })
  )
})

describe("PostgresStore.layer", () => {
  it.scoped("sweeps every period, in one process of the fleet", () =>
    Effect.gen(function* () {
      yield* rows("truncate effect_retry")
      const statements = yield* Queue.unbounded<string>()
      const client = PostgresClient.fromPool(database.pool)
      const layer = PostgresStore.layer({
        query: (text, values) =>
          Effect.tap(client.query(text, values), () =>
            Queue.offer(statements, text.includes("delete from") ? "sweep" : "take")
          )
      })
      yield* Effect.all([Layer.build(layer), Layer.build(Layer.fresh(layer))])
      yield* TestClock.adjust("1 minute")
      assert.sameMembers([...(yield* Queue.takeN(statements, 3))], ["take", "take", "sweep"])
      yield* TestClock.adjust("1 minute")
      assert.sameMembers([...(yield* Queue.takeN(statements, 2))], ["take", "take"])
    })
  )
})
