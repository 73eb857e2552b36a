/**
 * A send rate that holds operations back while the server has asked for a pause.
 *
 * A hint that one operation meets (`Retry-After` and the like) becomes the wait of all later operations with the same
 * key, which for retried clients is the host. State is shared by all who share the layer.
 *
 * Inside of `SendRate.layerKeyed` no hint reaches it, and nothing is held. It needs none around it, being keyed itself;
 * a keyed send rate can be its `rate`.
 *
 * @example
 * ```ts
 * import { HoldBack } from "@effect-retry/http"
 * import { RetryBucket } from "@effect-retry/core"
 * import { Duration, Effect, Option } from "effect"
 * import * as assert from "node:assert"
 *
 * const program = Effect.gen(function* () {
 *   const rate = yield* HoldBack.make({ atMost: "1 minute" })
 *   const acquire = rate.acquire({ attempt: 1, atMost: Option.some(Duration.seconds(5)) })
 *   yield* rate.hold(Duration.seconds(10))
 *   const held = yield* acquire
 *   const other = yield* Effect.provideService(acquire, RetryBucket.Key, "another host")
 *   return [held, other]
 * })
 *
 * // Ten seconds are more than the five that this attempt would wait; another host is not held.
 * Effect.runPromise(program).then((granted) => assert.deepStrictEqual(granted, [false, true]))
 * ```
 */
import { Duration, Effect, Layer, Option, Predicate } from "effect"
import type { Context } from "effect"
import { InvalidArgument, Millis, RetryBucket, SendRate } from "@effect-retry/core"

const TypeId: unique symbol = Symbol.for("@effect-retry/http/HoldBack")

/**
 * A send rate that can be told to pause.
 *
 * @category models
 */
export interface HoldBack extends SendRate.SendRate {
  readonly [TypeId]: typeof TypeId
  /** Sends nothing of the current key for so long, from now on. A hold that lasts longer already is kept. */
  readonly hold: (wait: Duration.Duration) => Effect.Effect<void>
}

/**
 * How long sends are held back at most, and what bounds them otherwise.
 *
 * @category models
 */
export interface Options {
  /** What a longer wait is cut to. At most 24 days. */
  readonly atMost: Duration.DurationInput
  /** What to ask once nothing is held: all who waited go on at the same time. @default `SendRate.unlimited` */
  readonly rate?: Effect.Effect<SendRate.SendRate> | undefined
}

/**
 * Whether a send rate can be told to pause.
 *
 * @category guards
 */
export const isHoldBack = (self: SendRate.SendRate): self is HoldBack => Predicate.hasProperty(self, TypeId)

/**
 * An attempt that would have to wait for longer than its deadline leaves is refused at once.
 *
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<HoldBack> => makeFor("HoldBack.make", options)

const makeFor = (owner: string, options: Options): Effect.Effect<HoldBack> => {
  const atMostMillis = InvalidArgument.millis(owner, "atMost", options.atMost, {
    min: 1,
    max: Millis.longestTimerMillis
  })
  return Effect.map(options.rate ?? Effect.succeed(SendRate.unlimited), (rate) => {
    const holds = makeHolds(atMostMillis)
    const hold = (wait: Duration.Duration): Effect.Effect<void> =>
      Effect.clockWith((clock) =>
        Effect.map(RetryBucket.Key, (key) =>
          holds.hold(key, Math.ceil(Duration.toMillis(wait)), clock.unsafeCurrentTimeMillis())
        )
      )
    return { [TypeId]: TypeId, acquire: acquiring(holds, rate), heard: rate.heard, hold }
  })
}

/** What is held, by key; what is over is forgotten. */
interface Holds {
  readonly isEmpty: () => boolean
  /** How long a key is held from now on: 0 or less where it is not. */
  readonly leftMillis: (key: string, nowMillis: number) => number
  readonly hold: (key: string, waitMillis: number, nowMillis: number) => void
}

const makeHolds = (atMostMillis: number): Holds => {
  const heldUntil = new Map<string, number>()

  const leftMillis = (key: string, nowMillis: number): number => {
    const until = heldUntil.get(key)
    if (until === undefined) return 0
    const left = until - nowMillis
    if (left <= 0) heldUntil.delete(key)
    if (left <= atMostMillis) return left
    // More than the longest hold can only be left where the clock has stepped back: it is as long as from now on.
    heldUntil.set(key, nowMillis + atMostMillis)
    return atMostMillis
  }

  const hold = (key: string, waitMillis: number, nowMillis: number): void => {
    for (const other of heldUntil.keys()) leftMillis(other, nowMillis)
    const until = nowMillis + Math.min(waitMillis, atMostMillis)
    if (until > Math.max(nowMillis, heldUntil.get(key) ?? 0)) heldUntil.set(key, until)
  }

  return { isEmpty: () => heldUntil.size === 0, leftMillis, hold }
}

const acquiring = (holds: Holds, rate: SendRate.SendRate): HoldBack["acquire"] => {
  const acquireOf = (key: string, wanted: SendRate.Wanted): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => {
      const left = holds.leftMillis(key, clock.unsafeCurrentTimeMillis())
      if (left <= 0) return rate.acquire(wanted)
      const wait = Duration.millis(left)
      if (Option.exists(wanted.atMost, Duration.lessThan(wait))) return Effect.succeed(false)
      const afterwards = { ...wanted, atMost: Option.map(wanted.atMost, Duration.subtract(wait)) }
      return Effect.zipRight(clock.sleep(wait), acquireOf(key, afterwards))
    })
  return (wanted) =>
    Effect.suspend(() =>
      holds.isEmpty() ? rate.acquire(wanted) : Effect.flatMap(RetryBucket.Key, (key) => acquireOf(key, wanted))
    )
}

/**
 * `make` behind a tag: `HoldBack.layer(SendRate.Default, { atMost: "1 minute" })` for a policy with
 * `sendRate: SendRate.Default`.
 *
 * @category layers
 */
export const layer = <I>(tag: Context.Tag<I, SendRate.SendRate>, options: Options): Layer.Layer<I> =>
  Layer.effect(tag, makeFor("HoldBack.layer", options))
