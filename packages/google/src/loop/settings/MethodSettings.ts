/**
 * Retry settings by method, as in the generated clients: defaults, changes for methods, and a caller's changes for
 * methods or for one call.
 *
 * The policies of all methods are made once, with the map.
 *
 * @example
 * ```ts
 * import { MethodSettings, RetrySettings } from "@effect-retry/google"
 * import { Retry } from "@effect-retry/core"
 * import { Data, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * class Failed extends Data.TaggedError("Failed")<{ code: string }> {}
 *
 * const library = MethodSettings.make({
 *   defaults: {
 *     settings: { ...RetrySettings.logicalTimeout("1 minute"), initialRetryDelay: 1, maxRetryDelay: 100 },
 *     codes: ["UNAVAILABLE"]
 *   },
 *   methods: {
 *     listBooks: {},
 *     getBook: { settings: { maxAttempts: 3 }, codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"] },
 *     borrowBook: { codes: [] }
 *   }
 * })
 *
 * let calls = 0
 * const call = Effect.suspend(() => Effect.fail(new Failed({ code: ++calls < 9 ? "UNAVAILABLE" : "INTERNAL" })))
 * const program = Effect.gen(function* () {
 *   yield* Effect.ignore(Retry.retry(call, MethodSettings.policy(library, "getBook")))
 *   assert.strictEqual(calls, 3)
 *   yield* Effect.ignore(Retry.retry(call, MethodSettings.policy(library, "borrowBook")))
 *   assert.strictEqual(calls, 4)
 *   const patient = MethodSettings.override(library, { getBook: { settings: { maxAttempts: 4 } } })
 *   yield* Effect.ignore(Retry.retry(call, MethodSettings.policy(patient, "getBook")))
 *   assert.strictEqual(calls, 8)
 * })
 * Effect.runPromise(program)
 * ```
 */
import { InvalidArgument } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import type { ServiceConfig, StatusCode } from "@effect-retry/grpc"
import { check } from "@effect-retry/grpc/unstable/ServiceConfigSchema"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import type { Fields, RetrySettings } from "../../accept/RetrySettingsRecord.ts"
import { make as complete, merge } from "../../accept/RetrySettingsRecord.ts"
import type { Compiled } from "./RetrySettingsPolicy.ts"
import { toPolicy } from "./RetrySettingsPolicy.ts"

/**
 * The settings of a service's methods; `Name` is the type of their names.
 *
 * @category models
 */
export interface MethodSettings<in out Name extends string> {
  readonly methods: { readonly [N in Name]?: Method }
  /** For methods that are not in the map; without it such a method is refused. */
  readonly orElse: Method | undefined
}

/**
 * The settings of a method, and their policy.
 *
 * @category models
 */
export interface Method {
  readonly settings: RetrySettings
  readonly codes: ReadonlyArray<StatusCode.StatusCode>
  readonly policy: Compiled
}

/**
 * A change: settings are replaced one by one, retryable codes as a whole.
 *
 * @category models
 */
export interface Change {
  readonly settings?: Fields | undefined
  readonly codes?: ReadonlyArray<StatusCode.StatusCode> | undefined
}

/**
 * Changes by the name of the method.
 *
 * @category models
 */
export type Changes<Name extends string> = { readonly [N in Name]?: Change | undefined }

/**
 * Makes the settings of methods. Methods have the defaults, apart from their own changes.
 *
 * Throws an `InvalidArgument` that names the method if its settings are wrong.
 *
 * @category constructors
 */
export const make = <const Name extends string>(given: {
  /** @default the defaults of the library's builder, and no code: a method is not retried */
  readonly defaults?: Change | undefined
  readonly methods: { readonly [N in Name]: Change }
}): MethodSettings<Name> => {
  const owner = "MethodSettings.make"
  if (!Predicate.isRecord(given)) return Argument.refuse(owner, "settings", "defaults and methods", given)
  const defaults = changed(owner, "defaults", bare, given.defaults ?? {})
  const methods = mapped(recordOf(owner, "methods", given.methods), (name, change) =>
    changed(owner, `methods.${name}`, defaults, change)
  )
  return { methods, orElse: undefined }
}

