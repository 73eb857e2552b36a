/**
 * The attempts of an exchange that is read: each sends the request, and reads the response if that is not to be sent again.
 */
import { AttemptTimeout, Deadline, type Retry, Verdict } from "@effect-retry/core"
import * as TimeLeft from "@effect-retry/core/unstable/TimeLeft"
import type { Classifier } from "@effect-retry/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Discard from "../client/Discard.ts"
import * as Exchange from "./Exchange.ts"
import type { Response, Sent } from "./Exchange.ts"
import * as Reading from "./Reading.ts"

/** What a reading exchange remembers. Made afresh whenever its effect is run; mutable. */
export interface Reader {
  readonly exchange: Exchange.Exchange
  readonly reading: Reading.Reading
  /** Whether what is given up on is left unread: the client fails with it. */
  readonly stops: boolean
  readonly startedNanos: bigint
  attempts: number
  /** The response of the running or latest attempt, as it was judged. */
  judged: { readonly response: Response; readonly verdict: Verdict.Verdict } | undefined
  /** What the reading of that response failed with. */
  broken: { readonly response: Response; readonly cause: Cause.Cause<unknown> } | undefined
  /** The response whose reading has failed with an error. */
  readonly responses: WeakMap<object, Response>
}

export const make = (exchange: Exchange.Exchange, reading: Reading.Reading, stops: boolean): Reader => ({
  exchange,
  reading,
  stops,
  startedNanos: clockOf(exchange).unsafeCurrentTimeNanos(),
  attempts: 0,
  judged: undefined,
  broken: undefined,
  responses: new WeakMap()
})

const clockOf = ({ fiber }: Exchange.Exchange): Clock.Clock => Context.get(fiber.currentDefaultServices, Clock.Clock)

const elapsedMillis = ({ exchange, startedNanos }: Reader): number =>
  Math.max(0, Number(clockOf(exchange).unsafeCurrentTimeNanos() - startedNanos) / 1e6)

const momentOf = (reader: Reader): Classifier.Moment => ({
  nowMillis: clockOf(reader.exchange).unsafeCurrentTimeMillis(),
  attempt: reader.attempts,
  elapsed: Duration.millis(Math.floor(elapsedMillis(reader)))
})

/** Sends what the reading makes of a request, anew for every attempt. */
export const asking =
  ({ ask }: Reading.Reading, send: Exchange.Send): Exchange.Send =>
  (request) =>
    Effect.suspend(() => send(ask(request)))

/** An attempt that reads. Its response is known in `reading.outcomes` when it has succeeded. */
export const attempt = (reader: Reader, sent: Sent): Sent =>
  Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      reader.attempts += 1
      reader.judged = undefined
      reader.broken = undefined
      reader.exchange.answered = false
      return Effect.flatMap(restore(sent), (response) => {
        const verdict = Exchange.judgeResponse(reader.exchange, response, momentOf(reader))
        reader.judged = { response, verdict }
        const isLast = verdict._tag === "NoOpinion" || (verdict._tag === "Terminal" && !reader.stops)
        return isLast ? Effect.as(readNow(reader, response, restore), response) : Effect.succeed(response)
      })
    })
  )

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Reads; where that fails, dies or is interrupted, the body is cancelled: the reader can have left it unread. */
const readNow = (reader: Reader, response: Response, restore: Restore): Effect.Effect<void, unknown, unknown> => {
  const { attempts, exchange, reading } = reader
  exchange.answered = true
  return Effect.matchCauseEffect(restore(Reading.read(reading, response)), {
    onFailure: (cause) => {
      // An attempt that could not be interrupted may end when the next one runs.
      const isOver = isEarly(cause) || reader.attempts !== attempts
      if (!isOver) {
        reader.broken = { response, cause }
        const error = Cause.squash(cause)
        if (typeof error === "object" && error !== null) reader.responses.set(error, response)
      }
      return Effect.zipRight(Discard.cancelled(response), Effect.failCause(cause))
    },
    onSuccess: (value) => Effect.sync(() => void reading.outcomes.set(response, Exit.succeed(value)))
  })
}

const isEarly = (cause: Cause.Cause<unknown>): boolean => Cause.isInterrupted(cause) || Cause.isDie(cause)

/** Judges a response: as it was judged before it was read. */
export const judgeResponse = (reader: Reader, response: Response, moment: Classifier.Moment): Verdict.Verdict =>
  reader.judged?.response === response
    ? reader.judged.verdict
    : Exchange.judgeResponse(reader.exchange, response, moment)

/** Judges an error of the attempt: what the reading of a response fails with never makes that response retryable. */
export const judge = (reader: Reader, error: unknown, moment: Classifier.Moment): Verdict.Verdict => {
  const { broken, exchange } = reader
  const verdict = Exchange.judge(exchange, error, moment)
  if (broken === undefined) return verdict
  return verdictOfLast(reader) ?? (verdict._tag === "NoOpinion" ? unread : verdict)
}

/**
 * The verdict on a response that is not to be sent again, whatever becomes of its reading; `undefined` where the attempt
 * has none.
 */
export const verdictOfLast = ({ exchange, judged }: Reader): Verdict.Terminal | undefined =>
  exchange.answered && judged?.verdict._tag === "Terminal" ? judged.verdict : undefined

const unread = Verdict.terminal("the response could not be read")

/** The response whose reading failed with an error; `undefined` where the error is no object. */
export const responseOf = ({ responses }: Reader, error: unknown): Response | undefined =>
  responses.get(error as object)

/**
 * Ends an operation whose last attempt failed in reading; `undefined` where the last attempt failed with another error.
 *
 * The client answers with the response of that attempt, and combinators above the retries may refuse it. Where none does,
 * `HttpRetry.execute` fails with the error of the reading, which is kept in `reading.outcomes`.
 */
export const ended = ({ broken, exchange, reading }: Reader, error: unknown, isLate: boolean): Sent | undefined => {
  if (broken === undefined) return undefined
  const last = isLate ? (error as Retry.AttemptRefused | Deadline.DeadlineExceeded).error : error
  if (last !== exchange.judged) return undefined
  reading.outcomes.set(broken.response, Exit.failCause(broken.cause))
  return Effect.succeed(broken.response)
}

/**
 * Reads a response that was given up on, after all attempts: within the timeout of an attempt and the time left until the
 * deadline.
 */
export const readLast = (reader: Reader, response: Response): Sent => {
  const { outcomes } = reader.reading
  if (outcomes.has(response)) return Effect.succeed(response)
  const read = Effect.uninterruptibleMask((restore) =>
    Effect.matchCauseEffect(readNow(reader, response, restore), {
      onFailure: (cause) => {
        if (isEarly(cause)) return Effect.failCause(cause)
        outcomes.set(response, Exit.failCause(cause))
        return Effect.succeed(response)
      },
      onSuccess: () => Effect.succeed(response)
    })
  )
  const bound = boundOf(reader)
  return bound === undefined ? read : Effect.timeoutFail(read, bound)
}

const boundOf = (reader: Reader) => {
  const { attempts, exchange } = reader
  const { attemptTimeout, deadline } = exchange.policy
  const startMillis = elapsedMillis(reader)
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
