/**
 * Twenty operations at the same time, each with its own bad luck.
 */
import { AttemptTimeout, Backoff, Deadline, Hint, Jitter } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Array, Effect, Random, Schedule } from "effect"
import * as Promised from "../Promised.ts"
import type { CallPolicy, Run, Target } from "../Run.ts"
import { native, ours } from "../Run.ts"
import * as Scene from "../Scene.ts"
import * as Script from "../Script.ts"
import * as Timeline from "../Timeline.ts"
import * as Words from "../Words.ts"

const operations = 20
const maxAttempts = 4
const limits: Promised.Limits = { timeoutMillis: 500, deadlineMillis: 2000 }

/**
 * @category constructors
 */
export const policy: CallPolicy = {
  ...HttpRetry.standard,
  attemptTimeout: AttemptTimeout.constant(limits.timeoutMillis),
  maxAttempts,
  backoff: Backoff.exponential({ base: "50 millis" }).pipe(Backoff.capped("500 millis"), Backoff.jittered(Jitter.full)),
  hint: Hint.floor({ jitterRatio: 0.1, atMost: "5 seconds", otherwise: "giveUp" }),
  deadline: Deadline.refuse(limits.deadlineMillis)
}

const plain = Schedule.exponential("50 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))

/**
 * @category constructors
 */
export const scene = (ourPolicy = policy): Scene.Scene => ({
  title: `${operations} operations, random faults`,
  intro: [
    "S 503  T 429 with Retry-After: 1  N 404  R reset  H hang",
    "ours    exponential from 50 ms, 4 attempts of 500 ms, deadline 2 s",
    "native  exponential from 50 ms, jittered, recurs(3), Effect.timeout(2 s)"
  ],
  play: ({ path, seed, server }) =>
    Effect.gen(function* () {
      const scripts = yield* Effect.withRandom(Effect.replicateEffect(script, operations), Random.make(seed))
      const targets = scripts.map((script, i): Target => ({ server, seed, path: `${path}/${i + 1}`, script }))
      const [runs, plainRuns] = yield* Effect.all(
        [
          staggered(targets, (target) => ours(target, ourPolicy)),
          staggered(targets, (target) =>
            native(target, (call) => Effect.timeout(Effect.retry(call, plain), limits.deadlineMillis))
          )
        ],
        { concurrency: "unbounded" }
      )
      return {
        figure: (style) =>
          Timeline.drawSideBySide(
            style,
            ["ours", "native"],
            Array.zip(runs.map(Timeline.fromRun), plainRuns.map(Timeline.fromRun))
          ),
        promises: promises(runs),
        notes: [
          `ours: ${endings(runs)}`,
          `native: ${endings(plainRuns)}; came back too early ${Words.count(plainRuns.flatMap(Promised.tooEarly).length, "time")}`
        ],
        ours: Scene.tally(runs),
        native: Scene.tally(plainRuns)
      }
    })
})

/** Each starts a little after the one before: what is shown is not the load of their beginning. */
const staggered = (targets: ReadonlyArray<Target>, run: (target: Target) => Effect.Effect<Run>) =>
  Effect.forEach(targets, (target, i) => Effect.delay(run(target), i * 25), { concurrency: "unbounded" })

/** Faults until an answer that no request changes any more, or for ever. */
const script: Effect.Effect<Script.Script> = Effect.map(Effect.replicateEffect(Random.next, 8), (draws) => {
  const answers = draws.map(answer)
  const last = answers.findIndex((answer) => Script.isSuccess(answer) || Script.isFinal(answer))
  const [first = Script.status(200), ...rest] = last === -1 ? answers : answers.slice(0, last + 1)
  return Script.make(first, ...rest)
})

const answer = (u: number): Script.Answer => {
  if (u < 0.4) return Script.status(200)
  if (u < 0.66) return Script.status(503, { afterMillis: 5 })
  if (u < 0.78) return Script.throttle(1)
  if (u < 0.88) return Script.reset
  if (u < 0.95) return Script.hang
  return Script.status(404)
}

const promises = (runs: ReadonlyArray<Run>): ReadonlyArray<Promised.Promised> => [
  Promised.each("every attempt is seen by the server, every failure told", runs, (run) =>
    Promised.tellsAll(run, limits)
  ),
  Promised.each("every verdict and every success is what the server answered", runs, (run) =>
    Promised.tellsTruth(run, limits)
  ),
  Promised.each(`no operation makes more than ${maxAttempts} attempts`, runs, (run) =>
    Promised.atMostAttempts(run, maxAttempts)
  ),
  Promised.each("no request comes before the Retry-After is over", runs, Promised.hintsHonoured),
  Promised.each("nothing is sent after a final answer", runs, Promised.terminalIsLast),
  Promised.each(`no attempt starts after ${Words.millis(limits.deadlineMillis)}`, runs, (run) =>
    Promised.keepsDeadline(run, limits.deadlineMillis)
  ),
  Promised.each("attempts that hang are cut, their sockets closed", runs, (run) => Promised.hangsCut(run, limits)),
  Promised.each("whoever stops, stops for a reason that holds", runs, Promised.reasonHolds)
]

/** How often operations ended for which reason: `2 Terminal, 1 AttemptsSpent`. */
const endings = (runs: ReadonlyArray<Run>): string => {
  const counts = new Map([["ok", 0]])
  for (const { ending } of runs) {
    const word =
      ending._tag === "Succeeded"
        ? "ok"
        : ending._tag === "Stopped"
          ? ending.reason._tag
          : `failed with ${ending.error}`
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ")
}
