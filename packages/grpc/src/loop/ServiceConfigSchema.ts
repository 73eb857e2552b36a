/**
 * The rules of a service config, and the first mistake in one.
 *
 * Fields that are not about retries are ignored. Effect's `Schema` is not used: its versions differ, and the rules are few.
 * Source of the rules: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Validation of retryPolicy",
 * "Validation of hedgingPolicy" and "Validation of retryThrottling".
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { property } from "@effect-retry/core/unstable/Property"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as ProtobufDuration from "../accept/ProtobufDuration.ts"
import { repeated } from "../accept/ServiceConfigNames.ts"
import type {
  HedgingPolicy,
  MethodConfig,
  Name,
  RetryPolicy,
  RetryThrottling,
  ServiceConfig
} from "../accept/ServiceConfigShape.ts"
import * as StatusCode from "../accept/StatusCode.ts"

/**
 * A service config as it is written in JSON.
 *
 * @category models
 */
export interface Json {
  readonly methodConfig?:
    | ReadonlyArray<{
        readonly name?: ReadonlyArray<Name> | undefined
        readonly timeout?: string | undefined
        readonly retryPolicy?:
          | {
              readonly maxAttempts: number
              readonly initialBackoff: string
              readonly maxBackoff: string
              readonly backoffMultiplier: number
              readonly retryableStatusCodes: ReadonlyArray<string | number>
            }
          | undefined
        readonly hedgingPolicy?:
          | {
              readonly maxAttempts: number
              readonly hedgingDelay?: string | undefined
              readonly nonFatalStatusCodes?: ReadonlyArray<string | number> | undefined
            }
          | undefined
      }>
    | undefined
  readonly retryThrottling?: RetryThrottling | undefined
}

/** How the parts of a config are written. */
interface Form {
  readonly duration: (value: unknown) => Duration.Duration | undefined
  readonly code: (value: unknown) => StatusCode.StatusCode | undefined
  /** What a code may be, in words. */
  readonly codes: string
  /** Whether a field that has a default may be absent. */
  readonly hasDefaults: boolean
}

const ofNanos = (nanos: bigint): Duration.Duration =>
  nanos % 1_000_000n === 0n ? Duration.millis(Number(nanos / 1_000_000n)) : Duration.nanos(nanos)

const inJson: Form = {
  duration: (value) => {
    const read = ProtobufDuration.fromJson(value)
    return read && ofNanos(BigInt(read.seconds) * 1_000_000_000n + BigInt(read.nanos))
  },
  code: (value) =>
    typeof value === "number"
      ? StatusCode.fromNumber(value)
      : typeof value === "string"
        ? StatusCode.fromName(value)
        : undefined,
  codes: "the name or the number of a status code",
  hasDefaults: true
}

const inProgram: Form = {
  duration: (value) => (Duration.isDuration(value) ? value : undefined),
  code: (value) => StatusCode.names.find((name) => name === value),
  codes: "the name of a status code",
  hasDefaults: false
}

/** Where a value stands. */
interface Place {
  readonly owner: string
  readonly form: Form
  readonly path: string
}

/** Reads a value, or throws an `InvalidArgument`. */
type Reader<A> = (value: unknown, place: Place) => A

const refuse = ({ owner, path }: Place, allowed: string, value: unknown): never =>
  Argument.refuse(owner, path || "config", allowed, value)

const numberWhere =
  (allowed: string, holds: (value: number) => boolean): Reader<number> =>
  (value, place) =>
    typeof value === "number" && holds(value) ? value : refuse(place, allowed, value)

const durationWhere =
  (allowed: string, leastNanos: bigint): Reader<Duration.Duration> =>
  (value, place) => {
    const found = place.form.duration(value)
    const range = { minimum: Duration.nanos(leastNanos), maximum: Duration.seconds(ProtobufDuration.mostSeconds) }
    return found !== undefined && Duration.between(found, range) ? found : refuse(place, allowed, value)
  }

const listOf =
  <A>(allowed: string, item: Reader<A>, least = 0): Reader<ReadonlyArray<A>> =>
  (value, place) =>
    Array.isArray(value) && value.length >= least
      ? Array.from(value, (each, i) => item(each, { ...place, path: `${place.path}[${i}]` }))
      : refuse(place, allowed, value)

