import { describe, expect, it } from "@effect/vitest"
import { isServerError, isThrottlingError, isTransientError } from "@smithy/core/retry"
import { HttpResponse } from "@smithy/core/protocols"
import type { RetryErrorInfo, RetryToken, SdkError } from "@smithy/types"
import { FastCheck } from "effect"
import * as SharedTime from "./SdkRuns/SharedTime.ts"
import type { Mode, Side } from "./SdkRuns/Strategies.ts"
import { ours, theirs } from "./SdkRuns/Strategies.ts"

const draws = [0, 0.5, 0.9, 0.123, 0.777, 0.3141, 0.999]

interface Failure {
  readonly name: string
  readonly status?: number
  readonly code?: string
  readonly retryAfterMillis?: number
  readonly cause?: Failure
}

const failures: ReadonlyArray<Failure> = [
  { name: "InternalServerError", status: 500 },
  { name: "ServiceUnavailable", status: 503, retryAfterMillis: 700 },
  { name: "ThrottlingException", status: 400 },
  { name: "SlowDown", status: 503, retryAfterMillis: 9_000 },
  { name: "TimeoutError" },
  { name: "Error", code: "ECONNRESET" },
  { name: "ValidationException", status: 400 },
  { name: "AbortError" },
  { name: "HttpVersionNotSupported", status: 505 },
  // A proxy in front of the service answers without a code.
  { name: "UnknownError", status: 429 },
  { name: "UnknownError", status: 408 },
  { name: "InternalError", status: 400 },
  { name: "Error", code: "ECONNABORTED" },
  { name: "Error", cause: { name: "ThrottlingException", status: 400 } },
  { name: "Error", cause: { name: "Error", code: "EPIPE" } }
]

/** A step of one of several operations: its attempt succeeds or fails. Time passes before it. */
interface Step {
  readonly operation: number
  readonly failure: Failure | undefined
  readonly afterMillis: number
}

const errorOf = ({ cause, code, name, retryAfterMillis, status }: Failure): SdkError =>
  Object.assign(new Error(name), {
    name,
    ...(cause !== undefined && { cause: errorOf(cause) }),
    ...(code !== undefined && { code }),
    $metadata: { httpStatusCode: status },
    ...(status !== undefined && {
      $response: new HttpResponse({
        statusCode: status,
        headers: retryAfterMillis === undefined ? {} : { "x-amz-retry-after": String(retryAfterMillis) }
      })
    })
  }) as SdkError

/** As the retry middleware of @smithy/core 3.41.0 describes a failure. */
const infoOf = (failure: Failure): RetryErrorInfo => {
  const error = errorOf(failure)
  const { retryAfterMillis } = failure
  return {
    error,
    errorType: isThrottlingError(error)
      ? "THROTTLING"
      : isTransientError(error)
        ? "TRANSIENT"
        : isServerError(error)
          ? "SERVER_ERROR"
          : "CLIENT_ERROR",
    ...(retryAfterMillis !== undefined && { retryAfterHint: new Date(Date.now() + retryAfterMillis) })
  }
}

interface Seen {
  readonly did: string
  readonly retries: number
  readonly delayMillis: number
  readonly waits: ReadonlyArray<number>
  readonly level: number
}

/** As the middleware adds it to `totalRetryDelay`. */
const waitedFor = (token: RetryToken | undefined): number =>
  (token?.getRetryDelay() ?? 0) + (token?.$retryLog?.acquisitionDelay ?? 0)

