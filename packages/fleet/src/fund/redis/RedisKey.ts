/**
 * The keys of buckets in Redis: `effect-retry:{orders:eu}:50000000`.
 *
 * The part in braces is the encoded bucket, which alone decides the slot in a cluster. The rest says what the value is:
 * an arrival time, with the fill time of the bucket, because it is valid only for these limits; members; or a circuit.
 */
import * as BucketKey from "../../accept/BucketKey.ts"

/** The key of the arrival time of a bucket that fills in `window` microseconds. */
export const arrival = (bucketKey: string, window: number): string => `${prefix(bucketKey)}:${window}`

/** The key of the members of a group. */
export const members = (group: string): string => `${prefix(group)}:members`

/** The key of a circuit. */
export const circuit = (bucketKey: string): string => `${prefix(bucketKey)}:circuit`

const prefix = (bucketKey: string): string => `effect-retry:{${BucketKey.encoded(bucketKey)}}`
