import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { StorageIdempotency, StorageRetry } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Emulator from "../emulator/Emulator.ts"
import { library, policy } from "./Library.ts"
import { run } from "./OnEmulator.ts"
import * as Run from "./Run.ts"
import { scenarios } from "./Scenarios.ts"

const of = (id: number, under: Run.Library = library) =>
  Run.combinations(under).filter(({ scenario }) => scenario.id === id)

const failed = (results: ReadonlyArray<Run.Result>) =>
  results.filter((result) => !Run.passes(result)).map(({ combination }) => Run.name(combination))

describe("StorageRetry.withRetry", () => {
  it.live.each(scenarios)("passes scenario $id of Google's, $description", ({ id, methods }) =>
    Effect.gen(function* () {
      const { results } = yield* run(of(id))
      expect(failed(results)).toEqual([])
      expect(new Set(results.map(({ combination }) => combination.call.method))).toEqual(new Set(methods))
    })
  )
})

describe("Run.passes", () => {
  const { always, never } = StorageIdempotency

  // What the scenarios are worth: a client that does otherwise passes none of their combinations.
  it.live.each([
    { id: 1, retries: "never", idempotency: never },
    { id: 2, retries: "never", idempotency: never },
    { id: 3, retries: "always", idempotency: always },
    { id: 4, retries: "always", idempotency: always }
  ])("is false in scenario $id for a client that $retries retries", ({ id, idempotency }) =>
    Effect.gen(function* () {
      const under = { ...library, retrying: StorageRetry.withRetry({ ...policy, idempotency }) }
      const combinations = of(id, under).filter(({ instructions }) => instructions === scenarios[id - 1]?.cases[0])
      const some = combinations.filter((_, index) => index % 3 === 0)
      const { results } = yield* run(some)
      expect(failed(results)).toEqual(some.map(Run.name))
    })
  )

  it.live("is false for a server that does not answer", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const url = "http://127.0.0.1:1"
      const [combination] = of(1)
      const results = yield* Run.run({ url, client, tests: Run.testsOf(client, url) }, combination ? [combination] : [])
      expect(results.map((result) => [Run.passes(result), String(result.error)])).toEqual([
        [false, expect.stringContaining("Transport error")]
      ])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("Run.testsOf", () => {
  it.live("asks a server by its API", () =>
    Effect.gen(function* () {
      const { state, url } = yield* Emulator.start()
      const client = yield* HttpClient.HttpClient
      const tests = Run.testsOf(client, url)
      const id = yield* tests.create("storage.buckets.list", ["return-503"])
      expect(yield* tests.completed(id)).toBe(false)
      const request = HttpClientRequest.get(`${url}/storage/v1/b`, { headers: { "x-retry-test-id": id } })
      expect((yield* client.execute(request)).status).toBe(503)
      expect(yield* tests.completed(id)).toBe(true)
      yield* tests.remove(id)
      expect(state.retryTests.size).toBe(0)
      expect(String(yield* Effect.flip(tests.completed(id)))).toContain("status 404")
    }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
  )
})
