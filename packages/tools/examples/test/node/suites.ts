/** What `node:test` runs, in a process without vitest: two suites, and an expectation that does not hold. */
import { Jitter, TokenBucket } from "@effect-retry/core"
import { Laws, TokenBucketContract } from "@effect-retry/testing"
import { Effect, Layer } from "effect"
import { runner } from "../../src/testing-node.ts"

const bucket = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 5 }))

TokenBucketContract.suite(runner, "A bucket", bucket)
Laws.jitter(runner, "A jitter", Jitter.full, { numRuns: 10 })
runner.it.effect("An expectation", () => Effect.sync(() => runner.expect(1).toBe(2)))
