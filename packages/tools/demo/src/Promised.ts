/**
 * What policies promise, held against what the server saw. Pure: a run in, a kept or broken promise out.
 *
 * A promise has to hold on a machine that is busy with other things, so nothing here asks for haste: waits have lower
 * bounds, and an attempt that ran into its timeout may have done so before the server looked at it.
 */
import type { Retry } from "@effect-retry/core"
import { Duration, Option } from "effect"
import type { Attempt, Run } from "./Run.ts"
import type { Answer } from "./Script.ts"
import { isFinal, isSuccess, label } from "./Script.ts"
import * as Words from "./Words.ts"

/**
 * @category models
 */
export interface Promised {
  readonly text: string
  /** What was seen instead; `undefined` for a promise that was kept. */
  readonly broken: string | undefined
}

/** Two readings of a clock of whole milliseconds, taken one after the other, can be that far apart. */
const tickMillis = 5

/** From the decision to make an attempt to its first instruction: a fiber has to get its turn on a busy machine. */
const turnMillis = 100

/**
 * How long an attempt may run: its timeout, or what is left until the deadline.
 *
 * @category models
 */
export interface Limits {
  readonly timeoutMillis: number
  readonly deadlineMillis: number
}

const unlimited: Limits = { timeoutMillis: Infinity, deadlineMillis: Infinity }

/** Whether the attempt used all that it was given. */
const ranOut = ({ deadlineMillis, timeoutMillis }: Limits, { startedMillis, told }: Attempt): boolean =>
  ranMillis(told) >= Math.min(timeoutMillis, deadlineMillis - startedMillis) - tickMillis

/** Broken by the first thing that was seen and should not have been. */
const promised = (text: string, seen: ReadonlyArray<string>): Promised => ({ text, broken: seen[0] })

/**
 * Broken by a count outside its limits.
 *
 * @category constructors
 */
export const counts = (
  text: string,
  seen: number,
  { least, most }: { readonly least: number; readonly most: number }
): Promised => promised(text, seen >= least && seen <= most ? [] : [`there were ${seen}, not ${least} to ${most}`])

/**
 * The same promise about several runs; broken when it is for one of them.
 *
 * @category combinators
 */
export const each = (text: string, runs: ReadonlyArray<Run>, promise: (run: Run) => Promised): Promised =>
  promised(
    text,
    runs.flatMap((run, i) => {
      const { broken } = promise(run)
      return broken === undefined ? [] : [`operation ${i + 1}: ${broken}`]
    })
  )

/**
 * @category constructors
 */
export const succeeds = ({ ending }: Run): Promised =>
  promised("it succeeds", ending._tag === "Succeeded" ? [] : [Words.ending(ending)])

/**
 * @category constructors
 */
export const stopsBecause = ({ ending }: Run, reason: Retry.StopReason["_tag"]): Promised =>
  promised(
    `the reason for stopping is ${reason}`,
    ending._tag === "Stopped" && ending.reason._tag === reason ? [] : [Words.ending(ending)]
  )

/**
 * @category constructors
 */
export const requests = ({ arrivals }: Run, count: number): Promised =>
  promised(
    `the server sees ${Words.count(count, "request")}`,
    arrivals.length === count ? [] : [`it saw ${Words.count(arrivals.length, "request")}`]
  )

/**
 * @category constructors
 */
export const atMostAttempts = ({ arrivals, attempts }: Run, count: number): Promised => {
  const most = Math.max(attempts.length, arrivals.length)
  return promised(
    `there are at most ${Words.count(count, "attempt")}`,
    most <= count ? [] : [`there were ${Words.count(most, "attempt")}`]
  )
}

/**
 * Every attempt reached the server, the server saw nothing else, and every failure was told, a success never.
 *
 * An attempt that used all the time it was given need not have reached it.
 *
 * @category constructors
 */
export const tellsAll = ({ arrivals, attempts, ending }: Run, limits = unlimited): Promised => {
  const last = attempts.length - 1
  const wrong = attempts.flatMap((attempt, i) => {
    const { seen, told } = attempt
    const failed = i < last || ending._tag !== "Succeeded"
    if (failed !== (told !== undefined)) return [`attempt ${i + 1} was ${failed ? "not told" : "told as failed"}`]
    return seen === undefined && !ranOut(limits, attempt) ? [`attempt ${i + 1} was not seen`] : []
  })
  const seen = attempts.filter(({ seen }) => seen !== undefined).length
  const unexpected = arrivals.length - seen
  return promised("every attempt is seen by the server, every failure told", [
    ...wrong,
    ...(unexpected === 0 ? [] : [`${Words.count(unexpected, "request")} of no attempt`])
  ])
}

