/**
 * The buckets of a fleet over any store. Each takes the name of the called function, for errors about wrong arguments,
 * and the options, and returns a function that makes the bucket in a store.
 */
export type { FleetBucket, FleetOptions, FleetStore } from "../fleet/FleetBucket.ts"
export { circuitBreaker, type Options as CircuitBreakerOptions } from "./SharedCircuit.ts"
export { fixed, type Options as FixedOptions } from "./SharedFixedRate.ts"
export { quota, type Options as QuotaOptions } from "./SharedQuota.ts"
export { successRatio, type Options as SuccessRatioOptions } from "./SharedSuccessRatio.ts"
