/**
 * Selects the calls that faults affect, and injects them: here into an effect, with `FaultyFetch` into a `fetch`, with
 * `FaultyHttpClient` into an `HttpClient`.
 *
 * Faults are data: they are selected by chance, by the number of the call, by time or by a predicate, and the first
 * match counts. A call has at most one fault. Faults are innermost, below timeouts and guards, and read the `Clock`, so
 * they work in virtual and in live time.
 *
 * @example
 * ```ts
 * import { Backoff, Classifier, Retry } from "@effect-retry/core"
 * import { Fault, Faults, VirtualClock } from "@effect-retry/testing"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const faults = Faults.firstOf(
 *   Faults.first(2, Fault.fail("down")),
 *   Faults.between({ from: "1 minute", to: "2 minutes" }, Fault.hang),
 *   Faults.chance(0.1, Fault.latency({ before: "200 millis" }))
 * )
 * const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
 *
 * const program = Effect.gen(function* () {
 *   const injector = yield* Faults.make(faults, { seed: "orders" })
 *   const answer = yield* Effect.succeed("up").pipe(Faults.inject(injector), Retry.retry(policy))
 *   return { answer, ...(yield* Faults.counts(injector)) }
 * }).pipe(VirtualClock.run)
 *
 * Effect.runPromise(program).then((ended) =>
 *   assert.deepStrictEqual(ended, { answer: "up", calls: 3, injected: { Fail: 2 }, spared: 0 })
 * )
 * ```
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import type * as ConfigError from "effect/ConfigError"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Runtime from "effect/Runtime"
import * as Fault from "./Fault.ts"
import * as Draw from "./Draw.ts"
import * as FaultsConfig from "./FaultsConfig.ts"
import * as Injector from "./Injector.ts"
import * as Interpret from "./Interpret.ts"
import type { Call, Faults, Tree } from "./Tree.ts"
import * as Trees from "./Tree.ts"

export { injections } from "./Injector.ts"
export type { Counts, Injected, Injector } from "./Injector.ts"
export type { Call, Faults } from "./Tree.ts"

/**
 * No faults.
 *
 * @category constructors
 */
export const none: Faults = { tree: { _tag: "FirstOf", of: [] } }

/**
 * The first of these faults that matches a call counts. Associative, with `none` as identity.
 *
 * @category combinators
 */
export const firstOf = <E = never, Over extends "http" = never>(
  ...faults: ReadonlyArray<Faults<E, Over>>
): Faults<E, Over> => ({ tree: { _tag: "FirstOf", of: trees("Faults.firstOf", faults) } })

/**
 * The first call gets the first of these faults, the second the second, and so on. A call with `none`, or beyond the
 * end of the list, is left to the next faults of a `firstOf`.
 *
 * @category combinators
 */
export const script = <E, Over extends "http">(faults: ReadonlyArray<Faults<E, Over>>): Faults<E, Over> => ({
  tree: { _tag: "Script", of: trees("Faults.script", faults) }
})

/**
 * A random share of the calls. Draws depend on the seed and the number of the call, so concurrency does not change them.
 *
 * @category combinators
 */
export const chance = <E, Over extends "http">(ratio: number, faults: Faults<E, Over>): Faults<E, Over> => ({
  tree: {
    _tag: "Chance",
    ratio: Argument.number("Faults.chance", "ratio", ratio, { min: 0, max: 1 }),
    of: Trees.treeOf("Faults.chance", faults)
  }
})

/**
 * Affects the first `count` calls.
 *
 * @category combinators
 */
export const first = <E, Over extends "http">(count: number, faults: Faults<E, Over>): Faults<E, Over> => {
  const last = Argument.number("Faults.first", "count", count, { min: 1, integer: true })
  return whenMet("Faults.first", ({ number }) => number <= last, faults)
}

/**
 * Affects every `count`-th call: for 3 the third, the sixth and so on.
 *
 * @category combinators
 */
