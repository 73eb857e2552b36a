/**
 * The bucket of one key, and its uses under way.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Scope from "effect/Scope"
import * as AtOnce from "../fiber/AtOnce.ts"
import type { BucketScope } from "../store/BucketScopes.ts"
import * as Answer from "../port/Answer.ts"
import { Key } from "../port/Key.ts"
import type { Grant, Outcome, TokenBucket } from "../port/Port.ts"

export interface Entry<out E> {
  readonly bucket: TokenBucket<E>
  /** The number of calls that wait for the bucket's answer and of attempts under way that it was told of. */
  inUse: number
  /** The bucket's own scope; `undefined` if the keyed bucket was made without a scope. */
  readonly scope: BucketScope | undefined
}

/**
 * Makes the entry of a key and hands it to `next`. If the bucket has a scope, no interruption comes between the two;
 * `bucket` itself is as interruptible as the caller.
 */
export const make = <E, R>(
  bucket: Effect.Effect<TokenBucket<E>, never, R>,
  context: Context.Context<R>,
  makeScope: Effect.Effect<BucketScope> | undefined
): ((key: string, next: (entry: Entry<E>) => Effect.Effect<Entry<E>>) => Effect.Effect<Entry<E>>) => {
  const bucketIn = (own: Context.Context<R>) =>
    Effect.mapInputContext<TokenBucket<E>, never, R, never>(bucket, () => own)
  if (makeScope === undefined) {
    return (key, next) =>
      Effect.flatMap(bucketIn(Context.add(context, Key, key)), (bucket) => next({ bucket, inUse: 0, scope: undefined }))
  }
  return (key, next) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(makeScope, (scope) =>
        Effect.matchCauseEffect(
          restore(bucketIn(Context.add(Context.add(context, Key, key), Scope.Scope, scope.scope))),
          {
            onFailure: (cause) => {
              scope.drop()
              return Effect.failCause(cause)
            },
            onSuccess: (bucket) => next({ bucket, inUse: 0, scope })
          }
        )
      )
    )
}

/** Notes that a call or an attempt begins. */
export const begin = (self: Entry<unknown>): void => {
  self.inUse += 1
  self.scope?.begin()
}

/** Notes that it has ended. */
export const end = (self: Entry<unknown>): void => {
  self.inUse -= 1
  self.scope?.end()
}

/**
 * Asks the entry's bucket, within the caller's step if the answer is immediate. Waiting for the answer is a use of the
 * entry, which `then` may prolong.
 */
export const ask = <A, B, E>(
  self: Entry<E>,
  asked: Effect.Effect<A, E>,
  then: (answer: A) => B
): Effect.Effect<B, E> => {
  const answer = AtOnce.run(asked)
  if (AtOnce.hasEnded(answer)) return Exit.map(answer, then)
  return Effect.suspend(() => {
    begin(self)
    return Effect.matchCauseEffect(answer, {
      onFailure: (cause) => {
        end(self)
        return Effect.failCause(cause)
      },
      onSuccess: (answer) => {
        const answered = then(answer)
        end(self)
        return Effect.succeed(answered)
      }
    })
  })
}

/** Tells the entry's bucket something, within the caller's step if possible. */
export const tell = <E>(self: Entry<E>, telling: Effect.Effect<void, E>): Effect.Effect<void, E> => {
  const told = AtOnce.run(telling)
  return AtOnce.hasEnded(told) ? told : ask(self, told, identity)
}

/** A grant that holds its entry, because the key may have another entry when the attempt ends. */
interface KeyedGrant<out E> extends Grant {
  readonly entry: Entry<E>
  readonly inner: Grant
}

/** Whether a grant was made by `granted`. */
export const isGranted = <E>(granted: Grant): granted is KeyedGrant<E> => "entry" in granted

/** Wraps what an entry's bucket granted. The scope stays open until the attempt is recorded or the grant refunded. */
export const granted = <E>(entry: Entry<E>, inner: Grant): KeyedGrant<E> => {
  const { scope } = entry
  const { hearsAbandoned, refund, tokens } = inner
  if (scope === undefined) return { tokens, refund, hearsAbandoned, entry, inner }
  scope.begin()
  return { tokens, refund: Effect.ensuring(Answer.refund(inner), Effect.sync(scope.end)), hearsAbandoned, entry, inner }
}

/** Records an outcome with the bucket that granted the attempt. */
export const record = <E>(outcome: Outcome, { entry, inner }: KeyedGrant<E>): Effect.Effect<void, E> => {
  const { bucket, scope } = entry
  const record = () => bucket.record({ ...outcome, granted: inner })
  return scope === undefined ? record() : AtOnce.suspend(() => endingIn(record(), scope.end))
}

/** Runs an effect and then, however it ends, `last`; within the caller's step if the effect ends at once. */
export const endingIn = <A, E>(self: Effect.Effect<A, E>, last: () => void): Effect.Effect<A, E> => {
  const left = AtOnce.run(self)
  if (!AtOnce.hasEnded(left)) return Effect.ensuring(left, Effect.sync(last))
  last()
  return left
}
