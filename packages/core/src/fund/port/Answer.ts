/**
 * Checks what a bucket answers: a caller's own bucket may answer something that is no grant.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import type { Grant } from "./Port.ts"

/** Refunds the grant of an invalid answer, if it has a refund, then dies. */
type Refused = Effect.Effect<never>

/** Ends a request that got an invalid answer; `undefined` for a valid answer. `owner` names the bucket. */
export const refused = (owner: string, answer: Option.Option<Grant>): Refused | undefined => {
  // The most common case first.
  if (answer?._tag !== "Some") {
    return Option.isOption(answer) ? undefined : refuse(owner, "acquire", "an effect of an Option", answer)
  }
  const { refund, tokens } = answer.value
  if (tokens >= 0 && tokens < Infinity) return undefined
  return refuse(owner, "tokens of a grant", "a finite number >= 0", tokens, refund)
}

const refuse = (
  owner: string,
  field: string,
  allowed: string,
  value: unknown,
  refund: Effect.Effect<void> = Effect.void
): Refused =>
  Effect.zipRight(
    AtOnce.call(() => refund),
    Effect.sync(() => Argument.refuse(owner, field, allowed, value))
  )

/** Refunds a grant. */
export const refund = (grant: Grant): Effect.Effect<void> => AtOnce.call(() => grant.refund)

/** A request that dies if its answer is invalid, within the caller's step if the answer is immediate. */
export const checked = <E>(
  owner: string,
  asked: Effect.Effect<Option.Option<Grant>, E>
): Effect.Effect<Option.Option<Grant>, E> => {
  const answer = AtOnce.run(asked)
  if (AtOnce.hasEnded(answer)) return Exit.isSuccess(answer) ? (refused(owner, answer.value) ?? answer) : answer
  return Effect.flatMap(answer, (answer) => refused(owner, answer) ?? Exit.succeed(answer))
}
