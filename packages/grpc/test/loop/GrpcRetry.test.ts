import { Backoff, Classifier, Deadline, Jitter, Observe, Retry, Verdict } from "@effect-retry/core"
import { GrpcClassifier, GrpcRetry, ServiceConfig, StatusCode, Throttle } from "@effect-retry/grpc"
import { Expect, Scripted, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { assertType, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, Exit, Fiber, Option } from "effect"
import { CallFailed, configOf, failing, failure, method, retryPolicy, server, unavailable } from "../support/Calls.ts"

const jitter = Jitter.none

/** https://github.com/grpc/grpc-java, RetriableStreamTest.java at 5fda0c7. */
const javaPolicy = {
  maxAttempts: 6,
  initialBackoff: "100s",
  maxBackoff: "700s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"]
}

describe("GrpcRetry.call under a retryPolicy", () => {
  // grpc-java 5fda0c7, RetriableStreamTest.java, whose random factor is 1; the last trailer comes too late for a retry.
  it.effect.each<{ name: string; trailers: ReadonlyArray<string | undefined>; waits: ReadonlyArray<number> }>([
    { name: "waits as the back-off says", trailers: Array(6), waits: [100_000, 200_000, 400_000, 700_000, 700_000] },
    {
      name: "waits exactly what the server asks for, and starts over after it",
      trailers: ["123", "4567000", undefined, undefined, undefined, "4567000"],
      waits: [123, 4_567_000, 100_000, 200_000, 400_000]
    },
    {
      name: "retries at once after a pushback of no time, and starts over after it",
      trailers: [undefined, undefined, "0", undefined, undefined, undefined],
      waits: [100_000, 200_000, 100_000, 200_000]
    }
  ])("$name", ({ trailers, waits }) =>
    Effect.gen(function* () {
      const service = yield* failing(Array.from(trailers, (trailer) => unavailable(trailer)))
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy: javaPolicy }), { maxAttemptsCap: 6, jitter })
      const timeline = yield* Timeline.record(grpc.call(method, () => service.call))
      expect(Timeline.waitsMillis(timeline)).toEqual(waits)
      Expect.attempts(timeline, 6)
      expect(timeline.exit).toEqual(Exit.fail(unavailable(trailers[5])))
    }).pipe(VirtualClock.run)
  )

  // https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback"; several values: grpc-go 4793ad0.
  it.effect.each<{ pushback: unknown; waits: ReadonlyArray<number> }>([
    { pushback: "-1", waits: [] },
    { pushback: "xxx", waits: [] },
    { pushback: "", waits: [] },
    { pushback: ["100", "10"], waits: [] },
    { pushback: "2147483648", waits: [] },
    { pushback: "007", waits: [] },
    { pushback: "1.5", waits: [] },
    { pushback: "5 ms", waits: [] },
    { pushback: "+5", waits: [] },
    { pushback: " 5 ", waits: [] },
    { pushback: 5, waits: [] },
    { pushback: Buffer.from("5"), waits: [] },
    { pushback: "1000", waits: [1_000] },
    { pushback: ["1000"], waits: [1_000] },
    { pushback: "2147483647", waits: [2_147_483_647] },
    { pushback: [], waits: [10] }
  ])("reads the pushback $pushback", ({ pushback, waits }) =>
    Effect.gen(function* () {
      const service = yield* Scripted.make([Scripted.fail(unavailable(pushback)), Scripted.succeed("books")])
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }), { jitter })
      Expect.waits(yield* Timeline.record(grpc.call(method, () => service.call)), waits)
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{ name: string; metadata: unknown }>([
    { name: "Metadata", metadata: { get: (name: string) => (name === "grpc-retry-pushback-ms" ? ["70"] : []) } },
    { name: "Headers", metadata: new Headers({ "grpc-retry-pushback-ms": "70" }) },
    { name: "Map", metadata: new Map([["grpc-retry-pushback-ms", "70"]]) },
    { name: "record", metadata: { "grpc-retry-pushback-ms": "70" } }
  ])("reads the pushback in a $name", ({ metadata }) =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }), { jitter })
      const timeline = yield* Timeline.record(
        grpc.call(method, (number) =>
          Timeline.attempt(number === 1 ? Effect.fail({ code: "unavailable", metadata }) : Effect.void)
        )
      )
      Expect.waits(timeline, [70])
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{ name: string; error: object; waits: ReadonlyArray<number> }>([
    {
      name: "a pushback of the cause that forbids a retry",
      error: { code: "UNAVAILABLE", cause: { code: 14, metadata: { "grpc-retry-pushback-ms": "-1" } } },
      waits: []
    },
    {
      name: "a delay of the cause",
      error: { code: "UNAVAILABLE", cause: { code: 14, metadata: { "grpc-retry-pushback-ms": "70" } } },
      waits: [70]
    },
    {
      name: "the outer one of two pushbacks",
      error: {
        metadata: { "grpc-retry-pushback-ms": "80" },
        cause: { code: 14, metadata: { "grpc-retry-pushback-ms": "70" } }
      },
      waits: [80]
    },
    {
      name: "the code of the cause, under a pushback",
      error: { metadata: { "grpc-retry-pushback-ms": "80" }, cause: { code: 14 } },
      waits: [80]
    },
    { name: "the outer one of two codes", error: { code: "NOT_FOUND", cause: { code: 14 } }, waits: [] }
  ])("reads an error with a cause: $name", ({ error, waits }) =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }), { jitter })
      const call = (number: number) => Timeline.attempt(number === 1 ? Effect.fail(error) : Effect.void)
      Expect.waits(yield* Timeline.record(Effect.either(grpc.call(method, call))), waits)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([1, 2, 3, 4, 5])("draws 20 % either way, above the greatest delay as well: seed %d", (seed) =>
    Effect.gen(function* () {
      const service = yield* failing(Array.from({ length: 6 }, () => unavailable()))
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy: javaPolicy }), { maxAttemptsCap: 6 })
      const waits = Timeline.waitsMillis(yield* Timeline.record(grpc.call(method, () => service.call)))
      const factors = waits.map((wait, n) => wait / [100_000, 200_000, 400_000, 700_000, 700_000][n]!)
      expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.8)
      expect(Math.max(...factors)).toBeLessThanOrEqual(1.2)
      expect(new Set(factors).size).toBe(5)
    }).pipe(Effect.provide(SeededRandom.layer(seed)), VirtualClock.run)
  )

  // grpc-go 4793ad0, test/retry_test.go: the server's calls are numbered from 0, over all operations.
  it.effect("makes and repeats calls as grpc-go does", () =>
    Effect.gen(function* () {
      const fatal = [6, 8, 11]
      const service = server([0, 2, 5], (call) => (fatal.includes(call) ? "INTERNAL" : "ALREADY_EXISTS"))
      const grpc = yield* GrpcRetry.make(
        configOf({ retryPolicy: { ...retryPolicy, retryableStatusCodes: ["ALREADY_EXISTS"] } })
      )
      for (const [outcome, last] of [
        ["OK", 0],
        ["OK", 2],
        ["OK", 5],
        ["INTERNAL", 6],
        ["INTERNAL", 8],
        ["INTERNAL", 11],
        ["ALREADY_EXISTS", 15]
      ] as const) {
        const code = yield* Effect.match(
          grpc.call(method, () => service.call),
          {
            onSuccess: () => "OK",
            onFailure: (error) => StatusCode.fromNumber(error.code)
          }
        )
        expect([code, service.latest()]).toEqual([outcome, last])
      }
    }).pipe(VirtualClock.run)
  )

  // grpc-go 4793ad0, test/retry_test.go, "maxCallAttempts"; grpc-js, test/test-retry.ts at 2670b37, for the last two.
  it.effect.each<{ service: number; client: number | undefined; attempts: number }>([
    { service: 9, client: 4, attempts: 4 },
    { service: 9, client: 7, attempts: 7 },
    { service: 3, client: 10, attempts: 3 },
    { service: 8, client: -1, attempts: 5 },
    { service: 3, client: 0, attempts: 3 },
    { service: 10, client: undefined, attempts: 5 },
    { service: 10, client: 8, attempts: 8 }
  ])("makes at most $attempts attempts of $service under a limit of $client", ({ attempts, client, service }) =>
    Effect.gen(function* () {
      const fields = { retryPolicy: { ...retryPolicy, maxAttempts: service } }
      const grpc = yield* GrpcRetry.make(configOf(fields), { maxAttemptsCap: client })
      const sent: Array<number> = []
      const call = (number: number) =>
        Effect.zipRight(
          Effect.sync(() => sent.push(number)),
          Effect.fail(unavailable())
        )
      yield* Effect.flip(grpc.call(method, call))
      expect(sent).toEqual(Array.from({ length: attempts }, (_, i) => i + 1))
      expect(grpc.policy(method).maxAttempts).toBe(attempts)
    }).pipe(VirtualClock.run)
  )

  it.effect("interrupts a wait at once, and passes defects through", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy: javaPolicy }))
      const fiber = yield* Effect.fork(grpc.call(method, () => Effect.fail(unavailable())))
      yield* Effect.sleep("1 second")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      const died = yield* Effect.exit(grpc.call(method, () => Effect.die("broken")))
      expect(died).toEqual(Exit.die("broken"))
      const threw = yield* Effect.exit(
        grpc.call(method, (): Effect.Effect<never> => {
          throw new TypeError("broken")
        })
      )
      expect(Exit.isFailure(threw) && Cause.isDie(threw.cause)).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("numbers the attempts of each run afresh", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }))
      const sent: Array<number> = []
      const call = grpc.call(method, (number) =>
        Effect.zipRight(
          Effect.sync(() => sent.push(number)),
          number < 2 ? Effect.fail(unavailable()) : Effect.succeed("books")
        )
      )
      yield* Effect.repeatN(call, 1)
      expect(sent).toEqual([1, 2, 1, 2])
    }).pipe(VirtualClock.run)
  )
})

