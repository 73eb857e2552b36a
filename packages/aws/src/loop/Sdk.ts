/**
 * Calls of the AWS SDK for JavaScript v3 under a policy, for clients whose own retries are switched off
 * (`new DynamoDBClient({ maxAttempts: 1 })`).
 *
 * Every field of a policy applies, including attempt timeouts and judged results, which a strategy inside the client
 * (`SdkRetryStrategy`) cannot support. Every attempt is a separate call: the SDK signs it anew and gives it a new
 * `amz-sdk-invocation-id`.
 */
import type { Policy } from "@effect-retry/core"
import { Observe, Promises, Retry } from "@effect-retry/core"
import { isObservers } from "@effect-retry/core/unstable/PolicyCheck"
import type { Plain } from "@effect-retry/core/unstable/PolicyRecord"
import type { Needs } from "@effect-retry/core/unstable/PolicyTypes"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as AwsError from "../classify/AwsError.ts"
import type { Client } from "./SdkLayers.ts"
import * as SdkLayers from "./SdkLayers.ts"

export type { Client } from "./SdkLayers.ts"

/**
 * The options that every call of the SDK takes.
 *
 * @category models
 */
export interface CallOptions {
  /** Aborted when the attempt is interrupted: by its timeout, by the deadline, or with the whole operation. */
  readonly abortSignal: AbortSignal
}

/** A call, such as `(options) => client.send(new GetItemCommand(input), options)`. */
type Call<A> = (options: CallOptions) => PromiseLike<A>

/**
 * Makes one call of the SDK as an effect: interruption aborts it, and it fails with the call's rejection.
 *
 * For `Retry.orStopped` and the other doors of core. Logs one warning per client if the client retries by itself, as
 * its configuration shows, or an output or error that took more than one attempt.
 *
 * @category running
 */
export const send = <A>(client: Client, call: Call<A>): Effect.Effect<A, unknown> => {
  const called = Effect.tryPromise({ try: (abortSignal) => call({ abortSignal }), catch: (error) => error })
  const heard = (outcome: unknown) => SdkLayers.afterCall(client, outcome)
  return Effect.zipRight(SdkLayers.beforeCall(client), Effect.tap(Effect.tapError(called, heard), heard))
}

/**
 * Retries calls of the SDK as a policy says, and fails with the service's own error.
 *
 * `call` is called once per attempt, with the signal that aborts the attempt. Warns as `send` does. Observers see the
 * service's code and status.
 *
 * @category running
 */
export const retry = <A = never, P extends Policy.Fields<unknown, A> = Policy.Fields<unknown, A>>(
  client: Client,
  call: Call<A>,
  policy: Policy.Checked<P>
): Effect.Effect<A, unknown, Needs<P>[keyof Needs<P>]> => Retry.retry(send(client, call), described(policy))

/**
 * The same for `async` functions, under a policy without services: rejects with the service's own error, or with the
 * reason of `signal` if that is aborted.
 *
 * @category running
 */
export const promise = <A = never, P extends Plain<unknown, A> = Plain<unknown, A>>(
  client: Client,
  call: Call<A>,
  policy: Policy.Checked<P>,
  options?: { readonly signal?: AbortSignal | undefined }
): Promise<A> =>
  Promises.retry(
    async ({ signal: abortSignal }) => {
      Effect.runFork(SdkLayers.beforeCall(client))
      const heard = (outcome: unknown) => Effect.runFork(SdkLayers.afterCall(client, outcome))
      try {
        const output = await call({ abortSignal })
        heard(output)
        return output
      } catch (error) {
        heard(error)
        throw error
      }
    },
    described(policy),
    options
  )

/** The policies that have observers, by what the caller wrote; the same policy is then checked once. */
const known = /*#__PURE__*/ new WeakMap<object, object>()

/** Adds the service's code and status to what observers see. */
const described = <P>(policy: P): P => {
  if (!Predicate.hasProperty(policy, "observe") || !isObservers(policy.observe)) return policy
  const found = known.get(policy)
  if (found !== undefined) return found as P
  const made = { ...policy, observe: policy.observe.map(Observe.describing(AwsError.details)) }
  known.set(policy, made)
  return made
}
