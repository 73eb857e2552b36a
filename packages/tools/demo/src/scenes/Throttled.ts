/**
 * A server that says when to come back.
 */
import { Backoff, Hint, Jitter } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Effect, Schedule } from "effect"
import * as Promised from "../Promised.ts"
import type { CallPolicy } from "../Run.ts"
import * as Scene from "../Scene.ts"
import * as Script from "../Script.ts"
import * as Words from "../Words.ts"

/**
 * @category constructors
 */
export const policy: CallPolicy = {
  ...HttpRetry.standard,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full)),
  hint: Hint.floor({ jitterRatio: 0.1, atMost: "5 seconds", otherwise: "giveUp" })
}

/**
 * @category constructors
 */
export const scene = (ours = policy): Scene.Scene =>
  Scene.pair({
    title: "429 with Retry-After: 1",
    intro: [
      "ours    exponential from 100 ms, the hint as a floor, 4 attempts",
      "native  exponential from 100 ms, jittered, recurs(3); no place for a hint"
    ],
    script: Script.make(Script.throttle(1), Script.status(200)),
    policy: ours,
    native: Effect.retry(
      Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))
    ),
    promises: (run) => [
      Promised.succeeds(run),
      Promised.requests(run, 2),
      Promised.tellsAll(run),
      Promised.kinds(run, ["Throttling"]),
      Promised.hintsHonoured(run)
    ],
    notes: (run) => [`native came back too early ${Words.count(Promised.tooEarly(run).length, "time")}`]
  })
