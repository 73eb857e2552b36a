import {
  Backoff,
  Classifier,
  Hint,
  InvalidArgument,
  Policy,
  Promises,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"

const good = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

// As from JavaScript, without a compiler.
const doors: { readonly [owner: string]: (policy: typeof good) => unknown } = {
  "Policy.make": (policy) => Policy.make(policy),
  "Policy.toSchedule": (policy) => Policy.toSchedule(policy),
  "Retry.retry": (policy) => Retry.retry(Effect.void, policy),
  "Retry.orStopped": (policy) => Retry.orStopped(Effect.void, policy),
  "Retry.retryOrElse": (policy) => Retry.retryOrElse(Effect.void, policy, () => Effect.void),
  "Promises.retry": (policy) => Promises.retry(() => Promise.resolve(), policy)
}

const fields = [
  "name",
  "observe",
  "whenNested",
  "attempt",
  "attemptSpan",
  "rateLimiter",
  "attemptTimeout",
  "classifier",
  "result",
  "maxAttempts",
  "attemptsByKind",
  "backoff",
  "hint",
  "deadline",
  "release",
  "bucket"
]

const aClassifier =
  "a function from error to verdict, such as () => Verdict.transient or Classifier.fromTags({ Busy: Verdict.throttling })"

const bad: ReadonlyArray<{ readonly field: string; readonly value: unknown; readonly message: string }> = [
  { field: "maxAttempts", value: NaN, message: "maxAttempts must be a whole number >= 1, got NaN" },
  { field: "maxAttempts", value: 0, message: "maxAttempts must be a whole number >= 1, got 0" },
  { field: "maxAttempts", value: -1, message: "maxAttempts must be a whole number >= 1, got -1" },
  { field: "maxAttempts", value: 2.5, message: "maxAttempts must be a whole number >= 1, got 2.5" },
  { field: "maxAttempts", value: -Infinity, message: "maxAttempts must be a whole number >= 1, got -Infinity" },
  { field: "maxAttempts", value: undefined, message: "maxAttempts must be a whole number >= 1, got undefined" },
  { field: "maxAttempts", value: "3", message: 'maxAttempts must be a whole number >= 1, got "3"' },
  {
    field: "classifier",
    value: undefined,
    message: `classifier must be ${aClassifier}, got undefined`
  },
  {
    field: "classifier",
    value: "always",
    message: `classifier must be ${aClassifier}, got "always"`
  },
  {
    field: "backoff",
    value: undefined,
    message:
      'backoff must be a Backoff, such as Backoff.exponential({ base: "1 second" }), or another Schedule, got undefined'
  },
  {
    field: "backoff",
    value: 1000,
    message:
      'backoff must be a Backoff, such as Backoff.exponential({ base: "1 second" }), or another Schedule, got 1000'
  },
  { field: "name", value: "", message: 'name must be a string that is not empty, got ""' },
  { field: "name", value: 7, message: "name must be a string that is not empty, got 7" },
  { field: "attemptSpan", value: "", message: 'attemptSpan must be a string that is not empty, got ""' },
  { field: "attemptSpan", value: true, message: "attemptSpan must be a string that is not empty, got true" },
  { field: "whenNested", value: "stop", message: 'whenNested must be one of retry, standDown, got "stop"' },
  { field: "whenNested", value: true, message: "whenNested must be one of retry, standDown, got true" },
  {
    field: "observe",
    value: "metrics",
    message: 'observe must be an array of observers, such as [Observe.logs(), Observe.metrics], got "metrics"'
  },
  {
    field: "observe",
    value: ["metrics"],
    message: 'observe must be an array of observers, such as [Observe.logs(), Observe.metrics], got ["metrics"]'
  },
  {
    field: "observe",
    value: [undefined],
    message: "observe must be an array of observers, such as [Observe.logs(), Observe.metrics], got [undefined]"
  },
  { field: "result", value: 1, message: "result must be a function from result to verdict, got 1" },
  {
    field: "attemptTimeout",
    value: "1 second",
    message:
      'attemptTimeout must be made by AttemptTimeout, such as AttemptTimeout.constant("2 seconds"), got "1 second"'
  },
  {
    field: "deadline",
    value: "10 seconds",
    message: 'deadline must be made by Deadline, such as Deadline.refuse("10 seconds"), got "10 seconds"'
  },
  { field: "hint", value: null, message: "hint must be made by Hint, such as Hint.standard, got null" },
  ...[
    { _tag: "Floor" },
    { _tag: "toString" },
    { ...Hint.standard, atMostMillis: NaN },
    { ...Hint.standard, atMostMillis: "5" },
    { _tag: "Override", atMostMillis: "1 minute", otherwise: "giveUp" }
  ].map((value) => ({
    field: "hint",
    value,
    message: "hint must be made by Hint, such as Hint.standard, got an object"
  })),
  { field: "attempt", value: {}, message: "attempt must be a Context.Tag, got an object" },
  {
    field: "rateLimiter",
    value: null,
    message: "rateLimiter must be a TokenBucket or a Context.Tag of one, got null"
  },
  {
    field: "bucket",
    value: "bucket",
    message: 'bucket must be a TokenBucket or a Context.Tag of one, got "bucket"'
  },
  {
    field: "bucket",
    value: { acquire: () => Effect.succeedNone },
    message: "bucket must be a TokenBucket or a Context.Tag of one, got an object"
  },
  {
    field: "bucket",
    value: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }),
    message:
      "bucket must be a TokenBucket or a Context.Tag of one; yield* the effect that makes it first, got EffectPrimitive"
  },
  {
    field: "backoff",
    value: Backoff.exponential,
    message:
      'backoff must be a Backoff, such as Backoff.exponential({ base: "1 second" }), or another Schedule, got the function exponential'
  },
  { field: "release", value: true, message: "release must be a function from what failed to an effect, got true" },
  { field: "attemptsByKind", value: 3, message: "attemptsByKind must be a record of kinds, got 3" },
  {
    field: "attemptsByKind",
    value: { Throtling: 3 },
    message: 'attemptsByKind must be one of Transient, Throttling, Timeout, Server, Client, got "Throtling"'
  },
  {
    field: "attemptsByKind",
    value: { Server: 0 },
    message: "attemptsByKind.Server must be a whole number >= 1, got 0"
  },
  {
    field: "maxAttemps",
    value: 3,
    message: "maxAttemps must be absent (did you mean maxAttempts?), got 3"
  },
  {
    field: "retries",
    value: 3,
    message: "retries must be absent (did you mean maxAttempts, which counts the first attempt too?), got 3"
  },
  { field: "shouldRetry", value: 3, message: "shouldRetry must be absent (did you mean classifier?), got 3" },
  {
    field: "colour",
    value: 3,
    message: `colour must be absent: the fields of a policy are ${fields.join(", ")}, got 3`
  },
  { field: "classifier", value: Verdict.transient, message: `classifier must be ${aClassifier}, got an object` },
  {
    field: "classifier",
    value: Verdict.retryable,
    message: `classifier must be ${aClassifier}, got the function retryable`
  }
]

