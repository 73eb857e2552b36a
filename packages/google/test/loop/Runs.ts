/**
 * Operations under a preset that fail at once every time, in virtual time.
 */
import { Classifier, Retry } from "@effect-retry/core"
import type { Policy } from "@effect-retry/core"
import { SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { Cause, Duration, Effect, Option } from "effect"

/** How an operation went, times in milliseconds. */
interface Ran {
  /** When its attempts started. */
  readonly starts: ReadonlyArray<number>
  /** What ended it. */
  readonly reason: Retry.StopReason["_tag"]
  /** When it ended. */
  readonly ended: number
}

/** Runs an operation whose attempts all fail after `takes`, every draw being `u`. */
export const run = <E2>(preset: Policy.Preset<E2>, u: number, takes: Duration.DurationInput = 0): Effect.Effect<Ran> =>
  Effect.gen(function* () {
    const attempt = Timeline.attempt(Effect.zipRight(Effect.sleep(takes), Effect.fail("unavailable")))
    const operation = Retry.orStopped(attempt, { ...preset, classifier: Classifier.always })
    const timeline = yield* Timeline.record(operation)
    const stopped = Option.getOrThrow(Option.flatMap(causeOf(timeline), Cause.failureOption))
    return {
      starts: Timeline.startsMillis(timeline),
      reason: stopped.reason._tag,
      ended: Duration.toMillis(timeline.elapsed)
    }
  }).pipe(Effect.provide(SeededRandom.layerConstant(u)), VirtualClock.run)

const causeOf = <A, E>({ exit }: Timeline.Timeline<A, E>): Option.Option<Cause.Cause<E>> =>
  exit._tag === "Failure" ? Option.some(exit.cause) : Option.none()
