import { Load } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { perSecond, type Row, rows } from "../src/Formulas.ts"

describe("rows", () => {
  // At p = 0.1 the gRPC throttle stands on the edge between all retries and none, where its formula jumps.
  const onTheEdge = (row: Row, p: number) => row.name.startsWith("gRPC") && p === 0.1
  const cases = rows.flatMap((row) =>
    [0.1, 0.5, 1].filter((p) => !onTheEdge(row, p)).map((p) => [row.name, p, row] as const)
  )

  // The tokens that a quota has at the start are a hundred retries more.
  it.effect.each(cases)("%s agrees with its formula at p = %s", ([, p, row]) =>
    Effect.gen(function* () {
      const requests = row.name.startsWith("quota") ? 10_000 : 4_000
      const options = { failureProbability: p, requests, requestsPerSecond: perSecond, seed: 2 }
      const { loadFactor } = yield* Load.amplification(row, options)
      expect(Math.abs(loadFactor - row.formula(p))).toBeLessThanOrEqual(0.025)
    })
  )
})
