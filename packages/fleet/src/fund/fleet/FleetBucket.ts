/**
 * Buckets that a fleet shares: their type, their common options, and what they need from a store.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import type { TokenBucket } from "@effect-retry/core/TokenBucket"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Gcra from "../../decide/Gcra.ts"
import type { FleetObserver } from "./FleetEvent.ts"
import type { Limits, Store } from "../store/Store.ts"

/**
 * A bucket that all processes of a fleet share. `E` is the error of its store.
 *
 * @category models
 */
export interface FleetBucket<out E> extends TokenBucket<E> {
  /** A bucket for only this process, with the rate and the burst of the fleet divided by its members. */
  readonly localShare: Effect.Effect<TokenBucket, never, Scope.Scope>
}

/**
 * The options of every bucket of a fleet.
 *
 * @category models
 */
export interface FleetOptions {
  /**
   * Names the bucket: processes that use the same name in the same store share it. Not empty. Limits with another fill
   * time make a different bucket, even under the same name.
   */
  readonly name: string
  /**
   * How much a process may hold, as a share of the burst; at least one token. In [0, 1]. With zero it holds nothing,
   * and asks the store for every attempt. @default 0.1
   */
  readonly leaseShare?: number
  /** A process returns what it holds after this long without an attempt. At least 1 millisecond. @default "1 second" */
  readonly idleAfter?: Duration.DurationInput
  /**
   * Called with events between the process and the store; with `[]`, nothing is logged.
   *
   * @default logs a warning when the store goes away, and a line when it is back, once for all buckets of the store
   */
  readonly observe?: ReadonlyArray<FleetObserver>
}

/**
 * The store of a bucket, and the error of an attempt whose time is over before the store has answered; a refusal would
 * look like a decision of the store.
 *
 * @category models
 */
export interface FleetStore<out E> {
  readonly store: Store<E>
  readonly timedOut: (name: string) => E
}

/** The checked options with defaults. */
export interface Settings {
  readonly name: string
  readonly leaseShare: number
  readonly idleMillis: number
  readonly observers: ReadonlyArray<FleetObserver>
  /** Whether outages are logged, because there is no list of observers. */
  readonly logsOutages: boolean
}

/**
 * Checks the options of every bucket, and that there are no others than these and `own`: a misspelt option would
 * silently keep its default.
 */
export const check = (owner: string, options: FleetOptions, own: ReadonlyArray<string>): Settings => {
  const { idleAfter, leaseShare, name, observe = [] } = options
  Argument.fields(owner, options, [...common, ...own], "options")
  const isList = Array.isArray(observe) && observe.every((observer) => typeof observer === "function")
  return {
    name: checkName(owner, name),
    leaseShare: Argument.number(owner, "leaseShare", leaseShare ?? 0.1, { min: 0, max: 1 }),
    idleMillis: Argument.millis(owner, "idleAfter", idleAfter ?? "1 second", { min: 1, max: longestTimerMillis }),
    observers: isList ? [...observe] : Argument.refuse(owner, "observe", "a list of functions", observe),
    logsOutages: options.observe === undefined
  }
}

/** Checks the name of a bucket. */
export const checkName = (owner: string, name: unknown): string =>
  typeof name === "string" && name !== "" ? name : Argument.refuse(owner, "name", "a text that is not empty", name)

const common: ReadonlyArray<string> = ["name", "leaseShare", "idleAfter", "observe"] satisfies ReadonlyArray<
  keyof FleetOptions
>

/** Checks the limits of a bucket in the store, with the bucket's option names for burst and rate. */
export const checkLimits = (owner: string, burst: Named, perSecond: Named, leastBurst: Argument.Range): Limits => {
  const limits = {
    burst: Argument.number(owner, burst.field, burst.value, leastBurst),
    perSecond:
      perSecond.value > 0
        ? perSecond.value
        : Argument.refuse(owner, perSecond.field, `> 0, since ${whyAboveZero}`, perSecond.value)
  }
  return Gcra.check(owner, limits, { burst: burst.field, perSecond: perSecond.field })
}

interface Named {
  readonly field: string
  readonly value: number
}

const whyAboveZero = "time alone brings back what is lost with a process or a reply"
