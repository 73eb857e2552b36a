import { describe, expect, it } from "@effect/vitest"
import { type Ask, type Reply, server } from "./Direct.ts"

const cat = "/storage/v1/b/pictures/o/cat"
const upload = "/upload/storage/v1/b/pictures/o?uploadType=media&name=cat"

const written = (): { readonly ask: Ask; readonly generation: string } & ReturnType<typeof server> => {
  const pictures = server("pictures")
  const generation = String(pictures.ask(`POST ${upload}`, { body: "0123456789" }).json["generation"])
  return { ...pictures, generation }
}

const statuses = (replies: ReadonlyArray<Reply>) => replies.map(({ status }) => status)

describe("Objects.write", () => {
  it("numbers generations upwards, and metagenerations from 1", () => {
    const { ask } = written()
    const [first, patched] = [ask(`GET ${cat}`), ask(`PATCH ${cat}`, { body: { metadata: { a: "b" } } })]
    const second = ask(`POST ${upload}`, { body: "other" })
    expect([first, patched, second].map(({ json }) => json["metageneration"])).toEqual(["1", "2", "1"])
    expect(patched.json["generation"]).toBe(first.json["generation"])
    expect(Number(second.json["generation"])).toBeGreaterThan(Number(first.json["generation"]))
  })

  it("keeps generations that are no longer current, in a bucket with versions", () => {
    const { ask, generation } = written()
    ask("PATCH /storage/v1/b/pictures", { body: { versioning: { enabled: true } } })
    ask(`POST ${upload}`, { body: "new" })
    ask(`DELETE ${cat}`)
    expect(statuses([ask(`GET ${cat}`), ask(`GET ${cat}?generation=${generation}`)])).toEqual([404, 200])
    expect(ask(`GET ${cat}?generation=${generation}&alt=media`).text).toBe("0123456789")
    expect(ask("GET /storage/v1/b/pictures/o?versions=true").json["items"]).toHaveLength(2)
    expect(statuses([ask(`DELETE ${cat}?generation=${generation}`), ask(`DELETE ${cat}`)])).toEqual([200, 404])
    expect(ask("GET /storage/v1/b/pictures/o?versions=true").json["items"]).toHaveLength(1)
  })

  it("restores a softly deleted object, as a new generation", () => {
    const { ask, generation, state } = written()
    ask("PATCH /storage/v1/b/pictures", { body: { softDeletePolicy: { retentionDurationSeconds: "604800" } } })
    ask(`DELETE ${cat}`)
    expect(ask(`POST ${cat}/restore?generation=${generation}`)).toMatchObject({ status: 200, json: { size: "10" } })
    expect(ask(`GET ${cat}?alt=media`).text).toBe("0123456789")
    expect(statuses([ask(`POST ${cat}/restore?generation=1`), ask(`POST ${cat}/restore`)])).toEqual([404, 400])
    expect(state.written).toHaveLength(2)
  })

  it.each([
    { headers: { "x-goog-hash": "crc32c=KAwGng==,md5=eB5eJF1ptWaXm4bijSPyxw==" }, status: 200 },
    { headers: { "x-goog-hash": "crc32c=AAAAAA==" }, status: 400 },
    { headers: { "x-goog-hash": "md5=AAAAAA==" }, status: 400 }
  ])("compares announced checksums: $headers", ({ headers, status }) => {
    expect(server("pictures").ask(`POST ${upload}`, { body: "0123456789", headers })).toMatchObject({ status })
  })
})

