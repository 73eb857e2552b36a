import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { json, pacedWays, quotas, transports, ways } from "../../src/workloads/Http.ts"
import { item, Loopback } from "../../src/workloads/Loopback.ts"

const cases = Object.entries(transports).flatMap(([transport, layer]) =>
  Object.entries(ways).map(([name, way]) => ({ transport, layer, name, way }))
)

/** The answer that a way comes to, and the paths that were asked for. */
const asked = ({ layer, way }: (typeof cases)[number], path: string) => {
  const heard: Array<string | undefined> = []
  return Effect.gen(function* () {
    const { origin } = yield* Loopback
    const answer = yield* json(way(yield* HttpClient.HttpClient), origin + path)
    return { answer, heard }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        Loopback.layer((path) => heard.push(path)),
        layer,
        quotas
      )
    )
  )
}

describe("Http.ways", () => {
  it.effect.each(cases)("over $transport, $name sends one request that succeeds", (each) =>
    Effect.gen(function* () {
      expect(yield* asked(each, "/ready")).toEqual({ answer: item, heard: ["/ready"] })
    })
  )

  it.live.each(cases.filter(({ name }) => !name.startsWith("bare client")))(
    "over $transport, $name retries a 503",
    (each) =>
      Effect.gen(function* () {
        expect(yield* asked(each, "/flaky")).toEqual({ answer: item, heard: ["/flaky", "/flaky"] })
      })
  )

  it.effect.each(cases.filter(({ name }) => name.startsWith("bare client")))(
    "over $transport, $name retries nothing",
    (each) =>
      Effect.gen(function* () {
        expect(yield* asked(each, "/flaky")).toEqual({ answer: { error: "unavailable" }, heard: ["/flaky"] })
      })
  )
})

describe("Http.pacedWays", () => {
  it.effect.each(Object.entries(pacedWays))("%s sends one request that succeeds", ([name, way]) =>
    Effect.gen(function* () {
      const each = { transport: "undici", layer: transports.undici, name, way }
      expect(yield* asked(each, "/limited")).toEqual({ answer: item, heard: ["/limited"] })
    })
  )
})
