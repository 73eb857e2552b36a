/**
 * The delays that a back-off draws, by chance: how often each is, which its bounds do not say.
 */
import type { Backoff } from "@effect-retry/core"
import { SeededRandom } from "@effect-retry/plan"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ScheduleDecision from "effect/ScheduleDecision"

/** Operations whose attempts all fail. */
const operations = 400

/** In milliseconds: those before attempt 2, those before attempt 3, and so on. */
export const drawn = (
  backoff: Backoff.Backoff,
  { retries, seed }: { readonly retries: number; readonly seed: number }
): ReadonlyArray<ReadonlyArray<number>> => {
  const all = Effect.runSync(
    Effect.replicateEffect(delaysOf(backoff, retries), operations).pipe(Effect.provide(SeededRandom.layer(seed)))
  )
  return Array.from({ length: retries }, (_, i) => all.flatMap((delays) => delays.slice(i, i + 1)))
}

const delaysOf = (backoff: Backoff.Backoff, retries: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const delays: Array<number> = []
    let state: unknown = backoff.initial
    while (delays.length < retries) {
      const [next, delay, decision] = yield* backoff.step(0, undefined, state)
      if (ScheduleDecision.isDone(decision)) break
      delays.push(Duration.toMillis(delay))
      state = next
    }
    return delays
  })