const cases = Object.entries(doors).flatMap(([owner, door]) => bad.map((row) => ({ owner, door, ...row })))

describe("Policy.make", () => {
  it.each(cases)("refuses at $owner: $message", ({ door, field, message, owner, value }) => {
    const refused = () => door({ ...good, [field]: value })
    expect(refused).toThrow(InvalidArgument.InvalidArgument)
    expect(refused).toThrow(expect.objectContaining({ message: `${owner}: ${message}` }))
  })

  it.each(Object.entries(doors))("refuses at %s what is not a record", (owner, door) => {
    for (const value of [undefined, null, "policy", 3]) {
      expect(() => door(value as never)).toThrow(
        new RegExp(`^${owner}: policy must be a record(, as in ${owner}\\(.*\\))?, got `)
      )
    }
  })

  it.each(Object.entries(doors))("says at %s where a schedule goes", (owner, door) => {
    const refused = () => door(Schedule.recurs(3) as never)
    expect(refused).toThrow(new RegExp(`^${owner}: policy must be a record, with the schedule as its backoff`))
    expect(() => door(Backoff.constant({ delay: 1 }) as never)).toThrow("with the schedule as its backoff")
  })

  it.each([1, 2, 1_000_000, Infinity])("accepts %s attempts", (maxAttempts) => {
    expect(Policy.make({ ...good, maxAttempts }).maxAttempts).toBe(maxAttempts)
  })

  it.each([{}, { Throttling: Infinity }, { Throttling: 1, Server: undefined }])(
    "accepts limits by kind: %o",
    (attemptsByKind) => {
      expect(Policy.make({ ...good, attemptsByKind }).attemptsByKind).toBe(attemptsByKind)
    }
  )

  it("accepts a bucket itself in both places", () => {
    const funded = { ...good, rateLimiter: TokenBucket.unlimited, bucket: TokenBucket.empty }
    expect(Policy.make(funded)).toBe(funded)
  })

  it("answers with the very policy it was given", () => {
    const policy = { ...good, backoff: Schedule.spaced("1 second") }
    expect(Policy.make(policy)).toBe(policy)
  })

  it.effect("reads a policy once: what is changed in it later has no effect", () =>
    Effect.gen(function* () {
      let attempts = 0
      const failing = Effect.suspend(() => Effect.fail(++attempts))
      const changing = { ...good, backoff: Backoff.constant({ delay: 0 }), observe: [] as Array<never> }
      const retried = Retry.retry(failing, changing)
      changing.maxAttempts = 9
      changing.observe.push(undefined as never)
      yield* Effect.flip(retried)
      yield* Effect.flip(Retry.retry(failing, changing))
      expect(attempts).toBe(6)
    })
  )

  it("refuses the policy of every retry function before the effect is run", () => {
    let ran = false
    const effect = Effect.sync(() => {
      ran = true
    })
    expect(() => Retry.retry({ ...good, maxAttempts: 0 })(effect)).toThrow("Retry.retry: maxAttempts")
    expect(ran).toBe(false)
  })
})

