import { describe, expect, it } from "@effect/vitest"
import { DownloadFailed } from "../../../src/loop/client/DownloadFailed.ts"

const reason = { _tag: "NotResumable", why: "no ETag" } as const

describe("DownloadFailed", () => {
  it("says where the download stopped, and why", () => {
    const failed = new DownloadFailed({ reason, received: 7 })
    expect(failed.message).toBe("the download stopped after 7 bytes: no ETag")
  })

  it("has the error that broke the body, if there was one", () => {
    const error = new Error("read ECONNRESET")
    expect(new DownloadFailed({ reason, received: 7, cause: error }).error).toBe(error)
    expect(new DownloadFailed({ reason, received: 7 }).error).toBe(undefined)
  })
})
