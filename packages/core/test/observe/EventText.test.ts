import { Observe, Retry, Verdict } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { describe, expect, it } from "@effect/vitest"
import { Data, Duration, Effect, FastCheck } from "effect"
import { line } from "../../src/observe/EventText.ts"
import { law } from "../support/Laws.ts"
import * as Events from "./Events.ts"

class Declined extends Data.TaggedError("Declined")<{ readonly message: string }> {}

class SqlError extends Data.TaggedError("SqlError")<{ readonly message: string; readonly cause: unknown }> {}

type Of<T extends Observe.RetryEvent["_tag"]> = Extract<Observe.RetryEvent, { readonly _tag: T }>
type Fields<T extends Observe.RetryEvent["_tag"]> = Partial<Omit<Of<T>, "details">> &
  Partial<Pick<Observe.Details, "attributes" | "outcome" | "subject">>

/** An event of the table, with other fields and details. */
const eventOf = <T extends Observe.RetryEvent["_tag"]>(
  base: Of<T>,
  { attributes = {}, outcome, subject, ...fields }: Fields<T>
): Observe.RetryEvent => {
  const event = { ...base, ...fields } as Observe.RetryEvent
  const known = Events.detailsOf(event)
  return {
    ...event,
    details: () => ({ ...known, attributes, subject: subject ?? known.subject, outcome: outcome ?? known.outcome })
  }
}

const get = { subject: "GET api.example", outcome: "503" }
const failed = (fields: Fields<"AttemptFailed">) => eventOf(Events.attemptFailed, fields)
const retried = (fields: Fields<"RetryScheduled">) => eventOf(Events.retryScheduled, fields)
const succeeded = (fields: Fields<"Succeeded">) => eventOf(Events.succeeded, fields)
const gaveUp = (fields: Fields<"GaveUp">) => eventOf(Events.gaveUp, fields)
const nested = (fields: Fields<"NestingNoticed">) => eventOf(Events.nestingNoticed, fields)

const millis = Duration.millis
const hinted = Verdict.retryable("Throttling", { hint: "400 millis" })
const declined = new Declined({ message: "try again later" })

/** As @effect/sql wraps the error of a driver. */
const conflict = new SqlError({
  message: "could not serialize access",
  cause: Object.assign(new Error("secret row"), { code: "40001" })
})
const refused = Object.assign(new Error(), { code: "ECONNREFUSED" })

