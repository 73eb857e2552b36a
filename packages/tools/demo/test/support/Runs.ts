/**
 * Runs made by hand.
 */
import { type Retry, Verdict } from "@effect-retry/core"
import { Duration, Option } from "effect"
import type { Attempt, Ending, Run } from "../../src/Run.ts"
import * as Script from "../../src/Script.ts"

/** An attempt that the server answered, and the toolkit told of if it failed. */
export const attempt = (options: {
  readonly number: number
  readonly startedMillis: number
  readonly tookMillis?: number
  readonly answer: Script.Answer
  readonly key?: string
  readonly verdict?: Verdict.Verdict
  readonly delayMillis?: number
}): Attempt => {
  const { answer, delayMillis, number, startedMillis, tookMillis = 2, verdict } = options
  return {
    startedMillis,
    seen: {
      attempt: number,
      key: options.key,
      answer,
      atMillis: startedMillis,
      endedMillis: Option.some(startedMillis + tookMillis)
    },
    told: verdict && {
      attempt: number,
      error: Script.label(answer),
      verdict,
      startedAfter: Duration.millis(startedMillis),
      failedAfter: Duration.millis(startedMillis + tookMillis),
      delay: delayMillis === undefined ? Option.none() : Option.some(Duration.millis(delayMillis))
    }
  }
}

export const run = (ending: Ending, elapsedMillis: number, ...attempts: ReadonlyArray<Attempt>): Run => ({
  name: "ours",
  attempts,
  arrivals: attempts.flatMap(({ seen }) => (seen === undefined ? [] : [seen])),
  elapsedMillis,
  ending
})

export const succeeded: Ending = { _tag: "Succeeded" }

export const stopped = (reason: Retry.StopReason): Ending => ({ _tag: "Stopped", reason })

export const [ok, unavailable, throttled] = [Script.status(200), Script.status(503), Script.throttle(1)]

/** Two failures, then success. */
export const twoFailures = run(
  succeeded,
  302,
  attempt({ number: 1, startedMillis: 0, answer: unavailable, verdict: Verdict.server, delayMillis: 98 }),
  attempt({ number: 2, startedMillis: 100, answer: unavailable, verdict: Verdict.server, delayMillis: 198 }),
  attempt({ number: 3, startedMillis: 300, answer: ok })
)

/** A hint, waited for. */
export const hinted = run(
  succeeded,
  1004,
  attempt({
    number: 1,
    startedMillis: 0,
    answer: throttled,
    verdict: Verdict.retryable("Throttling", { hint: "1 second" }),
    delayMillis: 1000
  }),
  attempt({ number: 2, startedMillis: 1002, answer: ok })
)

/** An attempt that hangs and is cut. */
export const cut = run(
  succeeded,
  602,
  attempt({
    number: 1,
    startedMillis: 0,
    tookMillis: 500,
    answer: Script.hang,
    verdict: Verdict.timeout,
    delayMillis: 100
  }),
  attempt({ number: 2, startedMillis: 600, answer: ok })
)

/** A reset, and the same POST again. */
export const keyed = run(
  succeeded,
  102,
  attempt({ number: 1, startedMillis: 0, answer: Script.reset, key: "a", verdict: Verdict.transient, delayMillis: 98 }),
  attempt({ number: 2, startedMillis: 100, answer: ok, key: "a" })
)

/** A deadline of a second that the next wait would pass. */
export const refused = run(
  stopped({ _tag: "DeadlinePassed", within: Duration.seconds(1) }),
  482,
  attempt({ number: 1, startedMillis: 0, answer: unavailable, verdict: Verdict.server, delayMillis: 478 }),
  attempt({ number: 2, startedMillis: 480, answer: unavailable, verdict: Verdict.server })
)

/** A failure that is final. */
export const final = run(
  stopped({ _tag: "Terminal", why: "404 is final" }),
  2,
  attempt({ number: 1, startedMillis: 0, answer: Script.status(404), verdict: Verdict.terminal("404 is final") })
)