describe("Preconditions.check", () => {
  const conditions = [
    { condition: "ifGenerationMatch=GENERATION", status: 200 },
    { condition: "ifGenerationMatch=0", status: 412 },
    { condition: "ifGenerationNotMatch=GENERATION", status: 304 },
    { condition: "ifGenerationNotMatch=0", status: 200 },
    { condition: "ifMetagenerationMatch=1", status: 200 },
    { condition: "ifMetagenerationMatch=2", status: 412 },
    { condition: "ifMetagenerationNotMatch=1", status: 304 },
    { condition: "ifMetagenerationNotMatch=2", status: 200 },
    { condition: "ifMetagenerationMatch=one", status: 400 }
  ]

  it.each(conditions)("answers $status for an object under $condition", ({ condition, status }) => {
    const { ask, generation } = written()
    expect(ask(`GET ${cat}?${condition.replace("GENERATION", generation)}`).status).toBe(status)
  })

  it.each([
    { condition: "ifGenerationMatch=0", status: 200 },
    { condition: "ifGenerationMatch=1", status: 412 },
    { condition: "ifMetagenerationMatch=1", status: 412 },
    { condition: "ifGenerationNotMatch=0", status: 304 }
  ])("answers $status for a name without an object under $condition", ({ condition, status }) => {
    expect(server("pictures").ask(`POST ${upload}&${condition}`, { body: "meow" }).status).toBe(status)
  })

  it("knows entity tags", () => {
    const { ask } = written()
    const etag = String(ask(`GET ${cat}`).json["etag"])
    const under = (headers: Record<string, string>) => ask(`PATCH ${cat}`, { headers, body: {} }).status
    expect([under({ "if-match": "other" }), under({ "if-none-match": etag })]).toEqual([412, 304])
    expect([under({ "if-match": `"${etag}"` }), under({ "if-match": etag })]).toEqual([200, 412])
  })
})

describe("Media.read", () => {
  it.each([
    { range: undefined, status: 200, content: "bytes 0-9/10", text: "0123456789" },
    { range: "bytes=3-5", status: 206, content: "bytes 3-5/10", text: "345" },
    { range: "bytes=7-", status: 206, content: "bytes 7-9/10", text: "789" },
    { range: "bytes=7-99", status: 206, content: "bytes 7-9/10", text: "789" },
    { range: "bytes=-2", status: 206, content: "bytes 8-9/10", text: "89" },
    { range: "lines=1-2", status: 200, content: "bytes 0-9/10", text: "0123456789" }
  ])("answers the range $range with $content", ({ content, range, status, text }) => {
    const reply = written().ask(`GET ${cat}?alt=media`, { headers: { range } })
    expect(reply).toMatchObject({ status, text, headers: { "content-range": content } })
  })

  it("refuses a range after the end", () => {
    const reply = written().ask(`GET ${cat}?alt=media`, { headers: { range: "bytes=10-" } })
    expect(reply).toMatchObject({ status: 416, headers: { "content-range": "bytes */10" } })
  })

  it("says what it is part of", () => {
    const { ask, generation } = written()
    expect(ask(`GET /download${cat}`, { headers: { range: "bytes=0-0" } }).headers).toMatchObject({
      "x-goog-generation": generation,
      "x-goog-metageneration": "1",
      "x-goog-hash": "crc32c=KAwGng==,md5=eB5eJF1ptWaXm4bijSPyxw==",
      "x-goog-stored-content-length": "10"
    })
  })
})

