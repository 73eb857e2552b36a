/**
 * A connection that breaks, and one on which nothing ever comes.
 */
import { AttemptTimeout, Backoff, Jitter } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Effect, Schedule } from "effect"
import * as Promised from "../Promised.ts"
import type { CallPolicy } from "../Run.ts"
import * as Scene from "../Scene.ts"
import * as Script from "../Script.ts"

/**
 * @category constructors
 */
export const policy: CallPolicy & { readonly attemptTimeout: AttemptTimeout.AttemptTimeout } = {
  ...HttpRetry.standard,
  attemptTimeout: AttemptTimeout.constant("500 millis"),
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.equal))
}

/**
 * @category constructors
 */
export const scene = (ours: CallPolicy = policy): Scene.Scene =>
  Scene.pair({
    title: "A reset, then a hang",
    intro: [
      "ours    exponential from 100 ms, equal jitter, 4 attempts of 500 ms",
      "native  exponential from 100 ms, jittered, recurs(3), Effect.timeout(1.2 s)"
    ],
    script: Script.make(Script.reset, Script.hang, Script.status(200)),
    policy: ours,
    native: (call) =>
      Effect.retry(
        call,
        Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))
      ).pipe(Effect.timeout("1200 millis")),
    promises: (run) => [
      Promised.succeeds(run),
      Promised.requests(run, 3),
      Promised.tellsAll(run),
      Promised.kinds(run, ["Transient", "Timeout"]),
      Promised.hangsCut(run, { timeoutMillis: 500, deadlineMillis: Infinity }),
      Promised.hangsUp(run)
    ]
  })
