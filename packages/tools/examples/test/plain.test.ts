import { SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import * as Plain from "../src/plain.ts"

/** An answer of a server that takes its time. */
const answer: FastCheck.Arbitrary<Plain.Call> = FastCheck.record({
  takes: FastCheck.integer({ min: 0, max: 6000 }),
  ends: FastCheck.oneof(
    FastCheck.integer({ min: 0, max: 12_000 }).map((retryAfter) => Effect.fail(new Plain.Busy({ retryAfter }))),
    FastCheck.constantFrom<Plain.Call>(
      Effect.fail(new Plain.Lost()),
      Effect.fail(new Plain.NotFound()),
      Effect.succeed("page")
    )
  )
}).map(({ ends, takes }) => Effect.delay(ends, takes))

describe("README.md ## The same in plain Effect", () => {
  it.effect.prop(
    "the policy and the code in plain Effect make the same attempts at the same times, and end the same way",
    [FastCheck.tuple(answer, answer, answer), FastCheck.string()],
    ([answers, seed]) =>
      Effect.gen(function* () {
        const record = (retried: (call: Plain.Call) => Plain.Call) => {
          let calls = 0
          const call = Timeline.attempt(Effect.suspend(() => answers[calls++] ?? Effect.die("a fourth call")))
          return Timeline.record(retried(call)).pipe(Effect.provide(SeededRandom.layer(seed)), VirtualClock.run)
        }
        const [ours, plain] = [yield* record(Plain.ours), yield* record(Plain.plain)]
        expect(Timeline.toText(ours)).toBe(Timeline.toText(plain))
        expect(Timeline.equals(ours, plain)).toBe(true)
      }),
    { fastCheck: { numRuns: 200 } }
  )
})
