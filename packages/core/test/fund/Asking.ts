/**
 * What the tests ask of buckets, and tell them.
 */
import { TokenBucket, Verdict } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"

/** What a test says of a request; the rest is a retry without a wait and without a deadline. */
export interface Asked {
  readonly attempt?: number
  readonly kind?: Verdict.Kind | undefined
  readonly delay?: Duration.DurationInput
  readonly atMostMillis?: number
  readonly restore?: TokenBucket.Request["restore"]
}

/** A retry, or a first attempt, which has no kind. */
export const request = ({
  atMostMillis,
  attempt = 2,
  delay = 0,
  kind = attempt === 1 ? undefined : "Transient",
  restore = (effect) => effect
}: Asked = {}): TokenBucket.Request => ({
  attempt,
  kind: Option.fromNullable(kind),
  delay: Duration.decode(delay),
  atMost: Option.map(Option.fromNullable(atMostMillis), Duration.millis),
  restore
})

/** Asks as the loop does: only a wait can be interrupted. */
export const acquire = <E>(bucket: Pick<TokenBucket.TokenBucket<E>, "acquire">, asked?: Asked) =>
  Effect.uninterruptibleMask((restore) => bucket.acquire(request({ ...asked, restore })))

/** Whether the request is granted. */
export const isGranted = <E>(bucket: Pick<TokenBucket.TokenBucket<E>, "acquire">, asked?: Asked) =>
  Effect.map(acquire(bucket, asked), Option.isSome)

/** The tokens of the grant, if there is one. */
export const tokensOf = <E>(bucket: Pick<TokenBucket.TokenBucket<E>, "acquire">, asked?: Asked) =>
  Effect.map(acquire(bucket, asked), (grant) => Option.map(grant, ({ tokens }) => tokens))

/** Asks until it is refused; answers how often it was granted. */
export const drain = (bucket: TokenBucket.TokenBucket, asked: Asked = { atMostMillis: 0 }) =>
  Effect.iterate(0, {
    while: (count) => count >= 0 && count < 100_000,
    body: (count) => Effect.map(isGranted(bucket, asked), (granted) => (granted ? count + 1 : -1 - count))
  }).pipe(Effect.map((last) => -1 - last))

/** The grant of so many tokens that a test tells a bucket of. */
const grantOf = (tokens: number): TokenBucket.Grant => ({ tokens, refund: Effect.void })

/** Tells a bucket that an attempt succeeded; `granted` is what it had taken. */
export const succeed = <E>(bucket: TokenBucket.TokenBucket<E>, attempt = 1, granted = 0) =>
  bucket.record({ _tag: "Succeeded", attempt, granted: grantOf(granted) })

/** Tells a bucket that an attempt failed. */
export const fail = <E>(
  bucket: TokenBucket.TokenBucket<E>,
  verdict: Verdict.Verdict = Verdict.server,
  attempt = 1,
  granted = 0
) => bucket.record({ _tag: "Failed", attempt, granted: grantOf(granted), verdict })

/** Tells a bucket how a first attempt ended. */
export const tell = <E>(bucket: TokenBucket.TokenBucket<E>, ended: "Succeeded" | Verdict.Kind) =>
  ended === "Succeeded" ? succeed(bucket) : fail(bucket, Verdict.retryable(ended))

/** Tells a bucket that an attempt was interrupted, or died. */
export const abandon = (bucket: TokenBucket.TokenBucket, attempt = 1, granted = 0) =>
  bucket.record({ _tag: "Abandoned", attempt, granted: grantOf(granted) })

/** Tells a bucket that an attempt starts. */
export const start = (bucket: TokenBucket.TokenBucket, attempt = 1) => bucket.started?.({ attempt }) ?? Effect.void
