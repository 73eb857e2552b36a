/**
 * The nine settings of Google's Java client libraries, checked.
 *
 * They keep the library's names. The module `GaxAlgorithm` says how the algorithm uses them.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import { longestMillis, longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"

/**
 * The nine settings, complete and checked.
 *
 * Source: https://github.com/googleapis/sdk-platform-java, gax-java, `RetrySettings`, 56aa343.
 *
 * @category models
 */
export interface RetrySettings {
  /** Bounds the whole operation, delays included; zero means not set. */
  readonly totalTimeout: Duration.Duration
  /** The delay before the first retry, before jitter. */
  readonly initialRetryDelay: Duration.Duration
  readonly retryDelayMultiplier: number
  /** The cap of the delays, before jitter. */
  readonly maxRetryDelay: Duration.Duration
  /** Attempts in all, the first included; 0 means not set, 1 never retries. */
  readonly maxAttempts: number
  /** Whether a delay is drawn at random below its bound. The library turns it off only in its own tests. */
  readonly jittered: boolean
  /** The timeout of the first attempt; zero means that no attempt has a timeout. */
  readonly initialRpcTimeout: Duration.Duration
  readonly rpcTimeoutMultiplier: number
  /** The cap of the attempts' timeouts. */
  readonly maxRpcTimeout: Duration.Duration
}

/**
 * Some of the settings, as a caller writes them: in whole milliseconds, the unit of the algorithm. A setting that is
 * left out has the default of the library's builder.
 *
 * @category models
 */
export interface Fields {
  /** @default zero: not set */
  readonly totalTimeout?: Duration.DurationInput | undefined
  /** @default zero */
  readonly initialRetryDelay?: Duration.DurationInput | undefined
  /** At least 1. @default 1 */
  readonly retryDelayMultiplier?: number | undefined
  /** At least `initialRetryDelay`. @default zero */
  readonly maxRetryDelay?: Duration.DurationInput | undefined
  /** Attempts in all, the first included; a whole number from 0. @default 0: not set */
  readonly maxAttempts?: number | undefined
  /** @default true */
  readonly jittered?: boolean | undefined
  /** @default zero: an attempt has no timeout */
  readonly initialRpcTimeout?: Duration.DurationInput | undefined
  /** At least 1. @default 1 */
  readonly rpcTimeoutMultiplier?: number | undefined
  /** At least `initialRpcTimeout`, and at most the longest timer of the platform. @default zero */
  readonly maxRpcTimeout?: Duration.DurationInput | undefined
}

/** The settings with their times in milliseconds. */
export type Millis = {
  readonly [Name in keyof RetrySettings]: RetrySettings[Name] extends Duration.Duration ? number : RetrySettings[Name]
}

const builder: Millis = {
  totalTimeout: 0,
  initialRetryDelay: 0,
  retryDelayMultiplier: 1,
  maxRetryDelay: 0,
  maxAttempts: 0,
  jittered: true,
  initialRpcTimeout: 0,
  rpcTimeoutMultiplier: 1,
  maxRpcTimeout: 0
}

/** Reads settings for `owner`. Throws an `InvalidArgument` for the first wrong one. */
export const read = (owner: string, given: Fields): Millis => {
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "settings", "a record of settings", given)
  Argument.fields(owner, given, Object.keys(builder), "settings")
  const settings: Fields = given
  const millis = (name: TimeName, range: Argument.Range) => wholeMillis(owner, name, settings[name], range)
  const multiplier = (name: "retryDelayMultiplier" | "rpcTimeoutMultiplier") =>
    Argument.number(owner, name, settings[name] ?? builder[name], { min: 1 })
  const { jittered = builder.jittered, maxAttempts = builder.maxAttempts } = settings
  const initialRetryDelay = millis("initialRetryDelay", { min: 0, max: longestMillis })
  const initialRpcTimeout = millis("initialRpcTimeout", { min: 0, max: longestTimerMillis })
  return {
    totalTimeout: millis("totalTimeout", { min: 0, max: longestMillis }),
    initialRetryDelay,
    retryDelayMultiplier: multiplier("retryDelayMultiplier"),
    maxRetryDelay: millis("maxRetryDelay", { min: initialRetryDelay, max: longestMillis }),
    maxAttempts: Argument.number(owner, "maxAttempts", maxAttempts, { min: 0, integer: true }),
    jittered: Predicate.isBoolean(jittered) ? jittered : Argument.refuse(owner, "jittered", "a boolean", jittered),
    initialRpcTimeout,
    rpcTimeoutMultiplier: multiplier("rpcTimeoutMultiplier"),
    maxRpcTimeout: millis("maxRpcTimeout", { min: initialRpcTimeout, max: longestTimerMillis })
  }
}

