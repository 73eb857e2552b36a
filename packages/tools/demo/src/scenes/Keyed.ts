/**
 * A POST whose connection breaks: nobody knows whether it was carried out.
 */
import { Backoff, Jitter } from "@effect-retry/core"
import { HttpRetry, Idempotency } from "@effect-retry/http"
import { Effect, Schedule } from "effect"
import * as Promised from "../Promised.ts"
import type { CallPolicy, Run, Target } from "../Run.ts"
import { native, ours } from "../Run.ts"
import * as Scene from "../Scene.ts"
import * as Script from "../Script.ts"
import * as Timeline from "../Timeline.ts"

/**
 * @category constructors
 */
export const policy: CallPolicy = {
  ...HttpRetry.standard,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.equal))
}

const keys = { ...Idempotency.standard, createKeyFor: ["POST"] }

const plain = Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))

/**
 * @category constructors
 */
export const scene = (ourPolicy = policy): Scene.Scene => ({
  title: "POST, and the connection breaks",
  intro: [
    "ours    exponential from 100 ms, equal jitter, 4 attempts; no key is created",
    "keyed   the same, and POST gets an Idempotency-Key",
    "native  exponential from 100 ms, jittered, recurs(3)"
  ],
  play: ({ path, seed, server }) => {
    const script = Script.make(Script.reset, Script.status(503), Script.status(200))
    const target: Target = { server, seed, path, script, method: "POST" }
    const all = [
      ours(target, ourPolicy),
      ours(target, { ...ourPolicy, idempotency: keys }, "keyed"),
      native(target, Effect.retry(plain))
    ] as const
    return Effect.map(Effect.all(all, { concurrency: "unbounded" }), ([unkeyed, keyed, plainly]) => ({
      figure: (style) => Timeline.draw(style, [unkeyed, keyed, plainly].map(Timeline.fromRun)),
      promises: promises(unkeyed, keyed),
      notes: ["native sent the POST again, with nothing by which the server could tell"],
      ours: Scene.tally([unkeyed, keyed]),
      native: Scene.tally([plainly])
    }))
  }
})

const promises = (unkeyed: Run, keyed: Run): ReadonlyArray<Promised.Promised> => [
  Promised.stopsBecause(unkeyed, "Terminal"),
  Promised.requests(unkeyed, 1),
  Promised.tellsAll(unkeyed),
  Promised.succeeds(keyed),
  Promised.requests(keyed, 3),
  Promised.tellsAll(keyed),
  Promised.sameKey(keyed)
]
