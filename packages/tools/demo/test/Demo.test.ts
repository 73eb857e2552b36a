import { Hint, RetryBucket } from "@effect-retry/core"
import { HttpClassifier, Idempotency } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Demo from "../src/Demo.ts"
import * as Paint from "../src/Paint.ts"
import type { Scene } from "../src/Scene.ts"
import * as Deadline from "../src/scenes/Deadline.ts"
import * as Keyed from "../src/scenes/Keyed.ts"
import * as Mixture from "../src/scenes/Mixture.ts"
import * as NotFound from "../src/scenes/NotFound.ts"
import * as OneCounter from "../src/scenes/OneCounter.ts"
import * as Outage from "../src/scenes/Outage.ts"
import * as ResetAndHang from "../src/scenes/ResetAndHang.ts"
import * as Throttled from "../src/scenes/Throttled.ts"
import * as TwoFailures from "../src/scenes/TwoFailures.ts"

/** Retries what no repetition makes right, and what may have been carried out. */
const careless = {
  classifier: {
    ...HttpClassifier.standard,
    statuses: { ...HttpClassifier.standard.statuses, 404: { kind: "Server" as const } }
  },
  idempotency: { ...Idempotency.standard, methods: [...Idempotency.standard.methods, "POST"] }
}

const shown = (scenes: ReadonlyArray<Scene>, style: Partial<Paint.Style> = {}) =>
  Effect.gen(function* () {
    let output = ""
    const kept = yield* Demo.run({
      scenes,
      seed: "5",
      style: { width: 80, colour: false, glyphs: Paint.ascii, ...style },
      print: (text) => {
        output += text
      }
    })
    return { kept, output, lines: output.split("\n") }
  })

// Real sockets and the real clock: what is tested here is that promises hold outside of virtual time.
describe.concurrent("Demo.run", () => {
  it.live(
    "keeps all promises, in time, in plain ASCII and within the width",
    () =>
      Effect.gen(function* () {
        const { kept, lines, output } = yield* shown(Demo.scenes)
        expect(lines.filter((line) => line.includes("BROKEN"))).toEqual([])
        expect(kept).toBe(true)
        expect(output).toMatch(/^[ -~\n]*$/)
        expect(lines.filter((line) => line.length > 80)).toEqual([])
        expect(lines.filter((line) => /^\d {2}/.test(line)).map((line) => Number(line[0]))).toEqual([
          1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9
        ])
        expect(output).toContain("promises checked, all kept")
        expect(output).toContain("native sent 16 requests")
      }).pipe(Effect.timeout("14 seconds")),
    { timeout: 20_000 }
  )

  it.live.each([
    {
      broken: "too few attempts",
      scene: TwoFailures.scene({ ...TwoFailures.policy, maxAttempts: 2 }),
      says: "it succeeds; stopped: all 2 attempts spent"
    },
    {
      broken: "an ignored hint",
      scene: Throttled.scene({ ...Throttled.policy, hint: Hint.ignore }),
      says: "no request comes before the Retry-After is over; asked for 1000 ms"
    },
    {
      broken: "no attempt timeout",
      scene: ResetAndHang.scene({ ...ResetAndHang.policy, attemptTimeout: undefined, maxAttempts: 1 }),
      says: "the server sees 3 requests; it saw 1 request"
    },
    {
      broken: "no deadline",
      scene: Deadline.scene({ ...Deadline.policy, deadline: undefined, maxAttempts: 4 }),
      says: "no attempt starts after 1 s; one started after"
    },
    {
      broken: "a classifier that retries all",
      scene: NotFound.scene({ ...NotFound.policy, ...careless }),
      says: "the server sees 1 request; it saw 4 requests"
    },
    {
      broken: "a POST that counts as safe to repeat",
      scene: Keyed.scene({ ...Keyed.policy, ...careless }),
      says: "the server sees 1 request; it saw 3 requests"
    },
    {
      broken: "too many attempts",
      scene: OneCounter.scene({ ...OneCounter.policy, maxAttempts: 5 }),
      says: "the server sees 4 requests; it saw 5 requests"
    },
    {
      broken: "ignored hints and final answers among many",
      scene: Mixture.scene({ ...Mixture.policy, ...careless, hint: Hint.ignore }),
      says: "every verdict and every success is what the server answered; operation"
    },
    {
      broken: "a bucket without a bottom",
      scene: Outage.scene(Effect.succeed(RetryBucket.unlimited)),
      says: "retries are at most 10, and 0.1 per success; there were"
    }
  ])(
    "says what broke: $broken",
    ({ says, scene }) =>
      Effect.gen(function* () {
        const { kept, output } = yield* shown([scene])
        expect(kept).toBe(false)
        expect(output.replace(/\n +/g, " ")).toContain(`BROKEN: ${scene.title}: `)
        expect(output.replace(/\n +/g, " ")).toContain(says)
        expect(output).not.toContain("all kept")
      }).pipe(Effect.timeout("14 seconds")),
    { timeout: 20_000 }
  )

  it.live("colours its output where that is asked for", () =>
    Effect.gen(function* () {
      const { output } = yield* shown([NotFound.scene()], { colour: true, glyphs: Paint.unicode })
      expect(output).toContain("\u001B[31m■")
    })
  )
})
