/**
 * A cluster of three masters and three replicas, which are promoted when their master is down for a second.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Redis from "./Redis.ts"
import { attempt, type ServerError } from "./ServerError.ts"
import { found, until } from "./Until.ts"

/** A running cluster. */
export interface Cluster {
  /** All six nodes; a client can begin with any of them. */
  readonly nodes: ReadonlyArray<Redis.Server>
  /** The master of the slot of a key. Waits until a node that is up names one that is up. */
  readonly masterOf: (key: string) => Effect.Effect<Redis.Server, ServerError>
}

const masters = 3
const size = 2 * masters
const slots = 16_384

/** Replicas are ready at once only without the usual delay of the first copy. */
const config = { "cluster-enabled": "yes", "cluster-node-timeout": "1000", "repl-diskless-sync-delay": "0" }

const isJoined = async ({ admin }: Redis.Server): Promise<boolean> => {
  const info = String(await admin.cluster("INFO"))
  return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${size}`)
}

const isReady = async (node: Redis.Server, isReplica: boolean): Promise<boolean> => {
  const info = await node.admin.info("replication")
  return (await isJoined(node)) && info.includes(isReplica ? "master_link_status:up" : "connected_slaves:1")
}

const join = async (nodes: ReadonlyArray<Redis.Server>): Promise<void> => {
  const [first] = nodes
  await Promise.all(
    nodes.map(async ({ admin }, at) => {
      await admin.call("CLUSTER", "SET-CONFIG-EPOCH", at + 1)
      if (at >= masters) return
      const [from, to] = [at, at + 1].map((share) => Math.floor((share * slots) / masters))
      await admin.call("CLUSTER", "ADDSLOTSRANGE", from ?? 0, (to ?? slots) - 1)
    })
  )
  for (const { host, port } of nodes.slice(1)) await first?.admin.call("CLUSTER", "MEET", host, port)
}

const replicate = async (nodes: ReadonlyArray<Redis.Server>): Promise<void> => {
  await Promise.all(
    nodes.slice(masters).map(async ({ admin }, at) => {
      const id = String(await nodes[at]?.admin.cluster("MYID"))
      await admin.call("CLUSTER", "REPLICATE", id)
    })
  )
}

/** The port of the master of a slot, in the words of one node. */
const portOf = async (node: Redis.Server, slot: number): Promise<number | undefined> => {
  const ranges = await node.admin.cluster("SLOTS")
  return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1]
}

const masterOf = (nodes: ReadonlyArray<Redis.Server>, key: string) =>
  found("a node of the cluster names a master of the key that is up", async () => {
    for (const node of nodes) {
      if (!node.isRunning()) continue
      const port = await portOf(node, await node.admin.cluster("KEYSLOT", key))
      const master = nodes.find((other) => other.port === port)
      if (master?.isRunning() === true) return master
    }
    return undefined
  })

/**
 * Starts a cluster, which answers when all nodes agree and all replicas have the data of their masters. All of it ends with
 * the scope.
 *
 * ```ts
 * const { masterOf, nodes } = yield* Cluster.start()
 * const client = new Cluster(nodes.map(({ host, port }) => ({ host, port })))
 * yield* Effect.flatMap(masterOf("key"), ({ kill }) => kill)
 * ```
 */
export const start = (): Effect.Effect<Cluster, ServerError, Scope.Scope> =>
  Effect.gen(function* () {
    const all = { concurrency: "unbounded" } as const
    const nodes = yield* Effect.all(
      Array.from({ length: size }, () => Redis.start({ config })),
      all
    )
    yield* attempt(() => join(nodes))
    yield* Effect.forEach(nodes, (node) => until("the node has joined the cluster", () => isJoined(node)), all)
    yield* attempt(() => replicate(nodes))
    yield* Effect.forEach(
      nodes,
      (node, at) => until("the node has its replica or its master", () => isReady(node, at >= masters)),
      all
    )
    return { nodes, masterOf: (key) => masterOf(nodes, key) }
  })
