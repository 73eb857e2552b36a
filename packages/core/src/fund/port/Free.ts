/**
 * What a bucket grants to every attempt without a change of its state: the loop then makes no request.
 *
 * The function `acquire` itself has the mark, so a bucket that wraps another one or replaces its `acquire` is asked as ever.
 */
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as AtOnce from "../fiber/AtOnce.ts"
import type { Grant, TokenBucket } from "./Port.ts"

const marked = /*#__PURE__*/ Symbol("@effect-retry/core/unstable/Free")

type Acquire = TokenBucket["acquire"] & { [marked]?: Free }

/** Grants within the step that calls it, changes nothing, and does not die. */
export type Free = () => Option.Option<Grant>

/** An `acquire` that asks `otherwise` if nothing is free. */
export const orElse = (free: Free, otherwise: TokenBucket["acquire"]): TokenBucket["acquire"] => {
  const acquire: Acquire = (request) =>
    AtOnce.suspend(() => {
      const granted = free()
      return Option.isSome(granted) ? Exit.succeed(granted) : otherwise(request)
    })
  acquire[marked] = free
  return acquire
}

/** The grant of a bucket that is free within this step; `undefined` if the bucket must be asked. */
export const grant = ({ acquire }: Pick<TokenBucket, "acquire">): Grant | undefined => {
  // A caller's own bucket may have no such function.
  const free = (acquire as Acquire | undefined)?.[marked]
  return free && Option.getOrUndefined(free())
}