export const every = <E, Over extends "http">(count: number, faults: Faults<E, Over>): Faults<E, Over> => {
  const step = Argument.number("Faults.every", "count", count, { min: 1, integer: true })
  return whenMet("Faults.every", ({ number }) => number % step === 0, faults)
}

/** An outage, in time since the injector was made. */
interface Outage {
  readonly from: Duration.DurationInput
  /** The first moment after it. */
  readonly to: Duration.DurationInput
}

/**
 * Affects the calls during an outage; `firstOf` combines several into a timeline.
 *
 * @category combinators
 */
export const between = <E, Over extends "http">(outage: Outage, faults: Faults<E, Over>): Faults<E, Over> => {
  const owner = "Faults.between"
  if (!Predicate.isRecord(outage)) {
    return Argument.refuse(owner, "outage", "a record, such as { from: 0, to: 1000 }", outage)
  }
  Argument.fields(owner, outage, ["from", "to"], "fields of an outage")
  const from = Argument.millis(owner, "from", outage.from, { min: 0 })
  const to = Argument.millis(owner, "to", outage.to, { min: from, exclusive: true })
  return whenMet(owner, ({ elapsed }) => Duration.toMillis(elapsed) >= from && Duration.toMillis(elapsed) < to, faults)
}

/**
 * Affects the calls for which a predicate holds. Over HTTP it sees the method and the URL of the request.
 *
 * @category combinators
 */
export const where = <E, Over extends "http">(
  isMet: (call: Call) => boolean,
  faults: Faults<E, Over>
): Faults<E, Over> =>
  Predicate.isFunction(isMet)
    ? whenMet("Faults.where", isMet, faults)
    : Argument.refuse("Faults.where", "isMet", "a function from a call to a boolean", isMet)

const whenMet = <E, Over extends "http">(
  owner: string,
  isMet: (call: Call) => boolean,
  faults: Faults<E, Over>
): Faults<E, Over> => ({ tree: { _tag: "Where", isMet, of: Trees.treeOf(owner, faults) } })

/**
 * How faults are injected.
 *
 * @category models
 */
export interface Options {
  /** The seed of the draws. The same seed gives the same faults. @default drawn from `Random` */
  readonly seed?: number | string | undefined
  /** The largest number of faults in flight, each until its call has ended; further calls are spared. @default no limit */
  readonly maxInFlight?: number | undefined
  /** Called with every fault before it is injected. */
  readonly onInjected?: ((injected: Injector.Injected) => Effect.Effect<void>) | undefined
}

/**
 * Makes an injector of faults. Everything that shares it shares its numbering of calls.
 *
 * Each fault is counted by `injections`, the metric `faults.injected` with the label `fault`, and marks the current
 * span with the attribute `fault.injected` and an event of that name. A made-up or broken response has the header
 * `x-injected-fault`.
 *
 * @category constructors
 */
export const make = <E, Over extends "http">(
  faults: Faults<E, Over>,
  options: Options = {}
): Effect.Effect<Injector.Injector<E, Over>> => {
  const owner = "Faults.make"
  const { maxInFlight, onInjected, seed } = Argument.options(owner, `faults, { seed: "orders" }`, options, {
    seed: false,
    maxInFlight: false,
    onInjected: false
  })
  const most =
    maxInFlight === undefined ? Infinity : Argument.number(owner, "maxInFlight", maxInFlight, { min: 1, integer: true })
  if (seed !== undefined) Argument.seed(owner, seed)
  if (onInjected !== undefined && !Predicate.isFunction(onInjected)) {
    Argument.refuse(owner, "onInjected", "a function from an injected fault to an effect", onInjected)
  }
  const tree = Trees.treeOf(owner, faults)
  const given = seed === undefined ? Random.nextInt : Effect.succeed(seed)
  return Effect.flatMap(given, (seed) =>
    Injector.make({ decide: Trees.compile(tree, Draw.seeded(seed)), maxInFlight: most, onInjected })
  )
}

