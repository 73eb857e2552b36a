/**
 * Runs scenarios against a server that speaks the Retry Test API.
 *
 * Source: https://github.com/googleapis/conformance-tests, storage/v1/README.md, "Retry Conformance Tests".
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import type { Call } from "./Call.ts"
import { calls } from "./Calls.ts"
import * as Fixture from "./Fixture.ts"
import { type Scenario, scenarios } from "./Scenarios.ts"

/** One case of a scenario with one call of one of its methods. */
export interface Combination {
  readonly scenario: Scenario
  readonly instructions: ReadonlyArray<string>
  readonly call: Call
}

export interface Result {
  readonly combination: Combination
  readonly outcome: "success" | "failure"
  /** Whether the server says that each fault has been met. */
  readonly completed: boolean
  /** What the call failed with. */
  readonly error: unknown
}

/** The library under test. */
export interface Library {
  /** Makes a client that retries of one that sends requests once. */
  readonly retrying: (client: HttpClient.HttpClient) => HttpClient.HttpClient
  /** Uploads and downloads that resume, with a client that sends requests once. */
  readonly groups: Readonly<Record<NonNullable<Scenario["group"]>, Pick<Call, "needs" | "run">>>
}

/** Every case of every scenario with every call of every method. */
export const combinations = ({ groups, retrying }: Library): ReadonlyArray<Combination> => {
  const simple = calls.map((call): Call => ({ ...call, run: (client, given) => call.run(retrying(client), given) }))
  const callsOf = ({ group }: Scenario, method: string): ReadonlyArray<Call> =>
    group === undefined
      ? simple.filter((call) => call.method === method)
      : [{ method, form: group, reads: false, ...groups[group] }]
  return scenarios.flatMap((scenario) =>
    scenario.methods
      .flatMap((method) => callsOf(scenario, method))
      .flatMap((call) => scenario.cases.map((instructions) => ({ scenario, instructions, call })))
  )
}

/** A combination in words. */
export const name = ({ call, instructions, scenario }: Combination): string =>
  `${scenario.id} ${call.method}${call.form && ` (${call.form})`} [${instructions.join(", ")}]`

/** As the scenario asks for: the outcome, and all faults met. */
export const passes = ({ combination, completed, outcome }: Result): boolean =>
  completed && outcome === combination.scenario.expects

/** Where the tests of a server are created and asked for. */
export interface RetryTests {
  /** Answers the id of the test. */
  readonly create: (method: string, instructions: ReadonlyArray<string>) => Effect.Effect<string, unknown>
  readonly completed: (id: string) => Effect.Effect<boolean, unknown>
  readonly remove: (id: string) => Effect.Effect<unknown, unknown>
}

/** What the library is run against. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string
  /** Sends requests once. */
  readonly client: HttpClient.HttpClient
  readonly tests: RetryTests
}

/** The tests of a server, by its API. */
export const testsOf = (client: HttpClient.HttpClient, url: string): RetryTests => {
  const json = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(client.execute(request), (response) =>
      response.status === 200
        ? response.json
        : Effect.fail(new Error(`${request.method} ${request.url}: status ${response.status}`))
    )
  return {
    create: (method, instructions) =>
      json(
        HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(`${url}/retry_test`), {
          instructions: { [method]: instructions }
        })
      ).pipe(Effect.map((test) => (test as { readonly id: string }).id)),
    completed: (id) =>
      Effect.map(
        json(HttpClientRequest.get(`${url}/retry_test/${id}`)),
        (test) => (test as { readonly completed: boolean }).completed
      ),
    remove: (id) => Effect.flatMap(client.execute(HttpClientRequest.del(`${url}/retry_test/${id}`)), ({ text }) => text)
  }
}

/** Runs one combination. Where not even the call is reached, the server has not met the faults. */
const runOne = (
  { client, tests }: Server,
  combination: Combination,
  fixture: Effect.Effect<Fixture.Fixture, unknown>
): Effect.Effect<Result> =>
  Effect.gen(function* () {
    const { call, instructions, scenario } = combination
    const given = { fixture: yield* fixture, precondition: scenario.precondition, instructions }
    const id = yield* tests.create(call.method, instructions)
    const marked = HttpClient.mapRequest(client, HttpClientRequest.setHeader("x-retry-test-id", id))
    const ended = yield* Effect.match(call.run(marked, given), {
      onFailure: (error) => ({ outcome: "failure" as const, error }),
      onSuccess: () => ({ outcome: "success" as const, error: undefined })
    })
    const completed = yield* tests.completed(id)
    yield* tests.remove(id)
    return { combination, completed, ...ended }
  }).pipe(
    Effect.catchAll((error) => Effect.succeed({ combination, outcome: "failure" as const, completed: false, error }))
  )

/**
 * Runs combinations, several at a time.
 *
 * Calls that only read share their resources. So do the cases of a call that must not come through, and no two calls of
 * these: what a client does that lets one through is not to hide what it does with another.
 */
export const run = (
  server: Server,
  all: ReadonlyArray<Combination>,
  options: { readonly concurrency?: number } = {}
): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.gen(function* () {
    const shared = new Map<string, Effect.Effect<Fixture.Fixture, unknown>>()
    const pairs = yield* Effect.forEach(all, (combination) => {
      const key = sharing(combination)
      const known = key === undefined ? undefined : shared.get(key)
      if (known !== undefined) return Effect.succeed({ combination, fixture: known })
      return Effect.map(Effect.cached(Fixture.create(server.client, server.url, combination.call.needs)), (fixture) => {
        if (key !== undefined) shared.set(key, fixture)
        return { combination, fixture }
      })
    })
    return yield* Effect.forEach(pairs, ({ combination, fixture }) => runOne(server, combination, fixture), {
      concurrency: options.concurrency ?? 8
    })
  })

/** Combinations with the same text share their resources. */
const sharing = ({ call, scenario }: Combination): string | undefined => {
  if (call.reads) return call.needs.join()
  return scenario.expects === "failure" ? `${call.method} ${call.form}` : undefined
}
