/**
 * What a process of a fleet is told. Apart from the process itself, which begins to ask when it is imported.
 */
import type { Limits } from "../../src/fund/store/Store.ts"
import type * as Stores from "./Stores.ts"

/** A database. */
export interface Postgres {
  readonly _tag: "Postgres"
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

/** Where the bucket is, and what it is, as JSON in the first argument. */
export interface Task {
  readonly place: Stores.Place | Postgres
  readonly name: string
  readonly limits: Limits
  readonly leaseShare: number
  /** Most time of a call of the store. */
  readonly withinMillis: number
}

/** How many ask at a time, how often each of them, and whether for the whole burst or for one token. */
export interface Order {
  readonly askers: number
  readonly times: number
  readonly isWhole: boolean
}

/** The line of a process whose store has answered. */
export const ready = "ready"