describe("GrpcRetry.call under retryThrottling", () => {
  // grpc-go 4793ad0, test/retry_test.go: its comments round the tokens, its results and calls agree with these rows.
  it.effect("grants and refuses the retries of all methods as grpc-go does", () =>
    Effect.gen(function* () {
      const service = server([0, 3, 6, 10, 11, 12, 13, 14, 16, 18])
      const throttling = { maxTokens: 10, tokenRatio: 0.5 }
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }, throttling))
      const bucket = Option.getOrThrow(grpc.bucket)
      for (const [row, [outcome, last, tokens]] of (
        [
          ["OK", 0, 10],
          ["OK", 3, 8.5],
          ["OK", 6, 7],
          ["UNAVAILABLE", 8, 5],
          ["UNAVAILABLE", 9, 4],
          ["OK", 10, 4.5],
          ["OK", 11, 5],
          ["OK", 12, 5.5],
          ["OK", 13, 6],
          ["OK", 14, 6.5],
          ["OK", 16, 6],
          ["UNAVAILABLE", 17, 5]
        ] as const
      ).entries()) {
        const code = yield* Effect.match(
          grpc.call(`${method}${row % 3}`, () => service.call),
          {
            onSuccess: () => "OK",
            onFailure: (error) => StatusCode.fromNumber(error.code)
          }
        )
        expect([code, service.latest(), yield* bucket.level]).toEqual([outcome, last, tokens])
      }
    }).pipe(VirtualClock.run)
  )

  // grpc-java 5fda0c7, RetriableStreamTest.java. It retries the fourth; this follows the text, as grpc-go and grpc-js do.
  it.effect.each<{ code: StatusCode.StatusCode; pushback: string | undefined; tokens: number }>([
    { code: "UNAVAILABLE", pushback: undefined, tokens: 2 },
    { code: "INTERNAL", pushback: undefined, tokens: 3 },
    { code: "UNAVAILABLE", pushback: "1000", tokens: 2 },
    { code: "INTERNAL", pushback: "1000", tokens: 3 },
    { code: "UNAVAILABLE", pushback: "-1", tokens: 2 },
    { code: "INTERNAL", pushback: "-1", tokens: 2 }
  ])(
    "does not retry $code with the pushback $pushback, and has $tokens tokens left of 3",
    ({ code, pushback, tokens }) =>
      Effect.gen(function* () {
        const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }, { maxTokens: 4, tokenRatio: 0.8 }))
        const bucket = Option.getOrThrow(grpc.bucket)
        yield* Effect.flip(grpc.call(method, () => Effect.fail(unavailable("-1"))))
        expect(yield* bucket.level).toBe(3)
        const service = yield* failing([failure(code, pushback)])
        yield* Effect.flip(grpc.call(method, () => service.call))
        expect(yield* bucket.level).toBe(tokens)
      }).pipe(VirtualClock.run)
  )

  it.effect("takes a token for a pushback that forbids a retry, whichever classifier reads it", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }, { maxTokens: 4, tokenRatio: 0.5 }))
      const bucket = Option.getOrThrow(grpc.bucket)
      const levelAfter = (classifier: Classifier.Classifier, end: CallFailed) =>
        Effect.zipRight(
          Effect.flip(Retry.retry(Effect.fail(end), { ...grpc.policy(method), attempt: undefined, classifier })),
          bucket.level
        )
      const silent = () => Verdict.noOpinion
      const own = GrpcClassifier.make({ codes: ["ABORTED"] })
      expect(yield* levelAfter(own, failure("ABORTED", "-1"))).toBe(3)
      expect(yield* levelAfter(Classifier.firstOf(silent, own), failure("INTERNAL", "-1"))).toBe(2)
      expect(yield* levelAfter(own, failure("INTERNAL"))).toBe(2)
      const saying = () => Verdict.terminal("grpc-retry-pushback-ms forbids a retry")
      expect(yield* levelAfter(saying, failure("INTERNAL"))).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("cuts off the decimals of a ratio, and counts calls of every method", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }, { maxTokens: 4, tokenRatio: 0.5466 }))
      const bucket = Option.getOrThrow(grpc.bucket)
      const levelAfter = (called: string, end: Effect.Effect<void, CallFailed>) =>
        Effect.zipRight(Effect.exit(grpc.call(called, () => end)), bucket.level)
      expect(yield* levelAfter(method, Effect.fail(unavailable("-1")))).toBe(3)
      expect(yield* levelAfter("/unknown.Service/Get", Effect.void)).toBe(3.546)
      expect(yield* levelAfter("/unknown.Service/Get", Effect.fail(unavailable()))).toBe(3.546)
      expect(yield* levelAfter("/unknown.Service/Get", Effect.fail(unavailable("-1")))).toBe(2.546)
    }).pipe(VirtualClock.run)
  )

  it.effect("uses the caller's bucket instead of a throttle of its own", () =>
    Effect.gen(function* () {
      const bucket = yield* Throttle.make({ maxTokens: 4, tokenRatio: 1 })
      const throttled = configOf({ retryPolicy }, { maxTokens: 1000, tokenRatio: 1 })
      const first = yield* GrpcRetry.make(throttled, { bucket })
      const second = yield* GrpcRetry.make(throttled, { bucket })
      const call = (grpc: GrpcRetry.GrpcRetry) =>
        Effect.map(
          Timeline.record(Effect.either(grpc.call(method, () => Timeline.attempt(Effect.fail(unavailable()))))),
          (timeline) => Timeline.attempts(timeline).length
        )
      expect(yield* call(first)).toBe(2)
      expect(yield* call(second)).toBe(1)
      expect(yield* bucket.level).toBe(1)
    }).pipe(VirtualClock.run)
  )
})