const lines: ReadonlyArray<readonly [event: Observe.RetryEvent, line: string]> = [
  [
    gaveUp({ ...get, attempt: 4, elapsed: millis(1234), reason: { _tag: "AttemptsSpent", maxAttempts: 4 } }),
    "gave up: GET api.example → 503 after 4 attempts, 1.2 s (all attempts spent)"
  ],
  [
    gaveUp({
      name: "orders",
      outcome: "Forbidden",
      attempt: 1,
      elapsed: millis(12),
      reason: { _tag: "Terminal", why: "the account is closed" }
    }),
    "gave up: orders → Forbidden after 1 attempt, 12 ms (not retryable: the account is closed)"
  ],
  [
    succeeded({ ...get, outcome: "404", attempt: 1, attributes: { "error.type": "404" } }),
    "answered: GET api.example → 404 after 1 attempt, 1.5 s"
  ],
  [
    gaveUp({ name: "orders", error: Untrusted.shown(conflict), attempt: 1 }),
    'gave up: orders → SqlError 40001 "could not serialize access" after 1 attempt, 1.5 s (all attempts spent)'
  ],
  [
    gaveUp({ name: "orders", error: Untrusted.shown(new Error("connect ECONNREFUSED", { cause: refused })) }),
    'gave up: orders → Error "connect ECONNREFUSED" after 2 attempts, 1.5 s (all attempts spent)'
  ],
  [
    gaveUp({ name: "payments", error: Untrusted.shown(declined), elapsed: millis(2000) }),
    'gave up: payments → Declined "try again later" after 2 attempts, 2 s (all attempts spent)'
  ],
  [
    gaveUp({
      name: "",
      error: Untrusted.shown("busy"),
      attempt: 1,
      elapsed: millis(0),
      reason: { _tag: "BackoffEnded" }
    }),
    "gave up: string after 1 attempt, 0 ms (the back-off has ended)"
  ],
  [
    gaveUp({
      name: "orders",
      error: Untrusted.shown(new Retry.AttemptRefused({ attempt: 1 })),
      attempt: 0,
      elapsed: millis(0),
      reason: { _tag: "RateLimiterRefused" }
    }),
    'gave up: orders → AttemptRefused "the rate limiter did not grant attempt 1" after 0 attempts, 0 ms (the rate limiter refused the attempt)'
  ],
  [
    gaveUp({ ...get, elapsed: millis(61_000), reason: { _tag: "DeadlinePassed", within: millis(62_500) } }),
    "gave up: GET api.example → 503 after 2 attempts, 1 min 1 s (the deadline of 1 min 3 s would pass before the next attempt)"
  ],
  [
    gaveUp({ ...get, elapsed: millis(62_500), reason: { _tag: "DeadlinePassed", within: millis(62_500) } }),
    "gave up: GET api.example → 503 after 2 attempts, 1 min 3 s (the deadline of 1 min 3 s has passed)"
  ],
  [
    gaveUp({ ...get, reason: { _tag: "HintTooLong", hint: Duration.infinity } }),
    "gave up: GET api.example → 503 after 2 attempts, 1.5 s (the server asked for an endless time, more than the policy waits)"
  ],
  [
    gaveUp({ ...get, reason: { _tag: "AttemptsSpent", maxAttempts: 5, kind: "Throttling" } }),
    "gave up: GET api.example → 503 after 2 attempts, 1.5 s (all 5 attempts that may fail with Throttling spent)"
  ],
  [
    gaveUp({ ...get, attempt: 1, reason: { _tag: "AttemptsSpent", maxAttempts: 1 } }),
    "gave up: GET api.example → 503 after 1 attempt, 1.5 s (the only attempt spent)"
  ],
  [
    gaveUp({ ...get, reason: { _tag: "BucketEmpty" } }),
    "gave up: GET api.example → 503 after 2 attempts, 1.5 s (the bucket refused the retry)"
  ],
  [
    gaveUp({ ...get, attempt: 1, reason: { _tag: "StoodDown", outer: "job" } }),
    "gave up: GET api.example → 503 after 1 attempt, 1.5 s (left to job, which retries itself)"
  ],
  [
    gaveUp({ name: "search", error: Untrusted.shown(new Retry.ResultRejected({ result: "secret" })) }),
    "gave up: search → a rejected result after 2 attempts, 1.5 s (all attempts spent)"
  ],
  [
    retried({ ...get, maxAttempts: 4, verdict: hinted, delay: millis(400) }),
    "retry 2 of 3 in 400 ms: GET api.example → 503 (Throttling, asked to wait 400 ms)"
  ],
  [
    retried({
      name: "payments",
      error: Untrusted.shown(declined),
      maxAttempts: Infinity,
      delay: millis(13.382000000000003)
    }),
    'retry 2 in 13 ms: payments → Declined "try again later" (Throttling)'
  ],
  [retried({ ...get, maxAttempts: 2, delay: millis(0) }), "retry 2 at once: GET api.example → 503 (Throttling)"],
  [
    failed({ ...get, attempt: 1, verdict: hinted, ran: millis(120) }),
    "attempt 1 failed: GET api.example → 503 in 120 ms (Throttling, asked to wait 400 ms)"
  ],
  [
    failed({ ...get, verdict: Verdict.terminal("POST without Idempotency-Key", { hint: "2 seconds" }) }),
    "attempt 2 failed: GET api.example → 503 in 300 ms (not retryable: POST without Idempotency-Key, asked to wait 2 s)"
  ],
  [
    failed({ name: "", error: Untrusted.shown(undefined), verdict: Verdict.noOpinion }),
    "attempt 2 failed: undefined in 300 ms (no classifier has an opinion)"
  ],
  [succeeded({ ...get, outcome: "200" }), "succeeded: GET api.example → 200 after 2 attempts, 1.5 s"],
  [succeeded({ name: "", attempt: 1 }), "succeeded after 1 attempt, 1.5 s"],
  [nested({ ...get, outcome: "" }), "nested: GET api.example inside attempt 3 of job, which retries too"],
  [nested({ name: "" }), "nested inside attempt 3 of job, which retries too"],
  [
    gaveUp({
      name: "a\nb",
      error: Untrusted.shown(new Declined({ message: 'one\r\ntwo "three" \u2028four\u202e' })),
      reason: { _tag: "Terminal", why: "x\u0000y\u001b[31m" }
    }),
    'gave up: a b → Declined "one\\r\\ntwo \\"three\\"  four " after 2 attempts, 1.5 s (not retryable: x y [31m)'
  ]
]

describe("EventText.line", () => {
  it.each(lines)("tells an operator in one line what happened: %#", (event, text) => {
    expect(line(event)).toBe(text)
  })

  it.effect.prop(
    "is one line of bounded length, whatever is in it",
    [FastCheck.fullUnicodeString({ maxLength: 2000 })],
    ([text]) =>
      Effect.sync(() => {
        const shown = [
          line(gaveUp({ subject: text, outcome: text, reason: { _tag: "Terminal", why: text } })),
          line(
            failed({
              name: text,
              error: Untrusted.shown(new Declined({ message: text })),
              verdict: Verdict.terminal(text)
            })
          ),
          line(nested({ outer: { name: text, attempt: 1 } }))
        ]
        for (const each of shown) {
          expect(each).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
          expect(each.length).toBeLessThan(700)
        }
      }),
    law()
  )
})
