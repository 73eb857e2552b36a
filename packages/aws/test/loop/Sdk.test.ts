import { AwsRetry, Sdk, SdkRetryStrategy } from "@effect-retry/aws"
import { AttemptTimeout, Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { type GetItemCommandOutput, DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { AdaptiveRetryStrategy, StandardRetryStrategy } from "@smithy/core/retry"
import { VirtualClock } from "@effect-retry/testing"
import { Deferred, Effect, Fiber, Logger } from "effect"

const always = { classifier: Classifier.always, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }

const busy = Object.assign(new Error("busy"), { name: "ThrottlingException", $metadata: { attempts: 1 } })

/** Only its configuration is read. */
const clientOf = (config: ConstructorParameters<typeof DynamoDBClient>[0] = {}) =>
  new DynamoDBClient({ region: "eu-west-1", maxAttempts: 1, ...config })

/** A call that rejects so often, and then answers. */
const failing = (times: number, error: unknown = busy) => {
  const signals: Array<AbortSignal> = []
  const call = ({ abortSignal }: Sdk.CallOptions) => {
    signals.push(abortSignal)
    return signals.length <= times ? Promise.reject(error) : Promise.resolve({ $metadata: { attempts: 1 }, Item: {} })
  }
  return { signals, call }
}

const logging = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.suspend(() => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.as(Effect.provide(self, Logger.replace(Logger.defaultLogger, logger)), logged)
  })

describe("Sdk.retry", () => {
  it.effect("calls once per attempt, with a signal of its own", () =>
    Effect.gen(function* () {
      const { call, signals } = failing(2)
      expect(yield* Sdk.retry(clientOf(), call, always)).toMatchObject({ Item: {} })
      expect(new Set(signals).size).toBe(3)
    }).pipe(VirtualClock.run)
  )

  it.effect("fails with the error of the service itself", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(Sdk.retry(clientOf(), failing(3).call, always))).toBe(busy)
    }).pipe(VirtualClock.run)
  )

  it.effect("treats a throw like a rejection", () =>
    Effect.gen(function* () {
      const call = (): Promise<number> => {
        throw busy
      }
      expect(yield* Effect.flip(Sdk.retry(clientOf(), call, always))).toBe(busy)
    }).pipe(VirtualClock.run)
  )

  it.effect("aborts the call when the operation is interrupted", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<AbortSignal>()
      const hanging = ({ abortSignal }: Sdk.CallOptions) => {
        Deferred.unsafeDone(called, Effect.succeed(abortSignal))
        return new Promise<never>(() => undefined)
      }
      const fiber = yield* Effect.fork(Sdk.retry(clientOf(), hanging, always))
      const signal = yield* Deferred.await(called)
      expect(signal.aborted).toBe(false)
      yield* Fiber.interrupt(fiber)
      expect(signal.aborted).toBe(true)
    })
  )

  it.effect("aborts an attempt that has timed out, and makes another", () =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      const call = ({ abortSignal }: Sdk.CallOptions) => {
        signals.push(abortSignal)
        return signals.length === 1 ? new Promise<number>(() => undefined) : Promise.resolve(7)
      }
      const policy = { ...always, attemptTimeout: AttemptTimeout.constant("2 seconds") }
      expect(yield* Sdk.retry(clientOf(), call, policy)).toBe(7)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    }).pipe(VirtualClock.run)
  )

  it("infers the result of the call, and shows what the policy requires", () => {
    const client = clientOf()
    const input = { TableName: "orders", Key: { id: { S: "1" } } }
    expectTypeOf(() =>
      Sdk.retry(client, (options) => client.send(new GetItemCommand(input), options), AwsRetry.dynamodb)
    ).returns.toEqualTypeOf<Effect.Effect<GetItemCommandOutput, unknown, AwsRetry.Quota>>()
    expectTypeOf(() =>
      Sdk.promise(client, (options) => client.send(new GetItemCommand(input), options), always)
    ).returns.toEqualTypeOf<Promise<GetItemCommandOutput>>()
    // @ts-expect-error a promise takes the bucket itself
    expectTypeOf(() => Sdk.promise(client, () => Promise.resolve(1), AwsRetry.dynamodb)).toBeFunction()
  })
})

