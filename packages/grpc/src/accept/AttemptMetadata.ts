/**
 * What clients of gRPC send beside the caller's own metadata.
 */

/**
 * The name under which server and caller are told how many attempts came before.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Exposed Retry Metadata".
 */
export const previousAttempts = "grpc-previous-rpc-attempts"
