import { AttemptTimeout, Backoff, Deadline, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import { Duration } from "effect"
import * as assert from "node:assert"

// The policy of your program.
const policy = {
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.jittered(Jitter.full)),
  deadline: Deadline.refuse("8 seconds")
}

const { warnings, worst } = Plan.explain(policy)
console.log(`at most ${Duration.format(worst.elapsed)} and ${worst.attempts} calls`)

// What your callers rely on: a change of the policy that breaks it fails the build.
assert.ok(Duration.lessThanOrEqualTo(worst.elapsed, "8 seconds"), "an operation takes longer than its callers wait")
assert.ok(worst.loadFactor <= 3, "an outage multiplies the load by more than three")
assert.deepStrictEqual(warnings, [])
