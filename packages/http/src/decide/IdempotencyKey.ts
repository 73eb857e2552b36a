/**
 * Keys by which a server recognises that a request is a repetition.
 *
 * An operation asks for one key and sends it with every attempt.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"

/**
 * Where keys come from.
 *
 * @category models
 */
export interface Keys {
  /** A key that was not given out before: 1 to 255 printable ASCII characters, with no blank at either end. */
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
 * A key of the source in use. One that cannot be the value of a header is a defect.
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

/** A key can be a secret: it stands in no message. */
const described = (key: unknown) => ({
  toString: () => (typeof key === "string" ? `a string of ${key.length} characters` : `a value of type ${typeof key}`)
})

/**
 * Keys of the caller's own making.
 *
 * @category layers
 */
export const layer = (create: Effect.Effect<string>): Layer.Layer<IdempotencyKey> =>
  Layer.succeed(IdempotencyKey, { create })

/**
 * `key-1`, `key-2` and so on: for tests. Every time the layer is built it begins anew.
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
