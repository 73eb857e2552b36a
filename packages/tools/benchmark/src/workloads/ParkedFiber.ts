import { AttemptTimeout, Backoff, Retry } from "@effect-retry/core"
import { Effect, Fiber, Schedule } from "effect"
import type { Row, Workload } from "../Workload.ts"
import { down, policy } from "./Calls.ts"

const fibers = 2_000

/** Bytes per fiber that waits. */
const parked =
  (effect: Effect.Effect<unknown, unknown>, collect: () => void): Row["sample"] =>
  async () => {
    const waiting: Array<Fiber.RuntimeFiber<unknown, unknown>> = Array.from({ length: fibers })
    collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < fibers; i++) waiting[i] = Effect.runFork(effect)
    collect()
    const bytes = (process.memoryUsage().heapUsed - before) / fibers
    await Effect.runPromise(Fiber.interruptAll(waiting))
    return bytes
  }

export const parkedFiber = (collect: () => void): Workload => ({
  title: "Parked in a delay",
  about: [
    "A fiber has failed once and waits, by a timer of the live clock, to try again in an hour.",
    `The figure is heap memory per fiber, of ${fibers} root fibers, after a full collection.`
  ],
  unit: "bytes",
  rounds: 5,
  baseline: "bare `Effect.sleep`",
  rows: [
    { name: "bare `Effect.sleep`", sample: parked(Effect.sleep("1 hour"), collect) },
    {
      name: "`Retry.retry`",
      sample: parked(Retry.retry(down, { ...policy, backoff: Backoff.constant({ delay: "1 hour" }) }), collect),
      target: { of: "value", atMost: 5_000 }
    },
    {
      name: "`Effect.retry`",
      sample: parked(Effect.retry(down, { schedule: Schedule.spaced("1 hour"), times: 2 }), collect)
    }
  ]
})

/** Waits for an answer that does not come, and holds nothing for it: `Effect.never` has a timer. */
const unanswered = Effect.async<never>((resume) => void resume)

export const parkedAttempt = (collect: () => void): Workload => ({
  title: "Parked under a timeout",
  about: [
    "A fiber waits for an attempt that is never answered, under a timeout of an hour.",
    `The figure is heap memory per fiber, of ${fibers} root fibers, after a full collection.`
  ],
  unit: "bytes",
  rounds: 5,
  baseline: "`Effect.timeout`",
  rows: [
    { name: "without a timeout", sample: parked(unanswered, collect) },
    { name: "`Effect.timeout`", sample: parked(Effect.timeout(unanswered, "1 hour"), collect) },
    {
      name: "`Retry.retry`, attempt timeout",
      sample: parked(
        Retry.retry(unanswered, { ...policy, attemptTimeout: AttemptTimeout.constant("1 hour") }),
        collect
      ),
      target: { of: "value", atMost: 6_500 }
    }
  ]
})
