/**
 * Attempts with a reader: each sends the request, and reads the response unless the request will be sent again.
 *
 * Without a reader, an attempt and its verdict are unchanged.
 */
import { AttemptTimeout, Deadline, type Retry, Verdict } from "@effect-retry/core"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import type { Classifier } from "@effect-retry/core"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as Discard from "../client/Discard.ts"
import * as Exchange from "./Exchange.ts"
import type { Response, Sent } from "./Exchange.ts"
import * as Reading from "./Reading.ts"

type Op = Exchange.Exchange

const momentOf = (exchange: Op): Classifier.Moment => ({
  nowMillis: FiberLine.wallMillis(Exchange.clockOf(exchange)),
  attempt: exchange.attempts,
  elapsed: Duration.millis(Math.floor(exchange.elapsedMillis()))
})

/** An attempt. Once it has succeeded, the reading's `outcomes` holds its response. */
export const attempt = (exchange: Op, sent: Sent): Sent => {
  const { reading } = exchange
  if (reading === undefined) return sent
  return Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      exchange.received = undefined
      exchange.broken = undefined
      exchange.answered = false
      return Effect.flatMap(restore(sent), (response) => {
        const verdict = Exchange.judgeResponse(exchange, response, momentOf(exchange))
        exchange.received = { response, verdict }
        const isLast = verdict._tag === "NoOpinion" || (verdict._tag === "Terminal" && !exchange.stops)
        return isLast ? Effect.as(readNow(exchange, reading, response, restore), response) : Effect.succeed(response)
      })
    })
  )
}

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Reads a response. If that fails, dies or is interrupted, the body is cancelled, because the reader may have left it unread. */
const readNow = (
  exchange: Op,
  reading: Reading.Reading,
  response: Response,
  restore: Restore
): Effect.Effect<void, unknown, unknown> => {
  const { attempts } = exchange
  exchange.answered = true
  return Effect.matchCauseEffect(restore(Reading.read(reading, response)), {
    onFailure: (cause) => {
      // An attempt that could not be interrupted may end while the next one runs.
      const isOver = isEarly(cause) || exchange.attempts !== attempts
      if (!isOver) {
        exchange.broken = { response, cause }
        const error = Cause.squash(cause)
        if (typeof error === "object" && error !== null) reading.broken.set(error, response)
      }
      return Effect.zipRight(Discard.cancelled(response), Effect.failCause(cause))
    },
    onSuccess: (value) => Effect.sync(() => void reading.outcomes.set(response, Exit.succeed(value)))
  })
}

const isEarly = (cause: Cause.Cause<unknown>): boolean => Cause.isInterrupted(cause) || Cause.isDie(cause)

/** The verdict on a response, which was judged before it was read. */
export const judgeResponse = (exchange: Op, response: Response, moment: Classifier.Moment): Verdict.Verdict =>
  exchange.received?.response === response
    ? exchange.received.verdict
    : Exchange.judgeResponse(exchange, response, moment)

/** Judges an error of the attempt: a failed reading never makes its response retryable. */
export const judge = (exchange: Op, error: unknown, moment: Classifier.Moment): Verdict.Verdict => {
  const verdict = Exchange.judge(exchange, error, moment)
  if (exchange.broken === undefined) return verdict
  return verdictOfLast(exchange) ?? (verdict._tag === "NoOpinion" ? unread : verdict)
}

/**
 * The verdict on a response whose request will not be sent again, whatever happens to its reading; `undefined` if the
 * attempt has no such response.
 */
export const verdictOfLast = ({ answered, received }: Op): Verdict.Terminal | undefined =>
  answered && received?.verdict._tag === "Terminal" ? received.verdict : undefined

/** Makes a function that returns the headers of a response that has arrived since; `undefined` if none has. */
export const headersSince = (exchange: Op): (() => Response["headers"] | undefined) => {
  const { judged, latest } = exchange
  return () => {
    if (exchange.latest !== latest) return exchange.latest?.headers
    return exchange.judged === judged ? undefined : HttpClassifier.responseOf(exchange.judged)?.headers
  }
}

const unread = Verdict.terminal("the response could not be read")

/** The response that could not be read, by the error of the reader; `undefined` if the error is no object. */
export const responseOf = ({ reading }: Op, error: unknown): Response | undefined =>
  reading?.broken.get(error as object)

/**
 * Ends an operation if the reader failed in its last attempt; `undefined` if that failed with another error.
 *
 * The client returns the response of that attempt, and combinators applied after the retries may refuse it. If none does,
 * `HttpRetry.execute` fails with the reader's error, which is kept in `reading.outcomes`.
 */
export const ended = ({ broken, judged, reading }: Op, error: unknown, isLate: boolean): Sent | undefined => {
  if (broken === undefined) return undefined
  const last = isLate ? (error as Retry.AttemptRefused | Deadline.DeadlineExceeded).error : error
  if (last !== judged) return undefined
  reading?.outcomes.set(broken.response, Exit.failCause(broken.cause))
  return Effect.succeed(broken.response)
}

/**
 * Reads the last response after the operation has given up, within the attempt timeout and the time left until the deadline.
 */
export const readLast = (exchange: Op, response: Response): Sent => {
  const { reading } = exchange
  if (reading === undefined || reading.outcomes.has(response)) return Effect.succeed(response)
  const read = Effect.uninterruptibleMask((restore) =>
    Effect.matchCauseEffect(readNow(exchange, reading, response, restore), {
      onFailure: (cause) => {
        if (isEarly(cause)) return Effect.failCause(cause)
        reading.outcomes.set(response, Exit.failCause(cause))
        return Effect.succeed(response)
      },
      onSuccess: () => Effect.succeed(response)
    })
  )
  const bound = boundOf(exchange)
  return bound === undefined ? read : Effect.timeoutFail(read, { duration: bound.duration, onTimeout: bound.onTimeout })
}

const boundOf = ({ attempts, elapsedMillis, policy: { attemptTimeout, deadline } }: Op) => {
  const startMillis = elapsedMillis()
  const leftMillis = deadline === undefined ? Infinity : Math.max(0, deadline.withinMillis - startMillis)
  const millis =
    attemptTimeout === undefined ? leftMillis : TimeLeft.millisFor(attemptTimeout, attempts, startMillis, leftMillis)
  if (millis === Infinity) return undefined
  const duration = Duration.millis(millis)
  const onTimeout = (): unknown => {
    if (deadline?._tag === "Cut" && millis === leftMillis) {
      const within = Duration.millis(deadline.withinMillis)
      return deadline.onExceeded(new Deadline.DeadlineExceeded({ within, attempts }))
    }
    const timedOut = new AttemptTimeout.AttemptTimedOut({ attempt: attempts, after: duration })
    return attemptTimeout === undefined ? timedOut : attemptTimeout.onTimeout(timedOut)
  }
  return { duration, onTimeout }
}