/** Reads the progress that a failure of these tests carries. */
const progress: GrpcRetry.ProgressOf = (error) =>
  (error instanceof CallFailed ? (error.progress as GrpcRetry.Progress | undefined) : undefined) ?? "Processed"

const ended = (how: GrpcRetry.Progress) => new CallFailed({ code: 14, progress: how })
const notSent = ended("NotSent")
const refused = ended("Refused")
const dropped = ended("Dropped")
const committed = ended("Committed")
const processed = ended("Processed")

describe("GrpcRetry.call with transparent retries", () => {
  // https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Transparent Retries"; the thousand is grpc-java's.
  it.effect.each<{
    name: string
    errors: ReadonlyArray<CallFailed>
    sent: ReadonlyArray<number>
    waits: ReadonlyArray<number>
    tokens: number
    ends: CallFailed | "success"
  }>([
    {
      name: "repeats at once, as often as needed, what never left the client",
      errors: Array(999).fill(notSent),
      sent: Array(1000).fill(1),
      waits: [],
      tokens: 10,
      ends: "success"
    },
    {
      name: "gives up when a thousand repetitions never left the client",
      errors: Array(1001).fill(notSent),
      sent: Array(1001).fill(1),
      waits: [],
      tokens: 10,
      ends: notSent
    },
    {
      name: "repeats once, at once, what the library of the server refused",
      errors: [refused],
      sent: [1, 1],
      waits: [],
      tokens: 10,
      ends: "success"
    },
    {
      name: "then goes on by the policy",
      errors: [refused, refused, refused],
      sent: [1, 1, 2, 3],
      waits: [10, 10],
      tokens: 8,
      ends: "success"
    },
    {
      name: "counts no transparent retry among the attempts",
      errors: [refused, notSent, processed, notSent, notSent, processed, processed, notSent, processed],
      sent: [1, 1, 1, 2, 2, 2, 3, 4, 4],
      waits: [10, 10, 10],
      tokens: 6,
      ends: processed
    },
    {
      name: "retries by the policy what was refused after another failure",
      errors: [processed, refused],
      sent: [1, 2, 3],
      waits: [10, 10],
      tokens: 8,
      ends: "success"
    },
    {
      name: "ends at once when the load balancer drops",
      errors: [dropped],
      sent: [1],
      waits: [],
      tokens: 10,
      ends: dropped
    },
    {
      name: "does not retry what is committed",
      errors: [processed, committed],
      sent: [1, 2],
      waits: [10],
      tokens: 9,
      ends: committed
    }
  ])("$name", ({ ends, errors, sent, tokens, waits }) =>
    Effect.gen(function* () {
      const config = configOf({ retryPolicy }, { maxTokens: 10, tokenRatio: 0.001 })
      const grpc = yield* GrpcRetry.make(config, { progress, jitter })
      const service = yield* Scripted.make([
        ...errors.map((error) => Scripted.fail(error)),
        Scripted.succeed(undefined)
      ])
      const numbers: Array<number> = []
      const timeline = yield* Timeline.record(
        grpc.call(method, (number) => {
          numbers.push(number)
          return service.call
        })
      )
      expect(numbers).toEqual(sent)
      expect(Timeline.waitsMillis(timeline)).toEqual(waits)
      expect(timeline.exit).toEqual(ends === "success" ? Exit.void : Exit.fail(ends))
      const credit = ends === "success" && tokens < 10 ? 0.001 : 0
      expect(yield* Option.getOrThrow(grpc.bucket).level).toBeCloseTo(tokens + credit, 9)
    }).pipe(VirtualClock.run)
  )

  it.effect("repeats even when a method has no policy, and no longer than its timeout", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ timeout: "10s" }), { progress })
      const call = Timeline.attempt(Effect.delay(Effect.fail(notSent), "1 second"))
      const timeline = yield* Timeline.record(grpc.call(method, () => call))
      Expect.attempts(timeline, 10)
      expect(timeline.exit).toEqual(Exit.fail(notSent))
    }).pipe(VirtualClock.run)
  )
})

