import { Plan } from "@effect-retry/plan"
import { Backoff, Jitter, Deadline, AttemptTimeout, Curve, Policy } from "@effect-retry/core"
import { Effect } from "effect"
const time = (name: string, f: () => unknown) => { const s = process.cpuUsage(); const r = f(); console.log(name, Math.round(process.cpuUsage(s).user / 1000), "ms", String(r).slice(0,60)) }
const full = Backoff.exponential({ base: 100 }).pipe(Backoff.jittered(Jitter.full))
const warns = (p: Plan.Plan) => p.warnings.map((w) => w.message).join() + " " + JSON.stringify(p.worst)
for (let i = 0; i < 3; i++) {
time("plain", () => warns(Plan.explain({ maxAttempts: 5, backoff: full })))
time("5000", () => warns(Plan.explain({ maxAttempts: Infinity, backoff: full, deadline: Deadline.refuse("1 minute") })))
const at = AttemptTimeout.constant("30 seconds")
time("z", () => warns(Plan.explain({ maxAttempts: 20, attemptTimeout: at, backoff: Backoff.byKind({ Throttling: Backoff.resetAfter(Backoff.fromCurve(Curve.decorrelated({ base: 1000 })), "10 seconds"), orElse: Backoff.resetAfter(Policy.standard.backoff, "20 seconds") }) })))
time("million", () => warns(Plan.explain({ maxAttempts: Infinity, backoff: Backoff.fromDelays(Array.from({length: 1_000_000}, () => 5)) })))
}
const s = process.cpuUsage()
await Effect.runPromise(Plan.sample({ maxAttempts: 4, backoff: full }, { seed: 1, samples: 10_000, failureProbability: 0.5 }))
console.log("sample 10000", process.cpuUsage(s).user / 1000)
