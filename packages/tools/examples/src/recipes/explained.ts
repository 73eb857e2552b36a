import { Effect } from "effect"
// #region policy
import { AttemptTimeout, Backoff, Deadline, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"

const plan = Plan.explain({
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  maxAttempts: 6,
  backoff: Backoff.exponential({ base: "500 millis" }).pipe(Backoff.capped("5 seconds"), Backoff.jittered(Jitter.full)),
  deadline: Deadline.refuse("15 seconds")
})

const text = Plan.toText(plan)
// #endregion

export const program = Effect.succeed(text)

export const expected = [
  "attempt  timeout  bound  least   mean   most  earliest   latest  waited",
  "      1       2s      -      -      -      -       0ms      0ms     0ms",
  "      2       2s  500ms    0ms  251ms  500ms       0ms     2.5s   500ms",
  "      3       2s     1s    0ms  501ms     1s       0ms     5.5s    1.5s",
  "      4       2s     2s    0ms     1s     2s       0ms     9.5s    3.5s",
  "      5       2s     4s    0ms     2s     4s       0ms  14.999s    7.5s",
  "      6       2s     5s    0ms   2.5s     5s       0ms  14.999s   12.5s",
  "",
  "worst case  6 attempts, 12.5s waiting, 15s in all, load factor 6",
  "with hints  6 attempts, 14.999s waiting, 15s in all, load factor 6",
  "assuming    no server asks for a wait of its own, except in the case with hints",
  "warnings    attempts from 5 on are made only if earlier ones end sooner, or wait",
  "            less, than they may"
].join("\n")
