/**
 * Runs Google's scenarios of retries against a server that speaks the Retry Test API.
 *
 *     pnpm conformance                                          against the emulator
 *     CONFORMANCE_URL=http://127.0.0.1:9000 pnpm conformance    against another server, such as the official bench
 */
import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as Emulator from "../emulator/Emulator.ts"
import { library } from "./Library.ts"
import * as Run from "./Run.ts"
import { scenarios } from "./Scenarios.ts"

const given = process.env["CONFORMANCE_URL"] ?? ""

const program = Effect.gen(function* () {
  const url = given === "" ? (yield* Emulator.start()).url : given.replace(/\/+$/, "")
  const client = yield* HttpClient.HttpClient
  const { status } = yield* client.get(`${url}/retry_tests`)
  if (status !== 200) return yield* Effect.fail(new Error(`${url} has no Retry Test API: status ${status}`))
  console.log(`Google's retry scenarios against ${given === "" ? "the emulator" : url}`)
  const results = yield* Run.run({ url, client, tests: Run.testsOf(client, url) }, Run.combinations(library))
  for (const { description, id } of scenarios) {
    const of = results.filter(({ combination }) => combination.scenario.id === id)
    console.log(`${id} ${description}: ${of.filter(Run.passes).length} of ${of.length}`)
  }
  const failed = results.filter((result) => !Run.passes(result))
  for (const { combination, completed, error, outcome } of failed) {
    console.log(`failed: ${Run.name(combination)}: ${outcome}, ${completed ? "" : "not "}completed ${error ?? ""}`)
  }
  console.log(`${results.length - failed.length} passed, ${failed.length} failed`)
  return failed.length === 0 ? 0 : 1
}).pipe(
  Effect.catchAll((error) => {
    console.error(String(error))
    return Effect.succeed(2)
  })
)

// A connection for each request: one that the server closes as idle would look like a fault.
const connections = NodeHttpClient.makeAgentLayer({ keepAlive: false })

process.exitCode = await program.pipe(
  Effect.scoped,
  Effect.provide(Layer.provide(NodeHttpClient.layerWithoutAgent, connections)),
  Effect.runPromise
)
