import { describe, expect, it } from "vitest"
import { cell } from "../src/Cell.ts"
import { patience, type Seen, text } from "../src/Operation.ts"
import type { Scenario } from "../src/Scenario.ts"

const scenario: Scenario = { name: "503", request: { method: "GET" }, answer: () => ({ status: 503 }) }
const nothing: Seen = { requests: [], connections: 0, waits: [], isLate: false, isEndless: false }
const received = (path = "/1", body = "", headers = {}) => ({ path, headers, body })
const put: Partial<Scenario> = { request: { method: "PUT", body: "text" } }

describe("Cell.cell", () => {
  it.each<readonly [string, Partial<Scenario>, Partial<Seen>]>([
    ["0", {}, {}],
    ["2", {}, { requests: [received(), received()] }],
    ["3", { answer: "refused" }, { connections: 3 }],
    ["1 + 2", {}, { requests: [received(), received("/1/target"), received("/1/target")] }],
    [`> ${patience}`, {}, { requests: Array.from({ length: patience + 1 }, () => received()) }],
    ["0, waits", { hintSeconds: 40 }, { waits: [40_000, 43_999] }],
    ["0, waits 30 s", { hintSeconds: 40 }, { waits: [30_000] }],
    ["0, waits 24.9 days", { hintSeconds: 2_592_000 }, { waits: [2_147_483_647] }],
    ["0", {}, { waits: [40_000] }],
    ["1", put, { requests: [received("/1", text)] }],
    ["2, one with the body", put, { requests: [received("/1", text), received()] }],
    ["1, asks for the rest", {}, { requests: [received("/1", "", { range: "bytes=5-9" })] }],
    ["0, ends late", { isAborted: true, hintSeconds: 40 }, { waits: [40_000], isLate: true }],
    ["0, hangs", {}, { isEndless: true }]
  ])("is %s", (expected, ofScenario, ofSeen) => {
    expect(cell({ ...scenario, ...ofScenario }, { ...nothing, ...ofSeen })).toBe(expected)
  })
})
