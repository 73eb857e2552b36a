/**
 * Scenes of one call each, over real sockets.
 */
import { AttemptTimeout, Backoff, Deadline, Hint, Jitter } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Scripted } from "@effect-retry/testing"
import { HttpClient } from "@effect/platform"
import type { Duration } from "effect"
import { Array, Effect, flow, Schedule } from "effect"
import * as Promised from "./Promised.ts"
import * as Scene from "./Scene.ts"
import * as Server from "./Server.ts"

const exponential = (base: Duration.DurationInput) =>
  Backoff.exponential({ base }).pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.equal))

const retrying = (schedule: Schedule.Schedule<unknown>) => flow(HttpClient.filterStatusOk, HttpClient.retry(schedule))

/** The code without the toolkit, which retries every failure. */
const native = (base: Duration.DurationInput) =>
  retrying(Schedule.exponential(base).pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3))))

/**
 * A second without the toolkit: the last retry starts after it.
 *
 * @category constructors
 */
export const upToSecond = Schedule.exponential("150 millis").pipe(Schedule.upTo("1 second"))

const common = { ...HttpRetry.standard, maxAttempts: 4, backoff: exponential("100 millis") }

/**
 * The policies of the scenes.
 *
 * @category constructors
 */
export const policies = {
  twoFailures: { ...common, backoff: exponential("200 millis") },
  throttled: { ...common, hint: Hint.floor({ jitterRatio: 0.1, atMost: "5 seconds", otherwise: "giveUp" }) },
  resetAndHang: { ...common, attemptTimeout: AttemptTimeout.constant("500 millis") },
  deadline: {
    ...common,
    maxAttempts: 10,
    backoff: Backoff.exponential({ base: "150 millis" }),
    deadline: Deadline.refuse("1 second")
  },
  post: common,
  oneCount: { ...common, backoff: exponential("50 millis") }
} satisfies { readonly [name: string]: HttpRetry.Preset<unknown> }

/**
 * @category models
 */
type Policies = { readonly [Name in keyof typeof policies]: HttpRetry.Preset<unknown> }

/**
 * @category constructors
 */
export const scenes = (given: Policies = policies): ReadonlyArray<Scene.Scene> => [
  Scene.pair({
    title: "Two 503s, then an answer",
    why: "Both succeed; our waits vary more, which spreads the clients of a server.",
    steps: () => [Scripted.times(Server.status(503), 2), Server.status(200)],
    policy: given.twoFailures,
    native: native("200 millis"),
    promises: (run) => [
      Promised.succeeds(run),
      Promised.requests(run, 3),
      Promised.kinds(run, "Server", "Server"),
      Promised.waits("the waits are at least 100 ms, then 200 ms", run, 100, 200)
    ]
  }),
  Scene.pair({
    title: "A 429 with Retry-After: 1",
    why: "Ours comes back when the server asked; native comes three times too early.",
    steps: () => [Server.throttled(1)],
    policy: given.throttled,
    native: native("100 millis"),
    promises: (run) => [
      Promised.succeeds(run),
      Promised.requests(run, 2),
      Promised.kinds(run, "Throttling"),
      Promised.waits("no request comes before the Retry-After is over", run, 1000)
    ]
  }),
  Scene.pair({
    title: "A reset, then a server that hangs",
    why: "Ours ends a hang after 500 ms and goes on; native spends 1.2 s on it.",
    steps: () => [Server.reset, Scripted.hang, Server.status(200)],
    policy: given.resetAndHang,
    native: flow(native("100 millis"), HttpClient.transformResponse(Effect.timeout("1200 millis"))),
    promises: (run) => [Promised.succeeds(run), Promised.requests(run, 3), Promised.kinds(run, "Transient", "Timeout")]
  }),
  Scene.pair({
    title: "Down for longer than the deadline of 1 s",
    why: "Ours stops once no attempt fits into the second; native runs past it.",
    steps: () => [Scripted.times(Server.status(503, { after: "80 millis" }), Infinity)],
    policy: given.deadline,
    native: retrying(upToSecond),
    promises: (run) => [Promised.stopsBecause(run, "DeadlinePassed"), Promised.keepsDeadline(run, 1000)]
  }),
  Scene.pair({
    title: "A POST, and a connection that breaks",
    why: "Ours does not repeat a POST that may have arrived; native may order twice.",
    method: "POST",
    steps: () => [Server.reset, Server.status(503), Server.status(200)],
    policy: given.post,
    native: native("100 millis"),
    promises: (run) => [Promised.stopsBecause(run, "Terminal"), Promised.requests(run, 1)]
  }),
  Scene.pair({
    title: "503s and resets in turn",
    why: "Ours makes 4 attempts in all; native has two loops, and makes 4 times 4.",
    steps: () => Array.makeBy(4, () => [Scripted.times(Server.status(503), 3), Server.reset]).flat(),
    policy: given.oneCount,
    native: HttpClient.retryTransient({ times: 3 }),
    promises: (run) => [
      Promised.stopsBecause(run, "AttemptsSpent"),
      Promised.requests(run, 4),
      Promised.kinds(run, "Server", "Server", "Server", "Transient")
    ]
  })
]