/** Takes the steps one after the other, and answers what was seen after each. */
const walk = async (side: Side, time: SharedTime.SharedTime, { draws, scope, steps }: Walk): Promise<Array<Seen>> => {
  const { level, strategy } = side
  const tokens = new Map<number, RetryToken>()
  const seen: Array<Seen> = []
  const look = (did: string, token: RetryToken | undefined) =>
    seen.push({
      did,
      retries: token?.getRetryCount() ?? -1,
      // The middleware does not ask a first token for its delay.
      delayMillis: did === "refreshed" ? waitedFor(token) : 0,
      waits: time.waits.splice(0),
      level: level()
    })
  for (const [i, { afterMillis, failure, operation }] of steps.entries()) {
    time.nowMillis += afterMillis
    // The SDK also draws for failures of long polls that it does not retry: one draw for whatever a step needs.
    time.draw = draws[i % draws.length] ?? 0
    let token = tokens.get(operation)
    if (token === undefined) {
      token = await strategy.acquireInitialRetryToken(scope)
      look("acquired", token)
    }
    tokens.delete(operation)
    if (failure === undefined) {
      strategy.recordSuccess(token)
      look("succeeded", undefined)
    } else {
      const next = await strategy.refreshRetryTokenForRetry(token, infoOf(failure)).catch(() => undefined)
      look(next === undefined ? "refused" : "refreshed", next)
      if (next !== undefined) tokens.set(operation, next)
    }
  }
  return seen
}

interface Walk {
  readonly steps: ReadonlyArray<Step>
  readonly scope: string
  readonly draws: ReadonlyArray<number>
}

const both = async (mode: Mode, steps: ReadonlyArray<Step>, scope: string, drawn: ReadonlyArray<number> = draws) => {
  // One after the other: what stands for the clock of the SDK is global.
  const seen = async (make: typeof ours) => {
    const time = SharedTime.make()
    const side = await make(mode, time)
    return side.run(() => walk(side, time, { steps, scope, draws: drawn }))
  }
  return { theirs: await seen(theirs), ours: await seen(ours) }
}

const step: FastCheck.Arbitrary<Step> = FastCheck.record({
  operation: FastCheck.integer({ min: 0, max: 3 }),
  failure: FastCheck.oneof(
    { weight: 1, arbitrary: FastCheck.constant(undefined) },
    { weight: 3, arbitrary: FastCheck.constantFrom(...failures) }
  ),
  afterMillis: FastCheck.constantFrom(0, 40, 300, 1_000)
})

/** A test of its own empties the quota. */
const steps = FastCheck.array(step, { minLength: 1, maxLength: 80 })

const property = (check: (steps: ReadonlyArray<Step>) => Promise<void>, numRuns: number) =>
  FastCheck.assert(FastCheck.asyncProperty(steps, check), { seed: 20261122, numRuns })

describe("SdkRetryStrategy.make beside the SDK's own strategies", () => {
  it.each<readonly [Mode, string]>([
    ["standard", ""],
    ["standard", "aws:longpoll"],
    ["dynamodb", ""]
  ])("%s: the same tokens, waits and quota, in the scope '%s'", (mode, scope) =>
    property(async (steps) => {
      const { ours, theirs } = await both(mode, steps, scope)
      expect(ours).toEqual(theirs)
    }, 60)
  )

  it("empties the quota alike, and both then delay the end of a long poll", async () => {
    const steps = Array.from({ length: 120 }, (_, operation) => ({
      operation: Math.floor(operation / 3),
      failure: { name: "InternalServerError", status: 500 },
      afterMillis: 0
    }))
    const { ours, theirs } = await both("standard", steps, ":longpoll", [0.5])
    expect(ours).toEqual(theirs)
    expect(theirs.at(-1)).toEqual({ did: "refused", retries: -1, delayMillis: 0, waits: [25], level: 10 })
  })

  it("adaptive: the same tokens and quota, and waits of the rate limiter to the millisecond", () =>
    property(async (steps) => {
      const { ours, theirs } = await both("adaptive", steps, "")
      const timeless = ({ delayMillis, did, level, retries }: Seen) => ({ delayMillis, did, level, retries })
      expect(ours.map(timeless)).toEqual(theirs.map(timeless))
      for (const [i, own] of ours.entries()) {
        const total = (waits: ReadonlyArray<number>) => waits.reduce((sum, wait) => sum + wait, 0)
        expect(Math.abs(total(own.waits) - total(theirs[i]?.waits ?? []))).toBeLessThanOrEqual(1)
      }
    }, 50))
})