describe("GrpcRetry.make", () => {
  it.effect("makes one attempt when the config has no policy for a method", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }))
      const timeline = yield* Timeline.record(
        grpc.call("/other.Service/Get", () => Timeline.attempt(Effect.fail(unavailable())))
      )
      Expect.attempts(timeline, 1)
      expect(grpc.bucket).toEqual(Option.none())
      expect(grpc.hedging(method)).toEqual(Option.none())
    }).pipe(VirtualClock.run)
  )

  it.effect("follows the entry with the longest name", () =>
    Effect.gen(function* () {
      const of = (maxAttempts: number) => ({ retryPolicy: { ...retryPolicy, maxAttempts } })
      const grpc = yield* GrpcRetry.make(
        ServiceConfig.make({
          methodConfig: [
            { name: [{}], ...of(2) },
            { name: [{ service: "a.B" }], ...of(3) },
            { name: [{ service: "a.B", method: "C" }], ...of(4) }
          ]
        })
      )
      expect(["/x.Y/Z", "/a.B/D", "/a.B/C"].map((path) => grpc.policy(path).maxAttempts)).toEqual([2, 3, 4])
    })
  )

  it.effect("starts no attempt after the timeout of the method", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ timeout: "350s", retryPolicy: javaPolicy }), { jitter })
      const call = Timeline.attempt(Effect.fail(unavailable()))
      const timeline = yield* Timeline.record(grpc.call(method, () => call))
      Expect.starts(timeline, [0, "100 seconds", "300 seconds"])
      Expect.noTrailingWait(timeline)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    ["0s", 1],
    ["315576000000s", 4]
  ] as const)("takes any timeout that JSON can say: %s", ([timeout, attempts]) =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ timeout, retryPolicy }))
      const call = Timeline.attempt(Effect.fail(unavailable()))
      Expect.attempts(yield* Timeline.record(grpc.call(method, () => call)), attempts)
    }).pipe(VirtualClock.run)
  )

  it.effect("tells observers of calls by their method and the name of their status code", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const observer: Observe.Observer = (event) =>
        Effect.sync(() =>
          heard.push(`${event._tag} ${event.details().subject} ${event.details().outcome} ${event.attempt}`)
        )
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }), { observe: [observer] })
      yield* grpc.call(method, (number) => (number === 1 ? Effect.fail(unavailable()) : Effect.void))
      expect(heard).toEqual([
        `AttemptFailed ${method} UNAVAILABLE 1`,
        `RetryScheduled ${method} UNAVAILABLE 1`,
        `Succeeded ${method}  2`
      ])
    }).pipe(VirtualClock.run)
  )

  it.each<[string, () => unknown, string]>([
    [
      "a config made by hand",
      () => GrpcRetry.make({ methodConfig: [], retryThrottling: { maxTokens: 1001, tokenRatio: 1 } }),
      "GrpcRetry.make: retryThrottling.maxTokens must be a whole number >= 1 and <= 1000, got 1001"
    ],
    [
      "a config that is null",
      () => GrpcRetry.make(null as never),
      "GrpcRetry.make: config must be a service config, got null"
    ],
    [
      "a hedging policy made by hand",
      () => GrpcRetry.make({ methodConfig: [{ name: [], hedgingPolicy: 7 as never }] }),
      "GrpcRetry.make: methodConfig[0].hedgingPolicy must be a hedging policy, got 7"
    ],
    [
      "a duration made by hand",
      () =>
        GrpcRetry.make({
          methodConfig: [
            {
              name: [{}],
              retryPolicy: {
                maxAttempts: 2,
                initialBackoff: Duration.zero,
                maxBackoff: Duration.infinity,
                backoffMultiplier: 1,
                retryableStatusCodes: ["ABORTED"]
              }
            }
          ]
        }),
      'GrpcRetry.make: methodConfig[0].retryPolicy.initialBackoff must be more than no seconds, with up to nine decimals, such as "1.5s", got 0'
    ],
    [
      "options that are a text",
      () => GrpcRetry.make({ methodConfig: [] }, "x" as never),
      'GrpcRetry.make: options must be a record, got "x"'
    ],
    [
      "options that are null",
      () => GrpcRetry.make({ methodConfig: [] }, null as never),
      "GrpcRetry.make: options must be a record, got null"
    ],
    [
      "a limit with a fraction",
      () => GrpcRetry.make({ methodConfig: [] }, { maxAttemptsCap: 2.5 }),
      "GrpcRetry.make: maxAttemptsCap must be a whole number >= 2, or <= 0 for the default, got 2.5"
    ],
    [
      "a limit that a reader takes for no retries",
      () => GrpcRetry.make({ methodConfig: [] }, { maxAttemptsCap: 1 }),
      "GrpcRetry.make: maxAttemptsCap must be a whole number >= 2, or <= 0 for the default, got 1"
    ],
    [
      "a jitter that is none",
      () => GrpcRetry.make({ methodConfig: [] }, { jitter: 0.2 as never }),
      "GrpcRetry.make: jitter must be a jitter, got 0.2"
    ],
    [
      "a progress that is no function",
      () => GrpcRetry.make({ methodConfig: [] }, { progress: "NotSent" as never }),
      'GrpcRetry.make: progress must be a function from error to progress, got "NotSent"'
    ],
    [
      "a bucket that is none",
      () => GrpcRetry.make({ methodConfig: [] }, { bucket: 10 as never }),
      "GrpcRetry.make: bucket must be a TokenBucket, got 10"
    ],
    [
      "observers that are none",
      () => GrpcRetry.make({ methodConfig: [] }, { observe: [1 as never] }),
      "GrpcRetry.make: observe must be an array of observers, such as [Observe.logs(), Observe.metrics], got [1]"
    ]
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(message)
  })
})

