import { HttpBody, HttpClientRequest } from "@effect/platform"
import { StorageOperation } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Stream } from "effect"
import * as FastCheck from "effect/FastCheck"

type Method = "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PATCH" | "POST" | "PUT"

const sent = (method: Method, path: string, options: HttpClientRequest.Options.NoBody = {}) =>
  HttpClientRequest.make(method)(`https://storage.googleapis.com${path}`, options)

const operationOf = (request: HttpClientRequest.HttpClientRequest): string | undefined =>
  StorageOperation.fromRequest(request)?.operation

/**
 * Every operation, a request that calls it, and whether it may be repeated.
 *
 * Sources: https://cloud.google.com/storage/docs/retry-strategy, "Idempotency of operations";
 * googleapis/conformance-tests 998891a, storage/v1/retry_tests.json, scenarios 1, 2 and 4, for the names, which have
 * `storage.` before those here; of the last six googleapis/java-storage 679cddd, HttpRetryAlgorithmManager.java.
 */
const operations: ReadonlyArray<
  readonly [operation: StorageOperation.StorageOperation, method: Method, path: string, repetition: string]
> = [
  ["buckets.list", "GET", "/storage/v1/b?project=p", "always"],
  ["buckets.insert", "POST", "/storage/v1/b?project=p", "always"],
  ["buckets.get", "GET", "/storage/v1/b/photos", "always"],
  ["buckets.update", "PUT", "/storage/v1/b/photos", "ifMetagenerationMatch, If-Match"],
  ["buckets.patch", "PATCH", "/storage/v1/b/photos", "ifMetagenerationMatch, If-Match"],
  ["buckets.delete", "DELETE", "/storage/v1/b/photos", "always"],
  ["buckets.getIamPolicy", "GET", "/storage/v1/b/photos/iam", "always"],
  ["buckets.setIamPolicy", "PUT", "/storage/v1/b/photos/iam", "etag, If-Match"],
  ["buckets.testIamPermissions", "GET", "/storage/v1/b/photos/iam/testPermissions?permissions=x", "always"],
  ["buckets.lockRetentionPolicy", "POST", "/storage/v1/b/photos/lockRetentionPolicy", "always"],
  ["bucket_acl.list", "GET", "/storage/v1/b/photos/acl", "always"],
  ["bucket_acl.get", "GET", "/storage/v1/b/photos/acl/allUsers", "always"],
  ["bucket_acl.insert", "POST", "/storage/v1/b/photos/acl", "never"],
  ["bucket_acl.update", "PUT", "/storage/v1/b/photos/acl/allUsers", "never"],
  ["bucket_acl.patch", "PATCH", "/storage/v1/b/photos/acl/allUsers", "never"],
  ["bucket_acl.delete", "DELETE", "/storage/v1/b/photos/acl/allUsers", "never"],
  ["default_object_acl.list", "GET", "/storage/v1/b/photos/defaultObjectAcl", "always"],
  ["default_object_acl.get", "GET", "/storage/v1/b/photos/defaultObjectAcl/allUsers", "always"],
  ["default_object_acl.insert", "POST", "/storage/v1/b/photos/defaultObjectAcl", "never"],
  ["default_object_acl.update", "PUT", "/storage/v1/b/photos/defaultObjectAcl/allUsers", "never"],
  ["default_object_acl.patch", "PATCH", "/storage/v1/b/photos/defaultObjectAcl/allUsers", "never"],
  ["default_object_acl.delete", "DELETE", "/storage/v1/b/photos/defaultObjectAcl/allUsers", "never"],
  ["object_acl.list", "GET", "/storage/v1/b/photos/o/cat/acl", "always"],
  ["object_acl.get", "GET", "/storage/v1/b/photos/o/cat/acl/allUsers", "always"],
  ["object_acl.insert", "POST", "/storage/v1/b/photos/o/cat/acl", "never"],
  ["object_acl.update", "PUT", "/storage/v1/b/photos/o/cat/acl/allUsers", "never"],
  ["object_acl.patch", "PATCH", "/storage/v1/b/photos/o/cat/acl/allUsers", "never"],
  ["object_acl.delete", "DELETE", "/storage/v1/b/photos/o/cat/acl/allUsers", "never"],
  ["notifications.list", "GET", "/storage/v1/b/photos/notificationConfigs", "always"],
  ["notifications.get", "GET", "/storage/v1/b/photos/notificationConfigs/7", "always"],
  ["notifications.insert", "POST", "/storage/v1/b/photos/notificationConfigs", "never"],
  ["notifications.delete", "DELETE", "/storage/v1/b/photos/notificationConfigs/7", "always"],
  ["hmacKey.list", "GET", "/storage/v1/projects/p/hmacKeys", "always"],
  ["hmacKey.get", "GET", "/storage/v1/projects/p/hmacKeys/GOOG1", "always"],
  ["hmacKey.create", "POST", "/storage/v1/projects/p/hmacKeys?serviceAccountEmail=a", "never"],
  ["hmacKey.update", "PUT", "/storage/v1/projects/p/hmacKeys/GOOG1", "etag, If-Match"],
  ["hmacKey.delete", "DELETE", "/storage/v1/projects/p/hmacKeys/GOOG1", "always"],
  ["serviceaccount.get", "GET", "/storage/v1/projects/p/serviceAccount", "always"],
  ["objects.list", "GET", "/storage/v1/b/photos/o", "always"],
  ["objects.get", "GET", "/storage/v1/b/photos/o/cat", "always"],
  ["objects.insert", "POST", "/upload/storage/v1/b/photos/o?uploadType=media&name=cat", "ifGenerationMatch"],
  ["objects.update", "PUT", "/storage/v1/b/photos/o/cat", "ifMetagenerationMatch, If-Match"],
  ["objects.patch", "PATCH", "/storage/v1/b/photos/o/cat", "ifMetagenerationMatch, If-Match"],
  ["objects.delete", "DELETE", "/storage/v1/b/photos/o/cat", "ifGenerationMatch, generation"],
  ["objects.compose", "POST", "/storage/v1/b/photos/o/cat/compose", "ifGenerationMatch"],
  ["objects.copy", "POST", "/storage/v1/b/photos/o/cat/copyTo/b/old/o/cat", "ifGenerationMatch"],
  ["objects.rewrite", "POST", "/storage/v1/b/photos/o/cat/rewriteTo/b/old/o/cat", "ifGenerationMatch"],
  ["objects.move", "POST", "/storage/v1/b/photos/o/cat/moveTo/o/tom", "ifGenerationMatch"],
  ["objects.restore", "POST", "/storage/v1/b/photos/o/cat/restore?generation=7", "always"],
  [
    "resumable.session.create",
    "POST",
    "/upload/storage/v1/b/photos/o?uploadType=resumable&name=cat",
    "ifGenerationMatch"
  ],
  ["resumable.session.write", "PUT", "/upload/storage/v1/b/photos/o?uploadType=resumable&upload_id=u", "always"],
  ["resumable.session.query", "PUT", "/upload/storage/v1/b/photos/o?uploadType=resumable&upload_id=u", "always"],
  ["resumable.session.cancel", "DELETE", "/upload/storage/v1/b/photos/o?uploadType=resumable&upload_id=u", "always"]
]

