/**
 * Events as flat attributes, for spans and log lines.
 *
 * Attributes of errors have OpenTelemetry's names (`error.type`, `exception.type`, `exception.message`). It has no names for
 * retries, so those begin with `retry.`.
 * Sources: https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/ and
 * https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/, read 2026-11-24.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Untrusted from "../accept/Untrusted.ts"
import type { Kind, Verdict } from "../classify/Verdict.ts"
import { kindOf } from "../classify/Verdict.ts"
import * as Readable from "../loop/run/Readable.ts"
import type { Attributes, RetryEvent } from "../loop/policy/RetryEvent.ts"
import { formatAfter } from "../loop/policy/RetryStopped.ts"

/**
 * The attributes of an event, including the level of the bucket, if there is one.
 *
 * Of an error they show only its type (`_tag`, or the name of its class), its code or that of a cause and, for an
 * `Error`, its message without what may be secret. The message, the reason of a terminal verdict, and the stop message
 * are cut at 200 characters. Times are in milliseconds; tokens and delays are rounded to three decimals. Left out are
 * an empty name, an infinite limit or level, and the cost of a free retry. The attributes of `event.details()` come
 * last, and replace those of the same name.
 *
 * @category conversions
 */
export const attributes = (event: RetryEvent): Effect.Effect<Attributes> =>
  Effect.map(event.level, (level) => {
    const shown = withoutLevel(event)
    return Option.isNone(level) || level.value === Infinity
      ? shown
      : { ...shown, "retry.bucket.level": Readable.rounded(level.value) }
  })

const withoutLevel = (event: RetryEvent): Attributes => ({
  ...(event.name === "" ? {} : { "retry.operation": event.name }),
  "retry.attempt": event.attempt,
  ...(event.maxAttempts === Infinity ? {} : { "retry.max_attempts": event.maxAttempts }),
  "retry.elapsed_ms": Duration.toMillis(event.elapsed),
  ...particular(event),
  ...event.details().attributes
})

const particular = (event: RetryEvent): Attributes => {
  switch (event._tag) {
    case "AttemptFailed":
      return {
        ...exception(event.error),
        ...verdict(event.verdict),
        ...hint(event.verdict),
        "retry.ran_ms": Duration.toMillis(event.ran),
        ...rateLimiterWait(event)
      }
    case "RetryScheduled":
      return {
        ...exception(event.error),
        ...verdict(event.verdict),
        "retry.delay_ms": Readable.rounded(Duration.toMillis(event.delay)),
        "retry.delay_source": event.source,
        ...cost(event)
      }
    case "Succeeded":
      return rateLimiterWait(event)
    case "GaveUp":
      return {
        ...exception(event.error),
        ...kind(event.kind),
        "retry.stop_reason": event.reason._tag,
        "retry.stop_message": Untrusted.cut(formatAfter(event.reason, event.elapsed))
      }
    case "NestingNoticed":
      return { "retry.outer": event.outer.name, "retry.outer_attempt": event.outer.attempt }
    case "HedgeStarted":
      return {
        "retry.hedge_because": event.because,
        "retry.in_flight": event.inFlight,
        ...cost(event)
      }
    case "HedgeRefused":
      return {}
  }
}

const cost = ({ cost }: { readonly cost: number }): Attributes =>
  cost === 0 ? {} : { "retry.cost": Readable.rounded(cost) }

const rateLimiterWait = ({ rateLimiterWait }: { readonly rateLimiterWait: Duration.Duration }): Attributes =>
  Duration.toMillis(rateLimiterWait) === 0 ? {} : { "retry.rate_limiter_wait_ms": Duration.toMillis(rateLimiterWait) }

const verdict = (verdict: Verdict): Attributes => ({
  "retry.verdict": verdict._tag,
  ...kind(kindOf(verdict)),
  ...(verdict._tag === "Terminal" ? { "retry.why": Untrusted.cut(verdict.why) } : {})
})

const hint = (verdict: Verdict): Attributes =>
  verdict._tag === "NoOpinion" || Option.isNone(verdict.hint)
    ? {}
    : { "retry.hint_ms": Math.min(endless, Duration.toMillis(verdict.hint.value)) }

/** JSON has no infinity; this stands for an endless hint. */
const endless = 1e15

const kind = (kind: Option.Option<Kind>): Attributes => (Option.isSome(kind) ? { "retry.kind": kind.value } : {})

/** A rejected result is not an exception: the attributes of a protocol describe it. */
const exception = (error: Untrusted.ShownError): Attributes => {
  const shown = Untrusted.inFull(error)
  const { message, name } = shown
  return name === "ResultRejected"
    ? {}
    : {
        "error.type": String(Untrusted.code(shown) ?? name),
        "exception.type": name,
        ...(message === "" ? {} : { "exception.message": message })
      }
}
