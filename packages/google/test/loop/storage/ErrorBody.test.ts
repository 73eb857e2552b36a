import { HttpClient, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout } from "@effect-retry/core"
import { StorageRetry } from "@effect-retry/google"
import { HttpRetry } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Exit, Fiber, Stream } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const bucket = "https://storage.googleapis.com/storage/v1/b/photos"
const type = { "content-type": "application/json" }
const limited = JSON.stringify({ error: { errors: [{ reason: "rateLimitExceeded" }] } })

/** A body in chunks, the rest of which never comes, or breaks; it knows what became of it. */
const chunked = (chunks: ReadonlyArray<string>, end: "ends" | "breaks" | "stalls" = "ends") => {
  const seen = { cancelled: false, pulled: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const chunk = chunks[seen.pulled++]
        if (chunk !== undefined) return controller.enqueue(new TextEncoder().encode(chunk))
        if (end === "ends") return controller.close()
        if (end === "breaks") return controller.error(Scripted.reset)
        return new Promise(() => {})
      },
      cancel: () => {
        seen.cancelled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, seen }
}

/** A body whose end comes when it is told to. */
const slow = (beginning: string) => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 9 })
  const writer = writable.getWriter()
  const write = (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => {})
  write(beginning)
  return {
    body: readable,
    finish: (rest: string) => {
      write(rest)
      void writer.close().catch(() => {})
    }
  }
}

/** An error and what caused it, the outermost first. */
const causes = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof Error ? [error, ...causes(error.cause)] : []

interface Answer {
  readonly status?: number
  readonly body: ReadableStream<Uint8Array> | string
  readonly headers: Record<string, string>
}

/** Answers each request by the next function, and by the last one again and again. */
const answering = (...answers: readonly [() => Answer, ...ReadonlyArray<() => Answer>]) => {
  let calls = 0
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const { body, headers, status = 403 } = (answers[Math.min(calls++, answers.length - 1)] ?? answers[0])()
      return HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
    })
  )
  return { client, sent: () => calls }
}

const long = "x".repeat(40_000)

