/**
 * The messages to the processes of the fleet, and their answers.
 */

/**
 * Which bucket a process has: none, the whole bucket for itself, an equal part of it, or one that all processes share.
 *
 * @category models
 */
export type Kind = "none" | "own" | "part" | "shared"

/**
 * The options of the bucket.
 *
 * @category models
 */
export interface Budget {
  readonly capacity: number
  readonly ratio: number
  readonly floorPerSecond: number
}

/**
 * What a process is to do.
 *
 * @category models
 */
export interface Play {
  readonly bucket: Kind
  readonly budget: Budget
  /** Of the fleet. */
  readonly processes: number
  /** Of the server that is called, and of Redis. */
  readonly port: number
  readonly redisPort: number
  /** Of the shared bucket. */
  readonly name: string
  readonly operationsPerSecond: number
  readonly forMillis: number
  readonly seed: string
}

/**
 * What a process has done.
 *
 * @category models
 */
export interface Played {
  readonly operations: number
  readonly succeeded: number
}
