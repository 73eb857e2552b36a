import type { StoreReason } from "@effect-retry/fleet"
import * as LogLines from "../../../../core/test/support/LogLines.ts"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Logger } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import { ask, inVirtualTime } from "../bucket/Shared.ts"

const errorOf = (reason: StoreReason.Reason, bucket: string) =>
  new RedisError.RedisError({ reason, bucket, code: "", cause: "secret" })

const away =
  "Warning store away: orders: Redis cannot be reached or does not serve now; see whether the server runs and takes writes"

/** A store that fails for the buckets of these names, or for all. */
const setUp = (observe: Pick<Parameters<typeof RedisBucket.quota>[0], "observe"> = {}) =>
  Effect.gen(function* () {
    const failing = new Map<string, StoreReason.Reason>()
    const store = SpecStore.make<RedisError.RedisError>((decide, { key }) => {
      const reason = failing.get(key) ?? failing.get("")
      return reason === undefined ? decide : Effect.fail(errorOf(reason, key))
    })
    const bucketOf = (name: string) =>
      RedisBucket.quota({
        name,
        capacity: 100,
        refillPerSecond: 1,
        leaseShare: 0,
        cost: { orElse: 1 },
        ...observe
      }).pipe(Effect.provideService(RedisStore.RedisStore, store))
    const [orders, payments] = [yield* bucketOf("orders"), yield* bucketOf("payments")]
    const each = Effect.all([Effect.exit(ask(orders)), Effect.exit(ask(payments))])
    return { failing, each, times: (count: number) => Effect.replicateEffect(Effect.delay(each, "1 second"), count) }
  })

/** The lines of a program. */
const logged = <A, E, R>(program: Effect.Effect<A, E, R>, log: (line: string) => void = () => {}) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make((line) => {
      lines.push(`${LogLines.of(line).level} ${String(LogLines.of(line).message)}`)
      log(lines.at(-1) ?? "")
    })
    return Effect.as(Effect.provide(program, Logger.replace(Logger.defaultLogger, logger)), lines)
  })

describe("a bucket without observers", () => {
  it.effect("logs one warning for an outage and one line for its end, for all buckets of the store", () =>
    Effect.gen(function* () {
      const { failing, times } = yield* setUp()
      const lines = yield* logged(
        Effect.gen(function* () {
          yield* times(3)
          failing.set("", "Unavailable")
          yield* times(5)
          failing.set("", "TimedOut")
          yield* times(15)
          failing.clear()
          yield* times(3)
          failing.set("", "Unavailable")
          yield* times(1)
        })
      )
      expect(lines).toEqual([away, "Info store back: orders after 20 s", away])
    }).pipe(inVirtualTime)
  )

  it.effect("logs a bucket for which the store fails while others are answered", () =>
    Effect.gen(function* () {
      const { failing, times } = yield* setUp()
      failing.set("payments", "WrongType")
      const lines = yield* logged(
        Effect.zipRight(
          times(15),
          Effect.suspend(() => {
            failing.clear()
            return times(2)
          })
        )
      )
      expect(lines).toEqual([
        expect.stringMatching(/^Warning store away: payments: the key holds/i),
        "Info store back: payments after 15 s"
      ])
    }).pipe(inVirtualTime)
  )

  it.effect("logs no more than one outage in ten seconds of a store that fails now and then", () =>
    Effect.gen(function* () {
      const { failing, times } = yield* setUp()
      const lines = yield* logged(
        Effect.replicateEffect(
          Effect.gen(function* () {
            failing.set("", "Unavailable")
            yield* times(1)
            failing.clear()
            yield* times(1)
          }),
          10
        )
      )
      expect(lines.filter((line) => line.startsWith("Warning"))).toEqual([away, away])
      expect(lines).toHaveLength(4)
    }).pipe(inVirtualTime)
  )

  it.effect("answers all the same when the logger dies", () =>
    Effect.gen(function* () {
      const { each, failing } = yield* setUp()
      failing.set("", "Unavailable")
      const asked = yield* logged(
        Effect.map(each, (exits) => expect(exits.every(Exit.isFailure)).toBe(true)),
        () => {
          throw new Error("no log")
        }
      )
      expect(asked).toEqual([away])
    }).pipe(inVirtualTime)
  )

  it.effect("is silent if it has a list of observers", () =>
    Effect.gen(function* () {
      const { failing, times } = yield* setUp({ observe: [] })
      failing.set("", "Unavailable")
      expect(yield* logged(times(3))).toEqual([])
    }).pipe(inVirtualTime)
  )
})