describe("Policy.standard", () => {
  // Attempts, cap and jitter: AWS SDKs and Tools reference guide, "Retry behavior", read 2026-11-20.
  it("makes three attempts, exponential from 100 milliseconds, capped at 20 seconds, with full jitter", () => {
    const bounds = (u: number) => {
      const delays: Array<number | undefined> = []
      let tree: BackoffTree.Tree | undefined = Policy.standard.backoff.tree
      for (let retry = 1; retry <= 10; retry++) {
        const stepped: BackoffTree.Step | undefined =
          tree && BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
        delays.push(stepped?.delayMillis)
        tree = stepped?.rest
      }
      return delays
    }
    expect(Policy.standard.maxAttempts).toBe(3)
    expect(bounds(1 - Number.EPSILON)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000])
    expect(bounds(0.5)).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    expect(bounds(0)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  })

  it("leaves it to the caller what is retryable", () => {
    expect(Policy.standard).not.toHaveProperty("classifier")
    expect(Policy.once).not.toHaveProperty("classifier")
  })

  it.effect("is changed by spread", () =>
    Effect.gen(function* () {
      let attempts = 0
      const attempt = Effect.suspend(() => {
        attempts += 1
        return Effect.fail("busy")
      })
      const mine = {
        ...Policy.standard,
        classifier: () => Verdict.transient,
        maxAttempts: 7,
        backoff: Backoff.fromDelays([0, 0, 0, 0, 0, 0])
      }
      yield* Effect.flip(Retry.retry(attempt, mine))
      expect(attempts).toBe(7)
    })
  )
})

describe("Policy.once", () => {
  it("makes one attempt, and its back-off has no delays", () => {
    expect(Policy.once.maxAttempts).toBe(1)
    expect(BackoffTree.step(Policy.once.backoff.tree, { u: 0, kind: undefined, ranMillis: 0, elapsedMillis: 0 })).toBe(
      undefined
    )
  })
})
