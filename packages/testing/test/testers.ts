/**
 * The testers `effect` and `scoped` of `@effect/vitest`, with the same services for a tenth of the time.
 *
 * `TestContext` is a layer of five layers that are merged, and building it takes longer than most tests. A worker builds it
 * once, and each test finds its `TestClock` at 0. Tests that run beside each other have one each.
 */
import type { TestContext as Given, TestOptions, Vitest } from "@effect/vitest"
import * as given from "@effect/vitest"
import { it } from "@effect/vitest"
import {
  Cause,
  Effect,
  Exit,
  FastCheck,
  identity,
  Layer,
  Logger,
  Runtime,
  Scope,
  TestClock,
  TestContext,
  type TestServices
} from "effect"

/** What a test runs with, and the effect that takes its clock back to 0. */
interface Surroundings {
  readonly runtime: Runtime.Runtime<TestServices.TestServices>
  readonly reset: Effect.Effect<void>
}

const untilTheWorkerEnds = Effect.runSync(Scope.make())

// Before a test replaces them by those of a fake clock.
const { clearImmediate, setImmediate } = globalThis

/**
 * A turn of the event loop. The `TestClock` lets fibers run for three of them whenever its time is changed, and a timer would
 * take a millisecond for each.
 */
const turn = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

const build: Effect.Effect<Surroundings> = Effect.gen(function* () {
  const services = Layer.provide(TestContext.TestContext, Logger.remove(Logger.defaultLogger))
  const runtime = yield* Layer.toRuntime(services)
  Object.assign(yield* Effect.provide(TestClock.testClock(), runtime), { yieldTimer: turn })
  return { runtime, reset: yield* Effect.provide(TestClock.save(), runtime) }
}).pipe(Scope.extend(untilTheWorkerEnds))

const free: Array<Surroundings> = []

/** Runs an effect as a test, and fails with what it failed with. */
const run = async (effect: Effect.Effect<unknown, unknown, TestServices.TestServices>, signal?: AbortSignal) => {
  const surroundings = free.pop() ?? Effect.runSync(build)
  const exit = await Runtime.runPromiseExit(surroundings.runtime)(effect, signal && { signal })
  Effect.runSync(surroundings.reset)
  free.push(surroundings)
  if (Exit.isSuccess(exit)) return
  throw Cause.prettyErrors(exit.cause)[0] ?? new Error("All fibers interrupted without errors.")
}

type Environment<R> = <A, E>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, TestServices.TestServices>

interface PropertyOptions extends TestOptions {
  readonly fastCheck?: FastCheck.Parameters<[unknown]>
}

const optionsOf = (options: number | PropertyOptions | undefined): PropertyOptions =>
  typeof options === "number" ? { timeout: options } : (options ?? {})

type Register<Args extends ReadonlyArray<unknown>> = (
  name: string,
  options: TestOptions,
  run: (...args: Args) => Promise<void>
) => void

const register: Register<[context: Given]> = it

const table: { readonly for: <T>(cases: ReadonlyArray<T>) => Register<[row: T, context: Given]> } = it

/** The values of a list or of a record of arbitraries. */
const together = (arbitraries: Vitest.Arbitraries): FastCheck.Arbitrary<unknown> =>
  Array.isArray(arbitraries)
    ? FastCheck.tuple(...(arbitraries as Array<FastCheck.Arbitrary<unknown>>))
    : FastCheck.record(arbitraries as Record<string, FastCheck.Arbitrary<unknown>>)

/** As `given`, but for tests that run always, tables and properties. */
const testerIn = <R>(given: Vitest.Tester<R>, environment: Environment<R>): Vitest.Tester<R> => {
  const test: Vitest.Test<R> = (name, self, options) =>
    register(name, optionsOf(options), (context) =>
      run(environment(Effect.suspend(() => self(context))), context.signal)
    )
  return Object.assign(test, given, {
    each:
      <T>(cases: ReadonlyArray<T>): ReturnType<Vitest.Tester<R>["each"]> =>
      (name, self, options) =>
        table.for(cases)(name, optionsOf(options), (row, { signal }) =>
          run(environment(Effect.suspend(() => self(row as never))), signal)
        ),
    prop: ((name, arbitraries, self, options) => {
      const { fastCheck, ...rest } = optionsOf(options as PropertyOptions)
      return register(name, rest, (context) => {
        const holds = (values: unknown) => run(environment(Effect.suspend(() => self(values as never, context))))
        return FastCheck.assert(FastCheck.asyncProperty(together(arbitraries), holds), fastCheck)
      })
    }) satisfies Vitest.Tester<R>["prop"]
  })
}

export const effect: Vitest.Tester<TestServices.TestServices> = testerIn(given.effect, identity)

export const scoped: Vitest.Tester<TestServices.TestServices | Scope.Scope> = testerIn(
  given.scoped,
  Effect.scoped as Environment<TestServices.TestServices | Scope.Scope>
)