const asked = (operation: string): HttpClientRequest.Options.NoBody =>
  operation === "resumable.session.query" ? { headers: { "content-range": "bytes */1000" } } : {}

describe("StorageOperation.table", () => {
  it("has these operations, and no others", () => {
    expect([...StorageOperation.names].toSorted()).toEqual(operations.map(([operation]) => operation).toSorted())
  })

  it.each(operations)("says what %s may be repeated for", (operation, _method, _path, repetition) => {
    expect([StorageOperation.table[operation].repetition].flat().join(", ")).toBe(repetition)
  })

  it("expects 404 of deletions, 409 of a new bucket, 412 of what has a precondition", () => {
    const lost = (status: number) =>
      StorageOperation.names.filter((name) => {
        const row: StorageOperation.Row = StorageOperation.table[name]
        return row.lost?.some((one) => one === status)
      })
    expect(lost(409)).toEqual(["buckets.insert"])
    expect(lost(404)).toEqual([
      "buckets.delete",
      "notifications.delete",
      "hmacKey.delete",
      "objects.delete",
      "objects.move"
    ])
    for (const [name, method, , repetition] of operations) {
      if (name.startsWith("resumable.") || method === "GET" || ["always", "never"].includes(repetition)) continue
      expect(lost(412)).toContain(name)
    }
  })
})

