import { Backoff, Jitter } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { GrpcRetry } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"

const java = { initialBackoff: "100 seconds", maxBackoff: "700 seconds", backoffMultiplier: 2 } as const

/** The first delays, each with the same draw. */
const delays = (backoff: Backoff.Backoff, count: number, u: number): ReadonlyArray<number> => {
  const answers: Array<number> = []
  let tree = backoff.tree
  for (let n = 1; n <= count; n++) {
    const stepped = BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    if (stepped === undefined) break
    answers.push(stepped.delayMillis)
    tree = stepped.rest
  }
  return answers
}

// https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Exponential Backoff"; the case is that of
// grpc-java 5fda0c7, RetriableStreamTest.java.
describe("GrpcRetry.backoff", () => {
  it.each<[string, u: number, ReadonlyArray<number>]>([
    ["least", 0, [80_000, 160_000, 320_000, 560_000, 560_000, 560_000]],
    ["mean", 0.5, [100_000, 200_000, 400_000, 700_000, 700_000, 700_000]],
    ["greatest, above maxBackoff", 1 - 1e-12, [120_000, 240_000, 480_000, 840_000, 840_000, 840_000]]
  ])("has the delays of the formula: %s", (_, u, expected) => {
    expect(delays(GrpcRetry.backoff(java), 6, u)).toEqual(expected)
  })

  it.each<[string, u: number, ReadonlyArray<number>]>([
    ["none", 0, [0, 0, 0, 0]],
    ["half", 0.5, [50_000, 100_000, 200_000, 350_000]],
    ["nearly all", 1 - 1e-12, [100_000, 200_000, 400_000, 700_000]]
  ])("draws from zero as the older text says: %s", (_, u, expected) => {
    expect(delays(GrpcRetry.backoff(java, Jitter.full), 4, u)).toEqual(expected)
  })

  it("keeps a cap that is set on top", () => {
    const capped = Backoff.capped(GrpcRetry.backoff(java), "700 seconds")
    expect(delays(capped, 4, 1 - 1e-12)).toEqual([120_000, 240_000, 480_000, 700_000])
    expect(delays(capped, 4, 0)).toEqual([80_000, 160_000, 320_000, 560_000])
  })

  it("may shrink, and never overflows", () => {
    const shrinking = GrpcRetry.backoff({ ...java, backoffMultiplier: 0.5 }, Jitter.none)
    expect(delays(shrinking, 4, 0)).toEqual([100_000, 50_000, 25_000, 12_500])
    const growing = GrpcRetry.backoff({ ...java, maxBackoff: "10000 days", backoffMultiplier: 1e200 })
    expect(delays(growing, 2_000, 0.5).at(-1)).toBe(864_000_000_000)
  })

  it.each([
    [{ ...java, initialBackoff: 0 }, "initialBackoff must be a finite duration > 0, got 0"],
    [{ ...java, maxBackoff: Infinity }, "maxBackoff must be a finite duration > 0, got Infinity"],
    [{ ...java, backoffMultiplier: 0 }, "backoffMultiplier must be > 0, got 0"]
  ])("refuses %o", (settings, message) => {
    expect(() => GrpcRetry.backoff(settings)).toThrow(`GrpcRetry.backoff: ${message}`)
  })
})
