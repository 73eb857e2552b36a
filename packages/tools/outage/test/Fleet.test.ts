import * as Program from "@effect-retry/servers/Program"
import * as Redis from "@effect-retry/servers/Redis"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fleet from "../src/Fleet.ts"
import * as Processes from "../src/Processes.ts"
import * as Server from "../src/Server.ts"
import * as Table from "../src/Table.ts"

describe("Fleet.shares", () => {
  it.each([
    [1, [1]],
    [3, [0.5, 0.25, 0.25]]
  ])("give a tenth of %d processes half of the load", (processes, expected) => {
    expect(Fleet.shares(processes)).toEqual(expected)
  })

  it("are the whole load together", () => {
    const shares = Fleet.shares(50)
    expect(shares.reduce((a, b) => a + b)).toBeCloseTo(1, 9)
    expect(shares[4]).toBeGreaterThan(shares[5] ?? 1)
  })
})

const main = new URL("../src/process/main.ts", import.meta.url)

describe("Fleet.play", () => {
  // Real processes, sockets and clocks: what is asserted holds however slow they are.
  it.live("the retries of three processes that share a bucket keep its formula", () =>
    Effect.gen(function* () {
      const { port } = yield* Redis.shared
      const server = yield* Server.make
      const processes = yield* Processes.make(3, yield* Program.bundled(main))
      const options = {
        budget: { capacity: 6, ratio: 0.1, floorPerSecond: 1 },
        outage: { fromMillis: 100, toMillis: 60_000 },
        untilMillis: 600,
        operationsPerSecond: 90,
        redisPort: port,
        seed: "three"
      }
      const run = yield* Fleet.play("shared", server, processes, options)
      expect(run.operations).toBeGreaterThan(2 * 6)
      expect(Table.retries(run)).toBeGreaterThan(0)
      expect(Table.retries(run)).toBeLessThanOrEqual(Table.mostRetries(run, 3, options))
      expect(run.arrivals.length - Table.retries(run)).toBe(run.operations)
    }).pipe(Effect.scoped)
  )
})
