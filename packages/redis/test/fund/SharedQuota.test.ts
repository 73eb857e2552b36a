import { SharedBucket } from "@effect-retry/redis"

import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import * as SpecStore from "../SpecStore.ts"
import { fleetOf, inVirtualTime } from "./Shared.ts"

const request = {
  attempt: 2,
  kind: Option.none(),
  delay: Duration.zero,
  atMost: Option.none(),
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => effect
}

describe("SharedBucket.quota", () => {
  it.effect("takes what a retry costs out of the store", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* SharedBucket.quota("RedisBucket.quota", {
        name: "orders",
        capacity: 500,
        refillPerSecond: 10
      })(fleetOf(store))
      const granted = yield* bucket.acquire(request)
      expect(Option.map(granted, ({ tokens }) => tokens)).toEqual(Option.some(14))
      expect(yield* bucket.level).toBe(486)
      expect(store.calls).toEqual([{ _tag: "take", key: "orders", want: 14, least: 14 }])
    }).pipe(inVirtualTime)
  )
})
