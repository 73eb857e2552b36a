/**
 * Many operations at once.
 */
import { Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Exit, Runtime } from "effect"
import type { Call } from "./Calls.ts"
import { down, policy } from "./Calls.ts"

type Operation = Effect.Effect<number, unknown, TokenBucket.Default>

const success = Effect.succeed(1)

/** Fails once, then succeeds, and each time lets all the others go first: all pay for their retry before any is made. */
const yielding = (retried: (self: Call) => Operation): Operation =>
  Effect.suspend(() => {
    let calls = 0
    const attempt = Effect.suspend(() => (++calls === 1 ? down : success))
    return retried(Effect.zipRight(Effect.yieldNow(), attempt))
  })

/** An operation that takes tokens and returns them. */
export const funded: Operation = yielding((self) => Retry.retry(self, { ...policy, bucket: TokenBucket.Default }))

/** The same without a bucket. */
export const unfunded: Operation = yielding((self) => Retry.retry(self, policy))

/** Runs so many operations at once, each in a root fiber, the same number on each bucket. Rejects when one fails. */
export const crowd = (
  operation: Operation,
  size: number,
  buckets: ReadonlyArray<TokenBucket.TokenBucket>
): (() => Promise<void>) => {
  const edges = buckets.map((bucket) =>
    Effect.runSync(Effect.provideService(Effect.runtime<TokenBucket.Default>(), TokenBucket.Default, bucket))
  )
  return () =>
    new Promise((resolve, reject) => {
      let left = size
      const ended = (exit: Exit.Exit<number, unknown>) => {
        left -= 1
        if (Exit.isFailure(exit)) reject(new Error("An operation of the crowd failed", { cause: exit.cause }))
        else if (left === 0) resolve()
      }
      for (const edge of edges) {
        for (let i = 0; i < size / edges.length; i++) Runtime.runFork(edge, operation).addObserver(ended)
      }
    })
}
