/**
 * A server that is briefly unavailable.
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
  backoff: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.full))
}

/**
 * @category constructors
 */
export const scene = (ours = policy): Scene.Scene =>
  Scene.pair({
    title: "Two 503s, then an answer",
    intro: [
      "ours    exponential from 200 ms, cap 1 s, full jitter, 4 attempts",
      "native  exponential from 200 ms, jittered, recurs(3)"
    ],
    script: Script.make(Script.status(503), Script.status(503), Script.status(200)),
    policy: ours,
    native: Effect.retry(
      Schedule.exponential("200 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))
    ),
    promises: (run) => [
      Promised.succeeds(run),
      Promised.requests(run, 3),
      Promised.tellsAll(run),
      Promised.kinds(run, ["Server", "Server"]),
      Promised.waits(run, [200, 400])
    ]
  })
