import { type AttemptTimeout, Backoff, Classifier, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { RetrySettings, ServerStream } from "@effect-retry/google"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Chunk, Clock, Context, Data, Duration, Effect, Exit, FastCheck as fc, Option, Stream } from "effect"
import { law } from "../../../core/test/support/Laws.ts"
import { read } from "../../src/accept/RetrySettingsRecord.ts"
import * as GaxAlgorithm from "../../src/decide/GaxAlgorithm.ts"
import { fast } from "../support/Settings.ts"

class Failed extends Data.TaggedError("Failed")<{ readonly code: string }> {}

const unavailable = new Failed({ code: "UNAVAILABLE" })
const lost = Stream.fail(unavailable)
const codes = { codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"] } as const

/** A server that answers each attempt from a script, the last step again and again; writes the requests down. */
const scripted = <A, E, R>(...streams: ReadonlyArray<Stream.Stream<A, E, R>>) => {
  const requests: Array<string> = []
  const open = (request: string) => {
    requests.push(request)
    return streams[Math.min(requests.length, streams.length) - 1] ?? Stream.empty
  }
  return { open, requests }
}

/** Appends to the request how many responses came before. */
const counting = {
  initial: 0,
  received: <A>(seen: number, response: A) => [seen + 1, response] as const,
  resume: (seen: number, request: string) => Option.some(`${request} > ${seen}`)
}

const policy = RetrySettings.toPolicy({ maxAttempts: 3 }, codes)

const collected = <A, E, R>(stream: Stream.Stream<A, E, R>) => {
  const received: Array<A> = []
  const run = Stream.runForEach(stream, (response) => Effect.sync(() => received.push(response)))
  return Effect.map(Effect.exit(run), (exit) => ({ received, exit: Exit.mapError(exit, String) }))
}

describe("ServerStream.make", () => {
  it.effect("opens a stream again that failed before its first response", () =>
    Effect.gen(function* () {
      const { open, requests } = scripted(lost, lost, Stream.make(1, 2))
      const ended = yield* collected(ServerStream.make({ request: "all", open }, policy))
      expect(ended).toEqual({ received: [1, 2], exit: Exit.void })
      expect(requests).toEqual(["all", "all", "all"])
    })
  )

  it.effect("fails after a first response when no resumption says how to go on", () =>
    Effect.gen(function* () {
      const { open, requests } = scripted(Stream.concat(Stream.make(1), lost))
      const ended = yield* collected(ServerStream.make({ request: "all", open }, policy))
      expect(ended).toEqual({ received: [1], exit: Exit.fail(String(unavailable)) })
      expect(requests).toEqual(["all"])
    })
  )

  // Source: googleapis/sdk-platform-java 56aa343, gax-java, ServerStreamingAttemptCallableTest.java.
  it.effect("asks for what is left, and changes responses, as the resumption says", () =>
    Effect.gen(function* () {
      const { open, requests } = scripted(Stream.concat(Stream.make("a", "b"), lost), Stream.make("c"))
      const resumption = {
        ...counting,
        resume: (seen: number) => Option.some(`request > ${seen}`),
        received: (seen: number, response: string) => [seen + 1, `${response}${seen}`] as const
      }
      const ended = yield* collected(ServerStream.make({ request: "request > 0", open, resumption }, policy))
      expect(ended).toEqual({ received: ["a0", "b1", "c2"], exit: Exit.void })
      expect(requests).toEqual(["request > 0", "request > 2"])
    })
  )

  it.effect("fails with the error when the resumption does not go on, and says why it stopped", () =>
    Effect.gen(function* () {
      const { open, requests } = scripted(Stream.concat(Stream.make(1, 2), lost))
      const resumption = { ...counting, resume: (seen: number) => (seen < 2 ? Option.some("more") : Option.none()) }
      const heard: Array<unknown> = []
      const observe = [
        (event: { readonly _tag: string; readonly reason?: unknown }) =>
          Effect.sync(() => heard.push(event.reason ?? event._tag))
      ]
      const ended = yield* collected(ServerStream.make({ request: "all", open, resumption }, { ...policy, observe }))
      expect(ended).toEqual({ received: [1, 2], exit: Exit.fail(String(unavailable)) })
      expect(requests).toEqual(["all"])
      expect(heard).toEqual([
        "AttemptFailed",
        { _tag: "Terminal", why: "the stream cannot go on after what it has received" }
      ])
    })
  )

  it.effect("is not opened again after an error that is not retryable", () =>
    Effect.gen(function* () {
      const error = new Failed({ code: "NOT_FOUND" })
      const { open, requests } = scripted(Stream.concat(Stream.make(1), Stream.fail(error)))
      const ended = yield* collected(ServerStream.make({ request: "all", open, resumption: counting }, policy))
      expect([ended.exit, requests]).toEqual([Exit.fail(String(error)), ["all"]])
    })
  )

  it.effect("counts attempts from the latest progress", () =>
    Effect.gen(function* () {
      const some = Stream.concat(Stream.make("row"), lost)
      const { open, requests } = scripted(lost, some, lost, some, lost, lost)
      const ended = yield* collected(ServerStream.make({ request: "all", open, resumption: counting }, policy))
      expect(ended).toEqual({ received: ["row", "row"], exit: Exit.fail(String(unavailable)) })
      expect(requests).toEqual(["all", "all > 0", "all > 1", "all > 1", "all > 2", "all > 2"])
    })
  )

  it.effect("begins afresh whenever it is run", () =>
    Effect.gen(function* () {
      const some = Stream.concat(Stream.make("row"), lost)
      const { open, requests } = scripted(some, Stream.make("end"), some, Stream.make("end"))
      const stream = ServerStream.make({ request: "all", open, resumption: counting }, policy)
      expect(yield* collected(stream)).toEqual(yield* collected(stream))
      expect(requests).toEqual(["all", "all > 1", "all", "all > 1"])
    })
  )

  it.effect("asks the server for no more than the reader asks for, over all attempts", () =>
    Effect.gen(function* () {
      const pulled: Array<string> = []
      const rows = (attempt: number, count: number) =>
        Stream.repeatEffect(Effect.sync(() => pulled.push(`row of attempt ${attempt}`))).pipe(
          Stream.take(count),
          Stream.rechunk(1)
        )
      const { open } = scripted(Stream.concat(rows(1, 1), lost), rows(2, 99))
      const stream = ServerStream.make({ request: "all", open, resumption: counting }, policy)
      yield* Stream.runDrain(Stream.take(stream, 5))
      expect(pulled).toEqual(["row of attempt 1", ...Array.from({ length: 4 }, () => "row of attempt 2")])
    })
  )

  it.effect("hands on whole chunks, and knows each of their responses", () =>
    Effect.gen(function* () {
      const first = Stream.concat(Stream.fromChunk(Chunk.make(1, 2, 3)), lost)
      const { open, requests } = scripted(first, Stream.fromChunk(Chunk.make(4, 5)))
      const stream = ServerStream.make({ request: "all", open, resumption: counting }, policy)
      const chunks = yield* Stream.runCollect(Stream.chunks(stream))
      expect([...chunks].map((chunk) => [...chunk])).toEqual([
        [1, 2, 3],
        [4, 5]
      ])
      expect(requests).toEqual(["all", "all > 3"])
    })
  )

  it.effect("is one operation for a bucket", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const quota = yield* TokenBucket.quota({ capacity: 20, cost: { orElse: 10 } })
      const bucket: TokenBucket.TokenBucket = {
        ...quota,
        record: (outcome) =>
          Effect.zipRight(
            Effect.sync(() => told.push(outcome._tag)),
            quota.record(outcome)
          )
      }
      const { open } = scripted(Stream.concat(Stream.make(1), lost), lost, Stream.make(2))
      const own = { ...policy, bucket }
      yield* collected(ServerStream.make({ request: "all", open, resumption: counting }, own))
      expect(told).toEqual(["Failed", "Failed", "Succeeded"])
    })
  )

  it.effect("closes what an attempt has opened before the next one, and when the reader ends early", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const note = (line: string) => Effect.sync(() => void log.push(line))
      let opened = 0
      const open = () =>
        Stream.unwrapScoped(
          Effect.map(
            Effect.acquireRelease(
              Effect.suspend(() => Effect.as(note(`open ${++opened}`), opened)),
              (number) => note(`close ${number}`)
            ),
            (number) => Stream.concat(Stream.make(number), number === 1 ? lost : Stream.never)
          )
        )
      const stream = ServerStream.make({ request: "all", open, resumption: counting }, policy)
      expect([...(yield* Stream.runCollect(Stream.take(stream, 2)))]).toEqual([1, 2])
      expect(log).toEqual(["open 1", "close 1", "open 2", "close 2"])
    })
  )

  it.effect("passes defects through", () =>
    Effect.gen(function* () {
      const { open, requests } = scripted(Stream.concat(Stream.make(1), Stream.die("bug")))
      const exit = yield* Effect.exit(
        Stream.runDrain(ServerStream.make({ request: "all", open, resumption: counting }, policy))
      )
      expect([exit, requests]).toEqual([Exit.die("bug"), ["all"]])
      const wrong = {
        ...counting,
        received: () => {
          throw new RangeError("bug")
        }
      }
      const call = { request: "all", open: scripted(Stream.make(1)).open, resumption: wrong }
      const died = yield* Effect.exit(Stream.runDrain(ServerStream.make(call, policy)))
      expect(died).toEqual(Exit.die(new RangeError("bug")))
    })
  )

  it("refuses what types cannot exclude", () => {
    const judging = { ...policy, result: () => Verdict.transient }
    // @ts-expect-error a stream has no result
    expect(() => ServerStream.make({ request: "all", open: scripted(lost).open }, judging)).toThrow(
      "ServerStream.make: result must be absent: a stream has no result"
    )
    expect(() => ServerStream.make({ request: "all", open: 5 as never }, policy)).toThrow(
      "ServerStream.make: open must be a function from a request to a stream, got 5"
    )
    const half = { request: "all", open: scripted(lost).open, resumption: { ...counting, resume: undefined as never } }
    expect(() => ServerStream.make(half, policy)).toThrow(
      "ServerStream.make: resumption must be a record with received"
    )
    expect(() => ServerStream.make(null as never, policy)).toThrow("ServerStream.make: call must be a request and how")
    expect(() =>
      ServerStream.make({ request: "all", open: scripted(lost).open }, { ...policy, maxAttempts: 0 })
    ).toThrow("ServerStream.make: maxAttempts must be")
  })
})

