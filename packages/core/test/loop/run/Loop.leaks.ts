/** What operations leave in memory. Nothing here depends on how long anything takes. */
import { AttemptTimeout, Backoff, Classifier, Retry, TokenBucket } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** Heap in use after full collections of garbage. */
const heap = async (): Promise<number> => {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length

const policy = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: 0 }),
  bucket: TokenBucket.RetryBucket,
  attemptTimeout: AttemptTimeout.constant("5 seconds"),
  observe: [() => Effect.void]
}

describe("many attempts under a timeout, a bucket and observers", () => {
  const attempts = 200_000
  /** Of all attempts together, in bytes: an object left by one attempt in eight would take more. */
  const most = 2 * attempts

  it("hold no memory, no fiber and no timer once they have ended", async () => {
    const edge = ManagedRuntime.make(Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota()))
    let made = 0
    const attempt = Effect.suspend(() => {
      made += 1
      // Some attempts let other fibers go first, so that a timer is set for them, and some fail.
      if (made % 50 === 0) return Effect.yieldNow()
      return made % 50 === 1 ? Effect.fail("busy") : Effect.void
    })
    const operation = Effect.ignore(Retry.retry(attempt, policy))
    const run = (until: number) =>
      edge.runPromise(Effect.whileLoop({ while: () => made < until, body: () => operation, step: () => {} }))
    // What is made once: compiled code, metrics, the services.
    await run(attempts / 4)
    await heap()
    const [fibers, waiting] = [Fiber.unsafeRoots().length, timers()]
    let growth = Infinity
    // The compiler goes on for millions of attempts, and keeps what it makes; a leak is in every round.
    for (let round = 1; round <= 3 && growth >= most; round++) {
      const bytes = await heap()
      await run(made + attempts)
      growth = (await heap()) - bytes
    }
    expect(growth).toBeLessThan(most)
    expect([Fiber.unsafeRoots().length, timers()]).toEqual([fibers, waiting])
    expect(made).toBeGreaterThanOrEqual(attempts)
  })
})

describe("fibers that each make an attempt with a name, in which the next one begins", () => {
  const generations = 4_000
  /** In bytes. Were each to hold what those before it had, it would be twenty times as much. */
  const most = 4_000_000

  it("hold little of those before them", async () => {
    const { backoff, classifier, maxAttempts } = policy
    const before = await heap()
    const held = await new Promise<number>((resolve) => {
      const next = (n: number): Effect.Effect<unknown> => {
        const begin = Effect.forkDaemon(Effect.flatMap(Effect.yieldNow(), () => next(n + 1)))
        if (n === generations) return Effect.flatMap(Effect.promise(heap), (bytes) => Effect.sync(() => resolve(bytes)))
        return Retry.retry(begin, { classifier, maxAttempts, backoff, name: "generation" })
      }
      Effect.runFork(next(0))
    })
    expect(held - before).toBeLessThan(most)
  })
})