describe("GrpcRetry.call", () => {
  it.effect.each<[given: unknown, text: string]>([
    [5, "5"],
    [undefined, "undefined"],
    [Effect.void, ""]
  ])("refuses what is not a function of an attempt: %s", ([given, text]) =>
    Effect.map(GrpcRetry.make(configOf({ retryPolicy })), (grpc) => {
      expect(() => grpc.call(method, given as never)).toThrow(
        `GrpcRetry.call: attempt must be a function from number to effect, got ${text}`
      )
    })
  )
})

describe("GrpcRetry.backoff", () => {
  it.each<[name: string, make: () => unknown, message: string]>([
    ["null", () => GrpcRetry.backoff(null as never), "GrpcRetry.backoff: settings must be a record, got null"],
    ["a text", () => GrpcRetry.backoff("1s" as never), 'GrpcRetry.backoff: settings must be a record, got "1s"'],
    [
      "a jitter that is none",
      () =>
        GrpcRetry.backoff({ initialBackoff: "1 second", maxBackoff: "1 second", backoffMultiplier: 1 }, 0.2 as never),
      "GrpcRetry.backoff: jitter must be a jitter, got 0.2"
    ]
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(message)
  })
})

describe("GrpcRetry.policy", () => {
  it.effect("works with the functions of core, which say why a call stopped", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }, { maxTokens: 3, tokenRatio: 1 }))
      const sent: Array<number> = []
      const call = Effect.flatMap(Retry.CurrentAttempt, ({ number }) => {
        sent.push(number)
        return Effect.fail(unavailable())
      })
      const reason = (policy: GrpcRetry.Policy) =>
        Effect.map(Effect.flip(Retry.orStopped(call, policy)), (stopped) => Retry.format(stopped.reason))
      expect(yield* reason(grpc.policy(method))).toBe("the bucket refused the retry")
      expect(yield* reason({ ...grpc.policy(method), bucket: undefined })).toBe("all attempts spent")
      expect(yield* reason(grpc.policy("/a.B/C"))).toBe(
        "not retryable: UNAVAILABLE, and the method has no retry policy"
      )
      expect(sent).toEqual([1, 2, 1, 2, 3, 4, 1])
    }).pipe(VirtualClock.run)
  )

  it.effect.each<[error: unknown, says: string]>([
    [unavailable("-1"), "not retryable: grpc-retry-pushback-ms forbids a retry"],
    [failure("INTERNAL"), "not retryable: INTERNAL"],
    [failure("INTERNAL", "-1"), "not retryable: grpc-retry-pushback-ms forbids a retry"],
    [
      new CallFailed({ code: 14, progress: "Committed" }),
      "not retryable: the response had begun, or the request is no longer kept"
    ],
    [dropped, "not retryable: the load balancer dropped the call"],
    [notSent, "not retryable: the call did not leave the client"],
    ["a text", "not retryable: no classifier has an opinion"],
    [{ code: "ENOENT" }, "not retryable: no classifier has an opinion"]
  ])("says why a failure is not retried: %o", ([error, says]) =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }), { progress })
      const stopped = yield* Effect.flip(Retry.orStopped(Effect.fail(error), grpc.policy(method)))
      expect(Retry.format(stopped.reason)).toBe(says)
    }).pipe(VirtualClock.run)
  )

  it.effect.each<[error: unknown, says: string]>([
    [failure("UNAVAILABLE"), "not retryable: UNAVAILABLE, and the method has no retry policy"],
    [unavailable("-1"), "not retryable: grpc-retry-pushback-ms forbids a retry"],
    [dropped, "not retryable: the load balancer dropped the call"],
    ["a text", "not retryable: no classifier has an opinion"]
  ])("says of a method without a policy why a failure is not retried: %o", ([error, says]) =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ retryPolicy }), { progress })
      const stopped = yield* Effect.flip(Retry.orStopped(Effect.fail(error), grpc.policy("/misspelt.Service/Get")))
      expect(Retry.format(stopped.reason)).toBe(says)
    }).pipe(VirtualClock.run)
  )

  it.effect("is one attempt for a method with a hedging policy", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ hedgingPolicy: { maxAttempts: 3 } }))
      expect(grpc.policy(method).maxAttempts).toBe(1)
      expect(Option.map(grpc.hedging(method), (policy) => policy.maxAttempts)).toEqual(Option.some(3))
    })
  )
})

