/**
 * What came of a load: the operations, how they ended, how long they took, and what was granted.
 */
import { assert } from "@effect/vitest"
import type { RedisError } from "../../src/accept/RedisError.ts"
import type { Limits } from "../../src/fund/store/Store.ts"

/** How an operation ended: the answer of the bucket, or the reason of its error. */
export type End = "Granted" | "Refused" | RedisError["reason"]

export const isGrant = (end: End): boolean => end === "Granted"
export const isRefusal = (end: End): boolean => end === "Refused"
export const isFailure = (end: End): boolean => end !== "Granted" && end !== "Refused"
export const isTimeOut = (end: End): boolean => end === "TimedOut"

/** One call of the bucket. Times are in milliseconds, and none of the wall clock. */
export interface Operation {
  readonly holder: string
  readonly isWrapped: boolean
  readonly startedAt: number
  readonly endedAt: number
  /** How long it took, without the time in which this process stood still. */
  readonly millis: number
  readonly end: End
}

/** What came of it. */
export interface Result {
  readonly operations: ReadonlyArray<Operation>
  readonly grants: number
  /** Most grants that the time of the server, the burst and the losses allow. */
  readonly mostGrants: number
  /** How many operations of the bucket itself ended so. */
  readonly ends: Readonly<Partial<Record<End, number>>>
  /** The longest `millis` of the bucket itself and of the wrapped one. */
  readonly longest: number
  readonly longestWrapped: number
  /** Milliseconds from the end of the fault until all holders were granted tokens again. */
  readonly backMillis: number
}

/** Counts the operations of so many seconds of the server, which lost what it knew so many times. */
export const of = (
  { limits, losses = 0 }: { readonly limits: Limits; readonly losses?: number },
  operations: ReadonlyArray<Operation>,
  seconds: number
): Omit<Result, "backMillis"> => {
  const ends: Partial<Record<End, number>> = {}
  for (const { end, isWrapped } of operations) if (!isWrapped) ends[end] = (ends[end] ?? 0) + 1
  const longest = (isWrapped: boolean) =>
    Math.max(...operations.filter((one) => one.isWrapped === isWrapped).map(({ millis }) => millis))
  return {
    operations,
    grants: operations.filter(({ end }) => isGrant(end)).length,
    mostGrants: limits.burst * (1 + losses) + limits.perSecond * seconds,
    ends,
    longest: longest(false),
    longestWrapped: longest(true)
  }
}

/**
 * Asserts that operations failed for no other reasons than these. A machine that stalls keeps answers from coming in time,
 * and a connection without answers is given up, so these two are always among them.
 */
export const assertReasons = ({ ends }: Result, ...reasons: ReadonlyArray<RedisError["reason"]>): void => {
  const expected = new Set<string>(["Granted", "Refused", "TimedOut", "Unavailable", ...reasons])
  assert.deepStrictEqual(
    Object.keys(ends).filter((end) => !expected.has(end)),
    []
  )
}

/** Prints what was measured, as a row of a table. */
export const show = (fault: string, result: Result): void => {
  const ends = Object.entries(result.ends).map(([end, count]) => `${end} ${count}`)
  const millis = [result.longest, result.longestWrapped, result.backMillis].map((one) => `${Math.round(one)} ms`)
  const grants = `${result.grants} of ${Math.floor(result.mostGrants)}`
  console.info(`| ${[fault, ...millis, grants, ends.join(", ")].join(" | ")} |`)
}
