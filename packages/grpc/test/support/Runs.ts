/**
 * Runs the cases of `Cases` against a server.
 */
import type { Client, ClientOptions } from "@grpc/grpc-js"
import { Effect, type Scope } from "effect"
import { isDeepStrictEqual } from "node:util"
import { type Case, deadlines as casesUnder, type Seen } from "./Cases.ts"
import * as GrpcClient from "./Client.ts"
import * as GrpcServer from "./Server.ts"

/** How the case goes, of a client made with the options of the other argument. */
export const run = (
  { answer, calls = [{}], serve = GrpcServer.serve }: Pick<Case, "answer" | "calls" | "serve">,
  options: ClientOptions
): Effect.Effect<Seen, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const client = yield* GrpcClient.connect(server.address, options)
    const ended = yield* Effect.forEach(calls, (call) => ending(client, call, server))
    yield* server.settled
    return seen(ended, server.calls)
  })

/** Names the cases, for rows of a table. */
export const rows = (cases: ReadonlyArray<Case>): ReadonlyArray<readonly [name: string, given: Case]> =>
  cases.map((given) => [given.name, given])

/** Milliseconds: the shortest is enough for a machine that has nothing else to do. */
const deadlines = [100, 400, 1600, 6400]

/** How a case of `Cases.deadlines` goes: under the first deadline that lets it go as wanted, else under the last. */
export const runUnderDeadline = <R>(
  name: string,
  run: (given: Case) => Effect.Effect<Seen, never, R>,
  wanted: Seen
): Effect.Effect<Seen | undefined, never, R> =>
  Effect.reduce(deadlines, undefined as Seen | undefined, (before, millis) => {
    const given = casesUnder(millis).find((each) => each.name === name)
    return isDeepStrictEqual(before, wanted) || given === undefined ? Effect.succeed(before) : run(given)
  })

interface Ending {
  readonly call: GrpcClient.Call
  /** The index of the first attempt. */
  readonly first: number
  readonly result: Seen["calls"][number]
}

const ending = (client: Client, call: GrpcClient.Call, server: GrpcServer.GrpcServer): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const first = server.calls.length
    return Effect.map(GrpcClient.call(client, call), ({ code, details, messages }) => ({
      call,
      first,
      result: [code, indexOf(code === "OK" ? messages.at(-1) : details)] as const
    }))
  })

const indexOf = (given = ""): number | undefined => {
  const index = Number(given.replace(/^\D*/, "") || Number.NaN)
  return GrpcServer.text(index) === given ? index : undefined
}

const seen = (ended: ReadonlyArray<Ending>, arrived: ReadonlyArray<GrpcServer.Arrived>): Seen => {
  const attemptsOf = ({ first }: Ending, call: number) => arrived.slice(first, ended[call + 1]?.first)
  const previous = ended.map((each, call) => attemptsOf(each, call).map(headerOf).join(""))
  const cancelled = arrived.flatMap(({ ending }, index) => (ending === "Cancelled" ? [index] : []))
  const torn = ended.flatMap((each, call) =>
    attemptsOf(each, call).flatMap((attempt, index) => (isTorn(attempt, each.call) ? [each.first + index] : []))
  )
  return {
    calls: ended.map(({ result }) => result),
    attempts: previous.join("  "),
    ...(cancelled.length === 0 ? {} : { cancelled }),
    ...(torn.length === 0 ? {} : { torn })
  }
}

const headerOf = ({ metadata }: GrpcServer.Arrived): string => metadata.get("grpc-previous-rpc-attempts").join() || "-"

const isTorn = (
  { ending, requests }: GrpcServer.Arrived,
  { requests: sent = GrpcClient.standardRequests }: GrpcClient.Call
): boolean => ending === "Answered" && requests !== undefined && requests.join("\n") !== sent.join("\n")