/** Paths below which the API can stand, and hosts that are not those of Google. */
const hosts = ["", "http://127.0.0.1:9000", "https://proxy.example/gcs", "https://storage-photos.p.googleapis.com"]

interface OfXml {
  readonly method: Method
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Without preconditions and on the cat, if it does not say otherwise. */
  readonly call: Partial<StorageOperation.Call>
}

const signed =
  "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=c&X-Goog-Date=d&X-Goog-Expires=60&X-Goog-Signature=s"
const photosCat = { bucket: "photos", object: "pets/a cat" }
const cat = "/photos/pets/a%20cat"

/** Sources: https://docs.cloud.google.com/storage/docs/xml-api/reference-methods and reference-headers. */
const ofXml: ReadonlyArray<OfXml> = [
  { method: "GET", url: "/", call: { operation: "buckets.list", parameters: {} } },
  { method: "GET", url: "/photos?prefix=pets", call: { operation: "objects.list", parameters: { bucket: "photos" } } },
  { method: "HEAD", url: "/photos/", call: { operation: "buckets.get", parameters: { bucket: "photos" } } },
  { method: "PUT", url: "/photos", call: { operation: "buckets.insert", parameters: { bucket: "photos" } } },
  {
    method: "DELETE",
    url: "https://photos.storage.googleapis.com/",
    call: { operation: "buckets.delete", parameters: { bucket: "photos" } }
  },
  { method: "GET", url: cat, call: { operation: "objects.get", parameters: photosCat } },
  { method: "HEAD", url: `${cat}?${signed}`, call: { operation: "objects.get", parameters: photosCat } },
  {
    method: "PUT",
    url: "https://my.photos.storage.googleapis.com/pets/a%20cat",
    call: { operation: "objects.insert", parameters: { ...photosCat, bucket: "my.photos" } }
  },
  {
    method: "PUT",
    url: `${cat}?${signed}`,
    headers: { "x-goog-if-generation-match": "0" },
    call: { operation: "objects.insert", preconditions: ["ifGenerationMatch"] }
  },
  {
    method: "PUT",
    url: `${cat}?GoogleAccessId=a&Expires=1&Signature=s`,
    call: { operation: "objects.insert", preconditions: [] }
  },
  {
    method: "PUT",
    url: cat,
    headers: { "x-goog-copy-source": "/old/pets/a%20cat", "x-goog-if-metageneration-match": "3" },
    call: {
      operation: "objects.copy",
      preconditions: ["ifMetagenerationMatch"],
      parameters: { bucket: "old", object: "pets/a cat", toBucket: "photos", toObject: "pets/a cat" }
    }
  },
  {
    method: "PUT",
    url: `${cat}?compose&userProject=p`,
    headers: { "x-goog-if-generation-match": "7" },
    call: { operation: "objects.compose", preconditions: ["ifGenerationMatch"], parameters: photosCat }
  },
  {
    method: "DELETE",
    url: `${cat}?generation=7`,
    headers: { "if-match": "tag" },
    call: { operation: "objects.delete", preconditions: ["generation", "If-Match"], parameters: photosCat }
  },
  {
    method: "POST",
    url: cat,
    headers: { "x-goog-resumable": "start", "x-goog-if-generation-match": "0" },
    call: { operation: "resumable.session.create", preconditions: ["ifGenerationMatch"] }
  },
  {
    method: "PUT",
    url: `${cat}?upload_id=u`,
    headers: { "content-range": "bytes 0-8/9" },
    call: { operation: "resumable.session.write" }
  },
  {
    method: "PUT",
    url: `${cat}?upload_id=u`,
    headers: { "content-range": "bytes */9" },
    call: { operation: "resumable.session.query" }
  },
  { method: "DELETE", url: `${cat}?upload_id=u`, call: { operation: "resumable.session.cancel" } },
  // An object can have the name of a path of the JSON API.
  {
    method: "DELETE",
    url: "/photos/storage/v1/b/photos",
    call: { operation: "objects.delete", parameters: { bucket: "photos", object: "storage/v1/b/photos" } }
  },
  {
    method: "DELETE",
    url: "https://photos.storage.googleapis.com/storage/v1/b/photos",
    call: { operation: "objects.delete", parameters: { bucket: "photos", object: "storage/v1/b/photos" } }
  }
]

