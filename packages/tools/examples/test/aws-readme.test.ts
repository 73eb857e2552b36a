import {
  AwsClassifier,
  AwsConfig,
  AwsQuota,
  AwsRetry,
  ClockSkew,
  CorrectedTime,
  ErrorTable,
  Kotlin,
  Sdk
} from "@effect-retry/aws"
import { Classifier, type Observe, type Policy, RateLimiter, Retry } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Clock, ConfigProvider, Duration, Effect, Layer, Logger } from "effect"
import * as Stories from "../../../aws/test/loop/Stories.ts"
import { hear, hearing } from "./heard.ts"
import { read, rowsOf, storyOf, tableOf } from "./rows.ts"

const path = "packages/aws/README.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown, VirtualClock.VirtualClock>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0.5))))

/** The reason of the last operation that gave up. */
let reason: Retry.StopReason | undefined
const listen: Observe.Observer = (event) =>
  Effect.sync(() => {
    if (event._tag === "GaveUp") reason = event.reason
  })
const observe = [listen, hear]

const throttled = { name: "ThrottlingException", status: 400 }
const failed = { name: "InternalFailure", status: 500 }

/** When calls began, and what came of them; each failure of the script ends one call, and none is left for the last. */
const called = <E>(
  script: ReadonlyArray<unknown>,
  retry: (call: Effect.Effect<string, unknown>) => Effect.Effect<string, E>
) =>
  Effect.gen(function* () {
    const calls: Array<number> = []
    const began = yield* Clock.currentTimeMillis
    const call = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      calls.push(now - began)
      const failure = script[calls.length - 1]
      return failure === undefined ? Effect.succeed("done") : Effect.fail(failure)
    })
    const outcome = yield* Effect.merge(retry(call))
    return { calls, outcome, endedAt: (yield* Clock.currentTimeMillis) - began }
  })

/** The same under `AwsRetry.standard`, with the tokens that are left. */
const standard = (script: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const bucket = yield* AwsQuota.standard
    const ended = yield* called(script, Retry.retry({ ...AwsRetry.standard, bucket, observe }))
    return { ...ended, level: yield* bucket.level }
  })

/** A row whose responses, and what follows each of them, are those of the package's own tests. */
const stories =
  (...names: ReadonlyArray<string>) =>
  () =>
    names.forEach((name) =>
      it.effect(name, () =>
        Stories.run({ ...AwsRetry.standard, observe: [hear] }, undefined, storyOf(Stories.standard, name))
      )
    )

const bound = ({ backoff }: Policy.Preset, n: number, kind: "Throttling" | undefined): number => {
  let tree: BackoffTree.Tree | undefined = backoff.tree
  let delayMillis = NaN
  for (let retry = 1; retry <= n && tree !== undefined; retry++) {
    const stepped = BackoffTree.step(tree, { u: 1 - 2 ** -53, kind, ranMillis: 0, elapsedMillis: 0 })
    delayMillis = stepped?.delayMillis ?? NaN
    tree = stepped?.rest
  }
  return delayMillis
}

const shown = (value: unknown): string =>
  value === undefined ? "absent" : Array.isArray(value) ? value.join(", ") : String(value)

