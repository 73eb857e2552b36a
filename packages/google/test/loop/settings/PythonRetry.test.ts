import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { InvalidArgument } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Struct } from "effect"
import * as StorageIdempotency from "../../../src/decide/StorageIdempotency.ts"
import * as PythonRetry from "../../../src/loop/settings/PythonRetry.ts"
import type { StoragePreset } from "../../../src/loop/settings/StoragePreset.ts"
import * as StorageRetry from "../../../src/loop/storage/StorageRetry.ts"
import { delaysOf, last, same, seconds } from "../../decide/Delays.ts"
import { moment, retried } from "../Predicates.ts"
import { run } from "../Runs.ts"

const apiCore = "googleapis/python-api-core bfc6651, tests/unit/retry"
const storage = "googleapis/python-storage ab4997c, google/cloud/storage/retry.py"

const coreOf = (self: PythonRetry.PythonRetry) => Struct.omit(PythonRetry.toPreset(self), "classifier", "idempotency")

interface Row {
  readonly name: string
  readonly source: string
  readonly retry: PythonRetry.PythonRetry
  /** The greatest delays in seconds. */
  readonly most: ReadonlyArray<number>
  /** Seconds. */
  readonly timeout: number
}

const { standard } = PythonRetry

describe("PythonRetry", () => {
  it.each<Row>([
    {
      name: "standard doubles up to a minute",
      source: storage,
      retry: standard,
      most: [1, 2, 4, 8, 16, 32, 60, 60],
      timeout: 120
    },
    {
      name: "another timeout leaves the delays",
      source: "googleapis/python-storage ab4997c, retry.py, comment of DEFAULT_RETRY",
      retry: { ...standard, timeout: "30 seconds" },
      most: [1, 2, 4, 8, 16, 32, 60, 60],
      timeout: 30
    },
    {
      name: "other delays and another timeout",
      source: "googleapis/python-storage ab4997c, docs/retry_timeout.rst",
      retry: {
        ...standard,
        timeout: "500 seconds",
        initial: "1500 millis",
        multiplier: 1.2,
        maximum: "45 seconds"
      },
      most: [1.5, 1.8, 2.16, 2.592, 3.111, 3.733],
      timeout: 500
    },
    {
      name: "zeros are values",
      source: `${apiCore}/test_retry_base.py`,
      retry: { ...standard, initial: 0, maximum: 0, multiplier: 0 },
      most: [0, 0, 0, 0, 0, 0],
      timeout: 120
    },
    {
      name: "an initial delay of zero never waits",
      source: `${apiCore}/test_retry_base.py`,
      retry: { ...standard, initial: 0 },
      most: [0, 0, 0, 0, 0, 0],
      timeout: 120
    },
    {
      name: "a maximum of zero never waits",
      source: `${apiCore}/test_retry_base.py`,
      retry: { ...standard, maximum: 0 },
      most: [0, 0, 0, 0, 0, 0],
      timeout: 120
    },
    {
      name: "a multiplier of zero waits once",
      source: `${apiCore}/test_retry_base.py`,
      retry: { ...standard, multiplier: 0 },
      most: [1, 0, 0, 0, 0, 0],
      timeout: 120
    }
  ])("$name ($source)", ({ most, retry, timeout }) => {
    const { backoff, deadline, maxAttempts } = PythonRetry.toPreset(retry)
    expect(maxAttempts).toBe(Infinity)
    expect(delaysOf(backoff, same(0, most.length))).toEqual(same(0, most.length))
    expect(delaysOf(backoff, same(last, most.length))).toEqual(seconds(...most))
    // An attempt may still start when the timeout itself is reached.
    expect(deadline).toMatchObject({ _tag: "Refuse", withinMillis: timeout * 1000 + 1, reserveMillis: 1 })
  })
})

