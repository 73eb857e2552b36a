import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ways } from "../../src/workloads/HttpLibraries.ts"
import { item, Loopback } from "../../src/workloads/Loopback.ts"

const cases = Object.entries(ways).map(([name, way]) => ({ name, way }))

/** What a library answers when it is asked twice, and the paths it asks for. */
const askedTwice = (way: (url: string) => Promise<unknown>, path: string) => {
  const heard: Array<string | undefined> = []
  return Effect.gen(function* () {
    const { origin } = yield* Loopback
    const first = yield* Effect.promise(() => way(origin + path))
    const second = yield* Effect.promise(() => way(origin + path))
    return { answers: [first, second], heard }
  }).pipe(Effect.provide(Loopback.layer((path) => heard.push(path))))
}

describe("HttpLibraries.ways", () => {
  it.live.each(cases)("$name sends one request for each that succeeds", ({ way }) =>
    Effect.gen(function* () {
      expect(yield* askedTwice(way, "/ready")).toEqual({ answers: [item, item], heard: ["/ready", "/ready"] })
    })
  )

  it.live.each(cases)("$name retries a 503 each time", ({ way }) =>
    Effect.gen(function* () {
      const flaky = Array.from({ length: 4 }, () => "/flaky")
      expect(yield* askedTwice(way, "/flaky")).toEqual({ answers: [item, item], heard: flaky })
    })
  )
})