const optional =
  <A>(reader: Reader<A>): Reader<A | undefined> =>
  (value, place) =>
    value === undefined ? undefined : reader(value, place)

const orElse =
  <A>(reader: Reader<A>, otherwise: A): Reader<A> =>
  (value, place) =>
    value === undefined && place.form.hasDefaults ? otherwise : reader(value, place)

const recordOf =
  <A>(allowed: string, fields: { readonly [Field in keyof A]-?: Reader<A[Field]> }): Reader<A> =>
  (value, place) => {
    if (!Predicate.isRecord(value)) return refuse(place, allowed, value)
    const members = Object.entries<Reader<unknown>>(fields).map(
      ([name, reader]) =>
        [
          name,
          reader(property(value, name), { ...place, path: place.path === "" ? name : `${place.path}.${name}` })
        ] as const
    )
    return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as A
  }

const duration = durationWhere('seconds with up to nine decimals, such as "0.5s"', 0n)
const someDuration = durationWhere('more than no seconds, with up to nine decimals, such as "1.5s"', 1n)

const text: Reader<string> = (value, place) => (typeof value === "string" ? value : refuse(place, "a text", value))

const code: Reader<StatusCode.StatusCode> = (value, place) =>
  place.form.code(value) ?? refuse(place, place.form.codes, value)

const maxAttempts = numberWhere("a whole number >= 2", (value) => Number.isInteger(value) && value >= 2)

const retryPolicy = recordOf<RetryPolicy>("a retry policy", {
  maxAttempts,
  initialBackoff: someDuration,
  maxBackoff: someDuration,
  backoffMultiplier: numberWhere("a finite number > 0", (value) => value > 0 && value < Infinity),
  retryableStatusCodes: listOf("a list of at least one status code", code, 1)
})

const hedgingPolicy = recordOf<HedgingPolicy>("a hedging policy", {
  maxAttempts,
  hedgingDelay: orElse(duration, Duration.zero),
  nonFatalStatusCodes: orElse(listOf("a list of status codes", code), [])
})

const named = "a service, with or without a method, or empty"
const fieldsOfName = recordOf<Name>(named, { service: optional(text), method: optional(text) })

const name: Reader<Name> = (value, place) => {
  const found = fieldsOfName(value, place)
  return found.service || !found.method ? found : refuse(place, named, value)
}

const fieldsOfMethod = recordOf<MethodConfig>("a method config", {
  name: orElse(listOf("a list of names", name), []),
  timeout: optional(duration),
  retryPolicy: optional(retryPolicy),
  hedgingPolicy: optional(hedgingPolicy)
})

const methodConfig: Reader<MethodConfig> = (value, place) => {
  const found = fieldsOfMethod(value, place)
  return found.hedgingPolicy === undefined || found.retryPolicy === undefined
    ? found
    : Argument.refuse(
        place.owner,
        `${place.path}.hedgingPolicy`,
        "absent beside a retryPolicy",
        property(value, "hedgingPolicy")
      )
}

const config = recordOf<ServiceConfig>("a service config", {
  methodConfig: orElse(listOf("a list of method configs", methodConfig), []),
  retryThrottling: optional(
    recordOf<RetryThrottling>("a throttle", {
      maxTokens: numberWhere(
        "a whole number >= 1 and <= 1000",
        (value) => Number.isInteger(value) && value >= 1 && value <= 1000
      ),
      tokenRatio: numberWhere("a finite number >= 0.001", (value) => value >= 0.001 && value < Infinity)
    })
  )
})

const read = (owner: string, given: unknown, form: Form): ServiceConfig => {
  const found = config(given, { owner, form, path: "" })
  const again = repeated(found)
  return again === undefined ? found : Argument.refuse(owner, again.path, "a name that comes only once", again.name)
}

/** Reads a config from JSON. Throws an `InvalidArgument` for its first mistake. */
export const decode = (owner: string, json: unknown): ServiceConfig => read(owner, json, inJson)

/** Checks a config made by hand. */
export const check = (owner: string, given: unknown): ServiceConfig => read(owner, given, inProgram)
