import { Hint, RateLimiter, TokenBucket } from "@effect-retry/core"
import { Idempotency } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "../src/Calls.ts"
import * as Demo from "../src/Demo.ts"
import * as Outage from "../src/Outage.ts"
import * as Paint from "../src/Paint.ts"
import type { Report, Scene } from "../src/Scene.ts"
import * as Throttling from "../src/Throttling.ts"
import * as Upload from "../src/Upload.ts"

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

const { policies } = Calls

const broken = Calls.scenes({
  twoFailures: { ...policies.twoFailures, maxAttempts: 2 },
  throttled: { ...policies.throttled, hint: Hint.ignore },
  resetAndHang: { ...policies.resetAndHang, maxAttempts: 1 },
  deadline: { ...policies.deadline, deadline: undefined, maxAttempts: 4 },
  post: { ...policies.post, idempotency: { ...Idempotency.standard, methods: ["POST"] } },
  oneCount: { ...policies.oneCount, maxAttempts: 5 }
})

/** A scene that is played once, however often it is shown. */
const once = (scene: Scene): Scene => {
  let report: Report | undefined
  const play: Scene["play"] = (stage) =>
    Effect.map(scene.play(stage), (played) => {
      report = played
      return played
    })
  return { ...scene, play: (stage) => (report === undefined ? play(stage) : Effect.succeed(report)) }
}

interface Broken {
  readonly what: string
  readonly scene: Scene | undefined
  readonly says: ReadonlyArray<string>
}

const saysWhatBroke = ({ says, scene }: Broken) =>
  Effect.gen(function* () {
    const { kept, output } = yield* shown(scene === undefined ? [] : [scene])
    expect(kept).toBe(false)
    for (const text of says) expect(output.replace(/\n +/g, " ")).toContain(`BROKEN: ${text}`)
    expect(output).not.toContain("all kept")
  })

// Real sockets and the real clock: what is tested here is that promises hold outside of virtual time.
describe.concurrent("Demo.run", () => {
  it.live("keeps all promises, in plain ASCII and within the available columns", () =>
    Effect.gen(function* () {
      const scenes = Demo.scenes.map(once)
      for (const width of [40, 80]) {
        const { kept, lines, output } = yield* shown(scenes, { width })
        expect(lines.filter((line) => line.includes("BROKEN"))).toEqual([])
        expect(kept).toBe(true)
        expect(output).toMatch(/^[ -~\n]*$/)
        expect(lines.filter((line) => line.length > width)).toEqual([])
        expect(output).toContain("promises checked, all kept")
        const [, ...sceneTexts] = output.split("Requests to the server")[0]?.split(/^(?=\d+  )/m) ?? []
        const long = sceneTexts.filter((text) => text.trimEnd().split("\n").length > 7)
        expect(width < 80 ? [] : long).toEqual([])
        expect(output.replace(/\n/g, " ")).toMatch(
          /The server saw [678]\d\d requests instead of 2,\d{3}: 1,\d{3} saved, [67]\d %\./
        )
      }
    })
  )

  it.live.each<Broken>([
    { what: "too few attempts", scene: broken[0], says: ["it succeeds; it stopped: all attempts spent"] },
    {
      what: "an ignored hint",
      scene: broken[1],
      says: ["no request comes before the Retry-After is over; wait 1 took"]
    },
    {
      what: "one attempt",
      scene: broken[2],
      says: ["the server sees 3 requests; Expect.attempts: expected 3 attempts"]
    },
    {
      what: "no deadline",
      scene: broken[3],
      says: [
        "the reason for stopping is DeadlinePassed; the reason was Attempts",
        "no attempt starts after the deadline, and nothing waits for it; retry"
      ]
    },
    { what: "a POST that is safe to repeat", scene: broken[4], says: ["the server sees 1 request; Expect.attempts:"] },
    { what: "too many attempts", scene: broken[5], says: ["the server sees 4 requests; Expect.attempts: expected 4"] },
    {
      what: "an upload that gives up",
      scene: Upload.scene(Upload.resuming({ ...Upload.policy, maxAttempts: 1 })),
      says: ["the whole arrives; expected 2097152, got 0"]
    },
    {
      what: "an upload that starts over",
      scene: Upload.scene(Upload.startingOver),
      says: [
        "it is stored once; expected 1, got 2",
        "nothing is sent again but what the server lost; expected 2097152 to"
      ]
    }
  ])("says what broke: $what", saysWhatBroke)

  it.live("colours its output if asked to", () =>
    Effect.gen(function* () {
      const { output } = yield* shown(Calls.scenes().slice(4, 5), { colour: true, glyphs: Paint.unicode })
      expect(output).toContain("\u001B[31m■")
    })
  )
})

// One after the other: they take the machine's whole time, which would be a stall to others.
describe("Demo.run in virtual time", () => {
  it.live.each<Broken>([
    {
      what: "a bucket without a bottom",
      scene: Outage.scene(Effect.succeed(TokenBucket.unlimited)),
      says: ["retries are at most 10, and 0.1 more per success; expected 1 to"]
    },
    {
      what: "a rate limiter that limits nothing",
      scene: Throttling.scene(Effect.succeed(TokenBucket.unlimited)),
      says: ["once settled, at most 5 % of the writes are throttled; expected 0 to"]
    },
    {
      what: "a rate limiter that allows too little",
      scene: Throttling.scene(RateLimiter.fixed({ rate: 5, burst: 1 })),
      says: ["and the table stores at least 70 % of what it could; expected 112 to"]
    }
  ])("says what broke: $what", saysWhatBroke)
})
