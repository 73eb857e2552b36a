/**
 * The emulator, judged by the official client: what it does against the emulator is what it does against Cloud Storage.
 */
import { Storage, type Bucket } from "@google-cloud/storage"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { started } from "./Asking.ts"
const t0 = performance.now()
describe("x", () => {
  it.scoped("y", () =>
    Effect.gen(function* () {
      const { url } = yield* started()
      yield* Effect.promise(async () => {
        const storage = new Storage({ apiEndpoint: url, projectId: "p", retryOptions: { retryDelayMultiplier: 0.01 } })
        const [bucket] = await storage.createBucket("b")
        await bucket.file("a/b.txt").save("hello", { resumable: false })
        await bucket.file("big").save(Buffer.alloc(3 * 1024 * 1024, 7), { resumable: true, chunkSize: 1024 * 1024 })
        console.log((await bucket.file("a/b.txt").download())[0].toString())
        console.log((await bucket.file("big").download())[0].length)
        console.log((await bucket.getFiles())[0].map((f) => f.name))
      })
      console.log(performance.now() - t0)
    })
  )
})
