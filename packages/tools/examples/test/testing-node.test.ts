import * as Program from "@effect-retry/servers/Program"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"

interface Ended {
  readonly code: number
  readonly stdout: string
}

const run = (file: string): Effect.Effect<Ended> =>
  Effect.async((resume) => {
    const child = execFile(process.execPath, ["--test-reporter=tap", file], (_, stdout) =>
      resume(Effect.succeed({ code: child.exitCode ?? -1, stdout }))
    )
  })

describe("docs/testing.md ## With another runner", () => {
  it.scopedLive("suites pass and fail under node:test", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(yield* Program.bundled(new URL("node/suites.ts", import.meta.url)))
      const outcomes = Array.from(stdout.matchAll(/^(ok|not ok) \d+ - (.*)$/gm), ([, outcome, name]) => [name, outcome])
      expect(Object.fromEntries(outcomes)).toEqual({
        "A bucket as a TokenBucket": "ok",
        "A jitter as a Jitter": "ok",
        "An expectation": "not ok"
      })
      expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10)
      expect(code).toBe(1)
    })
  )
})
