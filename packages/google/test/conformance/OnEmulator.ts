/**
 * Runs combinations against an emulator in the same process.
 */
import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect } from "effect"
import * as Emulator from "../emulator/Emulator.ts"
import * as Run from "./Run.ts"

/** The retry tests of an emulator, without a request: there are more of these than of all others. */
const testsOf = ({ remaining, retryTest, state }: Emulator.Emulator): Run.RetryTests => ({
  create: (method, instructions) => Effect.sync(() => retryTest({ [method]: instructions }).id),
  completed: (id) => Effect.sync(() => remaining(id).completed),
  remove: (id) => Effect.sync(() => state.retryTests.delete(id))
})

/** The results, and the emulator as they left it. */
export const run = (
  combinations: ReadonlyArray<Run.Combination>
): Effect.Effect<{ readonly results: ReadonlyArray<Run.Result>; readonly emulator: Emulator.Emulator }> =>
  Effect.gen(function* () {
    const emulator = yield* Emulator.start()
    const client = HttpClient.withTracerDisabledWhen(yield* HttpClient.HttpClient, () => true)
    const results = yield* Run.run({ url: emulator.url, client, tests: testsOf(emulator) }, combinations)
    return { results, emulator }
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))
