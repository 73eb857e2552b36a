/**
 * What the emulator stores. Values in the maps are replaced and never changed, so that a test can keep them.
 */
import type { Resource } from "./Answer.ts"
import { refuse } from "./Answer.ts"
import type { Preconditions } from "./Preconditions.ts"

/** What a caller has written, before it has become an object. */
export interface Draft {
  readonly name: string
  readonly data: Buffer
  readonly contentType: string
  /** Other fields of the resource that the caller has set. */
  readonly fields: Resource
}

export interface StoredObject extends Draft {
  readonly bucket: string
  readonly generation: number
  readonly metageneration: number
  readonly crc32c: string
  /** Objects that were composed have none. */
  readonly md5Hash: string | undefined
  readonly timeCreated: string
  readonly updated: string
  /** Older generations are kept in buckets with versions, deleted ones if a policy of soft deletion says so. */
  readonly state: "live" | "noncurrent" | "softDeleted"
  readonly acl: AccessControl
}

/** Roles by their entities, such as `allUsers`. */
export type AccessControl = ReadonlyMap<string, string>

export interface Bucket {
  readonly name: string
  readonly metageneration: number
  readonly timeCreated: string
  readonly updated: string
  readonly fields: Resource
  readonly acl: AccessControl
  readonly defaultObjectAcl: AccessControl
  readonly iam: Resource
  /** All generations that are kept, by the names of the objects. */
  readonly objects: Map<string, ReadonlyArray<StoredObject>>
  readonly notifications: Map<string, Resource>
}

export interface HmacKey {
  readonly accessId: string
  readonly project: string
  readonly serviceAccountEmail: string
  readonly state: "ACTIVE" | "INACTIVE" | "DELETED"
  readonly etag: string
  readonly timeCreated: string
  readonly updated: string
}

/** A session of a resumable upload. */
export interface Upload {
  readonly id: string
  readonly bucket: string
  readonly draft: Draft
  readonly preconditions: Preconditions
  readonly announcedSize: number | undefined
  /** The bytes that are persisted. */
  readonly chunks: ReadonlyArray<Buffer>
  readonly size: number
  /** The object, once the upload is complete. */
  readonly object: StoredObject | undefined
}

/** Instructions for methods such as `storage.buckets.list`; those of one method fire one after the other. */
export interface Instructions {
  readonly [method: string]: ReadonlyArray<string>
}

/** What is left of the instructions; `completed` when the last one of all methods has fired. */
export interface RetryTest {
  readonly id: string
  readonly instructions: Instructions
  readonly completed: boolean
  readonly transport: "HTTP"
}

export interface State {
  readonly buckets: Map<string, Bucket>
  readonly hmacKeys: Map<string, HmacKey>
  readonly uploads: Map<string, Upload>
  /** Bytes that rewrites in several calls have copied so far, by their tokens. */
  readonly rewrites: Map<string, number>
  readonly retryTests: Map<string, RetryTest>
  /** Each generation that was ever written, in order, those that were replaced or deleted since included. */
  readonly written: Array<Pick<StoredObject, "bucket" | "name" | "generation">>
  /** A number that no call of it has answered before. */
  readonly next: () => number
}

export const make = (): State => {
  let latest = 0
  return {
    buckets: new Map(),
    hmacKeys: new Map(),
    uploads: new Map(),
    rewrites: new Map(),
    retryTests: new Map(),
    written: [],
    next: () => ++latest
  }
}

export const now = (): string => new Date().toISOString()

/** The bucket, or a refusal with 404. */
export const bucketOf = (state: State, name: string): Bucket =>
  state.buckets.get(name) ?? refuse(404, "The specified bucket does not exist.")

/** The key, or a refusal with 404. */
export const hmacKeyOf = (state: State, accessId: string): HmacKey =>
  state.hmacKeys.get(accessId) ?? refuse(404, "Access ID not found in project.")

export const changeBucket = (state: State, bucket: Bucket, changes: Partial<Bucket>): Bucket => {
  const changed = { ...bucket, metageneration: bucket.metageneration + 1, updated: now(), ...changes }
  state.buckets.set(bucket.name, changed)
  return changed
}

/** As a server that derives it from the version of the resource. */
export const etagOf = (...version: ReadonlyArray<number | string>): string =>
  Buffer.from(version.join("/")).toString("base64")
