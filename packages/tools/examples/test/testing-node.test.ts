import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const suites = fileURLToPath(new URL("node/suites.ts", import.meta.url))

describe("docs/testing.md ## With another runner", { timeout: 60_000 }, () => {
  it("suites pass and fail under node:test", () => {
    const options = ["--conditions=@effect-retry/source", "--import=tsx", "--test-reporter=tap"]
    const { status, stdout } = spawnSync(process.execPath, [...options, suites], { encoding: "utf8" })
    const outcomes = Array.from(stdout.matchAll(/^(ok|not ok) \d+ - (.*)$/gm), ([, outcome, name]) => [name, outcome])
    expect(Object.fromEntries(outcomes)).toEqual({
      "A bucket as a TokenBucket": "ok",
      "A jitter as a Jitter": "ok",
      "An expectation": "not ok"
    })
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10)
    expect(status).toBe(1)
  })
})
