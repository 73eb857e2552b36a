import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Discard } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

describe("Discard.cancelled", () => {
  it.effect.each([0, 1, 3])("aborts the request of a client inside of others: %s", (depth) =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      let client = HttpClient.make((request, _, signal) => {
        signals.push(signal)
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("a", { status: 503 })))
      })
      for (let n = 0; n < depth; n++) {
        const inner = client
        client = HttpClient.make((request) => inner.execute(request))
      }
      yield* Discard.cancelled(yield* client.get("http://api.test/"))
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    })
  )
})
