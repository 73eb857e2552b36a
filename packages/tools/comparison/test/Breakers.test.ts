/**
 * Our breaker and cockatiel's, side by side, on the same calls at the same times.
 */
import { Backoff, CircuitBreaker, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { circuitBreaker, ConsecutiveBreaker, CountBreaker, handleAll } from "cockatiel"
import type { IBreaker } from "cockatiel"
import { Duration, Effect, FastCheck as fc, Option } from "effect"

interface Call {
  readonly afterMillis: number
  readonly succeeds: boolean
}

const openMillis = 1000

/** Which of the calls are made. */
const cockatiels = async (breaker: IBreaker, calls: ReadonlyArray<Call>): Promise<ReadonlyArray<boolean>> => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] })
  const policy = circuitBreaker(handleAll, { halfOpenAfter: openMillis, breaker })
  const made: Array<boolean> = []
  let now = 0
  for (const { afterMillis, succeeds } of calls) {
    vi.setSystemTime((now += afterMillis))
    let isMade = false
    const call = () => {
      isMade = true
      return succeeds ? Promise.resolve() : Promise.reject(new Error("down"))
    }
    await policy.execute(call).catch(() => {})
    made.push(isMade)
  }
  vi.useRealTimers()
  return made
}

type Options = NonNullable<Parameters<typeof CircuitBreaker.make>[0]>

const ours = (opensAt: NonNullable<Options["opensAt"]>, calls: ReadonlyArray<Call>): Promise<ReadonlyArray<boolean>> =>
  Effect.runPromise(
    VirtualClock.run(
      Effect.gen(function* () {
        const breaker = yield* CircuitBreaker.make({ opensAt, openFor: Backoff.constant({ delay: openMillis }) })
        const made: Array<boolean> = []
        for (const { afterMillis, succeeds } of calls) {
          yield* Effect.sleep(afterMillis)
          const answer = yield* breaker.acquire({
            attempt: 1,
            kind: Option.none(),
            delay: Duration.zero,
            atMost: Option.none(),
            restore: (effect) => effect
          })
          made.push(Option.isSome(answer))
          if (Option.isNone(answer)) continue
          const end = { attempt: 1, granted: answer.value }
          yield* breaker.record(
            succeeds ? { _tag: "Succeeded", ...end } : { _tag: "Failed", ...end, verdict: Verdict.server }
          )
        }
        return made
      })
    )
  )

const calls = fc.array(fc.record({ afterMillis: fc.constantFrom(0, 1, 250, 500, 999, 1000), succeeds: fc.boolean() }), {
  maxLength: 40
})

describe("CircuitBreaker.make beside cockatiel", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("makes the calls that its breaker of failures in a row makes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), calls, async (consecutive, calls) => {
        expect(await ours({ consecutive }, calls)).toEqual(await cockatiels(new ConsecutiveBreaker(consecutive), calls))
      }),
      { seed: 11, numRuns: 300 }
    )
  })

  it("makes the calls that its breaker of a share makes, until the circuit closes again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 10 }), calls, async (size, calls) => {
        const breaker = new CountBreaker({ threshold: 0.5, size })
        const theirs = await cockatiels(breaker, calls)
        const own = await ours({ ratio: 0.51, last: size }, calls)
        // The probe that closes is the first call of cockatiel's next window, and none of ours.
        const opened = theirs.indexOf(false)
        const closed =
          opened === -1 ? -1 : calls.findIndex(({ succeeds }, i) => i > opened && theirs[i] === true && succeeds)
        const until = closed === -1 ? calls.length : closed + 1
        expect(own.slice(0, until)).toEqual(theirs.slice(0, until))
      }),
      { seed: 12, numRuns: 300 }
    )
  })
})
