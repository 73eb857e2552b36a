import type { Backoff, Observe, Policy, Retry } from "@effect-retry/core"
import { Retry as Retrying } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { GoogleClassifier, LostAnswer, RetrySettings, StorageRetry } from "@effect-retry/google"
import { StatusCode } from "@effect-retry/grpc"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import type { HttpClient, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { answer, type Answer, broken, exchange, ok, reset, unavailable } from "../src/http-scripted.ts"
import { hear, hearing } from "./heard.ts"
import { rowsOf, tableOf } from "./rows.ts"

const path = "packages/google/README.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0.5))))

/** The reason of the last operation that gave up. */
let reason: Retry.StopReason | undefined
const listen: Observe.Observer = (event) =>
  Effect.sync(() => {
    if (event._tag === "GaveUp") reason = event.reason
  })
const observe = [listen, hear]

const objects = "https://storage.googleapis.com/storage/v1/b/photos/o"

type Answers = readonly [Answer, ...ReadonlyArray<Answer>]

const stored = <A, E, R>(use: (client: HttpClient.HttpClient) => Effect.Effect<A, E, R>, ...answers: Answers) =>
  exchange(answers, (client) => use(StorageRetry.withRetry(client, { observe })))

const read = (...answers: Answers) => stored((client) => client.get(`${objects}/cat`), ...answers)

const error = (status: number, content: object): Answer =>
  answer(status, { "content-type": "application/json" }, JSON.stringify({ error: { code: status, ...content } }))

/** The upper end of what the delay of a retry is drawn from. */
const longest = ({ tree }: Backoff.Backoff, n: number): number => {
  let delayMillis = NaN
  for (let retry = 1; retry <= n; retry++) {
    const stepped = BackoffTree.step(tree, { u: 1 - 2 ** -53, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    delayMillis = stepped?.delayMillis ?? NaN
    tree = stepped?.rest ?? tree
  }
  return delayMillis
}

const shown = (value: unknown): string =>
  value === undefined ? "absent" : Array.isArray(value) ? value.join(", ") : String(value)

describe(`${path} ## Defaults`, () => {
  const standard: Policy.Preset<unknown> & typeof StorageRetry.standard = StorageRetry.standard
  const judged = (code: string) => GoogleClassifier.aip194({ code }, {} as never)._tag

  virtually("are what the table says, row by row", () =>
    Effect.sync(() => {
      const settings = RetrySettings.make({})
      const values = {
        "`StorageRetry.standard` `maxAttempts`": standard.maxAttempts,
        "`StorageRetry.standard` base": longest(standard.backoff, 1),
        "`StorageRetry.standard` factor": longest(standard.backoff, 2) / longest(standard.backoff, 1),
        "`StorageRetry.standard` cap": longest(standard.backoff, 50),
        "`StorageRetry.standard` jitter": [
          ...new Set(JSON.stringify(standard.backoff.tree).match(/(?<="jitter":\{"name":")\w+/g))
        ],
        "`StorageRetry.standard` `hint`": standard.hint?._tag,
        "`StorageRetry.standard` `attemptTimeout`": standard.attemptTimeout,
        "`StorageRetry.standard` `deadline`": standard.deadline,
        "`StorageRetry.standard` strategy": standard.idempotency.rules.strategy,
        "`GoogleClassifier.httpTables` reasons": Object.keys(GoogleClassifier.httpTables.reasons),
        "`GoogleClassifier.httpTables` `retryInfo`": GoogleClassifier.httpTables.retryInfo,
        "`GoogleClassifier.aip194` codes": StatusCode.names.filter((code) => judged(code) === "Retryable"),
        "`RetrySettings.make` `maxAttempts`": settings.maxAttempts,
        "`RetrySettings.make` `totalTimeout`": Duration.toMillis(settings.totalTimeout)
      }
      const rows = rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value])
      expect(Object.entries(values).map(([option, value]) => [option, shown(value)])).toEqual(rows)
    })
  )
})

tableOf(
  path,
  "## What it does when",
  {
    "A read is answered with 408, 429 or 5xx, or its connection breaks": () =>
      virtually("waits, and sends it again", () =>
        Effect.gen(function* () {
          for (const failure of [answer(408), answer(429), unavailable, answer(599), reset]) {
            expect(yield* read(failure, ok)).toMatchObject({ sent: [0, 500], outcome: 200 })
          }
        })
      ),

    "A write with its precondition is answered with 503, or its connection breaks": () =>
      virtually("waits, and sends it again", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* stored(
            (client) => client.del(`${objects}/cat?ifGenerationMatch=7`),
            unavailable,
            answer(204)
          )
          expect([sent, outcome]).toEqual([[0, 500], 204])
        })
      ),

    "A write without a precondition is answered with 503, or its connection breaks": () =>
      virtually("succeeds with the response", () =>
        Effect.gen(function* () {
          expect(yield* stored((client) => client.patch(`${objects}/cat`), unavailable)).toMatchObject({
            sent: [0],
            outcome: 503
          })
          expect(reason).toMatchObject({ why: "objects.patch without ifMetagenerationMatch or If-Match" })
        })
      ),

    "An operation that may never be repeated is answered with 503, or its connection breaks": () =>
      virtually("succeeds with the response", () =>
        Effect.gen(function* () {
          const url = "https://storage.googleapis.com/storage/v1/projects/p/hmacKeys"
          expect((yield* stored((client) => client.post(url), unavailable)).outcome).toBe(503)
          expect(reason).toMatchObject({ why: "hmacKey.create may never be repeated" })
        })
      ),

    "The connection of a write was refused": () =>
      virtually("sends it again: it was not sent", () =>
        Effect.gen(function* () {
          const refused = broken({ code: "ECONNREFUSED", syscall: "connect" })
          const { outcome, sent } = yield* stored((client) => client.patch(`${objects}/cat`), refused, ok)
          expect([sent, outcome]).toEqual([[0, 500], 200])
        })
      ),

    "A read is answered with a 403 whose reason is a rate limit": () =>
      virtually("waits, and sends it again", () =>
        Effect.gen(function* () {
          for (const name of ["rateLimitExceeded", "userRateLimitExceeded"]) {
            expect((yield* read(error(403, { errors: [{ reason: name }] }), ok)).outcome).toBe(200)
          }
        })
      ),

    "A read is answered with any other 403": () =>
      virtually("succeeds with the response, whose body can be read", () =>
        Effect.gen(function* () {
          const text = (client: HttpClient.HttpClient) =>
            Effect.flatMap(
              client.get(`${objects}/cat`),
              (response: HttpClientResponse.HttpClientResponse) => response.text
            )
          const { outcome } = yield* stored(text, error(403, { errors: [{ reason: "forbidden" }] }))
          expect(outcome).toContain("forbidden")
        })
      ),

    "The body has a `RetryInfo`": () =>
      virtually("waits at least that long", () =>
        Effect.gen(function* () {
          const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }]
          const { sent } = yield* read(error(503, { details }), ok)
          expect(sent[1]).toBeGreaterThanOrEqual(7000)
        })
      ),

    "All attempts are spent": () =>
      virtually("succeeds with the last response", () =>
        Effect.gen(function* () {
          expect(yield* read(unavailable)).toMatchObject({ sent: { length: 6 }, outcome: 503 })
          expect(reason?._tag).toBe("AttemptsSpent")
        })
      ),

    "`LostAnswer.suspected`, and a repeated write is refused with 412": () =>
      virtually("fails with `MayBeOwnSuccess`", () =>
        Effect.gen(function* () {
          const { outcome } = yield* exchange([unavailable, answer(412)], (client) =>
            LostAnswer.suspected(StorageRetry.withRetry(client, StorageRetry.standard)).del(
              `${objects}/cat?ifGenerationMatch=7`
            )
          )
          expect(outcome).toMatchObject({ _tag: "MayBeOwnSuccess", attempt: 2 })
        })
      ),

    "`RetrySettings.toPolicy`, and the next attempt would start at the total timeout": () =>
      virtually("fails with the last error, without a wait", () =>
        Effect.gen(function* () {
          const settings = { initialRetryDelay: 1000, maxRetryDelay: 1000, jittered: false, totalTimeout: 2000 }
          const policy = { ...RetrySettings.toPolicy(settings, { codes: ["UNAVAILABLE"] }), observe }
          expect(yield* Effect.flip(Retrying.retry(Effect.fail({ code: 14 }), policy))).toEqual({ code: 14 })
          expect(yield* Clock.currentTimeMillis).toBe(1000)
          expect(reason?._tag).toBe("DeadlinePassed")
        })
      )
  },
  hearing
)
