import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Amplification from "../../src/load/Amplification.ts"

describe("Amplification.run", { timeout: 60_000 }, () => {
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
