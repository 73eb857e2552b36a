/**
 * One call of a store or of another limiter, on the same server: how many per second, and what they take of the processors
 * of the client and of the server.
 */
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as NodeRedis from "@effect-retry/fleet/NodeRedis"
import { Effect, type Layer, ManagedRuntime } from "effect"
import { Redis } from "ioredis"
import { RateLimiterRedis } from "rate-limiter-flexible"
import { spread } from "../Measure.ts"
import { aligned, digits, grouped } from "../Table.ts"

const inFlight = 64
const callsPerSample = 5_000
const rounds = 9

/** What is called with a key, again and again. */
interface Caller {
  readonly name: string
  /** Makes so many calls, `inFlight` at a time. */
  readonly run: (calls: number, keyOf: (call: number) => string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Promises, as many at a time as are in flight. */
const byPromises =
  (call: (key: string) => Promise<unknown>): Caller["run"] =>
  async (calls, keyOf) => {
    let next = 0
    const worker = async () => {
      while (next < calls) await call(keyOf(next++))
    }
    await Promise.all(Array.from({ length: inFlight }, worker))
  }

/** Effects, as many fibers as are in flight. */
const byFibers =
  (call: (key: string) => Effect.Effect<unknown, unknown>): Caller["run"] =>
  (calls, keyOf) => {
    let next = 0
    const worker = Effect.whileLoop({ while: () => next < calls, body: () => call(keyOf(next++)), step: () => {} })
    const workers = Array.from({ length: inFlight }, () => worker)
    return Effect.runPromise(Effect.all(workers, { concurrency: "unbounded", discard: true }))
  }

const limits = { burst: 1_000_000_000, perSecond: 1000 }

const storeRow = async (name: string, layer: Layer.Layer<RedisStore.RedisStore>): Promise<Caller> => {
  const edge = ManagedRuntime.make(layer)
  const store = await edge.runPromise(RedisStore.RedisStore)
  return { name, run: byFibers((key) => store.take(key, limits, 1, 1)), close: () => edge.dispose() }
}

const flexibleRow = async (name: string, port: number): Promise<Caller> => {
  const redis = new Redis({ port })
  await redis.ping()
  const limiter = new RateLimiterRedis({ storeClient: redis, points: limits.burst, duration: 3600 })
  return { name, run: byPromises((key) => limiter.consume(key)), close: async () => redis.disconnect() }
}

const callers = (port: number): Promise<ReadonlyArray<Caller>> =>
  Promise.all([
    flexibleRow("`rate-limiter-flexible`, `ioredis`", port),
    storeRow("`RedisStore`, `ioredis`", IoRedis.layer({ port })),
    storeRow("`RedisStore`, `ioredis` with auto-pipelining", IoRedis.layer({ port, enableAutoPipelining: true })),
    storeRow("`RedisStore`, `redis`", NodeRedis.layer({ socket: { port } }))
  ])

/** Microseconds of the server's processor so far. */
const serverMicros = async (admin: Redis): Promise<number> => {
  const info = await admin.info("cpu")
  const seconds = (name: string) => Number(new RegExp(`${name}:([0-9.]+)`).exec(info)?.[1])
  return (seconds("used_cpu_sys") + seconds("used_cpu_user")) * 1e6
}

interface Sample {
  readonly perSecond: number
  readonly clientMicros: number
  readonly serverMicros: number
}

const sample = async (admin: Redis, { run }: Caller, keyOf: (call: number) => string): Promise<Sample> => {
  const serverBefore = await serverMicros(admin)
  const clientBefore = process.cpuUsage()
  const startedAt = performance.now()
  await run(callsPerSample, keyOf)
  const millis = performance.now() - startedAt
  const { system, user } = process.cpuUsage(clientBefore)
  return {
    perSecond: (callsPerSample / millis) * 1000,
    clientMicros: (system + user) / callsPerSample,
    serverMicros: ((await serverMicros(admin)) - serverBefore) / callsPerSample
  }
}

/** The table for so many keys, called in turn. */
const table = async (admin: Redis, rows: ReadonlyArray<Caller>, keys: number): Promise<string> => {
  const names = Array.from({ length: keys }, (_, key) => `tenant-${key}`)
  const keyOf = (call: number) => names[call % keys] ?? ""
  const samples = new Map(rows.map((row) => [row, [] as Array<Sample>]))
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
      const measured = await sample(admin, row, keyOf)
      if (round > 0) samples.get(row)?.push(measured)
    }
  }
  const median = (row: Caller, of: keyof Sample) => spread((samples.get(row) ?? []).map((each) => each[of])).median
  return aligned([
    ["", "calls per second", "client, per call", "server, per call"],
    ...rows.map((row) => [
      row.name,
      grouped(median(row, "perSecond")),
      `${digits(median(row, "clientMicros"))} µs`,
      `${digits(median(row, "serverMicros"))} µs`
    ])
  ]).join("\n")
}

export const calls = async (port: number): Promise<string> => {
  const admin = new Redis({ port })
  const rows = await callers(port)
  const about = [
    `One token per call, ${inFlight} calls in flight, every call granted; processor time of the process that calls and of the server.`,
    "The limiter `rate-limiter-flexible` counts in fixed windows and has no tokens that come in one by one, so its script does less.",
    "A bucket makes such a call for one grant in twenty, as the last table shows."
  ]
  const sections: Array<string> = []
  for (const keys of [1, 10_000]) {
    const heading = `### Calls of ${keys === 1 ? "one key" : `${grouped(keys)} keys`}`
    sections.push([heading, "", ...about, "", await table(admin, rows, keys)].join("\n"))
  }
  for (const { close } of rows) await close()
  admin.disconnect()
  return sections.join("\n\n")
}