type TimeName = "totalTimeout" | "initialRetryDelay" | "maxRetryDelay" | "initialRpcTimeout" | "maxRpcTimeout"

const wholeMillis = (
  owner: string,
  name: TimeName,
  given: Duration.DurationInput | undefined,
  range: Argument.Range
): number => {
  const millis = Argument.millis(owner, name, given ?? builder[name], range)
  return Number.isInteger(millis) ? millis : Argument.refuse(owner, name, "a whole number of milliseconds", given)
}

/**
 * Completes settings with the defaults of the library's builder. The defaults alone never retry, because they set
 * neither a total timeout nor a number of attempts.
 *
 * Throws an `InvalidArgument` for a setting out of its range, a maximum below its initial value included.
 *
 * @category constructors
 */
export const make = (settings: Fields): RetrySettings => complete(read("RetrySettings.make", settings))

const complete = (millis: Millis): RetrySettings => ({
  totalTimeout: Duration.millis(millis.totalTimeout),
  initialRetryDelay: Duration.millis(millis.initialRetryDelay),
  retryDelayMultiplier: millis.retryDelayMultiplier,
  maxRetryDelay: Duration.millis(millis.maxRetryDelay),
  maxAttempts: millis.maxAttempts,
  jittered: millis.jittered,
  initialRpcTimeout: Duration.millis(millis.initialRpcTimeout),
  rpcTimeoutMultiplier: millis.rpcTimeoutMultiplier,
  maxRpcTimeout: Duration.millis(millis.maxRpcTimeout)
})

/**
 * The four settings of an operation that may take `timeout` in all, where each attempt may use the time that is left:
 * to be spread into others. It retries after an early failure while time is left.
 *
 * ```text
 * RetrySettings.make({ ...RetrySettings.logicalTimeout("5 seconds"), initialRetryDelay: 100, maxRetryDelay: 1_000 })
 * ```
 *
 * Source: the same file, `RetrySettings.Builder.setLogicalTimeout`.
 *
 * @category constructors
 */
export const logicalTimeout = (
  timeout: Duration.DurationInput
): Pick<RetrySettings, "totalTimeout" | "initialRpcTimeout" | "rpcTimeoutMultiplier" | "maxRpcTimeout"> => {
  const owner = "RetrySettings.logicalTimeout"
  const millis = Argument.millis(owner, "timeout", timeout, { min: 0, max: longestTimerMillis })
  if (!Number.isInteger(millis)) Argument.refuse(owner, "timeout", "a whole number of milliseconds", timeout)
  const time = Duration.millis(millis)
  return { totalTimeout: time, initialRpcTimeout: time, rpcTimeoutMultiplier: 1, maxRpcTimeout: time }
}

/**
 * The settings of `self`, overridden by those of `that`. Complete settings replace all nine, as `merge` of the
 * library's builder does.
 *
 * @category combinators
 */
export function merge(that: Fields): (self: Fields) => RetrySettings
export function merge(self: Fields, that: Fields): RetrySettings
export function merge(...given: Given): any {
  return dual(given, (self: Fields, that: Fields): RetrySettings =>
    complete(read("RetrySettings.merge", { ...present("self", self), ...present("that", that) }))
  )
}

const present = (field: string, settings: Fields): Fields =>
  Predicate.isRecord(settings)
    ? Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
    : Argument.refuse("RetrySettings.merge", field, "a record of settings", settings)
