import { Backoff } from "@effect-retry/core"
import { ResumableUpload, StorageRetry } from "@effect-retry/google"
import { IdempotencyKey } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as UploadServer from "../support/UploadServer.ts"

const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(IdempotencyKey.layerSequence)
  )

const quantum = 262_144
const bytes = UploadServer.content(2.5 * quantum)
const start = ResumableUpload.startRequest({
  bucket: "photos",
  name: "cat",
  ifGenerationMatch: 0,
  endpoint: UploadServer.origin
})
const policy = { ...StorageRetry.standard, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
const options = { start, source: ResumableUpload.fromBytes(bytes), policy, chunkBytes: quantum }

describe("ResumableUpload.run", () => {
  it.effect("sends chunk by chunk", () =>
    Effect.gen(function* () {
      const server = UploadServer.make()
      const uploaded = yield* ResumableUpload.run(server.client, options)
      expect(uploaded).toMatchObject({ size: bytes.length, generation: "1700000000000001", verified: ["crc32c"] })
      expect(UploadServer.asked(server.calls)).toEqual([
        "start",
        "bytes 0-262143/*",
        "bytes 262144-524287/*",
        "bytes 524288-655359/655360"
      ])
      expect(UploadServer.areSame(server.objects, [bytes])).toBe(true)
      expect(server.open.size).toBe(0)
    }).pipe(world)
  )
})