/**
 * Each verdict fits the answer that the server gave, or the attempt ran into its timeout; a success was an answer too.
 *
 * @category constructors
 */
export const tellsTruth = ({ attempts, ending }: Run, limits: Limits): Promised => {
  const answered = attempts.at(-1)?.seen?.answer
  const truth = ending._tag !== "Succeeded" || (answered !== undefined && isSuccess(answered))
  return promised("every verdict and every success is what the server answered", [
    ...attempts.flatMap((attempt, i) => {
      const { seen, told } = attempt
      if (told === undefined || ranOut(limits, attempt)) return []
      const expected = seen === undefined ? "nothing" : verdictOn(seen.answer)
      const word = Words.verdict(told.verdict)
      return word === expected ? [] : [`attempt ${i + 1} was told as ${word}, the answer was ${expected}`]
    }),
    ...(truth ? [] : [`it succeeded, the answer was ${answered === undefined ? "nothing" : label(answered)}`])
  ])
}

/**
 * @category constructors
 */
export const kinds = ({ attempts }: Run, expected: ReadonlyArray<string>): Promised => {
  const told = attempts.flatMap(({ told }) => (told === undefined ? [] : [Words.verdict(told.verdict)]))
  return promised(
    `the verdict is ${expected.join(", then ")}`,
    told.join() === expected.join() ? [] : [`it was ${told.join(", then ")}`]
  )
}

/**
 * Each delay is at most its bound, and no request came before its delay was over.
 *
 * @category constructors
 */
export const waits = ({ attempts }: Run, atMostMillis: ReadonlyArray<number>): Promised =>
  promised(
    `waits are at most ${atMostMillis.map(Words.millis).join(", then ")}, and are waited`,
    attempts.flatMap(({ told }, i) => {
      const delay = told?.delay ?? Option.none()
      if (Option.isNone(delay)) return []
      const delayMillis = Duration.toMillis(delay.value)
      const bound = atMostMillis[i] ?? 0
      const gap = gapMillis(attempts, i)
      if (delayMillis > bound) return [`wait ${i + 1} was ${delayMillis} ms, its bound ${bound} ms`]
      return gap < delayMillis ? [`wait ${i + 1} was to be ${delayMillis} ms, and was ${gap} ms`] : []
    })
  )

/**
 * Whoever was told to wait did not come back earlier, and was not said to have been told nothing.
 *
 * @category constructors
 */
export const hintsHonoured = (run: Run): Promised =>
  promised(
    "no request comes before the Retry-After is over",
    tooEarly(run).map(({ askedMillis, cameMillis }) => `asked for ${askedMillis} ms, came after ${cameMillis} ms`)
  )

/**
 * The server can tell that all requests are one operation.
 *
 * @category constructors
 */
export const sameKey = ({ arrivals }: Run): Promised => {
  const keys = [...new Set(arrivals.map(({ key }) => key ?? "none"))]
  return promised(
    "every request has the same Idempotency-Key",
    keys.length === 1 && keys[0] !== "none" ? [] : [`there were the keys ${keys.join(", ")}`]
  )
}

/**
 * @category constructors
 */
export const keepsDeadline = ({ attempts }: Run, withinMillis: number): Promised =>
  promised(
    `no attempt starts after ${Words.millis(withinMillis)}`,
    attempts.flatMap(({ startedMillis }) =>
      startedMillis < withinMillis + turnMillis ? [] : [`one started after ${startedMillis} ms`]
    )
  )

/**
 * The operation ended with its last failure: it did not sleep first.
 *
 * @category constructors
 */
export const stopsAtOnce = ({ attempts, elapsedMillis }: Run, delayMillis: (attempt: number) => number): Promised => {
  const last = attempts.at(-1)?.told
  const went = last === undefined ? Infinity : elapsedMillis - Duration.toMillis(last.failedAfter)
  return promised(
    "it stops without another wait",
    went < delayMillis(attempts.length) / 2 ? [] : [`it went on for ${went} ms`]
  )
}

/**
 * The next wait would have passed the deadline: the operation did not stop too early either.
 *
 * @category constructors
 */