/** What an attempt does before it fails. */
interface Step {
  readonly takes: number
  readonly progressed: boolean
}

/** 0 is no timeout. */
interface Started {
  readonly invoked: number
  readonly rpcTimeout: number
}

/** When attempts start, and their timeouts, by the algorithm of the library. */
const planned = (given: RetrySettings.Fields, steps: ReadonlyArray<Step>, u: number): ReadonlyArray<Started> => {
  const settings = read("test", given)
  const started: Array<Started> = []
  let attempt = GaxAlgorithm.first(settings)
  let elapsed = 0
  for (const { progressed, takes } of steps) {
    elapsed += attempt.randomizedRetryDelay
    started.push({ invoked: elapsed, rpcTimeout: attempt.rpcTimeout })
    elapsed += attempt.rpcTimeout === 0 ? takes : Math.min(takes, attempt.rpcTimeout)
    // After progress, delay, timeout and count start over; the time does not.
    const last = progressed ? GaxAlgorithm.first(settings) : attempt
    attempt = GaxAlgorithm.next(settings, last, elapsed, u)
    if (GaxAlgorithm.refusal(settings, attempt, elapsed) !== undefined) break
  }
  return started
}

const ran = (given: RetrySettings.Fields, steps: ReadonlyArray<Step>, u: number) =>
  Effect.gen(function* () {
    const started: Array<Started> = []
    const compiled = RetrySettings.toPolicy(given, codes)
    const open = () =>
      Stream.unwrap(
        Effect.gen(function* () {
          const step = steps[started.length]
          // The plan is cut off there.
          if (step === undefined) return Stream.empty
          const { timeLeft } = yield* Retry.CurrentAttempt
          const left = Option.match(yield* timeLeft, { onNone: () => 0, onSome: Duration.toMillis })
          const rpcTimeout = compiled.attemptTimeout === undefined ? 0 : left
          started.push({ invoked: yield* Clock.currentTimeMillis, rpcTimeout })
          const failing = Stream.fromEffect(Effect.delay(unavailable, step.takes))
          return step.progressed ? Stream.concat(Stream.make("row"), failing) : failing
        })
      )
    const stream = ServerStream.make(
      { request: "all", open, resumption: counting },
      { ...compiled, attempt: Retry.CurrentAttempt }
    )
    yield* Effect.ignore(Stream.runDrain(stream))
    return started
  }).pipe(Effect.provide(SeededRandom.layerConstant(u)), VirtualClock.run)

