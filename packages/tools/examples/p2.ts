import { Plan } from "@effect-retry/plan"
import { Backoff, Deadline, Jitter } from "@effect-retry/core"
const full = Backoff.exponential({ base: 100 }).pipe(Backoff.jittered(Jitter.full))
for (let i = 0; i < 12; i++) Plan.explain({ maxAttempts: Infinity, backoff: full, deadline: Deadline.refuse("1 minute") })
