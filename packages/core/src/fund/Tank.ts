/**
 * Tokens in a `Ref`, moved by the clock and followed by whoever wants to: what the built-in buckets share.
 */
import { Effect, Ref, Stream } from "effect"
import type { Level } from "./RetryBucket.ts"
import type { Limits } from "./Tokens.ts"
import * as TokenBucket from "./Tokens.ts"

/**
 * @category models
 */
export interface Tank<S> {
  /** Changes the state, as time has moved it, in one step. */
  readonly modify: <A>(f: (state: S) => readonly [A, S]) => Effect.Effect<A>
  readonly level: Level
}

/**
 * What a tank keeps: `moved` by time, and worth so many `tokens`.
 *
 * @category models
 */
export interface Contents<S> {
  readonly initial: S
  /** `undefined` for what time does not move: the clock is not looked at then. */
  readonly moved: ((state: S, nowMillis: number) => S) | undefined
  readonly tokens: (state: S) => number
}

/**
 * @category constructors
 */
export const make = <S>({ initial, moved, tokens }: Contents<S>): Effect.Effect<Tank<S>> =>
  Effect.sync(() => {
    const ref = Ref.unsafeMake(initial)
    const followers = new Set<(level: number) => void>()
    const change = <A>(before: S, f: (state: S) => readonly [A, S]): readonly [A, S] => {
      const changed = f(before)
      if (followers.size > 0 && changed[1] !== before) followers.forEach((follow) => follow(tokens(changed[1])))
      return changed
    }
    const modify: Tank<S>["modify"] = (f) =>
      moved === undefined
        ? Ref.modify(ref, (state) => change(state, f))
        : Effect.clockWith((clock) =>
            Ref.modify(ref, (state) => change(moved(state, clock.unsafeCurrentTimeMillis()), f))
          )
    const get = modify((state) => [tokens(state), state])
    // In one step with the first look, or a change between the two would be missed.
    const follow = (follower: (level: number) => void) =>
      modify((state) => {
        followers.add(follower)
        follower(tokens(state))
        return [undefined, state]
      })
    const unfollow = (follower: (level: number) => void) => Effect.sync(() => followers.delete(follower))
    // Most buckets are never followed, and a stream that nobody runs is more to keep than all the rest.
    const level: Level = {
      get,
      get changes() {
        return following(follow, unfollow)
      }
    }
    return { modify, level }
  })

/**
 * A full token bucket.
 *
 * @category constructors
 */
export const makeTokens = (limits: Limits): Effect.Effect<Tank<TokenBucket.TokenBucket>> =>
  make<TokenBucket.TokenBucket>({
    initial: { tokens: limits.capacity, atMillis: -Infinity },
    moved: limits.refillPerSecond === 0 ? undefined : (bucket, now) => TokenBucket.refilled(bucket, limits, now),
    tokens: (bucket) => bucket.tokens
  })

type Follow = (follower: (level: number) => void) => Effect.Effect<unknown>

const following = (follow: Follow, unfollow: Follow): Stream.Stream<number> =>
  Stream.asyncPush<number>(
    (emit) => {
      const follower = (level: number) => void emit.single(level)
      return Effect.acquireRelease(follow(follower), () => unfollow(follower))
    },
    { bufferSize: 1024, strategy: "sliding" }
  )
