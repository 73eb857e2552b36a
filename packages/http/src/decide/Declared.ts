/**
 * What a caller declares about the requests of an effect.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Why the requests of the running code may be sent again whatever their method, in the caller's words; `undefined` if
 * the caller has not said so.
 *
 * @category models
 */
export class RepeatableBecause extends Context.Reference<RepeatableBecause>()("@effect-retry/http/Repeatable", {
  defaultValue: (): string | undefined => undefined
}) {}

/**
 * Whether the streams that the running code sends as bodies give the same bytes each time they are run.
 *
 * @category models
 */
export class ReplayableStreams extends Context.Reference<ReplayableStreams>()("@effect-retry/http/Replayable", {
  defaultValue: () => false
}) {}

/**
 * Declares that the requests of an effect may be sent again, and why: `Idempotency.declared("replaces the whole
 * order")`.
 *
 * Applies to all requests that the effect sends: wrap one request, or with `HttpClient.transformResponse` those of a
 * client. It cannot be checked: if it is wrong, a request is carried out twice.
 *
 * @category combinators
 */
export function declaredRepeatable(because: string): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
export function declaredRepeatable<A, E, R>(self: Effect.Effect<A, E, R>, because: string): Effect.Effect<A, E, R>
export function declaredRepeatable(...given: Given): any {
  return dual(given, <A, E, R>(self: Effect.Effect<A, E, R>, because: string): Effect.Effect<A, E, R> =>
    Effect.provideService(self, RepeatableBecause, reason(because))
  )
}

const reason = (because: unknown): string =>
  typeof because === "string" && because.trim() !== ""
    ? because
    : Argument.refuse("Idempotency.declared", "because", "a reason in words", because)

/**
 * Declares that the streams an effect sends as bodies give the same bytes each time they are run: true of a file that
 * stays as it is, not of a socket or a queue.
 *
 * Applies to all requests that the effect sends. Has no effect on sources that by nature can be read only once.
 *
 * @category combinators
 */
export const declaredReplayable = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, ReplayableStreams, true)
