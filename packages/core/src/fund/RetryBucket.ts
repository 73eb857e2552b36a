/**
 * Retry budgets: token buckets for a policy's `bucket`, which is asked before the wait of every retry.
 *
 * They bound what retries add to the load of a server that is already in trouble. Each constructor is an effect that makes
 * a bucket of its own: `Layer.effect(MyBucket, RetryBucket.quota())` is the layer by which programs share one.
 */
export { operationShare } from "./compose/OperationShare.ts"
export { quota } from "./bucket/Quota.ts"
export { requestRatio } from "./bucket/RequestRatio.ts"
export { successRatio } from "./bucket/SuccessRatio.ts"