describe("an error body", () => {
  it.effect.each([
    ["in one piece", [limited]],
    ["in pieces", [...limited]],
    ["with nothing at its end", [limited, ""]]
  ] as const)("without a length is read as it comes, and can be read again: %s", ([, chunks]) =>
    Effect.gen(function* () {
      const { client, sent } = answering(() => ({ body: chunked(chunks).body, headers: type }))
      const response = yield* StorageRetry.withRetry(client, { maxAttempts: 3 }).get(bucket)
      expect([sent(), yield* response.text]).toEqual([3, limited])
    }).pipe(Scripted.world)
  )

  it.effect("of a compressed answer is read though its length is another one", () =>
    Effect.gen(function* () {
      const headers = { ...type, "content-encoding": "gzip", "content-length": "70000" }
      const { client, sent } = answering(() => ({ body: chunked([limited]).body, headers }))
      const response = yield* StorageRetry.withRetry(client, { maxAttempts: 2 }).get(bucket)
      expect([sent(), yield* response.text]).toEqual([2, limited])
    }).pipe(Scripted.world)
  )

  it.effect("that is longer than 64 KiB is not judged, and is left to the caller with its rest", () =>
    Effect.gen(function* () {
      const chunks = [limited, ...Array.from({ length: 20 }, () => long), "the end"]
      const { body, seen } = chunked(chunks)
      const { client, sent } = answering(() => ({ body, headers: type }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      expect(sent()).toBe(1)
      // One chunk may be on its way.
      expect(seen.pulled).toBeLessThanOrEqual(4)
      expect(yield* response.text).toBe(chunks.join(""))
    }).pipe(Scripted.world)
  )

  it.effect("that is announced as longer is not read at all", () =>
    Effect.gen(function* () {
      const { body, seen } = chunked([limited])
      const { client, sent } = answering(() => ({ body, headers: { ...type, "content-length": "65537" } }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      expect([sent(), seen.pulled]).toEqual([1, 0])
      expect(yield* response.text).toBe(limited)
    }).pipe(Scripted.world)
  )

  it.effect("that stalls is waited for for a second, and left to the caller with what came", () =>
    Effect.gen(function* () {
      const { body, seen } = chunked([limited.slice(0, 10)], "stalls")
      const { client, sent } = answering(() => ({ body, headers: type }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      expect([sent(), Duration.toMillis(yield* VirtualClock.now)]).toEqual([1, 1000])
      const read = yield* response.stream.pipe(Stream.take(1), Stream.decodeText(), Stream.runCollect)
      expect([Chunk.join(read, ""), seen.cancelled]).toEqual([limited.slice(0, 10), true])
    }).pipe(Scripted.world)
  )

  it.effect("that was announced and is slow is waited for for a second, and left to the caller whole", () =>
    Effect.gen(function* () {
      const { body, finish } = slow(limited.slice(0, 10))
      const headers = { ...type, "content-length": String(limited.length) }
      const { client, sent } = answering(() => ({ body, headers }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      expect([sent(), Duration.toMillis(yield* VirtualClock.now)]).toEqual([1, 1000])
      finish(limited.slice(10))
      expect(yield* response.text).toBe(limited)
    }).pipe(Scripted.world)
  )

  it.effect("that was announced and breaks fails for the caller with the error of the connection", () =>
    Effect.gen(function* () {
      const headers = { ...type, "content-length": String(limited.length) }
      const { client, sent } = answering(() => ({ body: chunked([limited.slice(0, 10)], "breaks").body, headers }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      const error = yield* Effect.flip(response.text)
      expect([sent(), causes(error)]).toEqual([1, expect.arrayContaining([Scripted.reset])])
    }).pipe(Scripted.world)
  )

  it.effect("that was announced is given up when the caller stops reading, and when an attempt times out", () =>
    Effect.gen(function* () {
      const aborted: Array<string> = []
      const headers = { ...type, "content-length": String(limited.length) }
      const client = HttpClient.make((request, _url, signal) =>
        Effect.sync(() => {
          signal.addEventListener("abort", () => aborted.push(request.method))
          return HttpClientResponse.fromWeb(request, new Response(slow("").body, { status: 403, headers }))
        })
      )
      const storage = StorageRetry.withRetry(client, { maxAttempts: 1 })
      const response = yield* storage.get(bucket)
      expect(aborted).toEqual([])
      yield* Effect.timeoutOption(Stream.runDrain(response.stream), "1 second")
      expect(aborted).toEqual(["GET"])
      const attemptTimeout = AttemptTimeout.constant("500 millis")
      yield* Effect.exit(storage.del(bucket).pipe(HttpRetry.withOptions({ attemptTimeout })))
      expect(aborted).toEqual(["GET", "DELETE"])
    }).pipe(Scripted.world)
  )

  it.effect("that breaks fails for the caller, after the bytes that came", () =>
    Effect.gen(function* () {
      const { client, sent } = answering(() => ({ body: chunked([limited], "breaks").body, headers: type }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).get(bucket)
      const chunks: Array<string> = []
      const exit = yield* response.stream.pipe(
        Stream.decodeText(),
        Stream.runForEach((chunk) => Effect.sync(() => chunks.push(chunk))),
        Effect.exit
      )
      expect([sent(), chunks, Exit.isFailure(exit)]).toEqual([1, [limited], true])
    }).pipe(Scripted.world)
  )

  it.effect("is cancelled when it is not wanted: by a timeout, an interruption, another attempt", () =>
    Effect.gen(function* () {
      const bodies = Array.from({ length: 3 }, () => chunked([limited.slice(0, 10)], "stalls"))
      const [one, two, three] = bodies
      if (one === undefined || two === undefined || three === undefined) return
      const storage = (body: ReadableStream<Uint8Array>) =>
        StorageRetry.withRetry(answering(() => ({ body, headers: type })).client, {
          maxAttempts: 1,
          attemptTimeout: AttemptTimeout.constant("500 millis")
        })
      yield* Effect.exit(storage(one.body).get(bucket))
      const waiting = yield* Effect.fork(storage(two.body).get(bucket))
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(waiting)
      const busy = answering(
        () => ({ status: 503, body: three.body, headers: type }),
        () => ({ status: 404, body: "", headers: {} })
      )
      yield* StorageRetry.withRetry(busy.client, StorageRetry.standard).get(bucket)
      expect(bodies.map(({ seen }) => seen.cancelled)).toEqual([true, true, true])
    }).pipe(Scripted.world)
  )

  it.effect("is left alone when the answer to a HEAD announces one, and when the answer is not an error", () =>
    Effect.gen(function* () {
      const { body, seen } = chunked([limited])
      const { client } = answering(() => ({ body, headers: type }))
      const response = yield* StorageRetry.withRetry(client, StorageRetry.standard).head(bucket)
      expect([response.status, seen.pulled]).toEqual([403, 0])
    }).pipe(Scripted.world)
  )
})
