import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AwsHeaders } from "@effect-retry/aws"
import { Backoff, Retry } from "@effect-retry/core"
import { HttpClassifier, HttpRetry } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Ref } from "effect"

/** RFC 9562, section 5.4. */
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

interface Sent {
  readonly id: string | undefined
  readonly request: string | undefined
}

/** A client whose server is not there, and the headers of its requests. */
const unavailable = Effect.map(Ref.make<ReadonlyArray<Sent>>([]), (sent) => ({
  sent: Ref.get(sent),
  client: HttpClient.make((request) =>
    Effect.as(
      Ref.update(sent, (before) => [
        ...before,
        { id: request.headers["amz-sdk-invocation-id"], request: request.headers["amz-sdk-request"] }
      ]),
      HttpClientResponse.fromWeb(request, new Response(null, { status: 503 }))
    )
  )
}))

const backoff = Backoff.constant({ delay: "1 second" })

describe("AwsHeaders.invocationId", () => {
  it.effect("is a UUID of version 4, a new one each time", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(AwsHeaders.invocationId, 1_000)
      expect(ids.filter((id) => !version4.test(id))).toEqual([])
      expect(new Set(ids).size).toBe(ids.length)
    }).pipe(Effect.provide(SeededRandom.layer(20_261_122)))
  )

  it.effect.each([
    [0, "00000000-0000-4000-8000-000000000000"],
    [1 - Number.EPSILON, "ffffffff-ffff-4fff-bfff-ffffffffffff"],
    // Of the first digit of the fourth group, two bits are the draw's.
    [0x12345678 / 2 ** 32, "12345678-1234-4678-9234-567812345678"],
    [0x6bcdef01 / 2 ** 32, "6bcdef01-6bcd-4f01-abcd-ef016bcdef01"],
    [0xf0000000 / 2 ** 32, "f0000000-f000-4000-b000-0000f0000000"]
  ] as const)("comes from Random alone: %d", ([u, expected]) =>
    Effect.gen(function* () {
      expect(yield* AwsHeaders.invocationId).toBe(expected)
    }).pipe(Effect.provide(SeededRandom.layerConstant(u)))
  )
})

describe("AwsHeaders over a client of @effect-retry/http", () => {
  it.effect("counts the attempts of an operation under one id, and gives the next operation another one", () =>
    Effect.gen(function* () {
      const { client, sent } = yield* unavailable
      const retried = client.pipe(
        HttpClient.mapRequestEffect(AwsHeaders.withInvocationId),
        HttpRetry.withRetry({
          ...HttpRetry.standard,
          backoff,
          attemptHeaders: AwsHeaders.attemptHeaders({ maxAttempts: 3 })
        })
      )
      const get = retried.get("http://localhost/")
      const [first, second] = yield* VirtualClock.run(Effect.zip(get, get))
      expect([first.status, second.status]).toEqual([503, 503])
      const requests = yield* sent
      const counted = ["attempt=1; max=3", "attempt=2; max=3", "attempt=3; max=3"]
      expect(requests.map(({ request }) => request)).toEqual([...counted, ...counted])
      const [one, two] = [requests.slice(0, 3), requests.slice(3)].map((each) => new Set(each.map(({ id }) => id)))
      expect([one?.size, two?.size]).toEqual([1, 1])
      expect(one).not.toEqual(two)
      for (const { id } of requests) expect(id).toMatch(version4)
    }).pipe(Effect.provide(SeededRandom.layer("headers")))
  )
})

describe("AwsHeaders.current", () => {
  const wall = Date.parse("2019-06-01T00:00:00Z")
  const request = HttpClientRequest.get("http://localhost/")

  /** A request under core's loop, its headers made for each attempt. */
  const headersSent = (options: Omit<AwsHeaders.Options, "invocationId">) =>
    Effect.gen(function* () {
      const { client, sent } = yield* unavailable
      yield* VirtualClock.setWallTime(wall)
      const invocationId = yield* AwsHeaders.invocationId
      const attempt = Effect.gen(function* () {
        const headers = yield* AwsHeaders.current({ ...options, invocationId })
        return yield* HttpClient.filterStatusOk(client).execute(HttpClientRequest.setHeaders(request, headers))
      })
      yield* Effect.ignore(
        Retry.retry(attempt, {
          classifier: HttpClassifier.standard,
          maxAttempts: 3,
          backoff,
          attempt: Retry.CurrentAttempt
        })
      )
      const requests = yield* sent
      expect(requests.map(({ id }) => id)).toEqual(requests.map(() => invocationId))
      return requests.map(({ request }) => request)
    }).pipe(VirtualClock.run)

  it.effect("counts the attempts under one id", () =>
    Effect.gen(function* () {
      expect(yield* headersSent({ maxAttempts: 3 })).toEqual([
        "attempt=1; max=3",
        "attempt=2; max=3",
        "attempt=3; max=3"
      ])
    })
  )

  it.effect("says by the clock of each attempt how long the client waits for its answer", () =>
    Effect.gen(function* () {
      expect(yield* headersSent({ maxAttempts: 3, ttl: { readTimeout: "10 seconds" } })).toEqual([
        "ttl=20190601T000010Z; attempt=1; max=3",
        "ttl=20190601T000011Z; attempt=2; max=3",
        "ttl=20190601T000012Z; attempt=3; max=3"
      ])
    })
  )

  it.effect("adds the skew that is known at the attempt", () =>
    Effect.gen(function* () {
      const measured = yield* Ref.make(0)
      const skewMillis = Ref.getAndUpdate(measured, (skew) => skew + Duration.toMillis("10 minutes"))
      expect(yield* headersSent({ maxAttempts: 3, ttl: { readTimeout: "10 seconds", skewMillis } })).toEqual([
        "ttl=20190601T000010Z; attempt=1; max=3",
        "ttl=20190601T001011Z; attempt=2; max=3",
        "ttl=20190601T002012Z; attempt=3; max=3"
      ])
    })
  )

  it.effect("leaves out a moment that cannot be written", () =>
    Effect.gen(function* () {
      const skewMillis = Effect.succeed(Infinity)
      expect(yield* headersSent({ maxAttempts: 3, ttl: { readTimeout: "10 seconds", skewMillis } })).toContain(
        "attempt=1; max=3"
      )
    })
  )

  it("refuses zero attempts, and a timeout without an end, before it runs", () => {
    const invocationId = "00000000-0000-4000-8000-000000000000"
    expect(() => AwsHeaders.current({ invocationId, maxAttempts: 0 })).toThrow(
      "AwsHeaders.current: maxAttempts must be a whole number >= 1, got 0"
    )
    expect(() => AwsHeaders.current({ invocationId, maxAttempts: 3, ttl: { readTimeout: Infinity } })).toThrow(
      "AwsHeaders.current: ttl.readTimeout must be a finite duration >= 0, got Infinity"
    )
  })
})

describe("AwsHeaders.attemptHeaders", () => {
  it.each([0, 1.5, NaN, Infinity])("refuses %d attempts", (maxAttempts) => {
    expect(() => AwsHeaders.attemptHeaders({ maxAttempts })).toThrow(
      `AwsHeaders.attemptHeaders: maxAttempts must be a whole number >= 1, got ${maxAttempts}`
    )
  })
})
