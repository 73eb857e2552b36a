import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Curve, Deadline, Retry, Verdict } from "@effect-retry/core"

interface Export {
  readonly state: "running" | "failed" | "done"
}

const untilDone = {
  classifier: Classifier.never,
  result: ({ state }: Export) =>
    state === "running"
      ? Verdict.transient
      : state === "failed"
        ? Verdict.terminal("the export failed")
        : Verdict.noOpinion,
  maxAttempts: Infinity,
  backoff: Backoff.fromCurve(Curve.linear({ base: "1 second", step: "1 second" })).pipe(Backoff.capped("5 seconds")),
  deadline: Deadline.refuse("5 minutes")
}
// #endregion

const export_ = (state: Export["state"]) => Effect.succeed<Export>({ state })

export const program = Effect.all({
  done: timeline([export_("running"), export_("running"), export_("done")], Retry.retry(untilDone)),
  failed: timeline([export_("running"), export_("failed")], Retry.retry(untilDone)),
  reason: Retry.retryOrElse(export_("failed"), untilDone, ({ reason }) => Effect.succeed(reason)),
  givenUp: timeline([export_("running")], Retry.retry(untilDone)).pipe(
    Effect.map(({ calls, outcome }) => ({ calls: calls.length, last: calls.at(-1), outcome }))
  )
})

export const expected = {
  done: { calls: [0, 1000, 3000], outcome: { state: "done" } },
  failed: { calls: [0, 1000], outcome: { state: "failed" } },
  reason: { _tag: "Terminal", why: "the export failed" },
  givenUp: { calls: 62, last: 295_000, outcome: { state: "running" } }
}
