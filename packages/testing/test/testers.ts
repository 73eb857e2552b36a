/**
 * The testers `effect` and `scoped` of `@effect/vitest`, with the same services for a tenth of the time.
 *
 * `TestContext` is a layer of five layers that are merged, and building it takes longer than most tests. Its services but
 * the clock are the same for every test and are there by default, so here only the clock is built.
 */
import type { TestContext, TestOptions, Vitest } from "@effect/vitest"
import * as given from "@effect/vitest"
import { it, live } from "@effect/vitest"
import type { Scope } from "effect"
import { Cause, Effect, Exit, FastCheck, FiberRef, flow, HashSet, Logger, TestClock, TestServices } from "effect"

type Environment<R> = <A, E>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E>

/** A `TestClock` that starts at 0, the other services of tests, and no logger. */
const withTestServices: Environment<TestServices.TestServices> = (self) =>
  self.pipe(
    Effect.provide(TestClock.defaultTestClock),
    Effect.provide(TestServices.liveServices),
    Effect.locallyWith(FiberRef.currentLoggers, HashSet.remove(Logger.defaultLogger))
  )

type Run<A, E, R, Args extends Array<unknown>> = (...args: Args) => Effect.Effect<A, E, R>

/** Fails a property with what its effect failed with, as the testers do. */
const rejectFailure = (exit: Exit.Exit<unknown, unknown>): void => {
  if (Exit.isSuccess(exit)) return
  throw Cause.prettyErrors(exit.cause)[0] ?? new Error("All fibers interrupted without errors.")
}

interface PropertyOptions extends TestOptions {
  readonly fastCheck?: object
}

const optionsOf = (options: number | PropertyOptions | undefined): PropertyOptions =>
  typeof options === "number" ? { timeout: options } : (options ?? {})

const register: (name: string, options: TestOptions, run: (context: TestContext) => Promise<void>) => void = it

/** As `given`, but for tests that run always, tables and properties. */
const testerIn = <R>(given: Vitest.Tester<R>, environment: Environment<R>): Vitest.Tester<R> => {
  const around =
    <A, E, Args extends Array<unknown>>(self: Run<A, E, R, Args>): Run<A, E, never, Args> =>
    (...args) =>
      environment(Effect.suspend(() => self(...args)))
  const test: Vitest.Test<R> = (name, self, options) => live(name, around(self), options)
  return Object.assign(test, given, {
    each:
      <T>(cases: ReadonlyArray<T>) =>
      <A, E>(name: string, self: Run<A, E, R, Array<T>>, options?: number | TestOptions) =>
        live.each(cases)(name, around(self), options),
    // Not that of `live`, which keeps the fiber of every sample until the test is over.
    prop: ((name, arbitraries, self, options) => {
      if (!Array.isArray(arbitraries)) return live.prop(name, arbitraries, around(self), options)
      const { fastCheck, ...rest } = optionsOf(options)
      return register(name, rest, (context) => {
        const holds = around(self)
        const property = FastCheck.asyncProperty(FastCheck.tuple(...arbitraries), async (given) =>
          rejectFailure(await Effect.runPromiseExit(holds(given as never, context)))
        )
        return FastCheck.assert(property, fastCheck as FastCheck.Parameters<[Array<unknown>]> | undefined)
      })
    }) satisfies Vitest.Tester<R>["prop"]
  })
}

export const effect: Vitest.Tester<TestServices.TestServices> = testerIn(given.effect, withTestServices)

export const scoped: Vitest.Tester<TestServices.TestServices | Scope.Scope> = testerIn(
  given.scoped,
  flow(Effect.scoped, withTestServices) as Environment<TestServices.TestServices | Scope.Scope>
)
