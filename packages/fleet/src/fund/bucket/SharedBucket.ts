/**
 * The buckets of a fleet over any store. Each takes the name of the function that was called, for the errors of wrong
 * arguments, and its options; what it answers makes the bucket in a store.
 */
export type { FleetBucket, FleetOptions, FleetStore } from "../fleet/FleetBucket.ts"
export { fixed, type Options as FixedOptions } from "./SharedFixedRate.ts"
export { quota, type Options as QuotaOptions } from "./SharedQuota.ts"
export { successRatio, type Options as SuccessRatioOptions } from "./SharedSuccessRatio.ts"
