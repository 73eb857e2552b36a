/**
 * Readers inside the attempts: what bounds them, and what becomes of those that end too late.
 */
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, type Classifier, Deadline, Retry, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit } from "effect"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.test/orders/1"
const get = HttpClientRequest.get(url)
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

describe("HttpRetry.execute in time", () => {
  it.effect("tells an opinion when a response came, and of which attempt it is", () =>
    Effect.gen(function* () {
      yield* Effect.sleep("1 minute")
      const moments: Array<Classifier.Moment> = []
      const opinion = (_: unknown, moment: Classifier.Moment) => {
        moments.push(moment)
        return Verdict.noOpinion
      }
      const { client } = scripted(503, { status: 200, after: "2 seconds" })
      yield* HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, opinion }), get, () => Effect.void)
      expect(moments).toEqual([
        { nowMillis: 60_000, attempt: 1, elapsed: Duration.zero },
        { nowMillis: 63_000, attempt: 2, elapsed: Duration.seconds(3) }
      ])
    }).pipe(world)
  )

  const tooSlow = () => "too slow"

  it.effect.each([
    [
      "a timeout before a deadline that cuts",
      { attemptTimeout: AttemptTimeout.constant("2 seconds"), deadline: Deadline.cut("1 hour") },
      3000,
      { cause: { _tag: "AttemptTimedOut", attempt: 2, after: Duration.seconds(2) } }
    ],
    [
      "a deadline that cuts before a timeout",
      { attemptTimeout: AttemptTimeout.constant("1 hour"), deadline: Deadline.cut("2500 millis") },
      2500,
      { cause: { _tag: "DeadlineExceeded", attempts: 2, within: Duration.millis(2500) } }
    ],
    [
      "a timeout with an error of its own",
      { attemptTimeout: AttemptTimeout.constant("2 seconds", { onTimeout: tooSlow }) },
      3000,
      "too slow"
    ],
    [
      "a deadline with an error of its own",
      { deadline: Deadline.cut("2500 millis", { onExceeded: tooSlow }) },
      2500,
      "too slow"
    ]
  ] as const)("ends the reading of the last response by %s", ([, bounds, millis, expected]) =>
    Effect.gen(function* () {
      yield* Effect.sleep("1 minute")
      const bounded = HttpRetry.withRetry(scripted(503).client, { ...policy, ...bounds, maxAttempts: 2 })
      const error: unknown = yield* Effect.flip(HttpRetry.execute(bounded, get, () => Effect.never))
      if (typeof expected === "string") expect(error).toBe(expected)
      else expect(error).toMatchObject(expected)
      expect((yield* nowMillis) - 60_000).toBe(millis)
    }).pipe(world)
  )

  it.effect("fails with the error of the last attempt when an earlier reading ends too late", () =>
    Effect.gen(function* () {
      let sent = 0
      const client = HttpClient.make((request) =>
        ++sent === 1
          ? Effect.succeed(HttpClientResponse.fromWeb(request, new Response("first")))
          : Effect.delay(
              Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: Faults.reset })),
              "1 second"
            )
      )
      const attemptTimeout = AttemptTimeout.disconnected(AttemptTimeout.constant("2 seconds"))
      const retried = HttpRetry.withRetry(client, { ...policy, attemptTimeout, maxAttempts: 2 })
      // The second attempt runs from 3 seconds to 4.
      const late = Effect.uninterruptible(Effect.delay(Effect.fail("late"), "3500 millis"))
      const error: unknown = yield* Effect.flip(HttpRetry.execute(retried, get, () => late))
      expect(error).toMatchObject({ _tag: "RequestError", cause: Faults.reset })
    }).pipe(world)
  )
})

describe("HttpRetry.execute of a response that is given up on", () => {
  it.effect.each([
    ["fails", Effect.fail("unwanted"), [503], Exit.fail("unwanted")],
    ["dies", Effect.die("a bug"), [], Exit.die("a bug")]
  ] as const)("shows it to combinators above the retries, and not that its reader %s", ([, read, shown, expected]) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const tapped = HttpRetry.withRetry(scripted(503).client, { ...policy, maxAttempts: 1 }).pipe(
        HttpClient.tap(({ status }) => Effect.sync(() => void seen.push(status))),
        HttpClient.tapError((error) => Effect.sync(() => void seen.push(error)))
      )
      expect(yield* Effect.exit(HttpRetry.execute(tapped, get, () => read))).toEqual(expected)
      expect(seen).toEqual(shown)
    }).pipe(world)
  )
})

describe("HttpRetry.execute with errors that no classifier knows", () => {
  const failing = HttpClient.transformResponse(scripted(200).client, () => Effect.fail("of the client"))

  it.effect.each([
    ["a reader", scripted(200).client, "the response could not be read"],
    ["a client", failing, "no classifier has an opinion"]
  ] as ReadonlyArray<readonly [string, HttpClient.HttpClient.With<unknown>, string]>)(
    "says whose they are: %s",
    ([, client, why]) =>
      Effect.gen(function* () {
        const { observe, reasons } = Scripted.gaveUp()
        const retried = HttpRetry.withRetry(client, { ...policy, observe })
        yield* Effect.flip(HttpRetry.execute(retried, get, () => Effect.fail("of the reader")))
        expect(reasons.map(Retry.format)).toEqual([`not retryable: ${why}`])
      }).pipe(world)
  )
})
