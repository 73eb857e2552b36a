/** The table of the axios section of `docs/from-http-clients.md`. */
import { readFileSync } from "node:fs"
import type { AxiosInstance } from "axios"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { clients } from "../src/axios.ts"

const page = readFileSync(new URL("../../../../docs/from-http-clients.md", import.meta.url), "utf8")

/** What the server got, and the time of the last request in whole seconds. */
const seen = async (
  client: AxiosInstance,
  method: "GET" | "POST",
  answer: (request: number) => Response | Error
): Promise<{ readonly requests: string; readonly waited: string }> => {
  const started = Date.now()
  const times: Array<number> = []
  vi.stubGlobal("fetch", async () => {
    const next = answer(times.push(Date.now() - started))
    if (next instanceof Error) throw next
    return next
  })
  const ended = client.request({ url: "https://api.example/", method }).catch(() => undefined)
  await vi.runAllTimersAsync()
  await ended
  return { requests: String(times.length), waited: `${Math.floor((times.at(-1) ?? 0) / 1000)} s` }
}

const status = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers })
const reset = () => new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) })

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it("shows in the page what a server sees of axios with axios-retry and of axios over our fetch", async () => {
  const rows: Array<string> = []
  for (const [name, client] of Object.entries(clients)) {
    const cells = [
      (await seen(client, "GET", () => status(503))).requests,
      (await seen(client, "GET", () => status(404))).requests,
      (await seen(client, "POST", () => status(503))).requests,
      (await seen(client, "POST", reset)).requests,
      (await seen(client, "GET", (n) => (n === 1 ? status(503, { "retry-after": "5" }) : status(200)))).waited
    ]
    rows.push(`| ${[name, ...cells].join(" | ")} |`)
  }
  expect(page.split("\n").filter((line) => /^\| (?:axios-retry|ours) \| \d/.test(line))).toEqual(rows)
})
