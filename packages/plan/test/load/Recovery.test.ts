import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Clients from "../../src/load/Clients.ts"
import * as Recovery from "../../src/load/Recovery.ts"

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
    Effect.map(after(Clients.recovery.jittered, 0.5, 200), (seconds) => {
      expect(seconds).toEqual(Option.none())
    })
  )

  it.effect("a bucket credited by requests does not let it recover at nine tenths", () =>
    Effect.map(after(Clients.recovery.twiceRequestRatio, 0.9, 200), (seconds) => {
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
