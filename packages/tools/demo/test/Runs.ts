/**
 * Runs in virtual time.
 */
import { type Retry, Verdict } from "@effect-retry/core"
import { Scripted, Timeline, VirtualClock } from "@effect-retry/testing"
import { Duration, Effect } from "effect"
import type { Run } from "../src/Run.ts"

interface Attempt {
  readonly answer: string
  /** How long it runs. @default 2 */
  readonly tookMillis?: number
  /** @default none for the last */
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
    const script = yield* Scripted.make<string, string>(steps)
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
    reason
  }
}

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

export const refused = await make(
  [
    { answer: "503", verdict: Verdict.server, waitMillis: 478 },
    { answer: "503", verdict: Verdict.server }
  ],
  { _tag: "DeadlinePassed", within: Duration.seconds(1) }
)

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
