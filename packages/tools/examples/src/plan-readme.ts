import { Effect } from "effect"

// #region plan
import { AttemptTimeout, Backoff, Deadline, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"

const backoff = Backoff.exponential({ base: "1 second" }).pipe(
  Backoff.capped("5 seconds"),
  Backoff.jittered(Jitter.full)
)

const plan = Plan.explain({
  attemptTimeout: AttemptTimeout.constant("3 seconds"),
  maxAttempts: 4,
  backoff,
  deadline: Deadline.refuse("10 seconds")
})

const text = Plan.toText(plan)
// #endregion

export const program = Effect.succeed(text)

export const expected = [
  "attempt  timeout  bound  least   mean  most  earliest  latest  waited",
  "      1       3s      -      -      -     -       0ms     0ms     0ms",
  "      2       3s     1s    0ms  501ms    1s       0ms      4s      1s",
  "      3       3s     2s    0ms     1s    2s       0ms      9s      3s",
  "      4       3s     4s    0ms     2s    4s       0ms  9.999s      7s",
  "",
  "worst case  no hints: 4 attempts, 7s waiting, 10s in all, load factor 4",
  "            with hints: 4 attempts, 9.999s waiting, 10s in all, load factor 4",
  "assuming    no server asks for a wait of its own, except in the case with hints",
  "warnings    attempts from 4 on are made only if earlier ones end sooner, or wait",
  "            less, than they may"
].join("\n")
