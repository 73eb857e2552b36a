/**
 * Why a store that a fleet shares did not answer.
 */

/**
 * Why a call of the store failed: one set of words for every store, so that a program handles all of them alike.
 *
 * - `Unavailable`: no connection, a closed one, or a server that does not serve now (loading, a replica, a cluster that is down).
 * - `TimedOut`: no answer within the bound. Tokens may have been taken; they count as spent.
 * - `Refused`: the server does not let this client in: credentials, permissions, a command that it does not have, or a database.
 * - `WrongType`: the key or table holds something that no bucket wrote. It was left as it is.
 * - `Full`: the server has no memory or disk left to write. Nothing was taken.
 * - `BadAnswer`: an answer that cannot be that of a bucket.
 *
 * @category models
 */
export type Reason = "Unavailable" | "TimedOut" | "Refused" | "WrongType" | "Full" | "BadAnswer"