describe("Copies", () => {
  it("compose joins its sources, which can have preconditions", () => {
    const { ask, generation } = written()
    const compose = (...sourceObjects: ReadonlyArray<object>) =>
      ask("POST /storage/v1/b/pictures/o/sum/compose", { body: { sourceObjects, destination: { contentType: "a/b" } } })
    const source = { name: "cat", objectPreconditions: { ifGenerationMatch: generation } }
    expect(compose(source, { name: "cat" }).json).toMatchObject({ size: "20", contentType: "a/b", componentCount: 2 })
    expect(compose(source).json).not.toHaveProperty("md5Hash")
    const refused = [
      compose({ name: "cat", objectPreconditions: { ifGenerationMatch: "1" } }),
      compose({ name: "dog" })
    ]
    expect(statuses([...refused, compose()])).toEqual([412, 404, 400])
    const many = (length: number) => compose(...Array.from({ length }, () => ({ name: "cat" })))
    expect(statuses([many(32), many(33)])).toEqual([200, 400])
  })

  it.each(["copyTo", "rewriteTo"])("%s has preconditions on both ends", (verb) => {
    const { ask, generation } = written()
    const copy = (condition: string) => ask(`POST ${cat}/${verb}/b/pictures/o/copy?${condition}`).status
    const all = ["ifSourceGenerationMatch=1", `ifSourceGenerationNotMatch=${generation}`, "ifGenerationMatch=1", ""]
    expect(all.map(copy)).toEqual([412, 304, 412, 200])
    expect(ask("GET /storage/v1/b/pictures/o/copy?alt=media").text).toBe("0123456789")
  })

  it("rewrite goes on with its token", () => {
    const { ask, state } = written()
    const path = `POST ${cat}/rewriteTo/b/pictures/o/copy?maxBytesRewrittenPerCall=4`
    const first = ask(path).json
    expect(first).toMatchObject({ done: false, totalBytesRewritten: "4", objectSize: "10" })
    const rest = [1, 2].map(() => ask(`${path}&rewriteToken=${String(first["rewriteToken"])}`).json)
    expect(rest).toMatchObject([{ totalBytesRewritten: "8" }, { done: true, resource: { name: "copy", size: "10" } }])
    expect(ask(`${path}&rewriteToken=unknown`).status).toBe(400)
    expect([state.written.length, state.rewrites.size]).toEqual([2, 0])
  })

  it("move leaves nothing behind", () => {
    const { ask } = written()
    expect(statuses([ask(`POST ${cat}/moveTo/o/dog`), ask(`GET ${cat}`)])).toEqual([200, 404])
    expect(ask("GET /storage/v1/b/pictures/o/dog?alt=media").text).toBe("0123456789")
  })
})

describe("ObjectMethods.list", () => {
  it("answers pages, and folders as prefixes", () => {
    const { ask } = server("pictures")
    for (const name of ["a/1", "a/2", "b", "c"]) ask(`POST ${upload.replace("cat", encodeURIComponent(name))}`)
    const list = (query: string) => ask(`GET /storage/v1/b/pictures/o?${query}`).json
    const names = ({ items }: Reply["json"]) =>
      (items as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
    const page = list("maxResults=3")
    expect([names(page), names(list(`pageToken=${String(page["nextPageToken"])}`))]).toEqual([
      ["a/1", "a/2", "b"],
      ["c"]
    ])
    expect([names(list("delimiter=/")), list("delimiter=/")["prefixes"]]).toEqual([["b", "c"], ["a/"]])
    expect(names(list("prefix=a/&delimiter=/"))).toEqual(["a/1", "a/2"])
  })
})

describe("Uploads.insert", () => {
  const path = "/upload/storage/v1/b/pictures/o"
  const headers = { "content-type": `multipart/related; boundary="--x"` }
  const parts = (...bodies: ReadonlyArray<string>) =>
    [...bodies.flatMap((body) => ["----x", "Content-Type: text/plain", "", body]), "----x--", ""].join("\r\n")

  it("reads metadata and data of a body of two parts", () => {
    const body = parts(`{"name":"cat","metadata":{"a":"b"}}`, "me\r\now")
    const reply = server("pictures").ask(`POST ${path}?uploadType=multipart`, { headers, body })
    expect(reply.json).toMatchObject({ name: "cat", metadata: { a: "b" }, contentType: "text/plain", size: "6" })
  })

  it.each([
    { query: "uploadType=multipart", body: parts(`{"name":"cat"}`), why: "has one part" },
    { query: "uploadType=multipart", body: parts("{}", "meow"), why: "has no name" },
    { query: "uploadType=multipart", body: parts("{", "meow"), why: "is no JSON" },
    { query: "uploadType=multipart&name=dog", body: parts(`{"name":"cat"}`, "meow"), why: "has two names" },
    { query: "uploadType=media", body: "meow", why: "has no name in its query" },
    { query: "name=cat", body: "meow", why: "does not say its type" }
  ])("refuses an upload that $why", ({ body, query }) => {
    expect(server("pictures").ask(`POST ${path}?${query}`, { headers, body }).status).toBe(400)
  })
})
