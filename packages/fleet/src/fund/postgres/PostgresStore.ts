/**
 * The store of buckets in Postgres: one statement and one round trip for every decision.
 *
 * For programs with a database but no Redis. The buckets are rows of one unlogged table, `effect_retry`, in the first
 * schema of the search path: `table` and `createTable` make it.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as BucketKey from "../../accept/BucketKey.ts"
import type { PostgresError } from "../../accept/PostgresError.ts"
import * as Bounded from "../store/Bounded.ts"
import * as PostgresCalls from "./PostgresCalls.ts"
import type { PostgresClient } from "./PostgresClient.ts"
import * as PostgresTable from "./PostgresTable.ts"
import * as StatementStore from "./StatementStore.ts"
import * as Statements from "./Statements.ts"
import type { Store } from "../store/Store.ts"

/**
 * The store that the buckets of `PostgresBucket` ask.
 *
 * @category models
 */
export class PostgresStore extends Context.Tag("@effect-retry/fleet/PostgresStore")<
  PostgresStore,
  Store<PostgresError>
>() {}

/** The options of `make`, `createTable` and `sweep`. */
interface Options {
  /** The longest time for a statement, the wait for a connection included. @default "1 second" */
  readonly within?: Duration.DurationInput
}

/** The options of `layer`. */
interface LayerOptions extends Options {
  /** How often one process of the fleet runs `sweep`. At least 1 second. @default "1 minute" */
  readonly sweepEvery?: Duration.DurationInput
}

/**
 * The statement that makes the table, for the migrations of a program.
 *
 * @category constructors
 */
export const table: string = Statements.table

/**
 * Makes the table if it does not exist. Several processes may do this at once.
 *
 * @category running
 */
export const createTable = (client: PostgresClient, options: Options = {}): Effect.Effect<void, PostgresError> =>
  PostgresTable.create(asking("createTable", client, options))

/**
 * Deletes rows that mean the same as no row: those of full buckets, of counts unchanged for ten minutes and of members
 * that are gone. Returns how many.
 *
 * A statement reads at most a thousand rows by primary key, and skips rows that another statement has locked.
 *
 * @category running
 */
export const sweep = (client: PostgresClient, options: Options = {}): Effect.Effect<number, PostgresError> =>
  PostgresTable.sweep(asking("sweep", client, options))

/**
 * Makes a store that asks through a client. The client belongs to the caller: it is never closed or reconfigured.
 *
 * Rows of unused keys stay in the table until `sweep` is run, which `layer` does by itself.
 *
 * @category constructors
 */
export const make = (client: PostgresClient, options: Options = {}): Store<PostgresError> =>
  of(client, Bounded.withinMillis("PostgresStore.make", options.within))

const of = (client: PostgresClient, withinMillis: number): Store<PostgresError> =>
  StatementStore.make(PostgresCalls.make(client, withinMillis), withinMillis)

const asking = (constructor: string, client: PostgresClient, { within }: Options): PostgresCalls.Ask =>
  PostgresCalls.make(client, Bounded.withinMillis(`PostgresStore.${constructor}`, within))

/**
 * The store of a client as a layer, which also runs `sweep` while it is in use, in one process of the fleet at a time.
 *
 * Takes a client or an effect that makes one, such as `Effect.map(SqlClient.SqlClient, PostgresClient.fromSql)`; what that
 * acquires is released with the layer.
 *
 * @category layers
 */
export const layer = <E = never, R = never>(
  client: PostgresClient | Effect.Effect<PostgresClient, E, R>,
  { sweepEvery = "1 minute", within }: LayerOptions = {}
): Layer.Layer<PostgresStore, E, Exclude<R, Scope.Scope>> => {
  const withinMillis = Bounded.withinMillis("PostgresStore.layer", within)
  const everyMillis = Argument.millis("PostgresStore.layer", "sweepEvery", sweepEvery, {
    min: 1000,
    max: longestTimerMillis
  })
  return Layer.scoped(
    PostgresStore,
    Effect.gen(function* () {
      const ask = PostgresCalls.make(Effect.isEffect(client) ? yield* client : client, withinMillis)
      const store = StatementStore.make(ask, withinMillis)
      yield* Effect.forkScoped(sweeping(ask, store, everyMillis))
      return store
    })
  )
}

/** No bucket has this key, because names are not empty. */
const sweepKey = /*#__PURE__*/ BucketKey.make("", "sweep")

/** A bucket of one token per period decides which process sweeps. A failed sweep is repeated in the next period. */
const sweeping = (ask: PostgresCalls.Ask, store: Store<PostgresError>, everyMillis: number): Effect.Effect<never> =>
  store.take(sweepKey, { burst: 1, perSecond: 1000 / everyMillis }, 1, 1).pipe(
    Effect.flatMap(({ granted }) => (granted === 1 ? PostgresTable.sweep(ask) : Effect.void)),
    Effect.ignore,
    Effect.delay(everyMillis),
    Effect.forever
  )
