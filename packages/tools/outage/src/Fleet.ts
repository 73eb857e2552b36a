/**
 * Plays the same outage with several kinds of buckets, by the same processes, one kind after the other.
 */
import { Effect } from "effect"
import type { Budget, Kind, Played } from "./process/Message.ts"
import type { Process } from "./Processes.ts"
import type { Arrival, Outage, Server } from "./Server.ts"

/**
 * @category models
 */
export interface Options {
  readonly budget: Budget
  readonly outage: Outage
  /** Operations begin until then. */
  readonly untilMillis: number
  /** Of the whole fleet. */
  readonly operationsPerSecond: number
  readonly redisPort: number
  readonly seed: string
}

/**
 * The kinds in the order of the table.
 *
 * @category constructors
 */
export const kinds: ReadonlyArray<Kind> = ["none", "own", "part", "shared"]

/**
 * The outage of the page.
 *
 * @category constructors
 */
export const outage = {
  budget: { capacity: 50, ratio: 0.1, floorPerSecond: 5 },
  outage: { fromMillis: 2000, toMillis: 6000 },
  untilMillis: 8000,
  operationsPerSecond: 100,
  seed: "fleet"
} as const

/**
 * The result of one kind of bucket.
 *
 * @category models
 */
export interface Run {
  readonly kind: Kind
  readonly arrivals: ReadonlyArray<Arrival>
  readonly operations: number
  readonly succeeded: number
}

/**
 * The parts of the load that the processes get: a tenth of them has half of it.
 *
 * @category destructors
 */
export const shares = (processes: number): ReadonlyArray<number> => {
  const busy = Math.max(1, Math.floor(processes / 10))
  const quiet = processes - busy
  return Array.from({ length: processes }, (_, i) => {
    if (quiet === 0) return 1 / busy
    return i < busy ? 0.5 / busy : 0.5 / quiet
  })
}

/**
 * Has all processes play one kind, and answers when the last operation has ended.
 *
 * @category running
 */
export const play = (
  kind: Kind,
  server: Server,
  processes: ReadonlyArray<Process>,
  options: Options
): Effect.Effect<Run> =>
  Effect.gen(function* () {
    const { budget, operationsPerSecond, outage, redisPort, seed, untilMillis } = options
    const arrivals = yield* server.begin(outage)
    const parts = shares(processes.length)
    const played = yield* Effect.forEach(
      processes,
      ({ play }, i) =>
        play({
          bucket: kind,
          budget,
          processes: processes.length,
          port: server.port,
          redisPort,
          name: `fleet-${kind}`,
          operationsPerSecond: operationsPerSecond * (parts[i] ?? 0),
          forMillis: untilMillis,
          seed: `${seed}/${i}`
        }),
      { concurrency: "unbounded" }
    )
    const sum = (count: keyof Played) => played.reduce((total, played) => total + played[count], 0)
    return { kind, arrivals, operations: sum("operations"), succeeded: sum("succeeded") }
  })
