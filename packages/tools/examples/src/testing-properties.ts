// #region law
import { Retry } from "@effect-retry/core"
import { Arbitraries, Scripted, VirtualClock } from "@effect-retry/testing"
import { Effect, FastCheck } from "effect"

const callsUnder = (policy: Arbitraries.PlainPolicy) =>
  Effect.gen(function* () {
    const service = yield* Scripted.make([Scripted.times(Scripted.fail("down", { after: "1 milli" }), Infinity)])
    yield* Effect.ignore(Retry.retry(service.call, policy))
    return yield* service.calls
  }).pipe(VirtualClock.run)

export const law = (policy: Arbitraries.PlainPolicy) =>
  Effect.map(callsUnder(policy), (calls) => calls >= 1 && calls <= policy.maxAttempts)
// #endregion

const policies = FastCheck.sample(Arbitraries.policy("1 second"), { seed: 1, numRuns: 100 })

export const program = Effect.map(Effect.forEach(policies, law), (held) => held.filter((holds) => !holds))

export const expected: ReadonlyArray<boolean> = []
