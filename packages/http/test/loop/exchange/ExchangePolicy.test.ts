/**
 * What a rate limiter is told of the attempts of a client.
 */
import { HttpClient } from "@effect/platform"
import { Backoff, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Answering from "../../../src/fund/Answering.ts"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { world } = Scripted

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }), maxAttempts: 2 }

/** A rate limiter that writes down the header `x-id` of each answer, as it reads it when the attempt has ended. */
const reading = () => {
  const heard: Array<string | undefined> = []
  const rateLimiter: TokenBucket.TokenBucket = {
    ...TokenBucket.unlimited,
    started: () => Effect.void,
    record: ({ started }) =>
      Effect.sync(() => {
        heard.push(Answering.isAnswering(started) ? Answering.headersOf(started)?.["x-id"] : "not told")
      })
  }
  return { heard, rateLimiter }
}

const one = { status: 503, headers: { "x-id": "1" } }
const two = { status: 200, headers: { "x-id": "2" } }

describe("Policy.rateLimiter that asks for the answers", () => {
  it.effect.each([
    ["two answers", [one, two], ["1", "2"]],
    ["an error before an answer", [Faults.reset, two], [undefined, "2"]],
    ["an answer before an error", [one, Faults.reset], ["1", undefined]],
    ["no answer", [Faults.reset, Faults.reset], [undefined, undefined]]
  ] as const)("reads the headers of each attempt, and none of another one: %s", ([, steps, expected]) =>
    Effect.gen(function* () {
      for (const filtered of [false, true]) {
        const { client } = Scripted.make(steps[0], steps[1])
        const { heard, rateLimiter } = reading()
        const sending = filtered ? HttpClient.filterStatusOk(client) : client
        yield* Effect.exit(HttpRetry.withRetry(sending, { ...policy, rateLimiter }).get("http://api.test/"))
        expect(heard).toEqual(expected)
      }
    }).pipe(world)
  )

  it.effect("is told nothing of them if it does not ask", () =>
    Effect.gen(function* () {
      const { heard, rateLimiter } = reading()
      const { client } = Scripted.make(one, two)
      const plain = { ...rateLimiter, started: undefined }
      yield* HttpRetry.withRetry(client, { ...policy, rateLimiter: plain }).get("http://api.test/")
      expect(heard).toEqual(["not told", "not told"])
    }).pipe(world)
  )
})
