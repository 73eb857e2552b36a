/**
 * The policies from which a fit chooses, and each of them as code.
 *
 * They do not depend on the wished share and load, so that a looser wish chooses from the same policies.
 */
import type { Policy } from "@effect-retry/core"
import { AttemptTimeout, Backoff, Deadline, Jitter, TokenBucket } from "@effect-retry/core"
import type { Client } from "../load/Client.ts"
import type { Setting } from "./Trial.ts"

/** A client as `Load` takes it, with a policy that `Plan.explain` takes. */
export interface FittedClient extends Client {
  readonly policy: Policy.Preset<unknown> & { readonly backoff: Backoff.Backoff }
}

/** The parts of a candidate; with one attempt, only the timeout matters. */
export interface Parts {
  readonly maxAttempts: number
  readonly baseMillis: number
  readonly withinMillis: number
  readonly timeoutMillis: number | undefined
  readonly bucketRatio: number | undefined
}

/** The largest number of attempts. */
export const mostAttempts = 8

const bases = [20, 200, 2000]

const bucketRatios = [undefined, 0.1, 0.3]

const bucketCapacity = 10

/** The share of attempts that end within the timeout; the first ratio that leaves time for another attempt is used. */
const timeoutRatios = [0.99, 0.95, 0.9]

/** All combinations of parts for candidates with more than one attempt, without the number of attempts. */
export const families = (setting: Setting): ReadonlyArray<Omit<Parts, "maxAttempts">> => {
  const { outage, withinMillis } = setting
  const fitting = bases.filter((baseMillis) => baseMillis < withinMillis)
  const all = fitting.length === 0 ? [withinMillis / 10] : fitting
  // Without an outage failures do not last, so a longer delay only costs time, and a bucket only refuses.
  const baseMillis = outage === undefined ? all.slice(0, 1) : all
  const buckets = outage === undefined ? [undefined] : bucketRatios
  return timeouts(setting).flatMap((timeoutMillis) =>
    buckets.flatMap((bucketRatio) =>
      baseMillis.map((baseMillis) => ({ baseMillis, withinMillis, timeoutMillis, bucketRatio }))
    )
  )
}

/** If even the slowest attempts end in half of the time, a timeout only adds failures. */
const timeouts = ({ latency, withinMillis }: Setting): ReadonlyArray<number | undefined> => {
  if (latency.quantileMillis(0.999) <= withinMillis / 2) return [undefined]
  const found = timeoutRatios.map((ratio) => readable(latency.quantileMillis(ratio)))
  const fitting = found.find((millis) => millis < withinMillis)
  return fitting === undefined ? [undefined] : [undefined, fitting]
}

/** Rounded up to two digits. */
const readable = (millis: number): number => {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, millis))) - 1)
  return Math.ceil(millis / unit) * unit
}

export const client = ({ baseMillis, bucketRatio, maxAttempts, timeoutMillis, withinMillis }: Parts): FittedClient => {
  const attemptTimeout =
    timeoutMillis === undefined ? {} : { attemptTimeout: AttemptTimeout.constant(`${timeoutMillis} millis`) }
  if (maxAttempts === 1) {
    return { policy: { ...attemptTimeout, maxAttempts, backoff: Backoff.constant({ delay: 0 }) } }
  }
  const backoff = Backoff.exponential({ base: `${baseMillis} millis` }).pipe(Backoff.jittered(Jitter.full))
  return {
    policy: { ...attemptTimeout, maxAttempts, backoff, deadline: Deadline.refuse(`${withinMillis} millis`) },
    ...(bucketRatio === undefined
      ? {}
      : { bucket: TokenBucket.successRatio({ ratio: bucketRatio, capacity: bucketCapacity }) })
  }
}

/** A candidate as code. */
export const code = ({ baseMillis, bucketRatio, maxAttempts, timeoutMillis, withinMillis }: Parts): string => {
  const timeout =
    timeoutMillis === undefined ? [] : [`attemptTimeout: AttemptTimeout.constant(${duration(timeoutMillis)})`]
  const fields =
    maxAttempts === 1
      ? [...timeout, "maxAttempts: 1", "backoff: Backoff.constant({ delay: 0 })"]
      : [
          ...timeout,
          `maxAttempts: ${maxAttempts}`,
          `backoff: Backoff.exponential({ base: ${duration(baseMillis)} }).pipe(Backoff.jittered(Jitter.full))`,
          `deadline: Deadline.refuse(${duration(withinMillis)})`
        ]
  const policy = `const policy = {\n${fields.map((field) => `  ${field}`).join(",\n")}\n}`
  return maxAttempts === 1 || bucketRatio === undefined
    ? policy
    : `${policy}\n\nconst bucket = TokenBucket.successRatio({ ratio: ${bucketRatio}, capacity: ${bucketCapacity} })`
}

/** Whole seconds are written as such. */
const duration = (millis: number): string => {
  const [count, unit] = millis >= 1000 && millis % 1000 === 0 ? [millis / 1000, "second"] : [millis, "milli"]
  return `"${count} ${unit}${count === 1 ? "" : "s"}"`
}
