/**
 * Clients of a load simulation.
 */
import type { Policy, TokenBucket } from "@effect-retry/core"
import { Classifier, Retry } from "@effect-retry/core"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * What a client does when a request fails. Each client makes its own bucket and rate limiter.
 *
 * @category models
 */
export interface Client {
  readonly policy: Policy.Preset<unknown>
  /** @default TokenBucket.unlimited */
  readonly bucket?: Effect.Effect<TokenBucket.TokenBucket>
  /** @default TokenBucket.unlimited */
  readonly rateLimiter?: Effect.Effect<TokenBucket.TokenBucket>
}

/** Makes a client, which runs an attempt as its policy says, and returns whether the request succeeded in the end. */
export const make = <In = unknown>(
  { bucket, policy, rateLimiter }: Client,
  classifier: Classifier.Classifier<In> = Classifier.always
) =>
  Effect.gen(function* () {
    const services = {
      ...(bucket === undefined ? {} : { bucket: yield* bucket }),
      ...(rateLimiter === undefined ? {} : { rateLimiter: yield* rateLimiter })
    }
    const whole = { ...policy, ...services, classifier }
    return <E extends In>(attempt: Effect.Effect<unknown, E>): Effect.Effect<boolean> =>
      Effect.match(Retry.retry(attempt, whole), { onFailure: () => false, onSuccess: () => true })
  })

/** Throws an `InvalidArgument` if the loop would refuse the policy. */
export const check = (owner: string, { policy }: Client): void => {
  PolicyCheck.prepare(owner, { ...policy, classifier: Classifier.always })
}

/** Reads the virtual time. */
export const nowMillis: Effect.Effect<number> = Clock.clockWith((clock) => Effect.sync(() => MonotonicTime.read(clock)))
