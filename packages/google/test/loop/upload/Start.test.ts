import { ResumableUpload } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"

const { startRequest } = ResumableUpload

describe("ResumableUpload.startRequest", () => {
  it("names the object, and says what it depends on", () => {
    const request = startRequest({
      bucket: "photos",
      name: "a/cat #1",
      ifGenerationMatch: 0,
      ifGenerationNotMatch: "1700000000000001",
      ifMetagenerationMatch: 3n,
      ifMetagenerationNotMatch: 4,
      parameters: { userProject: "zoo", uploadType: "media" }
    })
    expect([request.method, request.url]).toEqual([
      "POST",
      "https://storage.googleapis.com/upload/storage/v1/b/photos/o"
    ])
    expect(Object.fromEntries(request.urlParams)).toEqual({
      uploadType: "resumable",
      name: "a/cat #1",
      ifGenerationMatch: "0",
      ifGenerationNotMatch: "1700000000000001",
      ifMetagenerationMatch: "3",
      ifMetagenerationNotMatch: "4",
      userProject: "zoo"
    })
    expect(request.body._tag).toBe("Empty")
  })

  it("has the metadata as its body", () => {
    const metadata = { contentType: "image/png", metadata: { of: "cat" } }
    const { body } = startRequest({ bucket: "photos", name: "cat", metadata })
    expect(body).toMatchObject({ _tag: "Uint8Array", contentType: "application/json" })
    expect(body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined).toEqual(metadata)
  })

  it.each(["http://127.0.0.1:9000", "http://127.0.0.1:9000/", "http://127.0.0.1:9000//"])(
    "takes the endpoint %s",
    (endpoint) => {
      expect(startRequest({ bucket: "b", name: "o", endpoint }).url).toBe(
        "http://127.0.0.1:9000/upload/storage/v1/b/b/o"
      )
    }
  )

  it.each([
    ["bucket", { bucket: "" }],
    ["bucket", { bucket: ".." }],
    ["bucket", { bucket: 5 }],
    ["name", { name: "" }],
    ["ifGenerationMatch", { ifGenerationMatch: -1 }],
    ["ifGenerationMatch", { ifGenerationMatch: 1.5 }],
    ["ifMetagenerationMatch", { ifMetagenerationMatch: "1&name=other" }],
    ["metadata", { metadata: [] }],
    ["metadata", { metadata: { size: 5n } }],
    ["parameters", { parameters: "" }],
    ["parameters", { parameters: null }],
    ["parameters", { parameters: [] }],
    ["parameters.userProject", { parameters: { userProject: 5 } }],
    ["ifGenerationmatch", { ifGenerationmatch: 0 }],
    ["endpoint", { endpoint: "storage" }],
    ["endpoint", { endpoint: "ftp://storage.test" }],
    ["endpoint", { endpoint: "https://storage.test/#" }]
  ] as const)("refuses a %s of %o", (field, wrong) => {
    const target = { bucket: "photos", name: "cat", ...wrong } as unknown as ResumableUpload.Target
    expect(() => startRequest(target)).toThrow(`ResumableUpload.startRequest: ${field} must be`)
  })
})
