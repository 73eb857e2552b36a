import { TokenBucket } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"
import { constant, identity } from "effect/Function"
import type { Row, Target, Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"

const target: Target = { of: "ratio", atMost: 3.85 }

const request: TokenBucket.Request = {
  attempt: 2,
  kind: Option.some("Transient"),
  delay: Duration.zero,
  atMost: Option.none(),
  restore: identity
}

const acquireAndRefund = (make: Effect.Effect<TokenBucket.TokenBucket>): Row["sample"] => {
  const bucket = Effect.runSync(make)
  return insideOneFiber(() => Effect.flatMap(bucket.acquire(request), (granted) => Option.getOrThrow(granted).refund))
}

const keyed = TokenBucket.keyed({ bucket: TokenBucket.quota(), maxKeys: 10, idleTimeToLive: "1 hour" })

export const acquireAndRefundTokens: Workload = {
  title: "Acquires tokens and refunds them",
  about: [
    "A bucket alone, without a loop: it grants the tokens of a retry, which are refunded as if the retry had not been made."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "two empty effects",
  rows: [
    {
      name: "two empty effects",
      sample: insideOneFiber(() => Effect.flatMap(Effect.sync(constant(1)), () => Effect.sync(constant(1))))
    },
    { name: "quota", sample: acquireAndRefund(TokenBucket.quota()), target },
    { name: "quota that refills", sample: acquireAndRefund(TokenBucket.quota({ refillPerSecond: 10 })), target },
    { name: "keyed quota", sample: acquireAndRefund(keyed) }
  ]
}
