/**
 * The port to a client of Redis or Valkey: two commands, as promises.
 *
 * `IoRedis.fromClient` and `NodeRedis.fromClient` make it from an existing connection; for another client, two lines
 * are enough. Every script names one key, so a cluster knows where it belongs.
 */

/**
 * Runs scripts. Both methods reject with the server's error, or with the reason why there is no answer.
 *
 * The client must not queue commands while there is no connection, nor send one twice, because a command that was sent
 * may have been carried out.
 *
 * @category models
 */
export interface RedisClient {
  /** `EVALSHA sha 1 key args…` */
  readonly evalsha: (sha: string, key: string, args: ReadonlyArray<string>) => Promise<unknown>
  /** `EVAL script 1 key args…` */
  readonly eval: (script: string, key: string, args: ReadonlyArray<string>) => Promise<unknown>
}
