/**
 * A Sentinel set: a primary, two replicas, and three sentinels that promote a replica when the primary is down.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Redis as Connection } from "ioredis"
import * as Redis from "./Redis.ts"
import type { ServerError } from "./ServerError.ts"
import { found, until } from "./Until.ts"

/** A running set. */
export interface Sentinel {
  /** The name by which the sentinels know the primary. */
  readonly name: "primary"
  /** The sentinels, to be given to a client. */
  readonly sentinels: ReadonlyArray<Redis.Server>
  /** The servers that hold data. The first one is the primary at first. */
  readonly servers: ReadonlyArray<Redis.Server>
  /** The primary. Waits until all sentinels name the same server, and it has not ended. */
  readonly primary: Effect.Effect<Redis.Server, ServerError>
}

const name = "primary"

/**
 * Milliseconds after which a primary without an answer is down, of each sentinel. Machines under load stall for hundreds of
 * them. Three sentinels that find out at once vote each for itself, and try again only seconds later: here two do.
 */
const downMillis = [1000, 1000, 2000] as const

const replication = { "repl-diskless-sync-delay": "0" }

/**
 * Sentinels ask and tell others ten times a second, where they do so every 1 to 10 s by themselves. Not the period of pings:
 * sentinels promote no replica that they heard of longer ago than five of them.
 */
const periods = ["info", "publish", "ask"].flatMap((period) => [`${period}-period`, "100"])

const sentinelBeside = (primary: Redis.Server, downMillis: number) =>
  Effect.tap(
    Redis.start({
      args: ["--sentinel"],
      file: [
        `sentinel monitor ${name} ${primary.host} ${primary.port} 2`,
        `sentinel down-after-milliseconds ${name} ${downMillis}`,
        `sentinel failover-timeout ${name} 4000`
      ]
    }),
    ({ admin }) => Effect.promise(() => admin.call("SENTINEL", "DEBUG", ...periods))
  )

/** What a sentinel says of the primary. */
const described = async (sentinel: Connection): Promise<ReadonlyMap<string, string>> => {
  const words = (await sentinel.call("SENTINEL", "MASTER", name)) as ReadonlyArray<string>
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""]] : [])))
}

const isComplete = async ({ admin }: Redis.Server): Promise<boolean> => {
  const primary = await described(admin)
  return primary.get("num-slaves") === "2" && primary.get("num-other-sentinels") === "2"
}

const isInSync = async ({ admin }: Redis.Server): Promise<boolean> =>
  (await admin.info("replication")).includes("master_link_status:up")

/**
 * Starts a set, which answers when the replicas have the data of the primary and the sentinels know of each other. All of
 * it ends with the scope.
 *
 * ```ts
 * const { name, primary, sentinels } = yield* Sentinel.start()
 * const client = new IoRedis({ name, sentinels: sentinels.map(({ host, port }) => ({ host, port })) })
 * yield* Effect.flatMap(primary, ({ kill }) => kill)
 * ```
 */
export const start = (): Effect.Effect<Sentinel, ServerError, Scope.Scope> =>
  Effect.gen(function* () {
    const first = yield* Redis.start({ config: replication })
    const replica = Redis.start({ config: { ...replication, replicaof: `${first.host} ${first.port}` } })
    const all = { concurrency: "unbounded" } as const
    const [replicas, sentinels] = yield* Effect.all(
      [Effect.all([replica, replica], all), Effect.forEach(downMillis, (millis) => sentinelBeside(first, millis), all)],
      all
    )
    yield* Effect.forEach(replicas, (server) => until("the replica follows its primary", () => isInSync(server)), all)
    yield* Effect.forEach(sentinels, (server) => until("the sentinel knows the set", () => isComplete(server)), all)
    const servers = [first, ...replicas]
    return { name, sentinels, servers, primary: primaryOf(sentinels, servers) }
  })

/** The port that a sentinel tells clients. During a failover `SENTINEL MASTER` still has that of the old primary. */
const portToldBy = async ({ admin }: Redis.Server): Promise<string | undefined> => {
  const address = (await admin.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)) as ReadonlyArray<string> | null
  return address?.[1]
}

/** Sentinels learn of a failover one after the other. */
const primaryOf = (sentinels: ReadonlyArray<Redis.Server>, servers: ReadonlyArray<Redis.Server>) =>
  found("the sentinels name the same server, which is up", async () => {
    const ports = await Promise.all(sentinels.map(portToldBy))
    const named = servers.find(({ port }) => ports.every((told) => told === `${port}`))
    return named?.isRunning() === true ? named : undefined
  })
