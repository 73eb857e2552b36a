/**
 * What policies promise, held against what happened. A promise is an expectation with a name.
 *
 * A promise has to hold on a machine that is busy with other things, so nothing here asks for haste.
 */
import { Retry } from "@effect-retry/core"
import { Expect, Timeline } from "@effect-retry/testing"
import { Duration, Exit } from "effect"
import * as Paint from "./Paint.ts"
import type { Run } from "./Run.ts"

/**
 * @category models
 */
export interface Promised {
  readonly text: string
  /** What happened instead; `undefined` for a promise that was kept. */
  readonly broken: string | undefined
}

const promised = (text: string, expect: () => void): Promised => {
  try {
    expect()
    return { text, broken: undefined }
  } catch (error) {
    if (!(error instanceof Expect.ExpectationFailed)) throw error
    return { text, broken: error.message.split("\n")[0] }
  }
}

const same = (message: string, actual: unknown, expected: unknown): void => {
  if (actual !== expected) throw new Expect.ExpectationFailed({ message, actual, expected })
}

/**
 * At least and at most so many.
 *
 * @category constructors
 */
export const between = (text: string, count: number, [least, most]: readonly [number, number]): Promised =>
  promised(text, () => same(`expected ${least} to ${most}, got ${count}`, count >= least && count <= most, true))

/**
 * As many as that.
 *
 * @category constructors
 */
export const exactly = (text: string, count: number, expected: number): Promised =>
  promised(text, () => same(`expected ${expected}, got ${count}`, count, expected))

/**
 * At least one, and at most so many.
 *
 * @category constructors
 */
export const some = (text: string, count: number, most: number): Promised => between(text, count, [1, most])

/**
 * @category constructors
 */
export const succeeds = ({ reason, timeline }: Run): Promised =>
  promised("it succeeds", () =>
    same(
      reason === undefined ? "it failed" : `it stopped: ${Retry.format(reason)}`,
      Exit.isSuccess(timeline.exit),
      true
    )
  )

/**
 * The attempts that the client made are the requests that the server saw.
 *
 * @category constructors
 */
export const requests = ({ arrivals, timeline }: Run, count: number): Promised =>
  promised(`the server sees ${Paint.count(count, "request")}`, () => {
    Expect.attempts(timeline, count)
    same(`the server saw ${arrivals.length}`, arrivals.length, count)
  })

/**
 * @category constructors
 */
export const stopsBecause = ({ reason }: Run, expected: Retry.StopReason["_tag"]): Promised =>
  promised(`the reason for stopping is ${expected}`, () =>
    same(`the reason was ${reason?._tag ?? "none"}`, reason?._tag, expected)
  )

/**
 * @category constructors
 */
export const kinds = ({ verdicts }: Run, ...expected: ReadonlyArray<string>): Promised =>
  promised(`failures are judged ${expected.join(", then ")}`, () => {
    const judged = [...verdicts.values()].map((verdict) => (verdict._tag === "Retryable" ? verdict.kind : verdict._tag))
    same(`they were judged ${judged.join(", then ")}`, judged.join(), expected.join())
  })

/**
 * Waits of at least so many milliseconds, one after each failure: both as they were decided on and as they were, since a
 * machine that stalls prolongs them.
 *
 * @category constructors
 */
export const waits = (text: string, { delays, timeline }: Run, ...leastMillis: ReadonlyArray<number>): Promised =>
  promised(text, () => {
    const attempts = Timeline.attempts(timeline)
    for (const [i, least] of leastMillis.entries()) {
      const [ended, next] = [attempts[i]?.end ?? Duration.zero, attempts[i + 1]?.start ?? Duration.zero]
      const decided = Duration.toMillis(delays.get(i + 1) ?? Duration.zero)
      const wait = Math.min(decided, Duration.toMillis(next) - Duration.toMillis(ended))
      same(`wait ${i + 1} took ${Paint.millis(wait)}, not ${Paint.millis(least)}`, wait >= least, true)
    }
  })

/**
 * Every wait ends before the deadline, so that no attempt starts after it, and an operation that cannot succeed in time
 * gives up at once.
 *
 * Held against what was decided: an attempt may start late on a machine that stalls, and then finds the deadline passed.
 * The times are never later than those that the decision went by: the operation began before its first attempt, and was
 * decided on after the failure.
 *
 * @category constructors
 */
export const keepsDeadline = ({ delays, timeline }: Run, withinMillis: number): Promised =>
  promised("no attempt starts after the deadline, and nothing waits for it", () => {
    const attempts = Timeline.attempts(timeline)
    const startMillis = Duration.toMillis(attempts[0]?.start ?? Duration.zero)
    const retries = Math.max(attempts.length - 1, ...delays.keys())
    for (const [i, { end }] of attempts.slice(0, retries).entries()) {
      const delay = delays.get(i + 1)
      same(`retry ${i + 1} was not scheduled`, delay !== undefined, true)
      const dueMillis = Duration.toMillis(Duration.sum(end, delay ?? Duration.zero)) - startMillis
      same(`retry ${i + 1} was due after ${Paint.millis(dueMillis)}`, dueMillis < withinMillis, true)
    }
  })
