/**
 * A share of a bucket for each operation, so that no single operation takes the tokens that others need.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Answer from "../port/Answer.ts"
import type { Grant, TokenBucket } from "../port/Port.ts"

/** The options of `operationShare`. */
interface Options {
  /** Makes the bucket that is shared, such as `TokenBucket.quota()`. */
  readonly bucket: Effect.Effect<TokenBucket>
  /** The largest share of the available tokens, its own retries' included, that one operation may take. In (0, 1]. */
  readonly share: number
}

/**
 * Limits each operation to a share of a bucket.
 *
 * Formula, for retry `n` (attempt `n + 1`) that costs `c`: granted if the bucket grants it, and `(n - 1) * c < share *
 * (level + n * c)`, where `level` is what remains after the retry has been paid. `level + n * c` is the number of
 * tokens that would be there without this operation's retries, so an operation alone on a full bucket gets `ceil(share
 * * capacity / c)` retries. The first retry needs only the bucket's grant; the emptier the bucket, the fewer retries
 * follow. Earlier retries count as if they had cost as much as this one. Only the first retry of an operation may wait.
 * First attempts are not limited. Source: https://github.com/twitter/finagle, `RequeueFilter`, "maxRequeuesPerReq":
 * `ceil(share * balance)`, with the balance when the request is first sent.
 *
 * @category constructors
 */
export const operationShare = ({ bucket, share }: Options): Effect.Effect<TokenBucket> => {
  Argument.number("TokenBucket.operationShare", "share", share, { min: 0, max: 1, exclusive: true })
  return Effect.map(bucket, (shared) => {
    const judged = (granted: Grant, retries: number): Effect.Effect<Option.Option<Grant>> =>
      Effect.flatMap(
        AtOnce.call(() => shared.level),
        (level) =>
          (retries - 1) * granted.tokens < share * (level + retries * granted.tokens) * (1 - 1e-9) ||
          granted.tokens === 0
            ? Effect.succeedSome(granted)
            : Effect.as(Answer.refund(granted), Option.none())
      )
    return {
      ...shared,
      acquire: (request) =>
        request.attempt <= 2
          ? shared.acquire(request)
          : Effect.flatMap(
              AtOnce.call(() => shared.acquire({ ...request, atMost: noWait })),
              (granted) => (Option.isSome(granted) ? judged(granted.value, request.attempt - 1) : Effect.succeedNone)
            )
    }
  })
}

/** If tokens are short, the cost exceeds any share of them, so waiting is pointless. */
const noWait = /*#__PURE__*/ Option.some(Duration.zero)