/** An upload in two parts. */
const inParts = (description: string, data: string, type = "multipart/related; boundary=part") =>
  HttpClientRequest.post("/upload/storage/v1/b/photos/o?uploadType=multipart").pipe(
    HttpClientRequest.bodyText(
      `--part\r\ncontent-type: application/json\r\n\r\n${description}\r\n--part\r\ncontent-type: image/png\r\n\r\n${data}\r\n--part--\r\n`,
      type
    )
  )

describe("StorageOperation.fromRequest of an upload in two parts", () => {
  const parametersOf = (request: HttpClientRequest.HttpClientRequest) =>
    StorageOperation.fromRequest(request)?.parameters

  it("finds the name in the first part", () => {
    const found = { bucket: "photos", object: "pets/a cat 🐈" }
    const description = JSON.stringify({ name: found.object })
    expect(parametersOf(inParts(description, "meow"))).toEqual(found)
    for (const type of ['multipart/related; boundary="part"', "Multipart/Related;charset=utf-8; BOUNDARY=part"]) {
      expect(parametersOf(inParts(description, "meow", type))).toEqual(found)
    }
    expect(parametersOf(inParts(description, "x".repeat(2_000_000)))).toEqual(found)
    expect(parametersOf(HttpClientRequest.setUrlParam(inParts(description, "meow"), "name", "tom"))).toEqual({
      bucket: "photos",
      object: "tom"
    })
    const raw = HttpBody.raw(`--part\r\n\r\n${description}\r\n--part--`, {
      contentType: "multipart/related; boundary=part"
    })
    expect(parametersOf(HttpClientRequest.setBody(inParts("", ""), raw))).toEqual(found)
  })

  it.each([
    ["another part has it", inParts("{}", '{"name":"cat"}')],
    ["it is no JSON", inParts("name: cat", "meow")],
    ["it is no text", inParts('{"name":7}', "meow")],
    ["it is too long", inParts(JSON.stringify({ x: "x".repeat(1_048_576), name: "cat" }), "meow")],
    ["it has no end", inParts('{"name":"cat"}', "", "multipart/related; boundary=--part")],
    ["the body has another boundary", inParts('{"name":"cat"}', "", "multipart/related; boundary=other")],
    ["there is no boundary", inParts('{"name":"cat"}', "", "multipart/related")],
    ["it is a form", inParts('{"name":"cat"}', "", "multipart/form-data; boundary=part")]
  ])("finds no name when %s", (_, request) => {
    expect(parametersOf(request)).toEqual({ bucket: "photos" })
  })
})

describe("StorageOperation.fromRequest of the XML API", () => {
  it.each(ofXml)("recognises $call.operation by $method $url", ({ call, headers, method, url }) => {
    const request = HttpClientRequest.setUrl(
      sent(method, "", { headers: headers ?? {} }),
      url.startsWith("/") ? `https://storage.googleapis.com${url}` : url
    )
    const found = StorageOperation.fromRequest(request)
    expect(found).toEqual({ preconditions: [], parameters: photosCat, ...call })
  })
})