describe("ServerStream under RetrySettings", () => {
  const failing = { takes: 0, progressed: false }
  const broken = { takes: 0, progressed: true }

  // Source: googleapis/sdk-platform-java 56aa343, gax-java, StreamingRetryAlgorithmTest.java; the delays are 1, 2, then 1.
  it.effect("starts delay, timeout and count over after progress, and not the total timeout", () =>
    Effect.gen(function* () {
      const settings = { ...fast, jittered: false }
      const steps = [failing, failing, broken, failing]
      expect(yield* ran(settings, steps, 0)).toEqual([
        { invoked: 0, rpcTimeout: 1 },
        { invoked: 1, rpcTimeout: 2 },
        { invoked: 3, rpcTimeout: 4 },
        { invoked: 4, rpcTimeout: 2 }
      ])
      const broke = Array.from({ length: 30 }, () => broken)
      const starts = (yield* ran({ ...settings, totalTimeout: 20 }, broke, 0)).map(({ invoked }) => invoked)
      expect(starts).toEqual(Array.from({ length: 20 }, (_, i) => i))
    })
  )

  const multiplier = fc.constantFrom(1, 1.3, 1.5, 2)
  const limit = (max: number) =>
    fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(max) })
  const settings = fc
    .record({
      totalTimeout: limit(20_000),
      initialRetryDelay: fc.nat(1_000),
      moreDelay: fc.nat(5_000),
      retryDelayMultiplier: multiplier,
      maxAttempts: limit(5),
      jittered: fc.boolean(),
      initialRpcTimeout: limit(3_000),
      moreTimeout: fc.nat(5_000),
      rpcTimeoutMultiplier: multiplier
    })
    .map(({ moreDelay, moreTimeout, ...some }) => ({
      ...some,
      maxRetryDelay: some.initialRetryDelay + moreDelay,
      maxRpcTimeout: some.initialRpcTimeout + moreTimeout
    }))
  const steps = fc.array(fc.record({ takes: fc.nat(2_000), progressed: fc.boolean() }), { minLength: 1, maxLength: 12 })

  it.effect.prop(
    "makes the attempts of the library, whatever the settings and the failures",
    [settings, steps, fc.nat(999).map((u) => u / 1_000)],
    ([settings, steps, u]) =>
      Effect.gen(function* () {
        expect(yield* ran(settings, steps, u)).toEqual(planned(settings, steps, u))
      }),
    law(40)
  )

  it.effect("bounds an attempt by its timeout, the time of the reader included, and goes on after it", () =>
    Effect.gen(function* () {
      const settings = { maxAttempts: 2, initialRpcTimeout: 1000, maxRpcTimeout: 1000 }
      const rows = Stream.repeatEffect(Effect.delay(Effect.succeed("row"), 300))
      const { open, requests } = scripted(rows, Stream.make("end"))
      const call = { request: "all", open, resumption: counting }
      const stream = ServerStream.make(call, RetrySettings.toPolicy(settings, codes))
      const taken = Stream.tap(stream, () => Effect.sleep(100))
      const { received } = yield* VirtualClock.run(collected(taken))
      expect(received).toEqual(["row", "row", "end"])
      expect(requests).toEqual(["all", "all > 2"])
    })
  )
})

