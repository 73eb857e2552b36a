/**
 * The keys of buckets in Redis: `effect-retry:{orders:eu}:50000000`.
 *
 * The part in braces is the bucket, encoded, and alone decides the slot in a cluster. Behind it stands what the value is: an
 * arrival time, with the time in which the bucket fills, since it means that only for these limits; or members.
 */
import * as BucketKey from "../../accept/BucketKey.ts"

/** The arrival time of a bucket that fills in `window` microseconds. */
export const arrival = (bucketKey: string, window: number): string => `${prefix(bucketKey)}:${window}`

/** The members of a group. */
export const members = (group: string): string => `${prefix(group)}:members`

const prefix = (bucketKey: string): string => `effect-retry:{${BucketKey.encoded(bucketKey)}}`
