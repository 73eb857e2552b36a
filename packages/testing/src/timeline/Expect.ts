/**
 * Assertions on retries; when one fails, its message shows the whole timeline.
 *
 * They throw, so the test that calls them fails, even inside an `Effect.gen`.
 */
import type { Retry } from "@effect-retry/core"
import * as Array from "effect/Array"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ending from "./Ending.ts"
import * as Timeline from "./Timeline.ts"

/**
 * An expectation that does not hold. Test runners print the difference between `actual` and `expected`.
 *
 * @category models
 */
export class ExpectationFailed extends Data.TaggedError("ExpectationFailed")<{
  readonly message: string
  readonly actual: unknown
  readonly expected: unknown
}> {}

/**
 * Expects the attempts to start at exactly these times, counted from the start of the recording.
 *
 * @category running
 */
export const starts = (self: Timeline.Timeline, expected: ReadonlyArray<Duration.DurationInput>): void => {
  const actual = Timeline.attempts(self).map(({ start }) => start)
  sameTimes("starts", self, "attempts at", actual, expected)
}

/**
 * Expects exactly these waits.
 *
 * @category running
 */
export const waits = (self: Timeline.Timeline, expected: ReadonlyArray<Duration.DurationInput>): void =>
  sameTimes("waits", self, "waits of", Timeline.waits(self).map(Timeline.took), expected)

/**
 * Expects this number of attempts.
 *
 * @category running
 */
export const attempts = (self: Timeline.Timeline, expected: number): void => {
  const actual = Timeline.attempts(self).length
  if (actual === expected) return
  const sentence = `expected ${expected === 1 ? "1 attempt" : `${expected} attempts`}, got ${actual}`
  fail({ name: "attempts", of: self, sentence, actual, expected })
}

/**
 * Expects no wait after the last attempt: an operation that gives up does so at once.
 *
 * @category running
 */
export const noTrailingWait = (self: Timeline.Timeline): void => {
  const last = self.entries.at(-1)
  if (last?._tag !== "Wait") return
  const actual = Duration.format(Timeline.took(last))
  const sentence = `expected no wait after the last attempt, got one of ${actual}`
  fail({ name: "noTrailingWait", of: self, sentence, actual, expected: "no wait" })
}

/**
 * Expects a `Retry.orStopped` to have stopped for this reason; returns its `RetryStopped`.
 *
 * @category running
 */
export const stopped = <E, T extends Retry.StopReason["_tag"]>(
  self: Timeline.Timeline<unknown, Retry.RetryStopped<E>> | Exit.Exit<unknown, Retry.RetryStopped<E>>,
  reason: T
): StoppedBy<E, T> => {
  const [exit, of] = Exit.isExit(self) ? [self, undefined] : [self.exit, self]
  const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
  if (error !== undefined && isBy(error, reason)) return error
  const ending = Ending.fromExit(exit)
  const actual = error?._tag === "RetryStopped" ? error.reason._tag : ending.outcome
  const sentence = `expected it to stop by ${reason}, got ${actual} (${Ending.toText(ending)})`
  return fail({ name: "stopped", of, sentence, actual, expected: reason })
}

/**
 * @category models
 */
export type StoppedBy<E, T extends Retry.StopReason["_tag"]> = Retry.RetryStopped<E> & {
  readonly reason: Extract<Retry.StopReason, { readonly _tag: T }>
}

const isBy = <E, T extends Retry.StopReason["_tag"]>(
  error: Retry.RetryStopped<E>,
  reason: T
): error is StoppedBy<E, T> => error._tag === "RetryStopped" && error.reason._tag === reason

const sameTimes = (
  name: string,
  of: Timeline.Timeline,
  what: string,
  actualTimes: ReadonlyArray<Duration.Duration>,
  expectedTimes: ReadonlyArray<Duration.DurationInput>
): void => {
  const times = expectedTimes.map((time) => Duration.decode(time))
  if (Array.getEquivalence(Duration.Equivalence)(times, actualTimes)) return
  const [actual, expected] = [actualTimes.map(Duration.format), times.map(Duration.format)]
  const listed = (list: ReadonlyArray<string>) => (list.length === 0 ? "none" : list.join(", "))
  fail({ name, of, sentence: `expected ${what} ${listed(expected)}, got ${listed(actual)}`, actual, expected })
}

interface Failure {
  readonly name: string
  readonly of: Timeline.Timeline | undefined
  readonly sentence: string
  readonly actual: unknown
  readonly expected: unknown
}

const fail = ({ actual, expected, name, of, sentence }: Failure): never => {
  const timeline = of === undefined ? "" : `\n\n${Timeline.toText(of)}`
  throw new ExpectationFailed({ message: `Expect.${name}: ${sentence}${timeline}`, actual, expected })
}
