import { type AttemptTimeout, type Backoff, Policy, Retry, Verdict } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Array, Duration, Effect, FastCheck as fc } from "effect"

const samples = <A>(arbitrary: fc.Arbitrary<A>, numRuns = 1_000) => fc.sample(arbitrary, { seed: 1, numRuns })

/** All different values that something has over the samples, in order. */
const seen = <A>(arbitrary: fc.Arbitrary<A>, of: (a: A) => string | ReadonlyArray<string>) =>
  Array.dedupe(samples(arbitrary).flatMap(of)).toSorted()

const curvesOf = (backoff: Backoff.Backoff) => {
  const curves: Array<string> = []
  BackoffTree.mapLeaves(backoff.tree, (leaf) => {
    curves.push(leaf.curve.name)
    return leaf
  })
  return curves
}

describe("Arbitraries.draw", () => {
  it("is at least 0 and below 1, both ends included", () => {
    const draws = samples(Arbitraries.draw)
    expect(draws.filter((u) => !(u >= 0 && u < 1))).toEqual([])
    expect(draws).toContain(0)
    expect(draws).toContain(1 - Number.EPSILON / 2)
  })
})

describe("Arbitraries.millis", () => {
  it("keeps its bounds and reaches them, with whole milliseconds and fractions between", () => {
    const millis = samples(Arbitraries.millis(0.5, 100))
    expect(millis.filter((n) => !(n >= 0.5 && n <= 100))).toEqual([])
    expect(millis).toContain(0.5)
    expect(millis).toContain(100)
    expect(millis.some((n) => Number.isInteger(n) && n < 100)).toBe(true)
    expect(millis.some((n) => !Number.isInteger(n) && n > 1)).toBe(true)
  })
})

describe("Arbitraries.verdict", () => {
  it("is of every kind there is", () => {
    expect(seen(Arbitraries.verdict, (verdict) => verdict._tag)).toEqual(["NoOpinion", "Retryable", "Terminal"])
    expect(seen(Arbitraries.kind, (kind) => kind)).toEqual(Verdict.kinds.toSorted())
    const hints = seen(Arbitraries.verdict, (verdict) => (verdict._tag === "Retryable" ? verdict.hint._tag : []))
    expect(hints).toEqual(["None", "Some"])
  })
})

describe("Arbitraries.classifier", () => {
  it("answers the same for the same error, and differs between errors", () => {
    const first = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }
    const later = { nowMillis: 9, attempt: 7, elapsed: Duration.minutes(1) }
    const answers = seen(Arbitraries.classifier<number>(), (classifier) => {
      expect(classifier(1, later)).toEqual(classifier(1, first))
      const tags = Array.dedupe(Array.range(1, 50).map((error) => classifier(error, first)._tag))
      return tags.toSorted().join(", ")
    })
    expect(answers).toEqual(expect.arrayContaining(["Retryable", "NoOpinion, Retryable, Terminal"]))
  })
})

describe("Arbitraries.backoff", () => {
  const endless = ["constant", "exponential", "fibonacci", "linear", "minus one", "polynomial"]
  const ending = ["connectRetry", "delays"]
  const drawing = ["celery", "decorrelated", "decorrelatedSmooth", "ethernet", "walk"]

  it("is made of every curve", () => {
    expect(seen(Arbitraries.endless(1_000), curvesOf)).toEqual(endless)
    expect(seen(Arbitraries.ending(1_000), curvesOf)).toEqual(ending)
    expect(seen(Arbitraries.drawing(1_000), curvesOf)).toEqual(drawing)
    expect(seen(Arbitraries.jitterable(), curvesOf)).toEqual([...endless, ...ending].toSorted())
    expect(seen(Arbitraries.backoff(), curvesOf)).toEqual([...endless, ...ending, ...drawing].toSorted())
  })

  it("is made by every combinator", () => {
    const nodes = ["AndThen", "ByKind", "Leaf", "Max", "Min", "ResetAfter", "Take", "Within"]
    expect(seen(Arbitraries.backoff(), ({ tree }) => tree._tag)).toEqual(nodes)
    const untimed = samples(Arbitraries.withoutWithin()).map(({ tree }) => tree)
    expect(untimed.some((tree) => BackoffTree.some(tree, (part) => part._tag === "Within"))).toBe(false)
  })

  it("is stepped by failures one after another", () => {
    for (const inputs of samples(Arbitraries.inputs, 100)) {
      const elapsed = inputs.map(({ elapsedMillis }) => elapsedMillis)
      expect(elapsed).toEqual(elapsed.toSorted((a, b) => a - b))
      expect(inputs.filter(({ elapsedMillis, ranMillis }) => elapsedMillis < ranMillis)).toEqual([])
    }
  })
})

const timeoutOf = ({
  attemptTimeout
}: {
  readonly attemptTimeout?: AttemptTimeout.AttemptTimeout<unknown> | undefined
}): string => {
  if (attemptTimeout === undefined) return "none"
  return attemptTimeout.millisOf(50, 0) > attemptTimeout.millisOf(1, 0) ? "grows" : "is constant"
}

describe("Arbitraries.policy", () => {
  it("is a policy that its constructor accepts, of every part", () => {
    const parts = seen(Arbitraries.policy(), (policy) => {
      expect(Policy.make(policy)).toEqual(policy)
      return [
        `hint ${policy.hint?._tag}`,
        `deadline ${policy.deadline?._tag}`,
        `timeout ${timeoutOf(policy)}`,
        `attempts ${policy.maxAttempts}`
      ]
    })
    expect(parts).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((n) => `attempts ${n}`),
      ...["Cut", "Refuse", "Truncate", "undefined"].map((kind) => `deadline ${kind}`),
      ...["Floor", "Ignore", "Override", "Within"].map((kind) => `hint ${kind}`),
      ...["grows", "is constant", "none"].map((kind) => `timeout ${kind}`)
    ])
  })

  it.effect("ends every operation, for every reason that needs no service", () =>
    Effect.gen(function* () {
      const reasons = yield* Effect.forEach(samples(Arbitraries.policy("1 second"), 300), (policy) =>
        Retry.orStopped(Effect.delay(Effect.fail("down"), "100 millis"), policy).pipe(
          Effect.flip,
          Effect.map(({ reason }) => reason._tag),
          VirtualClock.run
        )
      )
      expect(Array.dedupe(reasons).toSorted()).toEqual([
        "AttemptsSpent",
        "BackoffEnded",
        "DeadlinePassed",
        "HintTooLong",
        "Terminal"
      ])
    }).pipe(Effect.provide(SeededRandom.layer(1)))
  )
})
