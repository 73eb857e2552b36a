/**
 * Sends events to a policy's observers. Without observers there is nothing to run.
 *
 * The fields of an event are own properties, so that it can be spread, compared and written as JSON.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as Untrusted from "../../accept/Untrusted.ts"
import { kindOf } from "../../classify/Verdict.ts"
import * as Line from "../../fund/fiber/Line.ts"
import { Key } from "../../fund/port/Key.ts"
import * as Elapsed from "./Elapsed.ts"
import * as Grants from "./Grants.ts"
import type { Failure, Operation } from "./Operation.ts"
import type { Common, Details, HedgeStarted, RetryEvent } from "../policy/RetryEvent.ts"
import type { StopReason } from "../policy/RetryStopped.ts"
import type { Telling } from "./Services.ts"
import * as Services from "./Services.ts"

export const nestingNoticed = (op: Operation): Telling => {
  const { outer } = op
  if (outer === undefined || op.attempts > 1) return undefined
  return tell(op, () => ({ _tag: "NestingNoticed", outer: { name: outer.name, attempt: outer.attempt } }))
}

export const attemptFailed = (op: Operation, failure: Failure): Telling =>
  tell(op, () => ({
    _tag: "AttemptFailed",
    error: Untrusted.inBrief(failure.error),
    verdict: failure.verdict,
    ran: Elapsed.wholeDuration(failure.failedMillis - op.attemptStartedMillis),
    rateLimiterWait: Elapsed.wholeDuration(op.rateLimiterWaitMillis)
  }))

export const retryScheduled = (op: Operation, failure: Failure, delayMillis: number): Telling =>
  tell(op, () => ({
    _tag: "RetryScheduled",
    error: Untrusted.inBrief(failure.error),
    verdict: failure.verdict,
    delay: Duration.millis(delayMillis),
    source: op.source,
    cost: op.bucket?.held?.tokens ?? 0
  }))

export const hedgeStarted = (op: Operation, hedge: Pick<HedgeStarted, "because" | "cost" | "inFlight">): Telling =>
  tell(op, () => ({ _tag: "HedgeStarted", ...hedge }))

export const hedgeRefused = (op: Operation): Telling => tell(op, () => ({ _tag: "HedgeRefused" }))

export const succeeded = (op: Operation): Telling => tell(op, success)

const success = ({ rateLimiterWaitMillis }: Operation): Particular => ({
  _tag: "Succeeded",
  rateLimiterWait: Elapsed.wholeDuration(rateLimiterWaitMillis)
})

export const gaveUp = (op: Operation, error: unknown, reason: StopReason): Telling =>
  tell(op, () => ({
    _tag: "GaveUp",
    error: Untrusted.inBrief(error),
    reason,
    kind: op.failure === undefined ? Option.none() : kindOf(op.failure.verdict)
  }))

/** The fields of an event besides those of all events. */
type Particular<E = RetryEvent> = E extends RetryEvent ? Omit<E, keyof Common> : never

/** Adds the fields of all events. By assignment, because spreading an object takes V8 microseconds. */
const complete = (op: Operation, event: Particular): RetryEvent => {
  const whole = event as Particular & { -readonly [Field in keyof Common]: Common[Field] }
  whole.name = nameOf(op)
  whole.attempt = op.attempts
  whole.maxAttempts = op.prepared.policy.maxAttempts
  whole.elapsed = Elapsed.duration(op)
  whole.level = Grants.level(op)
  whole.details = detailsOf(op)
  return whole
}

const nameOf = ({ prepared }: Operation): string => prepared.policy.name ?? ""

/** What core knows about an event; a protocol or a driver may know more. */
const detailsOf = (op: Operation): (() => Details) => {
  const context = Line.context(op.fiber)
  return () => ({
    subject: nameOf(op),
    outcome: "",
    key: Context.get(context, Key),
    attributes: {},
    tags: {}
  })
}

const tell = (op: Operation, event: (op: Operation) => Particular): Telling =>
  op.prepared.hooks.observers.length === 0 ? undefined : tellFrom(op, complete(op, event(op)), 0)

/** The effect that an observer returned. `Observe.logs` in place of `Observe.logs()` returns an observer, which is refused. */
const effectOf = (returned: void | Effect.Effect<void>): Effect.Effect<void> => {
  if (returned === undefined) return Effect.void
  const allowed = "a function that returns an effect or nothing (call what makes an observer, as in Observe.logs())"
  return Effect.isEffect(returned) ? returned : Argument.refuseForeign("Retry", "observer", allowed, returned)
}

const observe = (observer: Observing, event: RetryEvent): Effect.Effect<void> => effectOf(observer(event))

type Observing = Operation["prepared"]["hooks"]["observers"][number]

/** Calls the observers from `index` on. */
const tellFrom = (op: Operation, event: RetryEvent, index: number): Telling => {
  const observer = op.prepared.hooks.observers[index]
  if (observer === undefined) return undefined
  const told = Services.telling(op, "an observer", Services.calledOf(observe, observer, event))
  return told === undefined ? tellFrom(op, event, index + 1) : Services.both(told, () => tellFrom(op, event, index + 1))
}
