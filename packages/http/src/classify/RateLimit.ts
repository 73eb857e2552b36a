/**
 * A limit of a server.
 */

/** A limit as a response tells it. Times are in milliseconds. */
export interface RateLimit {
  /** Tells the limits of one server apart. */
  readonly name: string
  /** Requests that are left. */
  readonly remaining: number
  /** The time until there are more, from 0. */
  readonly resetMillis: number
  /** What `resetMillis` is a multiple of: the wait may be rounded by so much. */
  readonly unitMillis: number
  /** Requests of a whole window. */
  readonly limit: number | undefined
  readonly windowMillis: number | undefined
}
