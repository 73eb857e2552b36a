/**
 * A limit of a server.
 */

/** A limit as described by a response. Times are in milliseconds. */
export interface RateLimit {
  /** Identifies a limit among those of one server. */
  readonly name: string
  /** How many requests are left. */
  readonly remaining: number
  /** The time until there are more, at least 0. */
  readonly resetMillis: number
  /** The unit of `resetMillis`: the wait may have been rounded by up to this much. */
  readonly unitMillis: number
  /** How many requests a whole window allows. */
  readonly limit: number | undefined
  readonly windowMillis: number | undefined
}