describe(`${path} ## Defaults`, () => {
  const { standard } = AwsRetry
  const codes = (of: (kind: unknown) => boolean) =>
    Object.entries(ErrorTable.standard.codes).flatMap(([code, kind]) => (of(kind) ? [code] : []))
  const spent = (failures: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard
      const full = yield* bucket.level
      yield* Effect.ignore(called(failures, Retry.retry({ ...standard, maxAttempts: 2, bucket })))
      return { full, spent: full - (yield* bucket.level) }
    })
  const values = Effect.gen(function* () {
    const [failing, throttling] = [yield* spent([failed, failed]), yield* spent([throttled, throttled])]
    const nearlyFull = yield* AwsQuota.standard
    yield* Effect.ignore(called([failed, failed], Retry.retry({ ...standard, maxAttempts: 2, bucket: nearlyFull })))
    const before = yield* nearlyFull.level
    yield* called([], Retry.retry({ ...standard, bucket: nearlyFull }))
    const resolved = yield* AwsConfig.resolve().pipe(
      Effect.provide(Layer.merge(FileSystem.layerNoop({}), Path.layer)),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))
    )
    return {
      "`AwsRetry.standard` `maxAttempts`": standard.maxAttempts,
      "`AwsRetry.standard` base": bound(standard, 1, undefined),
      "`AwsRetry.standard` base after throttling": bound(standard, 1, "Throttling"),
      "`AwsRetry.standard` factor": bound(standard, 2, undefined) / bound(standard, 1, undefined),
      "`AwsRetry.standard` cap": bound(standard, 50, undefined),
      "`AwsRetry.standard` jitter": [
        ...new Set(JSON.stringify(standard.backoff.tree).match(/(?<="jitter":\{"name":")\w+/g))
      ],
      "`AwsRetry.standard` `hint`": standard.hint._tag,
      "`AwsRetry.standard` `hint` `above`": "aboveMillis" in standard.hint ? standard.hint.aboveMillis : undefined,
      "`AwsRetry.standard` `attemptTimeout`": "attemptTimeout" in standard ? standard.attemptTimeout : undefined,
      "`AwsRetry.standard` `deadline`": "deadline" in standard ? standard.deadline : undefined,
      "`AwsRetry.standard` `rateLimiter`": "rateLimiter" in standard ? standard.rateLimiter : undefined,
      "`AwsRetry.dynamodb` `maxAttempts`": AwsRetry.dynamodb.maxAttempts,
      "`AwsRetry.dynamodb` base": bound(AwsRetry.dynamodb, 1, undefined),
      "`AwsQuota.standard` capacity": failing.full,
      "`AwsQuota.standard` cost": failing.spent,
      "`AwsQuota.standard` cost after throttling": throttling.spent,
      "`AwsQuota.standard` success without a retry": (yield* nearlyFull.level) - before,
      "`ErrorTable.standard` throttling codes": codes((kind) => kind === "Throttling"),
      "`ErrorTable.standard` other codes": codes((kind) => kind !== "Throttling").toSorted(),
      "`ErrorTable.standard` `statuses`": Object.keys(ErrorTable.standard.statuses),
      "`ErrorTable.standard` `causes`": ErrorTable.standard.causes,
      "`ClockSkew.standard` `thresholdMillis`": ClockSkew.standard.thresholdMillis,
      "`AwsConfig.resolve` mode": resolved.mode.value,
      "`AwsConfig.resolve` attempts": resolved.maxAttempts.value,
      "`AwsConfig.resolve` behaviour": resolved.behaviour.value
    }
  })

  virtually("are what the table says, row by row", () =>
    Effect.gen(function* () {
      const rows = rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value])
      expect(Object.entries(yield* values).map(([option, value]) => [option, shown(value)])).toEqual(rows)
    })
  )
})

