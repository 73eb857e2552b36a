/**
 * Many operations at once.
 */
import { Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Exit, Runtime } from "effect"
import type { Call } from "./Calls.ts"
import { down, policy } from "./Calls.ts"

type Retried = (self: Call) => Effect.Effect<number, unknown, TokenBucket.RetryBucket>

/** An operation that takes tokens and returns them. */
export const funded: Retried = (self) => Retry.retry(self, { ...policy, bucket: TokenBucket.RetryBucket })

const success = Effect.succeed(1)

/** Operations that fail once and then wait, until `open` lets all of them succeed. */
const makeGate = (retried: Retried) => {
  const waiting: Array<(success: Call) => void> = []
  const waits: Call = Effect.async((resume) => {
    waiting.push(resume)
  })
  const operation = Effect.suspend(() => {
    let calls = 0
    return retried(Effect.suspend(() => (++calls === 1 ? down : waits)))
  })
  return { operation, open: () => waiting.splice(0).forEach((resume) => resume(success)) }
}

/**
 * Runs so many operations at once, each in a root fiber, the same number on each bucket. All of them have paid for a retry
 * before the first of them ends. Rejects when one fails.
 */
export const crowd = (
  retried: Retried,
  size: number,
  buckets: ReadonlyArray<TokenBucket.TokenBucket>
): (() => Promise<void>) => {
  const edges = buckets.map((bucket) =>
    Effect.runSync(Effect.provideService(Effect.runtime<TokenBucket.RetryBucket>(), TokenBucket.RetryBucket, bucket))
  )
  const { open, operation } = makeGate(retried)
  return () =>
    new Promise((resolve, reject) => {
      let left = size
      const ended = (exit: Exit.Exit<number, unknown>) => {
        left -= 1
        if (Exit.isFailure(exit)) reject(new Error("An operation of the crowd failed", { cause: exit.cause }))
        else if (left === 0) resolve()
      }
      for (const edge of edges) {
        for (let i = 0; i < size / edges.length; i++) {
          Runtime.runFork(edge, operation, { immediate: true }).addObserver(ended)
        }
      }
      open()
    })
}
