/**
 * What Google's scenarios are run through: the package, as its users call it.
 */
import { Backoff } from "@effect-retry/core"
import { ResumableUpload, StorageDownload, StorageRetry } from "@effect-retry/google"
import { Effect, Stream } from "effect"
import type { Given } from "./Call.ts"
import { downloadBytes } from "./Fixture.ts"
import type { Library } from "./Run.ts"

/** As documented, with waits that a test can afford. */
export const policy = { ...StorageRetry.standard, backoff: Backoff.constant({ delay: "1 milli" }) }

const kib = 1024

/** More than the faults let through, so that each of them is met inside a chunk. */
const sizeOf = ({ instructions }: Given): number =>
  Math.max(...instructions.map((text) => Number(/(\d+)K$/.exec(text)?.[1] ?? 0))) * kib + 512 * kib

const upload: Library["groups"]["resumable upload"]["run"] = (client, given) => {
  const { bucket, url } = given.fixture
  const target = { bucket, name: "uploaded", endpoint: url }
  return Effect.asVoid(
    ResumableUpload.run(client, {
      start: ResumableUpload.startRequest(given.precondition ? { ...target, ifGenerationMatch: 0 } : target),
      source: ResumableUpload.fromBytes(new Uint8Array(sizeOf(given)).fill(1)),
      policy,
      chunkBytes: 3 * kib * kib
    })
  )
}

const download: Library["groups"]["download"]["run"] = (client, { fixture }) => {
  const { bucket, object: name, url } = fixture
  const request = StorageDownload.mediaRequest({ bucket, name, endpoint: url })
  return StorageDownload.stream(StorageRetry.withRetry(client, policy), request).pipe(
    Stream.runFold(0, (sum, { length }) => sum + length),
    Effect.filterOrFail(
      (bytes) => bytes === downloadBytes,
      (bytes) => new Error(`${bytes} bytes of ${downloadBytes}`)
    ),
    Effect.asVoid
  )
}

export const library: Library = {
  retrying: StorageRetry.withRetry(policy),
  groups: {
    "resumable upload": { needs: ["bucket"], run: upload },
    download: { needs: ["bucket", "object to download"], run: download }
  }
}