describe("PythonRetry.toPreset", () => {
  it.effect.each<{
    readonly name: string
    readonly retry: PythonRetry.PythonRetry
    readonly takes: number
    readonly starts: ReadonlyArray<number>
  }>([
    {
      // https://github.com/googleapis/python-api-core bfc6651, tests/unit/retry/test_retry_unary.py: 5 calls, sleeps 1, 2, 4, 8.
      name: "refuses the wait that would pass the timeout",
      retry: { ...standard, maximum: "1024 seconds", timeout: "30900 millis" },
      takes: 0,
      starts: [0, 1, 3, 7, 15]
    },
    {
      // The same, with attempts that end at 5 and 11 seconds.
      name: "refuses after an attempt that passed the timeout itself",
      retry: { ...standard, initial: 0, timeout: "10 seconds" },
      takes: 5500,
      starts: [0, 5.5]
    },
    {
      name: "sends once more exactly at the timeout",
      retry: { ...standard, timeout: "3 seconds" },
      takes: 0,
      starts: [0, 1, 3]
    },
    {
      name: "makes no retry with a wait under a timeout of zero",
      retry: { ...standard, timeout: 0 },
      takes: 0,
      starts: [0]
    }
  ])("$name", ({ retry, starts, takes }) =>
    Effect.gen(function* () {
      const ran = yield* run(coreOf(retry), last, takes)
      expect(ran).toMatchObject({ starts: seconds(...starts), reason: "DeadlinePassed" })
      expect(ran.ended).toBe((ran.starts.at(-1) ?? NaN) + takes)
    })
  )

  it("has no deadline if the timeout is infinite", () => {
    expect(PythonRetry.toPreset({ ...standard, timeout: Duration.infinity })).not.toHaveProperty("deadline")
  })

  it("of none makes one attempt", () => {
    const { classifier, idempotency, maxAttempts } = PythonRetry.none
    expect([maxAttempts, classifier, idempotency]).toEqual([1, PythonRetry.shouldRetry, StorageIdempotency.never])
  })
})

const base = "https://storage.googleapis.com/storage/v1/b/photos"
const object = `${base}/o/cat`

const requests = {
  reads: HttpClientRequest.get(object),
  "deletes a generation": HttpClientRequest.del(object, { urlParams: { generation: "12" } }),
  "deletes with ifGenerationMatch": HttpClientRequest.del(object, { urlParams: { ifGenerationMatch: "0" } }),
  "patches with ifMetagenerationMatch": HttpClientRequest.patch(object, { urlParams: { ifMetagenerationMatch: "3" } }),
  "sets a policy with an etag": HttpClientRequest.put(`${base}/iam`).pipe(
    HttpClientRequest.bodyUnsafeJson({ etag: "CAE=", bindings: [] })
  ),
  "sets a policy with the header alone": HttpClientRequest.put(`${base}/iam`, {
    headers: { "if-match": '"CAE="' }
  }).pipe(HttpClientRequest.bodyUnsafeJson({ bindings: [] })),
  "creates a notification": HttpClientRequest.post(`${base}/notificationConfigs`)
}

/** How often each request is sent to a server that is unavailable. */
const sent = (preset: StoragePreset) =>
  Effect.gen(function* () {
    const counts: Record<string, number> = {}
    for (const [name, request] of Object.entries(requests)) {
      let count = 0
      const unavailable = HttpClient.make((given) => {
        count += 1
        return Effect.succeed(HttpClientResponse.fromWeb(given, new Response(null, { status: 503 })))
      })
      yield* StorageRetry.withRetry(unavailable, preset).execute(request)
      counts[name] = count
    }
    return counts
  }).pipe(VirtualClock.run)

const thrice = (self: PythonRetry.PythonRetry): StoragePreset => ({
  ...PythonRetry.toPreset({ ...self, initial: 0 }),
  maxAttempts: 3
})

describe("PythonRetry and requests", () => {
  it.effect.each<{
    readonly name: string
    readonly preset: StoragePreset
    readonly counts: ReadonlyArray<number>
  }>([
    { name: "standard", preset: thrice(standard), counts: [3, 3, 3, 3, 3, 3, 3] },
    { name: "ifGenerationSpecified", preset: thrice(PythonRetry.ifGenerationSpecified), counts: [1, 3, 3, 1, 1, 1, 1] },
    {
      name: "ifMetagenerationSpecified",
      preset: thrice(PythonRetry.ifMetagenerationSpecified),
      counts: [1, 1, 1, 3, 1, 1, 1]
    },
    { name: "ifEtagInJson", preset: thrice(PythonRetry.ifEtagInJson), counts: [1, 1, 1, 1, 3, 1, 1] },
    { name: "none", preset: PythonRetry.none, counts: [1, 1, 1, 1, 1, 1, 1] },
    { name: "none with more attempts", preset: { ...PythonRetry.none, maxAttempts: 3 }, counts: [1, 1, 1, 1, 1, 1, 1] }
  ])("$name sends again what its condition says", ({ counts, preset }) =>
    Effect.gen(function* () {
      const names = Object.keys(requests)
      expect(yield* sent(preset)).toEqual(Object.fromEntries(names.map((name, i) => [name, counts[i]])))
    })
  )

  it.effect("keeps the condition in a changed copy", () =>
    Effect.gen(function* () {
      const predicate = PythonRetry.ifTransientError
      const copy: PythonRetry.PythonRetry = { ...PythonRetry.ifEtagInJson, timeout: "30 seconds", predicate }
      expect(yield* sent(thrice(copy))).toMatchObject({ reads: 1, "sets a policy with an etag": 3 })
    })
  )
})