describe("StorageOperation.fromRequest", () => {
  it.each(operations)("recognises %s at any host", (operation, method, path) => {
    for (const host of hosts) {
      const request = HttpClientRequest.setUrl(sent(method, "", asked(operation)), `${host}${path}`)
      expect(operationOf(request)).toBe(operation)
      expect(operationOf(HttpClientRequest.setUrl(request, `${host}${path.replace(/(\?|$)/, "/$1")}`))).toBe(operation)
    }
  })

  it.each([
    ["GET", "http://127.0.0.1:9000/"],
    ["GET", "http://127.0.0.1:9000/photos/cat"],
    ["PUT", "https://photos.storage.example/cat"],
    ["PUT", "https://evilstorage.googleapis.com/photos/cat"],
    ["PUT", "https://c.storage.googleapis.com/cat"],
    ["PUT", "https://storage.googleapis.com.example/photos/cat"],
    ["PUT", "/photos?lifecycle"],
    ["PUT", "/photos/cat?acl"],
    ["PUT", "/photos/cat?ifGenerationMatch=0"],
    ["PUT", "/photos/cat?partNumber=1&uploadId=u"],
    ["PUT", "/photos?compose"],
    ["PUT", "/"],
    ["DELETE", "/photos?lifecycle"],
    ["POST", "/photos/cat"],
    ["POST", "/photos/cat?uploads"],
    ["POST", "/photos"],
    ["PATCH", "/photos/cat"],
    ["DELETE", "/upload/photos/cat"],
    ["GET", "/storage/v1"],
    ["GET", "/storage/v2/b"],
    ["GET", "/storage/v1/c"],
    ["GET", "/storage/v1/b/photos/o//acl"],
    ["POST", "/storage/v1/b/photos/folders"],
    ["POST", "/storage/v1/b/photos/o/cat"],
    ["POST", "/storage/v1/b/photos/o/watch/now"],
    ["POST", "/batch/storage/v1"],
    ["DELETE", "/upload/storage/v1/b/photos/o?uploadType=resumable"],
    ["DELETE", "/storage/v1/b"],
    ["HEAD", "/storage/v1/b/photos"],
    ["GET", "https://[broken"]
  ] as const)("knows nothing of %s %s", (method, path) => {
    const url = path.startsWith("/") ? `https://storage.googleapis.com${path}` : path
    expect(StorageOperation.fromRequest(HttpClientRequest.make(method)(url))).toBe(undefined)
  })

  it("takes a POST that says so for a PATCH, and no other method", () => {
    const path = "/storage/v1/b/photos/o/cat"
    const headers = { "X-HTTP-Method-Override": "PATCH" }
    expect(operationOf(sent("POST", path, { headers }))).toBe("objects.patch")
    expect(operationOf(sent("PUT", path, { headers }))).toBe("objects.update")
    expect(operationOf(sent("POST", path, { headers: { "X-HTTP-Method-Override": "DELETE" } }))).toBe(undefined)
  })

  it.each([
    ["POST", "uploadType=media&name=cat", "objects.insert"],
    ["POST", "uploadType=multipart", "objects.insert"],
    ["PUT", "uploadType=media&name=cat", "objects.insert"],
    ["POST", "name=cat", "objects.insert"],
    ["POST", "uploadType=resumable&name=cat", "resumable.session.create"],
    ["PUT", "uploadType=resumable&name=cat", "resumable.session.create"],
    ["POST", "uploadType=resumable&upload_id=", "resumable.session.create"],
    ["PUT", "upload_id=u", "resumable.session.write"]
  ] as const)("tells the kinds of upload apart: %s %s", (method, query, operation) => {
    for (const prefix of ["/upload", "/resumable/upload"]) {
      expect(operationOf(sent(method, `${prefix}/storage/v1/b/photos/o?${query}`))).toBe(operation)
    }
  })

  it.each([
    ["bytes */*", "resumable.session.query"],
    [" bytes */1000", "resumable.session.query"],
    ["bytes 0-9/1000", "resumable.session.write"],
    ["bytes 0-9/*", "resumable.session.write"],
    ["", "resumable.session.write"]
  ])("tells a query of the offset from a write by %j", (range, operation) => {
    const headers = { "content-range": range }
    expect(operationOf(sent("PUT", "/upload/storage/v1/b/photos/o?upload_id=u", { headers }))).toBe(operation)
  })

  it("reads parameters of the path, decoded", () => {
    const parameters = (method: Method, path: string) => StorageOperation.fromRequest(sent(method, path))?.parameters
    expect(parameters("GET", "/storage/v1/b/photos/o/2026%2F11%2Fc%C3%A4t%3F")).toEqual({
      bucket: "photos",
      object: "2026/11/cät?"
    })
    expect(parameters("GET", "/storage/v1/b/photos/o/100%")).toEqual({ bucket: "photos", object: "100%" })
    expect(parameters("POST", "/storage/v1/b/a/o/b/rewriteTo/b/c/o/d")).toEqual({
      bucket: "a",
      object: "b",
      toBucket: "c",
      toObject: "d"
    })
  })

  it("reads the name of a new resource from the query or from a JSON body", () => {
    const upload = "/upload/storage/v1/b/photos/o"
    const parameters = (path: string, body: HttpBody.HttpBody = HttpBody.empty) =>
      StorageOperation.fromRequest(HttpClientRequest.setBody(sent("POST", path), body))?.parameters
    const named = HttpBody.unsafeJson({ name: "tom" })
    expect(parameters(`${upload}?name=a%2Fcat`)).toEqual({ bucket: "photos", object: "a/cat" })
    expect(parameters(`${upload}?uploadType=resumable`, named)).toEqual({ bucket: "photos", object: "tom" })
    expect(parameters(`${upload}?name=cat`, named)).toEqual({ bucket: "photos", object: "cat" })
    expect(parameters(`${upload}?uploadType=multipart`, HttpBody.text("--b\n{}"))).toEqual({ bucket: "photos" })
    expect(parameters("/storage/v1/b", named)).toEqual({ bucket: "tom" })
    expect(parameters("/storage/v1/b")).toEqual({})
  })

  const carried = (request: HttpClientRequest.HttpClientRequest) => StorageOperation.fromRequest(request)?.preconditions
  const object = "/storage/v1/b/photos/o/cat"

  it.each([
    ["ifGenerationMatch=0", ["ifGenerationMatch"]],
    ["ifGenerationMatch=1795172430000000", ["ifGenerationMatch"]],
    ["ifMetagenerationMatch=3", ["ifMetagenerationMatch"]],
    ["generation=7", ["generation"]],
    [
      "generation=7&ifGenerationMatch=7&ifMetagenerationMatch=1",
      ["ifGenerationMatch", "ifMetagenerationMatch", "generation"]
    ],
    ["ifGenerationMatch=", []],
    ["ifGenerationMatch=%20", []],
    ["ifGenerationMatch=-1", []],
    ["ifGenerationMatch=1.0", []],
    ["ifGenerationMatch=undefined", []],
    ["ifGenerationNotMatch=0", []],
    ["ifSourceGenerationMatch=7&ifSourceMetagenerationMatch=1", []],
    ["ifgenerationmatch=0", []]
  ])("takes what protects a write for a precondition: %s", (query, expected) => {
    expect(carried(sent("DELETE", `${object}?${query}`))).toEqual(expected)
    const urlParams = query.split("&").map((one): [string, string] => {
      const [name = "", value = ""] = one.split("=")
      return [name, decodeURIComponent(value)]
    })
    expect(carried(sent("DELETE", object, { urlParams }))).toEqual(expected)
  })

  it.each([
    ["CAE=", true],
    ['"CAE="', true],
    [" CAE= ", true],
    ["*", false],
    ["", false],
    [" ", false],
    ['"a", "b"', false]
  ])("takes If-Match with one tag for a precondition: %j", (value, counts) => {
    expect(carried(sent("PATCH", object, { headers: { "if-match": value } }))).toEqual(counts ? ["If-Match"] : [])
  })

  const policy = (body: HttpBody.HttpBody) =>
    carried(HttpClientRequest.setBody(sent("PUT", "/storage/v1/b/photos/iam"), body))

  it.each([
    [HttpBody.unsafeJson({ bindings: [], etag: "CAE=" }), true],
    [HttpBody.text('{"etag":"CAE="}'), true],
    [HttpBody.raw(' {"etag":"CAE="}'), true],
    [HttpBody.unsafeJson({ bindings: [], etag: "" }), false],
    [HttpBody.unsafeJson({ etag: null }), false],
    [HttpBody.unsafeJson({ policy: { etag: "CAE=" } }), false],
    [HttpBody.unsafeJson(["etag"]), false],
    [HttpBody.text("{"), false],
    [HttpBody.text("etag"), false],
    [HttpBody.stream(Stream.make(new TextEncoder().encode('{"etag":"CAE="}'))), false],
    [HttpBody.raw(new Blob(['{"etag":"CAE="}'])), false],
    [HttpBody.text(`{"etag":"CAE=","x":"${"x".repeat(1_048_576)}"}`), false],
    [HttpBody.empty, false]
  ])("looks for the etag of a JSON body: %#", (body, counts) => {
    expect(policy(body)).toEqual(counts ? ["etag"] : [])
  })

  it("never throws, whatever is sent", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.webPath(),
        FastCheck.webQueryParameters(),
        FastCheck.string(),
        (path, query, body) => {
          const request = sent("PUT", `/storage/v1/b${path}?${query}`, { headers: { "if-match": body } })
          const call = StorageOperation.fromRequest(HttpClientRequest.setBody(request, HttpBody.text(body)))
          expect(call?.operation.startsWith("resumable.")).not.toBe(true)
        }
      )
    )
  })
})
