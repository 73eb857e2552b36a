import { Backoff, Jitter } from "@effect-retry/core"
import { Effect } from "effect"

const preset = {
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full))
}

// #region spans
import { Replay } from "@effect-retry/plan"
import { readFileSync } from "node:fs"

const file = new URL("spans.jsonl", import.meta.url)

const replay = Replay.replay({
  lines: readFileSync(file, "utf8").split("\n"),
  recorded: { policy: preset },
  other: { policy: { ...preset, maxAttempts: 2 } },
  seed: 1
})
// #endregion

export const program = Effect.map(replay, ({ faithful, likely, recorded }) => ({
  succeeded: { recorded: recorded.succeeded, likely: likely.succeeded },
  faithful
}))

// #region expected
export const expected = { succeeded: { recorded: 0.95, likely: 0.85 }, faithful: 1 }
// #endregion
