/**
 * A server that stays down, and a caller with little time.
 */
import { Backoff, Deadline } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Effect, Schedule } from "effect"
import * as Promised from "../Promised.ts"
import type { CallPolicy } from "../Run.ts"
import * as Scene from "../Scene.ts"
import * as Script from "../Script.ts"

const withinMillis = 1000
const nextDelayMillis = (attempt: number) => 150 * 2 ** (attempt - 1)

/**
 * @category constructors
 */
export const policy: CallPolicy = {
  ...HttpRetry.standard,
  maxAttempts: 10,
  backoff: Backoff.exponential({ base: "150 millis" }),
  deadline: Deadline.refuse(withinMillis)
}

/**
 * @category constructors
 */
export const scene = (ours = policy): Scene.Scene =>
  Scene.pair({
    title: "Down past the deadline",
    intro: ["ours    exponential from 150 ms, deadline of 1 s", "native  exponential from 150 ms, upTo(1 s)"],
    script: Script.make(Script.status(503, { afterMillis: 80 })),
    policy: ours,
    native: Effect.retry(Schedule.exponential("150 millis").pipe(Schedule.upTo("1 second"))),
    promises: (run) => [
      Promised.stopsBecause(run, "DeadlinePassed"),
      Promised.stopsAtOnce(run, nextDelayMillis),
      Promised.stopsForGood(run, nextDelayMillis, withinMillis),
      Promised.keepsDeadline(run, withinMillis),
      Promised.tellsAll(run)
    ],
    bound: { atMillis: withinMillis, name: "deadline" }
  })
