import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Deadline,
  Hint,
  Jitter,
  Policy,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Loop from "../../../src/loop/run/Loop.ts"
import * as PolicyCheck from "../../../src/loop/policy/PolicyCheck.ts"

const prepared = PolicyCheck.prepare("Retry.retry", { ...Policy.standard, classifier: Classifier.never })

const functions = {
  classifier: () => Verdict.transient,
  attemptTimeout: undefined,
  result: undefined,
  release: undefined
}

const backoff = Backoff.constant({ delay: "1 second" })
const plain = { classifier: () => Verdict.transient, maxAttempts: 2, backoff, hint: Hint.ignore }

interface Row {
  readonly changed: Partial<Policy.Any>
  readonly needs: Partial<PolicyCheck.Prepared>
}

const rows: ReadonlyArray<Row> = [
  { changed: {}, needs: {} },
  { changed: { name: "call" }, needs: { eager: true, isBare: false } },
  { changed: { observe: [] }, needs: {} },
  { changed: { observe: [() => Effect.void] }, needs: { eager: true, timed: true } },
  { changed: { whenNested: "standDown" }, needs: {} },
  { changed: { whenNested: "retry" }, needs: {} },
  { changed: { attempt: Retry.CurrentAttempt }, needs: { eager: true, timed: true, isBare: false } },
  { changed: { attemptSpan: "attempt" }, needs: { eager: true, isBare: false } },
  { changed: { rateLimiter: TokenBucket.unlimited }, needs: { eager: true } },
  { changed: { attemptTimeout: AttemptTimeout.constant("1 second") }, needs: { eager: true, isBare: false } },
  {
    changed: { attemptTimeout: AttemptTimeout.fromFunction("late", (attempt, startMillis) => attempt + startMillis) },
    needs: { eager: true, timed: true, isBare: false }
  },
  { changed: { classifier: (_error, _moment) => Verdict.transient }, needs: { eager: true, timed: true } },
  { changed: { result: () => Verdict.noOpinion }, needs: { eager: true } },
  { changed: { result: (_result, _moment) => Verdict.noOpinion }, needs: { eager: true, timed: true } },
  { changed: { maxAttempts: 1 }, needs: { retries: false } },
  { changed: { maxAttempts: 1, attemptsByKind: { Server: 1, Timeout: undefined } }, needs: { retries: false } },
  { changed: { maxAttempts: 1, attemptsByKind: { Server: 1, Throttling: 2 } }, needs: {} },
  { changed: { backoff: Backoff.jittered(backoff, Jitter.full) }, needs: { draws: true } },
  { changed: { backoff: Backoff.within(backoff, "1 minute") }, needs: { eager: true, timed: true } },
  { changed: { backoff: Schedule.spaced("1 second") }, needs: {} },
  { changed: { hint: undefined }, needs: { hintDraws: true } },
  { changed: { deadline: Deadline.refuse("1 minute") }, needs: { eager: true, timed: true } },
  { changed: { deadline: Deadline.cut("1 minute") }, needs: { eager: true, timed: true, isBare: false } },
  { changed: { release: () => Effect.void }, needs: { eager: true, isBare: false } },
  { changed: { bucket: TokenBucket.unlimited }, needs: { eager: true } }
]

describe("PolicyCheck.prepare", () => {
  it.each(rows)("works out that $changed needs $needs", ({ changed, needs }) => {
    const nothing = { retries: true, draws: false, hintDraws: false, timed: false, eager: false, isBare: true }
    expect(PolicyCheck.prepare("test", { ...plain, ...changed })).toMatchObject({ ...nothing, ...needs })
  })
})

describe("PolicyCheck.withFunctions", () => {
  it("replaces functions, and nothing else", () => {
    const policy = { ...prepared.policy, ...functions }
    expect(PolicyCheck.withFunctions(prepared, functions)).toEqual({ ...prepared, policy })
  })

  it("leaves functions as they are where it is given none", () => {
    const own = { observe: [() => Effect.void], rateLimiter: TokenBucket.unlimited, bucket: TokenBucket.unlimited }
    const around = {
      attemptTimeout: AttemptTimeout.constant(1),
      result: () => Verdict.transient,
      release: () => Effect.void
    }
    const whole = PolicyCheck.prepare("test", { ...plain, ...own, ...around })
    expect(PolicyCheck.withFunctions(whole, { classifier: whole.policy.classifier })).toEqual(whole)
  })

  it("replaces observers where it is given some", () => {
    const observe = [() => Effect.void]
    expect(PolicyCheck.withFunctions(prepared, { ...functions, observe }).observers).toBe(observe)
  })

  it.effect("answers what the loop runs under, and leaves the other policy as it is", () =>
    Effect.gen(function* () {
      let made = 0
      const failing = Effect.suspend(() => Effect.fail(++made))
      const run = (given: PolicyCheck.Prepared) =>
        Effect.flip(Loop.run(failing, given) as Effect.Effect<unknown, unknown>)
      const never = PolicyCheck.prepare("test", { ...prepared.policy, backoff: Backoff.constant({ delay: 0 }) })
      const always = PolicyCheck.withFunctions(never, functions)
      expect(yield* run(never)).toBe(1)
      expect(yield* run(always)).toBe(4)
      expect(yield* run(never)).toBe(5)
    })
  )
})
