import { Backoff, Classifier, Policy, Retry, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PolicyCheck from "../../src/loop/PolicyCheck.ts"

const prepared = PolicyCheck.prepare("Retry.retry", { ...Policy.standard, classifier: Classifier.never })

const functions = {
  classifier: () => Verdict.transient,
  attemptTimeout: undefined,
  result: undefined,
  release: undefined
}

describe("PolicyCheck.withFunctions", () => {
  it("replaces functions, and nothing else", () => {
    const policy = PolicyCheck.withFunctions(prepared, functions)
    expect(policy).toEqual({ ...prepared.policy, ...functions })
    expect(PolicyCheck.prepare("Retry.retry", policy)).toEqual({ ...prepared, policy })
  })

  it.effect("answers a policy that the loop runs under, and leaves the other one as it is", () =>
    Effect.gen(function* () {
      let made = 0
      const failing = Effect.suspend(() => Effect.fail(++made))
      const policy = PolicyCheck.withFunctions(prepared, functions)
      expect(policy.backoff).toBe(Policy.standard.backoff)
      const once = Retry.retry(failing, { ...prepared.policy, backoff: Backoff.constant({ delay: 0 }) })
      expect(yield* Effect.flip(once)).toBe(1)
      const again = PolicyCheck.prepare("Retry.retry", { ...prepared.policy, backoff: Backoff.constant({ delay: 0 }) })
      expect(yield* Effect.flip(Retry.retry(failing, PolicyCheck.withFunctions(again, functions)))).toBe(4)
    })
  )
})
