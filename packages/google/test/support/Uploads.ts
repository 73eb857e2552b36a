/**
 * Uploads of two and a half chunks in virtual time.
 */
import { Backoff } from "@effect-retry/core"
import { ResumableUpload, StorageRetry } from "@effect-retry/google"
import { IdempotencyKey } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Effect, Stream } from "effect"
import * as UploadServer from "./UploadServer.ts"

export const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(IdempotencyKey.layerSequence)
  )

export const quantum = 262_144
export const bytes = UploadServer.content(2.5 * quantum)
export const target = { bucket: "photos", name: "cat", endpoint: UploadServer.origin }
export const unconditional = ResumableUpload.startRequest(target)
export const start = ResumableUpload.startRequest({ ...target, ifGenerationMatch: 0 })
export const policy = { ...StorageRetry.standard, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
export const options = { start, source: ResumableUpload.fromBytes(bytes), policy, chunkBytes: quantum }

export const [first, second, last] = ["bytes 0-262143/*", "bytes 262144-524287/*", "bytes 524288-655359/655360"]
export const status = "bytes */*"

export const forever = (fault: UploadServer.Fault) => Array.from({ length: 60 }, () => fault)

/** The bytes in pieces of a size that divides no chunk. */
export const pieces = (of: Uint8Array, from = 0, size = 100_003) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil((of.length - from) / size) }, (_, piece) =>
      of.subarray(from + piece * size, from + (piece + 1) * size)
    )
  )
