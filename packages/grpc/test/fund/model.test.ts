/**
 * The throttle beside a model of it: whole operations at once, interrupted anywhere, while the wall clock is set.
 */
import { Throttle } from "@effect-retry/grpc"
import { TokenBucketContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Option } from "effect"
import type { Model } from "../../../core/test/fund/Models.ts"
import * as Models from "../../../core/test/fund/Models.ts"
import { law, runsOf } from "../../../core/test/support/Laws.ts"

const { describe, expect, it } = vitest

TokenBucketContract.suite(vitest, "Throttle", Throttle.make({ maxTokens: 10, tokenRatio: 0.1 }))

/** `thousandths` is what a success puts in. */
const model = (maxTokens: number, thousandths: number): Model => {
  let level = maxTokens * 1000
  return {
    acquire: () => (level > maxTokens * 500 ? Option.some({ tokens: 0, refund: () => {} }) : Option.none()),
    record: (outcome) => {
      if (outcome._tag === "Succeeded") level = Math.min(maxTokens * 1000, level + thousandths)
      else if (outcome._tag === "Failed" && outcome.verdict._tag === "Retryable") level = Math.max(0, level - 1000)
    },
    started: () => {},
    level: () => level / 1000,
    most: () => Infinity
  }
}

describe("Throttle model", () => {
  const seen: Models.Seen = { granted: 0, refunded: 0, refused: 0 }
  const watch = Models.compared(Throttle.make({ maxTokens: 6, tokenRatio: 0.123 }), () => model(6, 123))

  it.prop(
    "agrees on any path, keeps its law on every prefix, and its accounts to the end",
    [Models.commands],
    ([path]) => {
      const faults = Models.run(watch, path, seen)
      if (faults.length > 0) expect(faults).toEqual([])
    },
    law(400)
  )

  it("was granted, refused and interrupted on those paths", () => {
    expect(Math.min(seen.granted, 12 * seen.refused, 12 * seen.refunded)).toBeGreaterThan(runsOf(400))
  })
})
