/**
 * Log lines about outages of a store. They show no key, and only the type of an error that did not come from our stores.
 */
import * as Readable from "@effect-retry/core/unstable/Readable"
import type { ShownError } from "@effect-retry/core/unstable/Untrusted"
import * as Duration from "effect/Duration"
import { PostgresError } from "../../accept/PostgresError.ts"
import { RedisError } from "../../accept/RedisError.ts"

/** `store away: orders: Redis cannot be reached ...`, for the bucket that noticed it. */
export const away = (name: string, error: ShownError): string =>
  Readable.inLine(`store away: ${messageOf(name, error)}`)

/** Errors of the stores name the bucket and contain no secrets. */
const messageOf = (name: string, shown: ShownError): string => {
  const error = shown.original
  return error instanceof RedisError || error instanceof PostgresError ? error.message : `${name}: ${shown.name}`
}

/** `store back: orders after 5.2 s`. */
export const back = (name: string, afterMillis: number): string =>
  Readable.inLine(`store back: ${name} after ${Readable.time(Duration.millis(afterMillis))}`)
