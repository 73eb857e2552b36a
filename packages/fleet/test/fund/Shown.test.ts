/** No error, event or log line of a bucket in a store shows a secret, however it is printed. */
import { TokenBucket } from "@effect-retry/core"
import type { FleetEvent } from "@effect-retry/fleet"
import * as PostgresError from "@effect-retry/fleet/PostgresError"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"
import * as SpecStore from "../SpecStore.ts"
import { ask, inVirtualTime } from "./bucket/Shared.ts"

const limits = { burst: 10, perSecond: 1 }

/** A bucket whose store fails with an error, and all that is logged. */
const outage = <E>(error: E, observe: Pick<Parameters<typeof RedisBucket.quota>[0], "observe"> = {}) =>
  Effect.gen(function* () {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ annotations, cause, message }) => void logged.push(message, cause, annotations))
    const store = SpecStore.make<RedisError.RedisError>(() => Effect.fail(error as never))
    yield* RedisBucket.quota({ name: "orders", capacity: 10, refillPerSecond: 1, ...observe }).pipe(
      Effect.flatMap(ask),
      Effect.exit,
      Effect.zipLeft(Effect.sleep("1 second")),
      Effect.provideService(RedisStore.RedisStore, store),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    return logged
  }).pipe(Effect.scoped, inVirtualTime)

describe.each(Secrets.all)("an error with a secret in $place", ({ error, secret }) => {
  it.effect("RedisError shows none, and has the client's error", () =>
    Effect.gen(function* () {
      const client = { evalsha: () => Promise.reject(error), eval: () => Promise.reject(error) }
      const failed = yield* Effect.flip(RedisStore.make(client).level("orders", limits))
      expect(failed).toBeInstanceOf(RedisError.RedisError)
      expect(Printed.showing(failed, secret)).toEqual([])
      expect(failed.error).toBe(error)
    })
  )

  it.effect("PostgresError shows none, and has the client's error", () =>
    Effect.gen(function* () {
      const store = PostgresStore.make({ query: () => Effect.fail(error) })
      const failed = yield* Effect.flip(store.level("orders", limits))
      expect(failed).toBeInstanceOf(PostgresError.PostgresError)
      expect(Printed.showing(failed, secret)).toEqual([])
      expect(failed.error).toBe(error)
    })
  )
})

describe.each(Secrets.leaves)("an outage with a secret in $place", ({ error, secret }) => {
  it.effect("StoreAway shows none, and has the store's error", () =>
    Effect.gen(function* () {
      const events: Array<FleetEvent.FleetEvent> = []
      yield* outage(error, { observe: [(event) => Effect.sync(() => void events.push(event))] })
      expect(events.flatMap((event) => ("error" in event ? [event.error.original] : []))).toEqual([error])
      expect(Printed.showing(events, secret)).toEqual([])
    })
  )

  it.effect("what is logged of an outage and of a dead observer shows none", () =>
    Effect.gen(function* () {
      const lines = [...(yield* outage(error)), ...(yield* outage("away", { observe: [() => Effect.die(error)] }))]
      expect(lines.length).toBeGreaterThan(0)
      expect(Printed.showing(lines, secret)).toEqual([])
    })
  )
})

describe("the key of a bucket", () => {
  it.effect("is told by its events, and shown by none of them", () =>
    Effect.gen(function* () {
      const key = "sk_live_4242"
      const events: Array<FleetEvent.FleetEvent> = []
      const observe = [(event: FleetEvent.FleetEvent) => Effect.sync(() => void events.push(event))]
      const lines = [
        ...(yield* Effect.provideService(outage("away", { observe }), TokenBucket.Key, key)),
        ...(yield* Effect.provideService(outage("away"), TokenBucket.Key, key)),
        ...(yield* Effect.provideService(outage("away", { observe: [Effect.die] }), TokenBucket.Key, key))
      ]
      expect(events.map((event) => event.key)).toEqual([key])
      expect(lines.length).toBeGreaterThan(0)
      expect(Printed.showing([events, lines], key)).toEqual([])
    })
  )
})
