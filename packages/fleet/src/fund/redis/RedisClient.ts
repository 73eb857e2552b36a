/**
 * The port to a client of Redis or Valkey: two commands, as promises.
 *
 * `IoRedis.fromClient` and `NodeRedis.fromClient` make it of the connection that a program has; another client is two lines.
 * Every script names one key, so a cluster knows where it belongs.
 */

/**
 * Runs scripts. Both reject with what the server answered or with why there is no answer.
 *
 * A client for buckets does not queue commands while there is no connection, and does not send one twice: a command that
 * was sent may have been carried out.
 *
 * @category models
 */
export interface RedisClient {
  /** `EVALSHA sha 1 key args…` */
  readonly evalsha: (sha: string, key: string, args: ReadonlyArray<string>) => Promise<unknown>
  /** `EVAL script 1 key args…` */
  readonly eval: (script: string, key: string, args: ReadonlyArray<string>) => Promise<unknown>
}
