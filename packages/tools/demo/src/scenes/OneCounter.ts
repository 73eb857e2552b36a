/**
 * A server that is unavailable, and resets every fourth connection: two ways to fail, and how many counters?
 */
import { Backoff, Jitter } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"
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
  backoff: Backoff.exponential({ base: "50 millis" }).pipe(Backoff.jittered(Jitter.equal))
}

const four = [Script.status(503), Script.status(503), Script.status(503), Script.reset] as const

/**
 * @category constructors
 */
export const scene = (ours = policy): Scene.Scene =>
  Scene.pair({
    title: "503s and resets, one counter",
    intro: ["ours    4 attempts, exponential from 50 ms", "native  HttpClient.retryTransient({ times: 3 })"],
    script: Script.make(...four, ...four, ...four, ...four),
    policy: ours,
    native: (_, through) => through((client) => HttpClient.retryTransient(client, { times: 3 })),
    promises: (run) => [
      Promised.stopsBecause(run, "AttemptsSpent"),
      Promised.requests(run, 4),
      Promised.tellsAll(run),
      Promised.kinds(run, ["Server", "Server", "Server", "Transient"])
    ],
    notes: (run) => [`native sent ${Words.count(run.arrivals.length, "request")}`]
  })
