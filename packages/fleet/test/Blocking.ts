/**
 * Clients of real servers whose answers are there at once: the thread of the test stands still until they come, and with it
 * every fiber and every clock of its programs. In virtual time a store is then asked in no time.
 */
import type * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import { Clock, Effect } from "effect"
import type { Redis } from "ioredis"
import { createRequire } from "node:module"
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { PoolConfig } from "pg"
import * as Database from "./fund/postgres/Database.ts"
import * as Scripted from "./Scripted.ts"

/** Answers one question at a time, by a function of the thread. */
const thread = `
const { workerData: { port, signal, module, options, run } } = require("node:worker_threads")
const ask = new Function("module", "options", run)(require(module), options)
port.on("message", async ({ number, question }) => {
  let answer
  try {
    answer = { number, value: await ask(...question) }
  } catch (error) {
    answer = { number, error: error.message }
  }
  port.postMessage(answer)
  Atomics.add(signal, 0, 1)
  Atomics.notify(signal, 0)
})
`

type Answer = { readonly number: number } & ({ readonly value: unknown } | { readonly error: string })

/** More than any server takes to answer. */
const longestMillis = 60_000

/** Starts a thread, which ends with the scope. `run` is the body of a function that makes the one that is asked. */
export const start = (name: string, options: object, run: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { port1: port, port2 } = new MessageChannel()
        const signal = new Int32Array(new SharedArrayBuffer(4))
        const module = createRequire(import.meta.url).resolve(name)
        const workerData = { port: port2, signal, module, options, run }
        const worker = new Worker(thread, { eval: true, workerData, transferList: [port2] })
        return { port, signal, worker }
      }),
      ({ worker }) => Effect.promise(() => worker.terminate())
    ),
    ({ port, signal }) => {
      let asked = 0
      return (...question: ReadonlyArray<unknown>): unknown => {
        const number = (asked += 1)
        port.postMessage({ number, question })
        const answer = awaited({ port, signal }, number)
        if ("error" in answer) throw new Error(answer.error)
        return answer.value
      }
    }
  )

/**
 * Stands still until a question is answered. The thread may be stopped before it notifies, and then notifies while the next
 * question is waited for: the notice says only that it is time to look. What answers an earlier question is dropped.
 */
const awaited = ({ port, signal }: { readonly port: MessagePort; readonly signal: Int32Array }, number: number) => {
  for (;;) {
    const answered = Atomics.load(signal, 0)
    const received = receiveMessageOnPort(port) as { readonly message: Answer } | undefined
    if (received?.message.number === number) return received.message
    if (received !== undefined) continue
    if (Atomics.wait(signal, 0, answered, longestMillis) === "timed-out") throw new Error("the thread does not answer")
  }
}

/** The virtual time in microseconds, after a day on which the epoch of the server does not begin. */
export const microsOf = (clock: Clock.Clock): number =>
  86_400_000_000 + Math.floor(Number(clock.unsafeCurrentTimeNanos() / 1000n))

/** Runs a script of the package, by its digest, at a time in microseconds. */
export type RunScript = (sha: string, key: string, args: ReadonlyArray<string>, micros: number) => unknown

/** Runs scripts in Redis. */
export const redis = (connection: Redis, { host, port }: { readonly host: string; readonly port: number }) =>
  Effect.gen(function* () {
    const shas = yield* Effect.promise(() => Scripted.loadAtTime(connection))
    const ask = yield* start(
      "ioredis",
      { host, port },
      "const redis = new module.Redis(options); return (sha, key, args) => redis.evalsha(sha, 1, key, ...args)"
    )
    const run: RunScript = (sha, key, args, micros) =>
      ask(shas.get(sha) ?? sha, key, [...args, ...Scripted.timeArgs(micros)])
    return run
  })

/** A client of Postgres for programs in virtual time. Its statements are prepared by the number of their text. */
export const postgres = (options: PoolConfig) =>
  Effect.map(
    start(
      "pg",
      { ...options, max: 1 },
      `const pool = new module.Pool(options)
      const names = new Map()
      return async (text, values) => {
        const name = names.get(text) ?? String(names.size)
        names.set(text, name)
        return (await pool.query({ name, text, values })).rows
      }`
    ),
    (ask) =>
      (clock: Clock.Clock): PostgresClient.PostgresClient => ({
        query: (text, values) => {
          const atTime = text.replaceAll("clock_timestamp()", Database.timeOf(`$${values.length + 1}::bigint`))
          // A statement that does not read the time is not told it either.
          const told = atTime === text ? values : [...values, microsOf(clock)]
          return Effect.try(() => ask(atTime, told) as ReadonlyArray<object>)
        }
      })
  )
