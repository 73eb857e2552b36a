/** What tests use of Effect 3's `Effect` that Effect 4 has in another shape. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { dual } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import * as Random3 from "./Random3.ts"

type Any = Effect.Effect<any, any, any>

export const cachedFunction = <A, B, E, R>(f: (a: A) => Effect.Effect<B, E, R>) =>
  Effect.sync(() => {
    const known = new Map<A, Effect.Effect<B, E, R>>()
    return (a: A) =>
      Effect.suspend(() => {
        const found = known.get(a)
        if (found !== undefined) return found
        return Effect.flatMap(Effect.cached(f(a)), (cached) => {
          known.set(a, cached)
          return cached
        })
      })
  })

/** Effect does not declare whether a fiber can be interrupted. */
export const checkInterruptible = <A, E, R>(f: (can: boolean) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => f((fiber as { readonly interruptible?: boolean }).interruptible === true))

export const disconnect = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(self)), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

export const iterate = <A, E, R>(
  initial: A,
  { body, while: goesOn }: { readonly while: (a: A) => boolean; readonly body: (a: A) => Effect.Effect<A, E, R> }
): Effect.Effect<A, E, R> => {
  const next = (a: A): Effect.Effect<A, E, R> => (goesOn(a) ? Effect.flatMap(body(a), next) : Effect.succeed(a))
  return Effect.suspend(() => next(initial))
}

export const loop = <A, B, E, R>(
  initial: A,
  options: {
    readonly while: (a: A) => boolean
    readonly step: (a: A) => A
    readonly body: (a: A) => Effect.Effect<B, E, R>
  }
): Effect.Effect<Array<B>, E, R> =>
  Effect.gen(function* () {
    const all: Array<B> = []
    for (let a = initial; options.while(a); a = options.step(a)) all.push(yield* options.body(a))
    return all
  })

export const orDieWith: {
  (f: (error: any) => unknown): (self: Any) => Any
  (self: Any, f: (error: any) => unknown): Any
} = dual(2, (self: Any, f: (error: any) => unknown) => Effect.orDie(Effect.mapError(self, f)))

export const reduce = <A, Z, E, R>(
  elements: Iterable<A>,
  zero: Z,
  f: (z: Z, a: A) => Effect.Effect<Z, E, R>
): Effect.Effect<Z, E, R> => Effect.reduce(elements, () => zero, f)

export const repeatN: {
  (times: number): (self: Any) => Any
  (self: Any, times: number): Any
} = dual(2, (self: Any, times: number) => Effect.repeat(self, { times }))

type Labels = Readonly<Record<string, string>>

export const tagMetrics: {
  (labels: Labels): (self: Any) => Any
  (key: string, value: string): (self: Any) => Any
  (self: Any, labels: Labels): Any
  (self: Any, key: string, value: string): Any
} = dual(
  (args) => Effect.isEffect(args[0]),
  (self: Any, labels: string | Labels, value: string) =>
    Effect.updateService(self, Metric.CurrentMetricAttributes, (known) => ({
      ...(known as object),
      ...(typeof labels === "string" ? { [labels]: value } : labels)
    }))
)

/** Also takes a function to a value that is no effect, which it drops. */
export const tap: {
  (f: unknown): (self: Any) => Any
  (self: Any, f: unknown): Any
} = dual(2, (self: Any, f: unknown) =>
  Effect.tap(self, (a: unknown) => {
    const told = typeof f === "function" ? f(a) : f
    return Effect.isEffect(told) ? told : Effect.void
  })
)

export const timeoutTo =
  ({
    duration,
    onSuccess,
    onTimeout
  }: {
    readonly duration: Duration.Input
    readonly onSuccess: (a: any) => unknown
    readonly onTimeout: () => unknown
  }) =>
  (self: Any): Any =>
    Effect.timeoutOrElse(Effect.map(self, onSuccess), { duration, orElse: () => Effect.sync(onTimeout) })

/** How long an effect takes, by the given nanoseconds, and its value. */
export const timedWith = <A, E, R>(self: Effect.Effect<A, E, R>, nanos: Effect.Effect<bigint>) =>
  Effect.gen(function* () {
    const begun = yield* nanos
    const value = yield* self
    return [Duration.nanos((yield* nanos) - begun), value] as const
  })

export const withRandomFixed: {
  (values: ReadonlyArray<number>): (self: Any) => Any
  (self: Any, values: ReadonlyArray<number>): Any
} = dual(2, (self: Any, values: ReadonlyArray<number>) =>
  Effect.provideService(self, Random.Random, Random3.fixed(values))
)
