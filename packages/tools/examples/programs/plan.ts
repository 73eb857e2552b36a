import { AttemptTimeout, Backoff, Deadline, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import { Duration, Option } from "effect"
import * as assert from "node:assert"

// The policy of your program.
const policy = {
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.jittered(Jitter.full)),
  deadline: Deadline.refuse("8 seconds")
}

const { assumptions, hinted, warnings, worst } = Plan.explain(policy)
// The worst case, even if servers ask for the longest waits that the policy follows.
const { attempts, elapsed, loadFactor } = Option.getOrElse(hinted, () => worst)
console.log(`at most ${Duration.format(elapsed)} and ${attempts} calls`)

// What your callers rely on: a change of the policy that breaks it fails the build.
assert.ok(Duration.lessThanOrEqualTo(elapsed, Duration.seconds(8)), "an operation takes longer than its callers wait")
assert.ok(loadFactor <= 3, "an outage multiplies the load by more than three")
assert.deepStrictEqual(warnings, [])
// Without an attempt timeout, a plan assumes that attempts end at once.
assert.ok(!assumptions.some(({ _tag }) => _tag === "AttemptsTake"), "an attempt may take for ever")
