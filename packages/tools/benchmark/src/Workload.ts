/**
 * A piece of work and the rows that do it, and how to take a sample of a row.
 */
import type { ManagedRuntime } from "effect"
import { Context, Effect } from "effect"

/** What a row promises: a ratio to the baseline, or a value in the workload's unit, of at most so much. */
export interface Target {
  readonly of: "ratio" | "value"
  readonly atMost: number
}

export interface Row {
  readonly name: string
  readonly sample: () => number | Promise<number>
  readonly target?: Target
}

export interface Workload {
  readonly title: string
  /** What one operation is, in sentences for the page. */
  readonly about: ReadonlyArray<string>
  readonly unit: "ns" | "bytes"
  readonly rounds: number
  /** The name of the row that the others are compared with. */
  readonly baseline: string
  readonly rows: ReadonlyArray<Row>
}

export interface Pace {
  /** So many milliseconds before the first sample, for the compiler. */
  readonly warmUpMillis: number
  /** At least so many milliseconds per sample: less would measure the clock. */
  readonly sampleMillis: number
  /** At least so many operations per sample. */
  readonly times: number
}

/** For what takes microseconds at most. */
const quick: Pace = { warmUpMillis: 150, sampleMillis: 8, times: 1 }

/** For many operations at once. */
export const manyAtOnce: Pace = { warmUpMillis: 300, sampleMillis: 8, times: 1_000 }

/** For requests. */
export const requests: Pace = { warmUpMillis: 2_000, sampleMillis: 8, times: 100 }

/** For those by `fetch`: enough of them that every sample has its share of the garbage collector. */
export const manyRequests: Pace = { ...requests, times: 400 }

/** Nanoseconds of processor time that `run` takes once. */
export const processorNanos = async (run: () => void | Promise<void>): Promise<number> => {
  const before = process.cpuUsage()
  await run()
  const { system, user } = process.cpuUsage(before)
  return (user + system) * 1e3
}

/** Nanoseconds of processor time per operation of `run`, which does the work so many times. */
export const timed = (
  run: (times: number) => void | Promise<void>,
  { sampleMillis, times: atLeast, warmUpMillis }: Pace = quick
): Row["sample"] => {
  let times: number | undefined
  const millisFor = async (times: number): Promise<number> => (await processorNanos(() => run(times))) / 1e6
  const warmUp = async (): Promise<number> => {
    let times = atLeast
    let spent = 0
    while (true) {
      const millis = await millisFor(times)
      spent += millis
      if (millis < sampleMillis) times *= 2
      else if (spent >= warmUpMillis) return times
    }
  }
  return async () => {
    times ??= await warmUp()
    return ((await millisFor(times)) * 1e6) / times
  }
}

/** A sample that is made, once, when it is first asked for. */
export const prepared = (make: () => Promise<Row["sample"]>): Row["sample"] => {
  let sample: Promise<Row["sample"]> | undefined
  return async () => (await (sample ??= make()))()
}

/** Runs of an effect, one after the other inside one fiber. `effect` is asked for before each. */
export const insideOneFiber = (effect: () => Effect.Effect<unknown, unknown>): Row["sample"] =>
  withServices(Context.empty(), effect)

/** The same, inside one fiber that has `services`: they are provided once, outside of the runs. */
export const withServices = <R>(
  services: Context.Context<R>,
  effect: () => Effect.Effect<unknown, unknown, R>
): Row["sample"] =>
  timed((times) => {
    let left = times
    const runs = Effect.whileLoop({ while: () => left-- > 0, body: effect, step: () => {} })
    Effect.runSync(Effect.provide(runs, services))
  })

/** Runs of an effect that waits, one after the other inside one fiber of a runtime. */
export const insideFiberOf = <R>(
  edge: ManagedRuntime.ManagedRuntime<R, never>,
  effect: Effect.Effect<unknown, unknown, R>,
  pace?: Pace
): Row["sample"] =>
  timed((times) => {
    let left = times
    return edge.runPromise(Effect.whileLoop({ while: () => left-- > 0, body: () => effect, step: () => {} }))
  }, pace)

/** Promises, each awaited before the next is asked for. */
export const awaitedOneByOne = (promise: () => Promise<unknown>, pace?: Pace): Row["sample"] =>
  timed(async (times) => {
    for (let i = 0; i < times; i++) {
      await promise()
    }
  }, pace)

/** Promises that run at the same time, all of a sample. */
export const allAtOnce = (promise: () => Promise<unknown>, pace?: Pace): Row["sample"] =>
  timed(async (times) => {
    await Promise.all(Array.from({ length: times }, promise))
  }, pace)
