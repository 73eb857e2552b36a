import { RetryBucket } from "@effect-retry/core"
import { RetryBucketContract } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Ref, Stream, SubscriptionRef } from "effect"
import { failing } from "./Findings.ts"

const broken = (make: RetryBucketContract.Make, options?: RetryBucketContract.Options, only?: string) =>
  failing((runner) => RetryBucketContract.suite(runner, "it", make, options), only)

/** A sound bucket of three tokens, with something changed. */
const bucket = (change: (tokens: SubscriptionRef.SubscriptionRef<number>) => Partial<RetryBucket.RetryBucket>) =>
  Effect.map(SubscriptionRef.make(3), (tokens): RetryBucket.RetryBucket => ({
    take: () => SubscriptionRef.modify(tokens, (n) => (n > 0 ? [Option.some(1), n - 1] : [Option.none(), n])),
    giveBack: (cost) => SubscriptionRef.update(tokens, (n) => n + cost),
    ended: () => Effect.void,
    level: tokens,
    ...change(tokens)
  }))

const onlyOne = Effect.runSync(bucket(() => ({})))

const answers = "answers with what it took, wherever it is interrupted"
const bounds = "hears every way in which an attempt can end, and keeps its bounds"
const once = "grants what was given back, once"
const path = "takes what it answers with and keeps its bounds, on any path"
const unsent = "takes back what was not sent, for Transient"

const defects = [
  {
    defect: "looks first and takes afterwards",
    make: bucket((tokens) => ({
      take: () =>
        Effect.flatMap(Ref.get(tokens), (n) =>
          n > 0 ? Effect.as(Ref.set(tokens, n - 1), Option.some(1)) : Effect.succeedNone
        )
    })),
    finds: "grants one of a hundred at once where one is left"
  },
  {
    defect: "charges for what it denies",
    make: bucket((tokens) => ({
      take: () => SubscriptionRef.modify(tokens, (n) => (n > 1 ? [Option.some(1), n - 1] : [Option.none(), n / 2]))
    })),
    finds: "takes nothing where it does not grant"
  },
  {
    defect: "goes into debt",
    make: bucket((tokens) => ({
      take: () => SubscriptionRef.modify(tokens, (n) => (n > 0 ? [Option.some(2), n - 2] : [Option.none(), n]))
    })),
    finds: path
  },
  {
    defect: "takes less than it says",
    make: bucket((tokens) => ({
      take: () => SubscriptionRef.modify(tokens, (n) => (n > 0 ? [Option.some(2), n - 1] : [Option.none(), n]))
    })),
    finds: unsent
  },
  { defect: "keeps what is given back", make: bucket(() => ({ giveBack: () => Effect.void })), finds: once },
  {
    defect: "takes back more than it gave",
    make: bucket((tokens) => ({ giveBack: (cost) => SubscriptionRef.update(tokens, (n) => n + 2 * cost) })),
    finds: unsent
  },
  {
    defect: "overflows",
    make: bucket((tokens) => ({
      ended: (ended) => (ended._tag === "Succeeded" ? SubscriptionRef.update(tokens, (n) => n + 1) : Effect.void)
    })),
    finds: bounds
  },
  {
    defect: "dies of an ending it did not expect",
    make: bucket(() => ({
      ended: (ended) =>
        ended._tag === "Failed" && Option.isNone(ended.kind) ? Effect.dieMessage("no kind") : Effect.void
    })),
    finds: bounds
  },
  {
    defect: "can be interrupted between taking and answering",
    make: bucket((tokens) => ({
      take: (_, restore) =>
        restore(SubscriptionRef.modify(tokens, (n) => (n > 0 ? [Option.some(1), n - 1] : [Option.none(), n])))
    })),
    finds: answers
  },
  {
    defect: "forgets to tell of changes",
    make: bucket((tokens) => ({ level: { get: tokens, changes: Stream.fromEffect(tokens) } })),
    finds: "shows the same level to those who read it and to those who follow it"
  },
  {
    defect: "is always the same",
    make: Effect.succeed(onlyOne),
    finds: "is another bucket whenever it is made"
  },
  {
    defect: "refuses what is there",
    make: bucket(() => ({ take: () => Effect.succeedNone })),
    finds: unsent
  },
  {
    defect: "waits although it says that it does not",
    make: bucket((tokens) => ({
      take: (_, restore) =>
        restore(Effect.repeat(Effect.delay(tokens, "1 second"), { until: (n) => n > 0 })).pipe(
          Effect.zipRight(SubscriptionRef.modify(tokens, (n) => [Option.some(1), n - 1]))
        )
    })),
    finds: unsent
  }
]

describe("RetryBucketContract.suite", () => {
  it.effect.each([
    { what: "effect", make: bucket(() => ({})) },
    {
      what: "layer",
      make: Layer.effect(
        RetryBucket.Default,
        bucket(() => ({}))
      )
    }
  ])("finds nothing to say against a sound bucket, given as its $what", ({ make }) =>
    Effect.map(broken(make), (found) => expect(found).toEqual([]))
  )

  it.effect.each(defects)("finds a bucket that $defect", ({ finds, make }) =>
    Effect.map(broken(make, {}, finds), (found) => expect(found).toEqual([finds]))
  )

  it.effect("finds a bucket that is not of the sort it is said to be", () =>
    Effect.gen(function* () {
      expect(yield* broken(Effect.succeed(RetryBucket.unlimited), { grants: "none" })).toEqual([
        "grants no retry, whatever it has heard"
      ])
      expect(yield* broken(Effect.succeed(RetryBucket.empty), { grants: "all" })).toContain("grants every retry")
    })
  )

  it.effect("finds a bucket that serves the last to come first", () =>
    Effect.gen(function* () {
      const lastFirst = bucket((tokens) => {
        const line: Array<() => void> = []
        const take = SubscriptionRef.modify(tokens, (n) =>
          n > 0 ? [Option.some(1), n - 1] : [Option.none<number>(), n]
        )
        const wait = Effect.async<void>((resume) => void line.push(() => resume(Effect.void)))
        const taking = (restore: RetryBucket.Restore): Effect.Effect<Option.Option<number>> =>
          Effect.flatMap(take, (taken) =>
            Option.isSome(taken) ? Effect.succeed(taken) : Effect.flatMap(restore(wait), () => taking(restore))
          )
        return {
          take: (_, restore) => taking(restore),
          giveBack: (cost) =>
            Effect.tap(
              SubscriptionRef.update(tokens, (n) => n + cost),
              () => line.pop()?.()
            )
        }
      })
      expect(yield* broken(lastFirst, { waits: true })).toContain(
        "serves those who wait in the order in which they came"
      )
    })
  )
})
