/**
 * Turns a service config and a client's options into the policy of a method: a retry policy of core, or a hedging policy.
 */
import { Backoff, Deadline, Hint, Observe, Retry } from "@effect-retry/core"
import type { Classifier, Jitter, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { longestMillis, longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import type { MethodConfig } from "../accept/ServiceConfigShape.ts"
import { backoff, checkJitter } from "../decide/GrpcBackoff.ts"
import type { ProgressOf } from "../classify/CallVerdict.ts"
import * as Status from "../classify/Status.ts"
import * as CallVerdict from "../classify/CallVerdict.ts"
import type * as Hedging from "./Hedging.ts"
import * as Parts from "./PolicyParts.ts"

/**
 * How the client applies a service config.
 *
 * @category models
 */
export interface Options {
  /**
   * The largest number of attempts of a call, whatever the config says: a whole number from 2. Zero or less means the
   * default, as in gRPC for Go. There 1 also means the default; here it is refused, because it reads like "no retries".
   * For no retries, use a config without policies.
   *
   * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Limits on Retries and Hedges".
   * @default 5
   */
  readonly maxAttemptsCap?: number | undefined
  /** `Jitter.full` is what older clients draw. @default 20 % either way */
  readonly jitter?: Jitter.Jitter | undefined
  /** Reads from an error how far the call got. @default "Processed" */
  readonly progress?: ProgressOf | undefined
  /**
   * Replaces the throttle of the config: with one that several processes share, or that outlives a change of config. It
   * is a value and not a tag, because calls require no services.
   */
  readonly bucket?: TokenBucket.TokenBucket | undefined
  /** Called with every event of every call; the name of a call is its method. @default none */
  readonly observe?: ReadonlyArray<Observe.Observer> | undefined
}

/**
 * A core policy with gRPC's rules.
 *
 * Its deadline is the `timeout` of the method: no attempt starts after it, but a running one continues. To bound the
 * call itself, use a deadline of the gRPC client, or `Deadline.cut`.
 *
 * @category models
 */
export interface Policy {
  readonly name: string
  readonly observe: ReadonlyArray<Observe.Observer>
  readonly attempt: typeof Retry.CurrentAttempt
  readonly classifier: Classifier.Classifier
  readonly maxAttempts: number
  readonly backoff: Backoff.Backoff
  readonly hint: Hint.Hint
  readonly deadline: Deadline.Deadline | undefined
  readonly bucket: TokenBucket.TokenBucket | undefined
}

/** Checked options with their defaults. */
export interface Client {
  readonly cap: number
  readonly progressOf: ProgressOf
  readonly jitter: Jitter.Jitter | undefined
  readonly bucket: TokenBucket.TokenBucket | undefined
  readonly observe: ReadonlyArray<Observe.Observer>
}

export const client = (owner: string, options: Options): Client => {
  const given: unknown = options
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "options", "a record", given)
  const { jitter, progress = processed } = options
  if (jitter !== undefined) checkJitter(owner, jitter)
  if (!Predicate.isFunction(progress)) {
    Argument.refuse(owner, "progress", "a function from error to progress", progress)
  }
  return {
    cap: capOf(owner, options.maxAttemptsCap),
    progressOf: progress,
    jitter,
    bucket: Parts.bucket(owner, options.bucket),
    observe: Parts.observers(owner, options.observe).map(Observe.describing(Status.details))
  }
}

const processed: ProgressOf = () => "Processed"

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Limits on Retries and Hedges". */
const standardCap = 5

const capOf = (owner: string, given: number | undefined): number => {
  if (given === undefined) return standardCap
  if (!Number.isInteger(given) || given === 1) {
    Argument.refuse(owner, "maxAttemptsCap", "a whole number >= 2, or <= 0 for the default", given)
  }
  return given < 2 ? standardCap : given
}

/** A pushback has at most 32 bits, and is followed exactly. */
const pushback = /*#__PURE__*/ Hint.override({
  atMost: longestTimerMillis,
  otherwise: "giveUp",
  startsOver: true,
  zero: "atOnce"
})

/** A timeout of zero allows one attempt; one too long for a deadline never ends. */
const deadlineOf = (timeout: Duration.Duration): Duration.Duration =>
  Duration.clamp(timeout, { minimum: Duration.nanos(1n), maximum: Duration.millis(longestMillis) })

/** The policy of the method `name`; one attempt without a retry policy. */
export const policyOf = (client: Client, name: string, config: MethodConfig | undefined): Policy => {
  const { retryPolicy, timeout } = config ?? {}
  return {
    name,
    observe: client.observe,
    attempt: Retry.CurrentAttempt,
    classifier:
      retryPolicy === undefined
        ? CallVerdict.withoutPolicy(client.progressOf)
        : CallVerdict.forRetries(retryPolicy.retryableStatusCodes, client.progressOf),
    maxAttempts: Math.min(retryPolicy?.maxAttempts ?? 1, client.cap),
    backoff: retryPolicy === undefined ? Backoff.fromDelays([]) : backoff(retryPolicy, client.jitter),
    hint: pushback,
    deadline: timeout === undefined ? undefined : Deadline.refuse(deadlineOf(timeout)),
    bucket: client.bucket
  }
}

/** The hedging policy of the method `name`, if its config has one. */
export const hedgingOf = (
  client: Client,
  name: string,
  config: MethodConfig | undefined
): Hedging.Policy | undefined => {
  const { hedgingPolicy, timeout: sendWithin } = config ?? {}
  return (
    hedgingPolicy && {
      name,
      observe: client.observe,
      classifier: CallVerdict.forHedges(hedgingPolicy.nonFatalStatusCodes, client.progressOf),
      maxAttempts: Math.min(hedgingPolicy.maxAttempts, client.cap),
      hedgingDelay: hedgingPolicy.hedgingDelay,
      sendWithin,
      bucket: client.bucket
    }
  )
}
