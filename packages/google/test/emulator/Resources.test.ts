import { describe, expect, it } from "@effect/vitest"
import { type Ask, type Reply, server } from "./Direct.ts"

const bucket = "/storage/v1/b/pictures"
const statuses = (replies: ReadonlyArray<Reply>) => replies.map(({ status }) => status)

describe("Buckets", () => {
  it("are created once, and deleted when they are empty", () => {
    const { ask } = server()
    const create = () => ask("POST /storage/v1/b?project=p", { body: { name: "pictures", labels: { a: "b" } } })
    expect(create().json).toMatchObject({ name: "pictures", metageneration: "1", labels: { a: "b" } })
    expect(create().status).toBe(409)
    ask(`POST /upload${bucket}/o?uploadType=media&name=cat`)
    const replies = [ask(`DELETE ${bucket}`), ask(`DELETE ${bucket}/o/cat`), ask(`DELETE ${bucket}`)]
    expect(statuses([...replies, ask(`GET ${bucket}`), ask(`DELETE ${bucket}`)])).toEqual([400, 200, 200, 404, 404])
  })

  it("are changed in part by PATCH and wholly by PUT", () => {
    const { ask } = server("pictures")
    const patch = (labels: object) => ask(`PATCH ${bucket}`, { body: { labels } }).json
    expect([patch({ a: "1", b: "2" }), patch({ a: null })]).toMatchObject([
      { metageneration: "2" },
      { metageneration: "3" }
    ])
    expect(ask(`GET ${bucket}`).json["labels"]).toEqual({ b: "2" })
    expect(ask(`PUT ${bucket}`, { body: {} }).json).not.toHaveProperty("labels")
    expect(ask(`PATCH ${bucket}?ifMetagenerationMatch=1`, { body: {} }).status).toBe(412)
  })

  it("lock a policy of retention at a metageneration", () => {
    const { ask } = server("pictures")
    const lock = (query: string) => ask(`POST ${bucket}/lockRetentionPolicy${query}`)
    expect(lock("?ifMetagenerationMatch=1").status).toBe(400)
    ask(`PATCH ${bucket}`, { body: { retentionPolicy: { retentionPeriod: "1" } } })
    expect(statuses([lock(""), lock("?ifMetagenerationMatch=1")])).toEqual([400, 412])
    expect(lock("?ifMetagenerationMatch=2").json).toMatchObject({
      metageneration: "3",
      retentionPolicy: { isLocked: true }
    })
  })

  it("replace a policy of access whose entity tag is current", () => {
    const { ask } = server("pictures")
    const set = (body: object, headers = {}) => ask(`PUT ${bucket}/iam`, { body: { bindings: [], ...body }, headers })
    const { etag } = ask(`GET ${bucket}/iam`).json
    expect(statuses([set({}), set({ etag }), set({}, { "if-match": String(etag) })])).toEqual([200, 412, 412])
    expect(set({ etag: ask(`GET ${bucket}/iam`).json["etag"] }).status).toBe(200)
    expect(ask(`GET ${bucket}/iam/testPermissions?permissions=a&permissions=b`).json["permissions"]).toEqual(["a", "b"])
  })
})

describe("AccessControls", () => {
  it.each(["acl", "defaultObjectAcl", "o/cat/acl"])("are changed at %s", (path) => {
    const { ask } = server("pictures")
    ask(`POST /upload${bucket}/o?uploadType=media&name=cat`)
    const at = (verb: string, entity = "", body = {}) => ask(`${verb} ${bucket}/${path}${entity}`, { body })
    const [entity, role] = ["allUsers", "READER"]
    expect(at("GET", "/allUsers").status).toBe(404)
    expect(at("POST", "", { entity, role }).json).toMatchObject({ entity, role })
    expect(at("PATCH", "/allUsers", { role: "WRITER" }).json["role"]).toBe("WRITER")
    expect(statuses([at("PUT", "/allUsers", {}), at("PUT", "/allUsers", { role })])).toEqual([400, 200])
    expect(at("GET").json["items"]).toHaveLength(2)
    expect(statuses([at("DELETE", "/allUsers"), at("DELETE", "/allUsers"), at("POST", "", { role })])).toEqual([
      200, 404, 400
    ])
  })
})

describe("Notifications", () => {
  it("have an id each", () => {
    const { ask } = server("pictures")
    const path = `${bucket}/notificationConfigs`
    const ids = [1, 2].map(() => ask(`POST ${path}`, { body: { topic: "changes" } }).json["id"])
    expect(ask(`GET ${path}`).json["items"]).toMatchObject(ids.map((id) => ({ id, topic: "changes" })))
    const replies = [ask(`DELETE ${path}/${String(ids[0])}`), ask(`GET ${path}/${String(ids[0])}`)]
    expect(statuses([...replies, ask(`POST ${path}`, { body: {} })])).toEqual([200, 404, 400])
  })
})

describe("Projects", () => {
  const keys = "/storage/v1/projects/p/hmacKeys"
  const create = (ask: Ask) => {
    const { metadata, secret } = ask(`POST ${keys}?serviceAccountEmail=a@b`).json
    return { secret, ...(metadata as { readonly accessId: string; readonly etag: string }) }
  }

  it("show the secret of a key once", () => {
    const { ask } = server()
    const { accessId, secret } = create(ask)
    expect(secret).toMatch(/^\S+$/)
    expect(ask(`GET ${keys}/${accessId}`).json).toMatchObject({ accessId, state: "ACTIVE" })
    expect(ask(`GET ${keys}/${accessId}`).json).not.toHaveProperty("secret")
    expect(ask(`POST ${keys}`).status).toBe(400)
  })

  it("delete inactive keys, and show them if asked for", () => {
    const { ask } = server()
    const { accessId, etag } = create(ask)
    const to = (state: string, tag?: string) => ask(`PUT ${keys}/${accessId}`, { body: { state, etag: tag } }).status
    expect([ask(`DELETE ${keys}/${accessId}`).status, to("INACTIVE", "other"), to("GONE")]).toEqual([400, 412, 400])
    expect([to("INACTIVE", etag), to("INACTIVE", etag)]).toEqual([200, 412])
    expect(statuses([ask(`DELETE ${keys}/${accessId}`), ask(`DELETE ${keys}/${accessId}`)])).toEqual([200, 404])
    const listed = ["", "?showDeletedKeys=true"].map((query) => ask(`GET ${keys}${query}`).json["items"])
    expect(listed).toMatchObject([[], [{ accessId, state: "DELETED" }]])
    expect(to("ACTIVE")).toBe(400)
  })

  it("have a service account", () => {
    expect(server().ask("GET /storage/v1/projects/p/serviceAccount").json["email_address"]).toContain("service-p@")
  })
})