/**
 * Injects nothing: injecting it returns the same object.
 *
 * @category constructors
 */
export const off: Injector.Injector = {
  call: (_request, self) => self,
  counts: Effect.succeed({ calls: 0, injected: {}, spared: 0 }),
  runtime: Runtime.defaultRuntime
}

/**
 * Injects faults into an effect, each time it runs.
 *
 * @category combinators
 */
export function inject<E2>(
  injector: Injector.Injector<E2>
): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2, R>
export function inject<A, E, R, E2>(
  self: Effect.Effect<A, E, R>,
  injector: Injector.Injector<E2>
): Effect.Effect<A, E | E2, R>
export function inject(...given: Given): unknown {
  return dual(given, injected, given.length > 1)
}

const injected = (self: Effect.Effect<unknown, unknown, unknown>, injector: Injector.Injector<unknown>) => {
  Injector.checked("Faults.inject", injector)
  if (injector === off) return self
  return injector.call(undefined, self, (met) =>
    Interpret.apply(met, self, (fault) =>
      fault._tag === "Throttle"
        ? Effect.fail(new Fault.Throttled({ retryAfter: Duration.millis(fault.hintMillis) }))
        : Effect.sync(() => Argument.refuse("Faults.inject", "injector", "without faults of HTTP", fault._tag))
    )
  )
}

/**
 * The number of calls and injected faults so far.
 *
 * @category destructors
 */
export const counts = (self: Injector.Injector<unknown, "http">): Effect.Effect<Injector.Counts> => self.counts

/**
 * Makes an injector if the configuration enables it; otherwise `off`.
 *
 * The keys of the name `faults` are the variables `FAULTS_ENABLED` (true or false), `FAULTS_RATIO` (the share of calls
 * that may have a fault, 0..1), `FAULTS_SEED` and `FAULTS_MAX_IN_FLIGHT`, or `{ "faults": { "enabled": true } }` in a
 * file. Without `enabled` the others are not read. Fails with a `ConfigError` that names every bad key at once, with
 * the allowed range but without the value.
 *
 * @category constructors
 */
export const configured = <E, Over extends "http">(
  name: string,
  faults: Faults<E, Over>
): Effect.Effect<Injector.Injector<E, Over>, ConfigError.ConfigError> => {
  Trees.treeOf("Faults.configured", faults)
  return Effect.flatMap(FaultsConfig.config(name), (found): Effect.Effect<Injector.Injector<E, Over>> => {
    if (found === undefined) return Effect.succeed(off)
    const { ratio, ...options } = found
    return make(ratio === undefined ? faults : chance(ratio, faults), options)
  })
}

/** The faulty service that `layer` provides. */
interface Faulty<S, E, Over extends "http"> {
  readonly faults: Faults<E, Over>
  /** Injects them: `FaultyHttpClient.inject` for an `HttpClient`. */
  readonly inject: (service: NoInfer<S>, injector: Injector.Injector<E, Over>) => NoInfer<S>
  /** The prefix of the keys of `configured`. @default "faults" */
  readonly name?: string
}

/**
 * Replaces a service with a faulty one if the configuration enables it, as for `configured`; otherwise the service is
 * the same object as before.
 *
 * @category layers
 */
export const layer = <I, S, E, Over extends "http">(
  tag: Context.Tag<I, S>,
  { faults, inject, name = "faults" }: Faulty<S, E, Over>
): Layer.Layer<I, ConfigError.ConfigError, I> =>
  Layer.effect(
    tag,
    Effect.zipWith(tag, configured(name, faults), (service, injector) =>
      injector === off ? service : inject(service, injector)
    )
  )

const trees = (owner: string, faults: ReadonlyArray<Faults<unknown, "http">>): ReadonlyArray<Tree> =>
  Array.isArray(faults)
    ? faults.map((one) => Trees.treeOf(owner, one))
    : Argument.refuseForeign(owner, "faults", "an array of Faults", faults)
