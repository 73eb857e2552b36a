/**
 * Tells a bucket and observers what becomes of hedges. What dies there is logged and changes nothing.
 */
import { type Observe, TokenBucket } from "@effect-retry/core"
import type { Retry, Verdict } from "@effect-retry/core"
import * as ShownCause from "@effect-retry/core/unstable/ShownCause"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Checked } from "./HedgingPolicy.ts"

type Outcome = TokenBucket.Outcome
type Grant = TokenBucket.Grant

/** Asks the bucket for another attempt. It must not wait for tokens. Any other wait of it can be interrupted. */
export const acquire = (bucket: TokenBucket.TokenBucket, attempt: number): Effect.Effect<Option.Option<Grant>> =>
  logged(
    "the bucket",
    () =>
      bucket.acquire({
        attempt,
        kind: Option.none(),
        delay: Duration.zero,
        atMost: Option.some(Duration.zero),
        restore: Effect.interruptible
      }),
    Option.none()
  )

/** Returns the tokens of an attempt that was not sent. */
export const refund = (granted: Option.Option<Grant>): Effect.Effect<void> =>
  Option.isNone(granted) ? Effect.void : logged("the bucket", () => granted.value.refund, undefined)

/** Tells the bucket that an attempt begins. */
export const started = ({ bucket }: Checked, begun: TokenBucket.Started): Effect.Effect<void> =>
  bucket?.started === undefined ? Effect.void : logged("the bucket", () => bucket.started!(begun), undefined)

/** Tells the bucket how an attempt ended. Only buckets with `started` are told of abandoned ones. */
export const record = ({ bucket }: Checked, outcome: Outcome): Effect.Effect<void> =>
  bucket === undefined || (outcome._tag === "Abandoned" && bucket.started === undefined)
    ? Effect.void
    : logged("the bucket", () => bucket.record(outcome), undefined)

/** What happened, as far as events of hedges differ. */
export type Happened =
  | {
      readonly _tag: "AttemptFailed"
      readonly error: unknown
      readonly verdict: Verdict.Verdict
      readonly ran: Duration.Duration
      readonly rateLimiterWait: Duration.Duration
    }
  | { readonly _tag: "Succeeded"; readonly rateLimiterWait: Duration.Duration }
  | { readonly _tag: "GaveUp"; readonly error: unknown; readonly reason: Retry.StopReason }

/** Tells the observers. */
export const tell = (
  policy: Checked,
  at: { readonly attempt: number; readonly elapsedMillis: number },
  happened: Happened
): Effect.Effect<void> =>
  policy.observe.length === 0
    ? Effect.void
    : Effect.contextWithEffect((context: Context.Context<never>) => {
        const event: Observe.RetryEvent = {
          ...shown(happened),
          name: policy.name,
          attempt: at.attempt,
          maxAttempts: policy.maxAttempts,
          elapsed: Duration.millis(at.elapsedMillis),
          level: level(policy),
          details: () => ({
            subject: policy.name,
            outcome: happened._tag === "Succeeded" ? "" : Untrusted.outcome(Untrusted.shown(happened.error)),
            key: Context.get(context, TokenBucket.Key),
            attributes: {},
            tags: {}
          })
        }
        return Effect.forEach(policy.observe, (observer) => logged("an observer", () => observer(event), undefined), {
          discard: true
        })
      })

/** With what may be shown of the error. */
const shown = (happened: Happened) =>
  happened._tag === "Succeeded" ? happened : { ...happened, error: Untrusted.shown(happened.error) }

const level = ({ bucket }: Checked): Effect.Effect<Option.Option<number>> =>
  bucket === undefined
    ? Effect.succeedNone
    : logged("the bucket", () => Effect.asSome(bucket.level), Option.none<number>())

const logged = <A>(service: string, ask: () => Effect.Effect<A>, otherwise: A): Effect.Effect<A> =>
  Effect.catchAllCause(Effect.suspend(ask), (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.succeed(otherwise)
      : Effect.as(Effect.logWarning(`${service} died`, ShownCause.of(cause, Untrusted.shown)), otherwise)
  )
