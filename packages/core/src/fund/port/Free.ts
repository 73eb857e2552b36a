/**
 * What a bucket grants to every attempt without a change of its state: the loop then makes no request.
 *
 * The function `acquire` itself has the mark, so a bucket that wraps another one or replaces its `acquire` is asked as ever.
 */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as AtOnce from "../fiber/AtOnce.ts"
import type { Grant, TokenBucket } from "./Port.ts"

const marked = /*#__PURE__*/ Symbol("@effect-retry/core/unstable/Free")

type Acquire = TokenBucket["acquire"] & { [marked]?: Granted }

type Granted = Effect.Effect<Option.Option<Grant>>

/** An `acquire` that asks `otherwise` if `free`, which changes nothing, grants nothing. */
export const orElse = (free: Granted, otherwise: TokenBucket["acquire"]): TokenBucket["acquire"] => {
  const acquire: Acquire = (request) =>
    AtOnce.suspend(() =>
      AtOnce.andThen(free, (granted) => (Option.isSome(granted) ? Exit.succeed(granted) : otherwise(request)))
    )
  acquire[marked] = free
  return acquire
}

/** The grant of a bucket that is free within this step; `undefined` if the bucket must be asked. */
export const grant = ({ acquire }: Pick<TokenBucket, "acquire">): Grant | undefined => {
  // A caller's own bucket may have no such function.
  const free = (acquire as Acquire | undefined)?.[marked]
  if (free === undefined) return undefined
  const granted = AtOnce.run(free)
  return AtOnce.hasEnded(granted) && Exit.isSuccess(granted) ? Option.getOrUndefined(granted.value) : undefined
}