describe("ServerStream.make types", () => {
  class Rows extends Context.Tag("test/Rows")<Rows, string>() {}
  class Bucket extends Context.Tag("test/Bucket")<Bucket, TokenBucket.TokenBucket>() {}
  const open = (_request: { readonly from: number }): Stream.Stream<string, Failed, Rows> => Stream.empty
  const request = { from: 0 }

  it("knows responses, errors and requirements", () => {
    const plain = () => ServerStream.make({ request, open }, policy)
    expectTypeOf(plain).returns.toEqualTypeOf<Stream.Stream<string, Failed | AttemptTimeout.AttemptTimedOut, Rows>>()
    const changed = () =>
      ServerStream.make(
        {
          request,
          open: (request) => {
            expectTypeOf(request).toEqualTypeOf<{ from: number }>()
            return open(request)
          },
          resumption: {
            initial: 0,
            received: (seen, row) => {
              expectTypeOf(seen).toEqualTypeOf<number>()
              expectTypeOf(row).toEqualTypeOf<string>()
              return [seen + 1, row.length]
            },
            resume: (seen, request) => {
              expectTypeOf(request).toEqualTypeOf<{ from: number }>()
              return Option.some({ from: request.from + seen })
            }
          }
        },
        {
          classifier: (error) => {
            expectTypeOf(error).toEqualTypeOf<Failed>()
            return Verdict.transient
          },
          maxAttempts: 3,
          backoff: Backoff.constant({ delay: 1 }),
          deadline: Deadline.cut("1 second"),
          bucket: Bucket
        }
      )
    expectTypeOf(changed).returns.toEqualTypeOf<
      Stream.Stream<number, Failed | Deadline.DeadlineExceeded, Rows | Bucket>
    >()
  })

  it("provides the running attempt, and refuses a classifier of another error", () => {
    const own = { classifier: Classifier.always, maxAttempts: 2, backoff: Backoff.constant({ delay: 1 }) }
    const reading = () => Stream.fromEffect(Retry.CurrentAttempt)
    const provided = () => ServerStream.make({ request, open: reading }, { ...own, attempt: Retry.CurrentAttempt })
    expectTypeOf(provided).returns.toEqualTypeOf<Stream.Stream<Retry.Attempt>>()
    const narrow = { ...own, classifier: (_error: string) => Verdict.transient }
    // @ts-expect-error the classifier judges another error
    expectTypeOf(() => ServerStream.make({ request, open }, narrow)).returns.not.toBeNever()
  })
})
