import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Amplification from "../src/Amplification.ts"
import * as Clients from "../src/Clients.ts"
import * as Recovery from "../src/Recovery.ts"
import * as Server from "../src/Server.ts"

describe("Server.arrive", () => {
  const stall = { fromMillis: 1000, toMillis: 2000 }

  it("serves one after the other and stands still during the stall", () => {
    const server = Server.make({ serviceMillis: 10, stall, dropAfterMillis: Infinity })
    expect([0, 0, 5, 100, 995, 1500].map(server.arrive)).toEqual([10, 20, 25, 10, 1015, 520])
  })

  it("drops what would be served after its client has gone, and wastes no time on it", () => {
    const server = Server.make({ serviceMillis: 10, stall, dropAfterMillis: 100 })
    expect([1000, 1899, 1900, 2005].map(server.arrive)).toEqual([Infinity, Infinity, 110, 15])
  })
})

// Minutes of traffic take a second or two, more where the machine is busy.
const patient = { timeout: 60_000 }

describe("Recovery.run", patient, () => {
  const after = (client: Recovery.Client, load: number, patienceSeconds: number) =>
    Effect.map(Recovery.run(client, { load, seed: 1, patienceSeconds }), (outcome) => outcome.recoveredAfterSeconds)

  it.effect("a bucket credited by successes lets the server recover at nine tenths of its capacity", () =>
    Effect.map(after(Clients.recovery.successRatio, 0.9, 150), (seconds) => {
      expect(Option.isSome(seconds)).toBe(true)
    })
  )

  it.effect("three attempts without a bucket keep the server down at half of its capacity", () =>
    Effect.map(after(Clients.recovery.attempts, 0.5, 330), (seconds) => {
      expect(seconds).toEqual(Option.none())
    })
  )

  it.effect("jitter does not help three attempts out of that", () =>
    Effect.map(after(Clients.recovery.jittered, 0.5, 330), (seconds) => {
      expect(seconds).toEqual(Option.none())
    })
  )

  it.effect("a bucket credited by requests does not let it recover at nine tenths", () =>
    Effect.map(after(Clients.recovery.twiceRequestRatio, 0.9, 330), (seconds) => {
      expect(seconds).toEqual(Option.none())
    })
  )

  it.effect("the same seed gives the same outcome", () =>
    Effect.gen(function* () {
      const run = Recovery.run(Clients.recovery.grpc, { load: 0.5, seed: 7, patienceSeconds: 60 })
      expect(yield* run).toEqual(yield* run)
    })
  )
})

describe("Amplification.run", patient, () => {
  // At p = 0.1 the gRPC throttle stands on the edge between all retries and none, where its formula jumps.
  const onTheEdge = (row: Amplification.Row, p: number) => row.name.startsWith("gRPC") && p === 0.1
  const cases = Amplification.rows.flatMap((row) =>
    [0.1, 0.2, 0.5, 1].filter((p) => !onTheEdge(row, p)).map((p) => [row.name, p, row] as const)
  )

  it.effect.each(cases)("%s agrees with its formula at p = %s", ([, p, row]) =>
    Effect.gen(function* () {
      const options = { p, requests: 20_000, perSecond: Amplification.perSecond, seed: 2 }
      const { amplification } = yield* Amplification.run(row, options)
      expect(Math.abs(amplification - row.formula(p))).toBeLessThanOrEqual(0.02)
    })
  )
})