describe("PythonRetry predicates", () => {
  it.each([
    {
      name: "ifTransientError",
      predicate: PythonRetry.ifTransientError,
      statuses: [429, 500, 503],
      source: "googleapis/python-api-core bfc6651, google/api_core/retry/retry_base.py"
    },
    {
      name: "shouldRetry",
      predicate: PythonRetry.shouldRetry,
      statuses: [408, 429, 500, 502, 503, 504],
      source: storage
    }
  ])("$name retries the statuses of Python ($source)", ({ predicate, statuses }) => {
    expect(retried(predicate)).toEqual(statuses)
  })

  it("retry connection errors", () => {
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })
    for (const predicate of [PythonRetry.ifTransientError, PythonRetry.shouldRetry]) {
      expect(predicate(reset, moment)._tag).toBe("Retryable")
    }
  })

  it("read no wait from the response", () => {
    const response = HttpClientResponse.fromWeb(
      HttpClientRequest.get("http://localhost"),
      new Response(null, { status: 503, headers: { "retry-after": "7" } })
    )
    expect(PythonRetry.shouldRetry(response, moment)).toMatchObject({ _tag: "Retryable", hint: { _tag: "None" } })
  })
})

describe("PythonRetry.forPayload", () => {
  it("takes other delays and another time", () => {
    const copy = { ...PythonRetry.ifGenerationSpecified, initial: 0, timeout: "5 minutes" } as const
    expect(PythonRetry.forPayload(copy)).toBe(copy)
  })

  it.each([
    ["another predicate", { ...standard, predicate: PythonRetry.ifTransientError }],
    ["a predicate of one's own", { ...standard, predicate: (_: unknown) => PythonRetry.shouldRetry(_, moment) }]
  ])("refuses %s", (_, retry) => {
    expect(() => PythonRetry.forPayload(retry)).toThrow(InvalidArgument.InvalidArgument)
    expect(() => PythonRetry.forPayload(retry)).toThrow(
      'PythonRetry.forPayload: predicate must be shouldRetry, the only one for payloads, got "another one"'
    )
  })
})

describe("PythonRetry bad arguments", () => {
  it.each<readonly [Partial<PythonRetry.PythonRetry>, string]>([
    [{ timeout: -1 }, "timeout must be a finite duration >= 0, got -1"],
    [{ timeout: NaN }, "timeout must be a finite duration >= 0, got NaN"],
    [{ initial: -1 }, "initial must be a finite duration >= 0, got -1"],
    [{ maximum: Duration.infinity }, "maximum must be a finite duration >= 0, got Infinity"],
    [{ multiplier: -1 }, "multiplier must be >= 0, got -1"],
    [{ multiplier: NaN }, "multiplier must be >= 0, got NaN"],
    [{ predicate: "transient" as never }, 'predicate must be a classifier, got "transient"'],
    [{ condition: undefined as never }, "condition must be rules of StorageIdempotency, got undefined"],
    [{ condition: StorageIdempotency.standard.rules as never }, "condition must be rules of StorageIdempotency"]
  ])("%o are refused", (fields, message) => {
    const make = () => PythonRetry.toPreset({ ...standard, ...fields })
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`PythonRetry.toPreset: ${message}`)
  })

  it.each([
    [
      () => PythonRetry.toPreset(null as never),
      "PythonRetry.toPreset: self must be a record like PythonRetry.standard"
    ],
    [() => PythonRetry.toPreset([] as never), "PythonRetry.toPreset: self must be a record like PythonRetry.standard"],
    [
      () => PythonRetry.forPayload({ ...standard, condition: [] as never }),
      "PythonRetry.forPayload: condition must be rules of StorageIdempotency"
    ],
    [() => PythonRetry.forPayload(null as never), "PythonRetry.forPayload: self must be a record like"]
  ])("are refused", (make, message) => {
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(message)
  })
})
