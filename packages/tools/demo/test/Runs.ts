/**
 * Runs in virtual time.
 */
import { type Retry, Verdict } from "@effect-retry/core"
import { Scripted, Timeline, VirtualClock } from "@effect-retry/testing"
import type { Schedule } from "effect"
import { Duration, Effect } from "effect"
import * as Calls from "../src/Calls.ts"
import type { Run } from "../src/Run.ts"

interface Attempt {
  readonly answer: string
  /** How long it runs. @default 2 */
  readonly tookMillis?: number
  /** How long to wait after it, also where that is the last one and nothing waits. */
  readonly waitMillis?: number
  readonly verdict?: Verdict.Verdict
  /** Whether the operation ends while the attempt runs. */
  readonly cut?: boolean
}

const make = async (attempts: ReadonlyArray<Attempt>, reason?: Retry.StopReason): Promise<Run> => {
  const timeline = await Effect.gen(function* () {
    const steps = attempts.map(({ answer, cut, tookMillis = 2 }) =>
      cut === true
        ? Scripted.hang
        : answer === "200"
          ? Scripted.succeed(answer, { after: tookMillis })
          : Scripted.fail(answer, { after: tookMillis })
    )
    const script = yield* Scripted.make(steps)
    const operation = Effect.forEach(attempts, ({ cut, tookMillis = 2, waitMillis = 0 }, i) => {
      const call =
        cut === true ? Effect.timeoutFail(script.call, { duration: tookMillis, onTimeout: () => "cut" }) : script.call
      const isLast = i === attempts.length - 1
      return isLast ? call : Effect.zipRight(Effect.ignore(call), Effect.sleep(waitMillis))
    })
    return yield* Timeline.record(operation)
  }).pipe(VirtualClock.run, Effect.runPromise)
  return {
    name: "ours",
    timeline,
    arrivals: attempts.map(({ answer }, i) => ({ attempt: i + 1, answer })),
    verdicts: new Map(attempts.flatMap(({ verdict }, i) => (verdict === undefined ? [] : [[i + 1, verdict] as const]))),
    delays: new Map(
      attempts.flatMap(({ waitMillis }, i) =>
        waitMillis === undefined ? [] : [[i + 1, Duration.millis(waitMillis)] as const]
      )
    ),
    reason
  }
}

/** Failures of 80 ms each, retried by a schedule of Effect, which decides on the waits that were made. */
const plain = async (schedule: Schedule.Schedule<unknown>): Promise<Run> => {
  const timeline = await Effect.gen(function* () {
    const script = yield* Scripted.make([Scripted.times(Scripted.fail("503", { after: "80 millis" }), Infinity)])
    return yield* Timeline.record(Effect.retry(script.call, schedule))
  }).pipe(VirtualClock.run, Effect.runPromise)
  const delays = Timeline.waits(timeline).map((wait, i) => [i + 1, Timeline.took(wait)] as const)
  return { name: "native", timeline, arrivals: [], verdicts: new Map(), delays: new Map(delays), reason: undefined }
}

/** What a plain retry makes of a deadline of a second. */
export const late = await plain(Calls.upToSecond)

export const twoFailures = await make([
  { answer: "503", verdict: Verdict.server, waitMillis: 98 },
  { answer: "503", verdict: Verdict.server, waitMillis: 198 },
  { answer: "200" }
])

export const hinted = await make([{ answer: "429", verdict: Verdict.throttling, waitMillis: 1000 }, { answer: "200" }])

export const cut = await make([
  { answer: "hang", cut: true, tookMillis: 500, verdict: Verdict.timeout, waitMillis: 100 },
  { answer: "200" }
])

const withinSecond = { _tag: "DeadlinePassed", within: Duration.seconds(1) } as const

export const refused = await make(
  [
    { answer: "503", verdict: Verdict.server, waitMillis: 478 },
    { answer: "503", verdict: Verdict.server }
  ],
  withinSecond
)

/** Stopped by a stall of the machine: the first wait ended before the deadline, and the client went on after it. */
export const stalled = await make([{ answer: "503", verdict: Verdict.server, waitMillis: 478 }], withinSecond)

/** A wait for a retry that could not start in time. */
export const waiting = await make([{ answer: "503", verdict: Verdict.server, waitMillis: 998 }], withinSecond)

export const final = await make([{ answer: "404", verdict: Verdict.terminal("status 404") }], {
  _tag: "Terminal",
  why: "status 404"
})

/** So many failures, each wait a millisecond longer than the one before. */
export const many = (count: number): Promise<Run> =>
  make(Array.from({ length: count }, (_, i) => ({ answer: "503", verdict: Verdict.server, waitMillis: i })))

/** The same run, seen otherwise. */
export const seen = (run: Run, arrivals: ReadonlyArray<string>): Run => ({
  ...run,
  arrivals: arrivals.map((answer, i) => ({ attempt: i + 1, answer }))
})
