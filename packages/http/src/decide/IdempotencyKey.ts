/**
 * Keys by which a server recognises a repeated request.
 *
 * An operation takes one key and sends it with every attempt.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"

/**
 * A source of keys.
 *
 * @category models
 */
export interface Keys {
  /** Makes a new key: 1 to 255 printable ASCII characters, with no blank at either end. */
  readonly create: Effect.Effect<string>
}

/**
 * The source in use. Without a layer it is the platform's cryptographic `randomUUID`.
 *
 * @category models
 */
export class IdempotencyKey extends Context.Reference<IdempotencyKey>()("@effect-retry/http/IdempotencyKey", {
  defaultValue: (): Keys => ({ create: Effect.sync(() => globalThis.crypto.randomUUID()) })
}) {}

/**
 * The next key from the source in use. Dies with an `InvalidArgument` if the key cannot be the value of a header.
 *
 * Source of the 255: https://docs.stripe.com/api/idempotent_requests.
 *
 * @category running
 */
export const next: Effect.Effect<string> = /*#__PURE__*/ Effect.flatMap(IdempotencyKey, ({ create }) =>
  Effect.map(create, (key) =>
    typeof key === "string" && /^[!-~](?:[ -~]{0,253}[!-~])?$/.test(key)
      ? key
      : Argument.refuse("IdempotencyKey.next", "key", "1 to 255 printable ASCII characters", described(key))
  )
)

/** A key can be a secret, so no message contains it. */
const described = (key: unknown) => ({
  toString: () => (typeof key === "string" ? `a string of ${key.length} characters` : `a value of type ${typeof key}`)
})

/**
 * A layer with your own source of keys.
 *
 * @category layers
 */
export const layer = (create: Effect.Effect<string>): Layer.Layer<IdempotencyKey> =>
  Layer.succeed(IdempotencyKey, { create })

/**
 * A layer that makes `key-1`, `key-2` and so on, for tests. It starts over each time it is built.
 *
 * @category layers
 */
export const layerSequence: Layer.Layer<IdempotencyKey> = /*#__PURE__*/ Layer.effect(
  IdempotencyKey,
  Effect.map(Ref.make(0), (count) => ({
    create: Effect.map(
      Ref.updateAndGet(count, (n) => n + 1),
      (n) => `key-${n}`
    )
  }))
)