export const stopsForGood = (
  { attempts }: Run,
  delayMillis: (attempt: number) => number,
  withinMillis: number
): Promised => {
  const last = attempts.at(-1)?.told
  const next = last === undefined ? 0 : Duration.toMillis(last.failedAfter) + delayMillis(last.attempt)
  return promised(
    `another attempt would have started after ${Words.millis(withinMillis)}`,
    next >= withinMillis ? [] : [`it would have started after ${next} ms`]
  )
}

/**
 * An attempt that hung was given its time, no less, and its connection was closed.
 *
 * @category constructors
 */
export const hangsCut = ({ attempts }: Run, limits: Limits): Promised =>
  promised(
    `an attempt that hangs is cut after ${Words.millis(limits.timeoutMillis)}`,
    attempts.flatMap((attempt, i) => {
      const { seen, told } = attempt
      if (seen?.answer._tag !== "Hang") return []
      if (!ranOut(limits, attempt)) return [`attempt ${i + 1} was cut after ${ranMillis(told)} ms`]
      return Option.isNone(seen.endedMillis) ? [`the connection of attempt ${i + 1} was left open`] : []
    })
  )

/**
 * @category constructors
 */
export const hangsUp = ({ attempts }: Run): Promised =>
  promised(
    "its socket is closed before the next attempt",
    attempts.flatMap(({ seen }, i) => {
      const next = attempts[i + 1]?.seen?.atMillis ?? Infinity
      if (seen?.answer._tag !== "Hang" || Option.exists(seen.endedMillis, (ended) => ended <= next + tickMillis))
        return []
      return [`that of attempt ${i + 1} was still open`]
    })
  )

/**
 * Nothing is sent after a failure that was called terminal, as an answer that would not change is.
 *
 * @category constructors
 */
export const terminalIsLast = ({ attempts }: Run): Promised =>
  promised(
    "nothing is sent after a final answer",
    attempts
      .slice(0, -1)
      .flatMap(({ told }, i) => (told?.verdict._tag === "Retryable" ? [] : [`attempt ${i + 1} was not the last`]))
  )

/**
 * The reason for stopping agrees with the last failure.
 *
 * @category constructors
 */
export const reasonHolds = ({ attempts, ending }: Run): Promised => {
  const text = "it stops for a reason that holds"
  if (ending._tag === "Succeeded") return promised(text, [])
  const retryable = attempts.at(-1)?.told?.verdict._tag === "Retryable"
  const reason = ending._tag === "Stopped" ? ending.reason : undefined
  const holds =
    reason?._tag === "Terminal"
      ? !retryable
      : reason?._tag === "AttemptsSpent"
        ? retryable && attempts.length === reason.maxAttempts
        : reason?._tag === "DeadlinePassed" && retryable
  return promised(text, holds ? [] : [`${Words.ending(ending)}, after ${Words.count(attempts.length, "attempt")}`])
}

/**
 * Attempts that came before the `Retry-After` of the one before was over, unless that was cut and never heard of it.
 *
 * @category destructors
 */
export const tooEarly = ({
  attempts
}: Run): ReadonlyArray<{ readonly askedMillis: number; readonly cameMillis: number }> =>
  attempts.slice(1).flatMap((_, i) => {
    const { seen, told } = attempts[i] ?? {}
    if (seen?.answer._tag !== "Throttle" || (told !== undefined && Words.verdict(told.verdict) === "Timeout")) return []
    const askedMillis = seen.answer.seconds * 1000
    const cameMillis = gapMillis(attempts, i)
    return cameMillis < askedMillis ? [{ askedMillis, cameMillis }] : []
  })

const verdictOn = (answer: Answer): string => {
  switch (answer._tag) {
    case "Status":
      return isSuccess(answer) ? "a success" : isFinal(answer) ? "Terminal" : "Server"
    case "Throttle":
      return "Throttling"
    case "Reset":
      return "Transient"
    case "Hang":
      return "Timeout"
  }
}

const ranMillis = (told: Attempt["told"]): number =>
  told === undefined ? NaN : Duration.toMillis(told.failedAfter) - Duration.toMillis(told.startedAfter)

/** From the arrival of an attempt to that of the next one; without limit where one of them was not seen. */
const gapMillis = (attempts: ReadonlyArray<Attempt>, i: number): number =>
  (attempts[i + 1]?.seen?.atMillis ?? Infinity) - (attempts[i]?.seen?.atMillis ?? 0)
