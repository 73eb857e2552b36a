import { describe, expect, it } from "@effect/vitest"
import { type Ask, type Reply, server } from "./Direct.ts"

const list = "storage.buckets.list"
const create = (body: Readonly<Record<string, unknown>>, ask: Ask = server().ask): Reply =>
  ask("POST /retry_test", { body })

describe("RetryTests.serve", () => {
  it("creates, shows and deletes tests", () => {
    const { ask, state } = server()
    const created = create({ instructions: { [list]: ["return-503"] } }, ask).json
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      instructions: { [list]: ["return-503"] },
      completed: false,
      transport: "HTTP"
    })
    const path = `/retry_test/${String(created["id"])}`
    expect(ask(`GET ${path}`).json).toEqual(created)
    expect(ask("GET /retry_tests").json).toEqual({ retry_test: [created] })
    expect(ask(`PUT ${path}`).status).toBe(405)
    expect(ask(`DELETE ${path}`)).toMatchObject({ status: 200, text: `Deleted ${String(created["id"])}` })
    expect([ask(`GET ${path}`).status, ask(`DELETE ${path}`).status, state.retryTests.size]).toEqual([404, 404, 0])
  })

  it.each([
    { body: {}, status: 400 },
    { body: { instructions: {} }, status: 400 },
    { body: { instructions: { [list]: [] } }, status: 400 },
    { body: { instructions: { [list]: "return-503" } }, status: 400 },
    { body: { instructions: { [list]: ["return"] } }, status: 400 },
    { body: { instructions: { "storage.buckets.burn": ["return-503"] } }, status: 400 },
    { body: { instructions: { [list]: ["return-503"] }, transport: "UDP" }, status: 400 },
    { body: { instructions: { [list]: ["return-503"] }, transport: "GRPC" }, status: 501 },
    { body: { instructions: { [list]: ["return-503"] }, transport: "HTTP" }, status: 200 }
  ])("answers $status to the test $body", ({ body, status }) => {
    expect(create(body).status).toBe(status)
  })

  it("says that it is there", () => {
    expect(server().ask("GET /")).toMatchObject({ status: 200, text: "OK" })
  })
})

describe("RetryTests.next", () => {
  it("is completed when the instructions of all methods are consumed", () => {
    const { ask, state } = server("pictures")
    const instructions = { [list]: ["return-503", "return-429"], "storage.buckets.get": ["return-500"] }
    const id = String(create({ instructions }, ask).json["id"])
    const under = (line: string) => {
      const { status } = ask(line, { headers: { "x-retry-test-id": id } })
      return [status, state.retryTests.get(id)?.completed]
    }
    const lines = ["GET /storage/v1/b", "GET /storage/v1/b", "GET /storage/v1/b", "GET /storage/v1/b/pictures"]
    expect(lines.map(under)).toEqual([
      [503, false],
      [429, false],
      [200, false],
      [500, true]
    ])
  })

  it("refuses an id that it does not know", () => {
    expect(server().ask("GET /storage/v1/b", { headers: { "x-retry-test-id": "unknown" } }).status).toBe(404)
  })
})
