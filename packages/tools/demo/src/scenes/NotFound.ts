/**
 * A request that no repetition makes right.
 */
import { Backoff, Jitter } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Effect, Schedule } from "effect"
import * as Promised from "../Promised.ts"
import type { CallPolicy } from "../Run.ts"
import * as Scene from "../Scene.ts"
import * as Script from "../Script.ts"

/**
 * @category constructors
 */
export const policy: CallPolicy = {
  ...HttpRetry.standard,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full))
}

/**
 * @category constructors
 */
export const scene = (ours = policy): Scene.Scene =>
  Scene.pair({
    title: "POST answered with 404",
    intro: [
      "ours    exponential from 100 ms, full jitter, 4 attempts; a 404 is terminal",
      "native  exponential from 100 ms, jittered, recurs(3)"
    ],
    script: Script.make(Script.status(404)),
    method: "POST",
    policy: ours,
    native: Effect.retry(
      Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))
    ),
    promises: (run) => [Promised.stopsBecause(run, "Terminal"), Promised.requests(run, 1), Promised.tellsAll(run)]
  })