tableOf(
  path,
  "## What it does when",
  {
    "An error has a throttling code": stories("charges less and waits longer after throttling"),

    "A response with a status of the table also has a throttling code": () =>
      virtually("the code counts", () =>
        Effect.gen(function* () {
          expect((yield* standard([{ name: "SlowDown", status: 503 }])).calls).toEqual([0, 500])
        })
      ),

    "An error has another code or a status of the table, or the connection breaks": () =>
      virtually("waits up to 50 milliseconds, and calls again for 14 tokens", () =>
        Effect.gen(function* () {
          const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
          for (const error of [failed, { name: "RequestTimeout", status: 400 }, { status: 503 }, reset]) {
            expect(yield* standard([error, error, error])).toMatchObject({ calls: [0, 25, 75], level: 472 })
          }
        })
      ),

    "A throttle follows another failure": () =>
      virtually("waits as the second retry after a throttle", () =>
        Effect.gen(function* () {
          expect((yield* standard([failed, throttled])).calls).toEqual([0, 25, 1025])
        })
      ),

    "The error has `$retryable`": () =>
      virtually("waits, and calls again", () =>
        Effect.gen(function* () {
          const error = { name: "Conflict", $fault: "client", $retryable: {} }
          expect((yield* standard([error])).calls).toEqual([0, 25])
          const throttling = { ...error, $retryable: { throttling: true } }
          expect((yield* standard([throttling])).calls).toEqual([0, 500])
        })
      ),

    "A service answers with an error that is not in the table": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          const error = { name: "ResourceNotFoundException", status: 400 }
          expect(yield* standard([error])).toMatchObject({ calls: [0], outcome: error, level: 500 })
          expect(reason).toEqual({ _tag: "Terminal", why: "ResourceNotFoundException, status 400" })
        })
      ),

    "The call is aborted": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect((yield* standard([{ name: "AbortError" }])).calls).toEqual([0])
          expect(reason).toEqual({ _tag: "Terminal", why: "aborted" })
        })
      ),

    "All attempts are spent": stories("spends its attempts"),

    "The quota has fewer tokens than a retry costs": stories(
      "finds the quota empty after one retry",
      "stops when the quota runs out"
    ),

    "The same with `AwsQuota.longPolling`": stories(
      "waits before it fails a long poll on an empty quota",
      "waits as long as a retry after throttling before it fails a long poll on an empty quota"
    ),

    "An operation succeeds after retries": stories(
      "recovers its quota on success, by the cost of the last retry alone"
    ),

    "An operation succeeds at once": () =>
      virtually("adds one token, up to the capacity", () =>
        Effect.gen(function* () {
          const bucket = yield* AwsQuota.standard
          const retry = Retry.retry({ ...AwsRetry.standard, maxAttempts: 2, bucket, observe })
          yield* called([failed, failed], retry)
          yield* called([], retry)
          expect(yield* bucket.level).toBe(487)
          for (let count = 0; count < 20; count++) yield* called([], retry)
          expect(yield* bucket.level).toBe(500)
        })
      ),

    "`x-amz-retry-after` asks for longer than the delay": stories(
      "follows the server's wait",
      "waits at most five seconds longer than its back-off"
    ),

    "Its value is not a number of milliseconds": stories("ignores a wait of invalid", "ignores a wait of -100"),

    "`AwsRetry.adaptive`, after a throttle": () =>
      virtually("delays attempts to the rate of the limiter, first ones too", () =>
        Effect.gen(function* () {
          const limits = { bucket: yield* AwsQuota.standard, rateLimiter: yield* RateLimiter.adaptive(), observe }
          const retry = Retry.retry({ ...AwsRetry.adaptive, ...limits })
          const { calls } = yield* called([throttled], retry)
          expect(calls[1]).toBeGreaterThan(500)
          const next = yield* called([], retry)
          expect(next.calls[0]).toBeGreaterThan(0)
        })
      ),

    "The same, with one attempt": () =>
      virtually("the limiter hears of the throttle", () =>
        Effect.gen(function* () {
          const limits = { bucket: yield* AwsQuota.standard, rateLimiter: yield* RateLimiter.adaptive(), observe }
          const once = Retry.retry({ ...AwsRetry.adaptive, ...limits, maxAttempts: 1 })
          yield* called([throttled], once)
          expect(reason).toEqual({ _tag: "AttemptsSpent", maxAttempts: 1 })
          const quietly = Retry.retry({ ...AwsRetry.adaptive, ...limits, observe: [] })
          expect((yield* called([], quietly)).calls[0]).toBeGreaterThan(0)
        })
      ),

    "The same, and the limiter refuses instead of waiting": () =>
      virtually("fails with `AttemptRefused`, and calls nothing", () =>
        Effect.gen(function* () {
          const rateLimiter = yield* RateLimiter.adaptive({ whenShort: "refuse" })
          const policy = { ...AwsRetry.adaptive, bucket: yield* AwsQuota.standard, rateLimiter }
          yield* called([throttled], Retry.retry({ ...policy, maxAttempts: 1 }))
          const { calls, outcome } = yield* called([], Retry.retry({ ...policy, observe }))
          expect(calls).toEqual([])
          expect(outcome).toBeInstanceOf(Retry.AttemptRefused)
          expect(reason?._tag).toBe("RateLimiterRefused")
        })
      ),

    "`Kotlin.make` with `initialTryCost`, and too few tokens": () =>
      virtually("fails with `AttemptRefused`, and calls nothing", () =>
        Effect.gen(function* () {
          const tokenBucket = { maxCapacity: 10, initialTryCost: 10, initialTrySuccessIncrement: 0 }
          const policy = yield* Kotlin.make({ tokenBucket })
          yield* called([{ name: "ValidationException", status: 400 }], Retry.retry(policy))
          const { calls, outcome } = yield* called([], Retry.retry({ ...policy, observe }))
          expect(calls).toEqual([])
          expect(outcome).toBeInstanceOf(Retry.AttemptRefused)
          expect(reason?._tag).toBe("RateLimiterRefused")
        })
      ),

    "A signature is refused, and `CorrectedTime` has measured a skew above 4 minutes": () =>
      virtually("waits, and calls again with the corrected time", () =>
        Effect.gen(function* () {
          yield* VirtualClock.setWallTime(Date.UTC(2026, 10, 20, 12))
          const hour = Duration.toMillis("1 hour")
          const time = yield* CorrectedTime.make()
          const signedAt: Array<number> = []
          const call = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            signedAt.push((yield* time.nowMillis) - now)
            if (signedAt.length > 1) return "done"
            const headers = { date: new Date(now + hour).toUTCString() }
            return yield* Effect.fail({
              name: "SignatureDoesNotMatch",
              $fault: "client",
              $response: { statusCode: 403, headers }
            })
          })
          const classifier = Classifier.firstOf(time.classifier, AwsClassifier.standard)
          const policy = { ...AwsRetry.standard, classifier, bucket: yield* AwsQuota.standard, observe }
          expect(yield* Retry.retry(time.sample(call), policy)).toBe("done")
          expect(signedAt).toEqual([0, hour])
        })
      ),

    "`Sdk.retry` around a client that retries too": () =>
      virtually("logs a warning, once per client", () =>
        Effect.gen(function* () {
          const warnings: Array<string> = []
          const logger = Logger.make(({ message }) => void warnings.push(String(message)))
          const strategy = { maxAttemptsProvider: () => Promise.resolve(3) }
          const client = { config: { serviceId: "DynamoDB", retryStrategy: () => Promise.resolve(strategy) } }
          const policy = { ...AwsRetry.standard, bucket: yield* AwsQuota.standard }
          const call = Sdk.retry(client, () => Promise.resolve("done"), policy)
          yield* Effect.zip(call, call).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
          expect(warnings).toHaveLength(1)
          expect(warnings[0]).toContain("create the client with maxAttempts: 1")
        })
      ),

    "A setting of the configuration has a bad value": () =>
      virtually("fails with a `ConfigError` that names its source", () =>
        Effect.gen(function* () {
          const error = yield* AwsConfig.resolve().pipe(
            Effect.provide(Layer.merge(FileSystem.layerNoop({}), Path.layer)),
            Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["AWS_RETRY_MODE", "fast"]]))),
            Effect.flip
          )
          expect(String(error)).toContain("AWS_RETRY_MODE must be one of standard, adaptive, legacy")
        })
      )
  },
  hearing
)

describe(`${path} ## Modules`, () => {
  it("has a row for each export of the index", () => {
    const names = rowsOf(path, "## Modules").map(([name]) => name)
    const exported = Array.from(read("packages/aws/src/index.ts").matchAll(/^export \* as (\w+)/gm), ([, name]) => name)
    expect(names).toEqual(exported.map((name) => `\`${name}\``))
  })
})
