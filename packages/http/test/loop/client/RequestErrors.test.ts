import { AttemptTimeout, Backoff, Deadline, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.test/?key=secret"
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

/** What each attempt is told of the one before, of which the first ends with a timeout of the caller's own. */
const timedOut = (url: string, message: string) =>
  Effect.gen(function* () {
    const outcomes: Array<unknown> = []
    const attemptHeaders = ({ previous }: HttpRetry.Attempt) => {
      outcomes.push(Option.getOrUndefined(previous)?.outcome)
      return {}
    }
    const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: () => new Error(message) })
    const { client } = scripted({ status: 200, after: "1 hour" }, 200)
    yield* HttpRetry.withRetry(client, { ...policy, attemptHeaders, attemptTimeout }).get(url)
    return outcomes
  })

describe("RequestErrors of a policy", () => {
  it.effect.each([
    ["a timeout", { attemptTimeout: AttemptTimeout.constant("1 second") }, "attempt 3 took longer than 1s"],
    ["a deadline", { deadline: Deadline.cut("1 second") }, "not done within 1s, after 1 attempt"],
    ["a rate limiter", { rateLimiter: TokenBucket.empty }, "the rate limiter did not grant attempt 1"]
  ] as const)("are errors of the transport, and say what happened: %s", ([, fields, description]) =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, after: "1 hour" })
      const error = yield* Effect.flip(HttpRetry.withRetry(client, { ...policy, ...fields }).get(url))
      expect(error).toMatchObject({ _tag: "RequestError", reason: "Transport" })
      expect(error.message).toContain(description)
      expect(error.message).not.toContain("secret")
    }).pipe(world)
  )

  it.effect("do not say what an error of the caller's own says", () =>
    Effect.gen(function* () {
      const outcomes = yield* timedOut(url, "secret")
      expect(outcomes).toMatchObject([undefined, { _tag: "RequestError", cause: { original: { message: "secret" } } }])
      expect(outcomes[1]).not.toHaveProperty("description")
      expect(String(outcomes[1])).not.toContain("secret")
    }).pipe(world)
  )

  it.effect("know the URL of the request in such an error, and hide a query with blanks in it", () =>
    Effect.gen(function* () {
      const withBlanks = "http://api.test/items?key=one two"
      const outcomes = yield* timedOut(withBlanks, `no answer from ${withBlanks} in time`)
      expect(outcomes).toMatchObject([
        undefined,
        { cause: { message: "no answer from http://api.test/items?key=REDACTED in time" } }
      ])
    }).pipe(world)
  )
})
