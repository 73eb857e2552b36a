/**
 * Why a shared store did not answer.
 */

/**
 * Why a call of the store failed. All stores use the same reasons, so a program can handle them alike.
 *
 * - `Unavailable`: no connection, a closed one, or a server that is not serving (loading, a replica, a cluster that is
 *   down).
 * - `TimedOut`: no answer within the bound. Tokens may have been taken; they count as spent.
 * - `Refused`: the server does not accept this client: credentials, permissions, a missing command, or the database.
 * - `WrongType`: the key or table holds something that no bucket wrote. It was not changed.
 * - `Full`: the server has no memory or disk left to write. Nothing was taken.
 * - `BadAnswer`: an answer that cannot be that of a bucket.
 *
 * @category models
 */
export type Reason = "Unavailable" | "TimedOut" | "Refused" | "WrongType" | "Full" | "BadAnswer"
