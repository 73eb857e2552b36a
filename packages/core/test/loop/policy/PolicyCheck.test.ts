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

describe("Prepared.hooks", () => {
  it("are the fields that differ from one operation to the next", () => {
    const hooks = {
      attemptTimeout: AttemptTimeout.constant(1),
      bucket: TokenBucket.unlimited,
      classifier: Classifier.always,
      rateLimiter: TokenBucket.unlimited,
      release: () => Effect.void,
      result: () => Verdict.transient
    }
    const observe = [() => Effect.void]
    const whole = PolicyCheck.prepare("test", { ...plain, ...hooks, observe })
    expect(whole.hooks).toEqual({ ...hooks, observers: observe })
    for (const field of Object.keys(whole.hooks)) expect(whole.policy).not.toHaveProperty(field)
  })

  it.effect("are what the loop runs under, and leave the other policy as it is", () =>
    Effect.gen(function* () {
      let made = 0
      const failing = Effect.suspend(() => Effect.fail(++made))
      const run = (given: PolicyCheck.Prepared) =>
        Effect.flip(Loop.run(failing, given) as Effect.Effect<unknown, unknown>)
      const never = PolicyCheck.prepare("test", {
        classifier: Classifier.never,
        maxAttempts: 3,
        backoff: Backoff.constant({ delay: 0 })
      })
      const always = { ...never, hooks: { ...never.hooks, classifier: () => Verdict.transient } }
      expect(yield* run(never)).toBe(1)
      expect(yield* run(always)).toBe(4)
      expect(yield* run(never)).toBe(5)
    })
  )
})