/**
 * Makes the settings that the generator of the Java clients derives from a service config. Methods are named by their path:
 * `/package.Service/Method`.
 *
 * - A `retryPolicy` gives the three settings of the delay, with one decimal of the multiplier, and the codes. Its
 *   `maxAttempts` is dropped: the generated clients retry until the total timeout.
 * - The timeout applies to each attempt and to the whole operation; it is 5 seconds if a `retryPolicy` comes without one.
 * - A method has the config that names it, or that of its service. A config for all services is ignored: a method without a
 *   config, or with one that has neither timeout nor `retryPolicy`, has no timeout and is not retried.
 *
 * Times are truncated to whole milliseconds. Throws an `InvalidArgument` for a config with a value that its type cannot
 * exclude, such as JSON that `ServiceConfig` has not read, and for values that `RetrySettings` refuses: a multiplier
 * below 1, a `maxBackoff` below the `initialBackoff`, a timeout above the longest timer. Source:
 * https://github.com/googleapis/sdk-platform-java, gapic-generator-java, `GapicServiceConfig` and
 * `RetrySettingsComposer`, read 2026-11-22.
 *
 * @category constructors
 */
export const fromServiceConfig = (config: ServiceConfig.ServiceConfig): MethodSettings<Path> => {
  const owner = "MethodSettings.fromServiceConfig"
  const methods: Record<string, Method> = {}
  for (const [i, given] of check(owner, config).methodConfig.entries()) {
    const method = changed(owner, `methodConfig[${i}]`, bare, generated(given))
    for (const { method: name, service } of given.name) {
      if (service) methods[`/${service}/${name ?? ""}`] = method
    }
  }
  return { methods, orElse: bare }
}

type Path = `/${string}/${string}`

/** Source: the same `GapicServiceConfig`, `EMPTY_TIMEOUT`. */
const missingTimeout = 5_000

const generated = ({ retryPolicy, timeout }: ServiceConfig.MethodConfig): Change => {
  if (retryPolicy === undefined && timeout === undefined) return {}
  const millis = timeout === undefined ? missingTimeout : wholeMillis(timeout)
  const whole: Fields = {
    totalTimeout: millis,
    initialRpcTimeout: millis,
    rpcTimeoutMultiplier: 1,
    maxRpcTimeout: millis
  }
  if (retryPolicy === undefined) return { settings: whole }
  const { backoffMultiplier, initialBackoff, maxBackoff, retryableStatusCodes } = retryPolicy
  return {
    settings: {
      ...whole,
      initialRetryDelay: wholeMillis(initialBackoff),
      // The number is read with the precision of a protobuf float, and written with one decimal.
      retryDelayMultiplier: Number(Math.fround(backoffMultiplier).toFixed(1)),
      maxRetryDelay: wholeMillis(maxBackoff)
    },
    codes: retryableStatusCodes
  }
}

const wholeMillis = (duration: Duration.Duration): number => Math.trunc(Duration.toMillis(duration))

/**
 * Changes the settings of some methods; what a change leaves out stays.
 *
 * @category combinators
 */
export function override<const Changed extends string>(
  changes: Changes<Changed>
): <Name extends string>(self: MethodSettings<Name | Changed>) => MethodSettings<Name | Changed>
export function override<Name extends string>(
  self: MethodSettings<Name>,
  changes: Changes<NoInfer<Name>>
): MethodSettings<Name>
export function override(...given: Given): any {
  return dual(
    given,
    <Name extends string>(self: MethodSettings<Name>, changes: Changes<Name>): MethodSettings<Name> => {
      const owner = "MethodSettings.override"
      checkMap(owner, self)
      const own = mapped(recordOf(owner, "changes", changes), (name, change) =>
        changed(owner, name, find(owner, self, name), change)
      )
      return { ...self, methods: { ...self.methods, ...own } }
    }
  )
}

/**
 * Changes the settings of all methods, as `applyToAllUnaryMethods` of the generated clients does.
 *
 * @category combinators
 */
