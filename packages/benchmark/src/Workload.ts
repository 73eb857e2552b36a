/**
 * A piece of work and the rows that do it, and how to take a sample of a row.
 */
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

/** So many milliseconds per sample: less would measure the clock. */
const sampleMillis = 8
/** So many milliseconds before the first sample, for the compiler. */
const warmUpMillis = 150

/** Nanoseconds of processor time per operation of `run`, which does the work so many times. */
export const timed = (run: (times: number) => void | Promise<void>): Row["sample"] => {
  let times: number | undefined
  const millisFor = async (times: number): Promise<number> => {
    const before = process.cpuUsage()
    await run(times)
    const { system, user } = process.cpuUsage(before)
    return (user + system) / 1e3
  }
  const warmUp = async (): Promise<number> => {
    let times = 1
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

/** Promises, each awaited before the next is asked for. */
export const awaitedOneByOne = (promise: () => Promise<unknown>): Row["sample"] =>
  timed(async (times) => {
    for (let i = 0; i < times; i++) {
      await promise()
    }
  })