describe("Sdk.send", () => {
  it.effect("tells through Retry.orStopped why a call was given up", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ initial: 0 })
      const stopped = yield* Effect.flip(Retry.orStopped(Sdk.send(clientOf(), failing(3).call), { ...always, bucket }))
      expect(stopped).toMatchObject({ reason: { _tag: "BucketEmpty" }, attempts: 1, error: busy })
    })
  )
})

describe("Sdk.promise", () => {
  const atOnce = { ...always, backoff: Backoff.constant({ delay: 0 }) }

  it("retries, and rejects with the error of the service itself", async () => {
    const { call, signals } = failing(2)
    await expect(Sdk.promise(clientOf(), call, atOnce)).resolves.toMatchObject({ Item: {} })
    expect(signals).toHaveLength(3)
    await expect(Sdk.promise(clientOf(), failing(3).call, atOnce)).rejects.toBe(busy)
  })

  it("aborts the call with the signal of the caller, and rejects with its reason", async () => {
    const controller = new AbortController()
    let inner: AbortSignal | undefined
    const call = ({ abortSignal }: Sdk.CallOptions) => {
      inner = abortSignal
      return new Promise<never>(() => undefined)
    }
    const promise = Sdk.promise(clientOf(), call, atOnce, { signal: controller.signal })
    controller.abort("enough")
    await expect(promise).rejects.toBe("enough")
    expect(inner?.aborted).toBe(true)
  })
})

describe("the warning that both layers retry", () => {
  const made = (attempts: number) => () => Promise.resolve({ $metadata: { attempts } })
  const text = (attempts: number) =>
    `The AWS SDK's client of DynamoDB makes up to ${attempts} attempts of one call by itself, and the policy repeats ` +
    "such calls: create the client with maxAttempts: 1"
  const strategy = Effect.runSync(SdkRetryStrategy.make(always))
  const own = {
    acquireInitialRetryToken: () => Promise.resolve({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
    refreshRetryTokenForRetry: () => Promise.reject(new Error("no retries")),
    recordSuccess: () => undefined
  }

  it.effect.each([
    { what: "one attempt", config: {}, made: 1, warned: [] },
    { what: "attempts of its own", config: { maxAttempts: 4 }, made: 1, warned: [text(4)] },
    { what: "adaptive mode", config: { maxAttempts: 2, retryMode: "adaptive" }, made: 1, warned: [text(2)] },
    { what: "a strategy", config: { retryStrategy: new StandardRetryStrategy(5) }, made: 1, warned: [text(5)] },
    {
      what: "an adaptive strategy",
      config: { retryStrategy: new AdaptiveRetryStrategy(6) },
      made: 1,
      warned: [text(6)]
    },
    { what: "a strategy of ours", config: { retryStrategy: strategy }, made: 1, warned: [text(3)] },
    {
      what: "a strategy that does not retry",
      config: { retryStrategy: new StandardRetryStrategy(1) },
      made: 1,
      warned: []
    },
    { what: "a strategy that does not tell", config: { retryStrategy: own }, made: 1, warned: [] },
    { what: "a strategy that does not tell, and retries", config: { retryStrategy: own }, made: 2, warned: [text(2)] }
  ])("is logged once for a client with $what, if it retries", ({ config, made: attempts, warned }) =>
    Effect.gen(function* () {
      const client = clientOf(config as ConstructorParameters<typeof DynamoDBClient>[0])
      const call = Sdk.send(client, made(attempts))
      expect(yield* logging(Effect.all([call, call, call], { concurrency: "unbounded" }))).toEqual(warned)
    })
  )

  it.effect("is logged for an error of more than one attempt", () =>
    Effect.gen(function* () {
      const error = Object.assign(new Error("late"), { $metadata: { attempts: 3 } })
      const client = clientOf({ retryStrategy: own })
      const call = Effect.ignore(Sdk.send(client, () => Promise.reject(error)))
      expect(yield* logging(Effect.zipRight(call, call))).toEqual([text(3)])
    })
  )

  it.effect("survives outputs and clients that cannot be read", () =>
    Effect.gen(function* () {
      const hostile = {
        get $metadata(): never {
          throw new Error("unreadable")
        }
      }
      const client = { config: { retryStrategy: () => Promise.reject(new Error("unreadable")), serviceId: 7 } }
      for (const output of [hostile, undefined, { $metadata: null }, { $metadata: { attempts: "9" } }]) {
        expect(yield* logging(Sdk.send(client, () => Promise.resolve(output)))).toEqual([])
      }
    })
  )
})
