import { TokenBucket } from "@effect-retry/core"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresError from "@effect-retry/fleet/PostgresError"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import { afterAll, assert, beforeAll, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Duration, Effect, Exit, Option, Scope } from "effect"
import * as Database from "./Database.ts"

const scope = Effect.runSync(Scope.make())
let database: Database.Database

beforeAll(async () => {
  database = await Effect.runPromise(Scope.extend(Database.make, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const request: TokenBucket.Request = {
  attempt: 2,
  kind: Option.none(),
  delay: Duration.zero,
  atMost: Option.some(Duration.zero),
  restore: Effect.interruptible
}

/** A process of the fleet, with connections and a store of its own. */
const process = <A, E>(use: Effect.Effect<A, E, PostgresStore.PostgresStore | Scope.Scope>) =>
  Effect.suspend(() =>
    Effect.provide(
      Effect.scoped(use),
      PostgresStore.layer(Effect.map(Database.poolOf(database.connection), PostgresClient.fromPool))
    )
  )

/** How many of so many attempts are granted. */
const granted = (attempts: number) => (bucket: TokenBucket.TokenBucket<PostgresError.PostgresError>) =>
  Effect.map(Effect.replicateEffect(bucket.acquire(request), attempts), (grants) => grants.filter(Option.isSome).length)

const sharing = {
  quota: PostgresBucket.quota({ name: "quota", capacity: 5, refillPerSecond: 0.001, cost: { orElse: 1 } }),
  fixed: PostgresBucket.fixed({ name: "fixed", burst: 5, rate: 0.001, whenShort: "refuse" }),
  successRatio: PostgresBucket.successRatio({ name: "ratio", ratio: 0, capacity: 5, floorPerSecond: 0.001 })
}

describe("PostgresBucket", () => {
  it.effect.each(Object.entries(sharing))("gives the processes of a fleet one %s", ([, bucket]) =>
    Effect.gen(function* () {
      const first = yield* process(Effect.flatMap(bucket, granted(3)))
      const second = yield* process(Effect.flatMap(bucket, granted(9)))
      assert.deepStrictEqual([first, second], [3, 2])
    })
  )

  it.effect("fails when Postgres is away, with an error that names the bucket", () =>
    Effect.gen(function* () {
      const bucket = yield* PostgresBucket.fixed({ name: "away", burst: 5, rate: 1 })
      expectTypeOf(bucket).toExtend<TokenBucket.TokenBucket<PostgresError.PostgresError>>()
      const { message } = yield* Effect.flip(bucket.acquire(request))
      assert.match(message, /^away: Postgres cannot be reached/)
      assert.isTrue(Option.isSome(yield* TokenBucket.failOpen(bucket, { within: "1 second" }).acquire(request)))
    }).pipe(Effect.scoped, Effect.provide(PostgresStore.layer({ query: () => Effect.fail(new Error("connect")) })))
  )

  it("names the called function when an argument is wrong", () => {
    expect(() => PostgresBucket.quota({ name: "orders", capacity: 0, refillPerSecond: 1 })).toThrow(
      /^PostgresBucket.quota: capacity must be > 0/
    )
  })
})
