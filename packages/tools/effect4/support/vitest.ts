/**
 * What the tests import of `@effect/vitest`, on Effect 4: testers with a `TestClock` and without loggers, and properties of
 * `fast-check`, as the tests of both lines use them.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as FastCheck from "fast-check"
import type { TestOptions } from "vitest"
import * as vitest from "vitest"

export * from "vitest"

type Body = (...args: Array<any>) => Effect.Effect<unknown, unknown, any>

interface Options extends TestOptions {
  readonly fastCheck?: FastCheck.Parameters<any>
}

const optionsOf = (options: number | Options | undefined): Options =>
  typeof options === "number" ? { timeout: options } : (options ?? {})

const surroundings = Layer.mergeAll(TestClock.layer(), Logger.layer([]))

type Run = (effect: Effect.Effect<unknown, unknown, any>, signal?: AbortSignal) => Promise<void>

const runIn =
  (provide: (self: Effect.Effect<unknown, unknown, any>) => Effect.Effect<unknown, unknown>): Run =>
  async (effect, signal) => {
    let fiber: Fiber.Fiber<unknown, unknown> | undefined
    // Before the fiber runs, so that a test may count the listeners of its own signals.
    signal?.addEventListener("abort", () => fiber?.interruptUnsafe())
    fiber = Effect.runFork(provide(effect))
    const exit = await Effect.runPromise(Fiber.await(fiber))
    if (Exit.isSuccess(exit)) return
    throw Cause.prettyErrors(exit.cause)[0] ?? new Error("All fibers interrupted without errors.")
  }

/** The values of a list or of a record of arbitraries. */
const together = (arbitraries: any): FastCheck.Arbitrary<any> =>
  Array.isArray(arbitraries) ? FastCheck.tuple(...arbitraries) : FastCheck.record(arbitraries)

const testerOf = (run: Run) =>
  Object.assign(
    (name: string, self: Body, options?: number | Options) =>
      vitest.it(name, optionsOf(options), (context) =>
        run(
          Effect.suspend(() => self(context)),
          context.signal
        )
      ),
    {
      each:
        (cases: ReadonlyArray<any>) =>
        (name: string, self: Body, options?: number | Options): void =>
          vitest.it.for(cases)(name, optionsOf(options), (row, { signal }) =>
            run(
              Effect.suspend(() => self(row)),
              signal
            )
          ),
      prop: (name: string, arbitraries: any, self: Body, options?: number | Options): void => {
        const { fastCheck, ...rest } = optionsOf(options)
        vitest.it(name, rest, (context) =>
          FastCheck.assert(
            FastCheck.asyncProperty(together(arbitraries), (values) =>
              run(Effect.suspend(() => self(values, context)))
            ),
            fastCheck
          )
        )
      }
    }
  )

export const effect = testerOf(runIn((self) => Effect.provide(Effect.scoped(self), surroundings)))

export const scoped = effect

export const live = testerOf(runIn((self) => Effect.scoped(self) as Effect.Effect<unknown, unknown>))

export const prop = (name: string, arbitraries: any, self: (values: any) => void, options?: number | Options): void => {
  const { fastCheck, ...rest } = optionsOf(options)
  vitest.it(name, rest, () =>
    FastCheck.assert(
      FastCheck.property(together(arbitraries), (values) => void self(values)),
      fastCheck
    )
  )
}

/** The `it` of vitest with testers of its own. */
const methodsOf = (tester: typeof effect) => {
  const own: Readonly<Record<PropertyKey, unknown>> = { effect: tester, scoped: tester, live, scopedLive: live, prop }
  return new Proxy(vitest.it, {
    get: (it, name) => (Object.hasOwn(own, name) ? own[name] : Reflect.get(it, name))
  }) as vitest.TestAPI & {
    readonly effect: typeof effect
    readonly scoped: typeof effect
    readonly live: typeof live
    readonly scopedLive: typeof live
    readonly prop: typeof prop
  }
}

/** A block of tests that share what a layer builds, in virtual time unless they exclude it. */
export const layer =
  <R, E>(built: Layer.Layer<R, E>, options?: { readonly excludeTestServices?: boolean }) =>
  (name: string, block: (it: ReturnType<typeof methodsOf>) => void): void =>
    vitest.describe(name, () => {
      const scope = Effect.runSync(Scope.make())
      const services = Effect.runSync(
        Effect.cached(
          Layer.buildWithScope(
            options?.excludeTestServices === true ? built : Layer.provideMerge(built, surroundings),
            scope
          )
        )
      )
      vitest.afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
      block(
        methodsOf(
          testerOf(
            runIn(
              (self) =>
                Effect.flatMap(services, (services) =>
                  Effect.provideContext(Effect.scoped(self), services)
                ) as Effect.Effect<unknown, unknown>
            )
          )
        )
      )
    })

export const it = methodsOf(effect)
export const test = it