export function overrideAll(change: Change): <Name extends string>(self: MethodSettings<Name>) => MethodSettings<Name>
export function overrideAll<Name extends string>(self: MethodSettings<Name>, change: Change): MethodSettings<Name>
export function overrideAll(...given: Given): any {
  return dual(given, <Name extends string>(self: MethodSettings<Name>, change: Change): MethodSettings<Name> => {
    const owner = "MethodSettings.overrideAll"
    checkMap(owner, self)
    return {
      methods: mapped<Method, Name>(self.methods, (name, method) => changed(owner, name, method, change)),
      orElse: self.orElse && changed(owner, "orElse", self.orElse, change)
    }
  })
}

/**
 * The settings of a method.
 *
 * @category destructors
 */
export const get = <Name extends string>(self: MethodSettings<Name>, name: NoInfer<Name>): Method =>
  find("MethodSettings.get", self, name)

/**
 * The policy of a method, made with the map; with a change, the policy of one call, which overrides the method's
 * settings and codes.
 *
 * @category conversions
 */
export const policy = <Name extends string>(
  self: MethodSettings<Name>,
  name: NoInfer<Name>,
  change?: Change
): Compiled => {
  const owner = "MethodSettings.policy"
  const method = find(owner, self, name)
  return change === undefined ? method.policy : changed(owner, name, method, change).policy
}

/** A method with changed settings. */
const changed = (owner: string, path: string, self: Source, change: Change): Method => {
  if (!Predicate.isRecord(change)) Argument.refuse(owner, path, "a record of settings and codes", change)
  for (const field of Object.keys(change)) {
    if (field !== "settings" && field !== "codes") {
      Argument.refuse(owner, `${path}.${field}`, "absent: a change has settings and codes", field)
    }
  }
  const { codes = self.codes, settings = {} }: Change = change
  const merged = named(owner, `${path}.settings`, () => merge(self.settings, settings))
  const policy = named(owner, path, () => toPolicy(merged, { codes }))
  return { settings: merged, codes: [...codes], policy }
}

type Source = Pick<Method, "settings" | "codes">

/** Names the method and the setting if a constructor refuses one. */
const named = <A>(owner: string, path: string, make: () => A): A => {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InvalidArgument.InvalidArgument)) throw error
    return Argument.refuse(owner, `${path}.${error.field}`, error.allowed, error.value)
  }
}

const recordOf = <A>(owner: string, field: string, given: A): A =>
  Predicate.isRecord(given) ? given : Argument.refuse(owner, field, "a record by the names of methods", given)

const mapped = <A, Name extends string>(
  given: { readonly [N in Name]?: A | undefined },
  method: (name: string, value: A) => Method
): { readonly [N in Name]?: Method } => {
  const entries: ReadonlyArray<readonly [string, A | undefined]> = Object.entries(given)
  const made = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, method(name, value)]]))
  return Object.fromEntries(made) as { readonly [N in Name]?: Method }
}

const checkMap = (owner: string, self: unknown): void => {
  if (!Predicate.isRecord(self) || !Predicate.isRecord(self["methods"])) {
    Argument.refuse(owner, "self", "the settings of methods", self)
  }
}

const find = <Name extends string>(owner: string, self: MethodSettings<Name>, name: string): Method => {
  checkMap(owner, self)
  const methods: { readonly [name: string]: Method | undefined } = self.methods
  if (self.orElse !== undefined && !Predicate.isString(name)) {
    return Argument.refuse(owner, "method", "the path of a method", name)
  }
  const own = (key: string) => (Object.hasOwn(methods, key) ? methods[key] : undefined)
  const service = /^(\/[^/]+\/)[^/]+$/.exec(name)?.[1]
  const found = own(name) ?? (service === undefined ? undefined : own(service)) ?? self.orElse
  return found ?? Argument.refuse(owner, "method", `one of ${Object.keys(methods).join(", ")}`, name)
}

/** A method without settings. */
const bare: Method = /*#__PURE__*/ bareMethod()

function bareMethod(): Method {
  const settings = complete({})
  return { settings, codes: [], policy: toPolicy(settings, { codes: [] }) }
}