describe("GrpcRetry.attemptHeaders", () => {
  it("says how many attempts were made before, and nothing for the first", () => {
    expect([1, 2, 3, 4].map(GrpcRetry.attemptHeaders)).toEqual(
      [{}, "1", "2", "3"].map((before) =>
        typeof before === "string" ? { "grpc-previous-rpc-attempts": before } : before
      )
    )
    expect(() => GrpcRetry.attemptHeaders(0)).toThrow(
      "GrpcRetry.attemptHeaders: number must be a whole number >= 1, got 0"
    )
  })
})

class Busy extends Data.TaggedError("Busy")<{ readonly code: number }> {}

describe("GrpcRetry types", () => {
  it("keep result, error and requirements of a call", () => {
    const call = (grpc: GrpcRetry.GrpcRetry, effect: Effect.Effect<string, Busy, Observe.Observer>) =>
      grpc.call(method, () => effect)
    expectTypeOf(call).returns.toEqualTypeOf<Effect.Effect<string, Busy, Observe.Observer>>()
  })

  it("take a policy in a pipe, and changed by spread", () => {
    const call: Effect.Effect<string, Busy, Retry.CurrentAttempt> = Effect.map(Retry.CurrentAttempt, () => "books")
    const of = (policy: GrpcRetry.Policy) => call.pipe(Retry.retry(policy))
    expectTypeOf(of).returns.toEqualTypeOf<Effect.Effect<string, Busy>>()
    const cut = (policy: GrpcRetry.Policy) => Retry.retry(call, { ...policy, deadline: Deadline.cut("1 second") })
    assertType<(policy: GrpcRetry.Policy) => Effect.Effect<string, Busy | Deadline.DeadlineExceeded>>(cut)
    const judged = (policy: GrpcRetry.Policy) =>
      Retry.retry(call, { ...policy, classifier: Classifier.always, backoff: Backoff.constant({ delay: 1 }) })
    assertType<(policy: GrpcRetry.Policy) => Effect.Effect<string, Busy>>(judged)
  })
})
