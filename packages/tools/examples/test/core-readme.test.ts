import {
  AttemptTimeout,
  Backoff,
  CircuitBreaker,
  Classic,
  Classifier,
  Deadline,
  Hint,
  Jitter,
  Observe,
  Policy,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import * as Millis from "@effect-retry/core/unstable/Millis"
import { Plan } from "@effect-retry/plan"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import {
  Cause,
  Clock,
  Context,
  Data,
  Duration,
  Effect,
  Exit,
  Fiber,
  Logger,
  LogLevel,
  Option,
  Ref,
  Schedule
} from "effect"
import { expectTypeOf } from "vitest"
import * as Stories from "../../../core/test/loop/Stories.ts"
import { timeline } from "../src/scripted.ts"
import { request, succeed, tell, tokensOf } from "../../../core/test/fund/Asking.ts"
import { hear, hearing } from "./heard.ts"
import { read, rowsOf, storyOf, tableOf } from "./rows.ts"

const path = "docs/core.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layer(name))))

const down = Effect.fail("down")

const policy = {
  observe: [hear],
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

const silent = Logger.remove(Logger.defaultLogger)

/** What `Retry.orStopped` says about an operation that answers from a script. */
const stopped = <A, E, E2>(
  answers: readonly [Effect.Effect<A, E>, ...ReadonlyArray<Effect.Effect<A, E>>],
  caller: (call: Effect.Effect<A, E>) => Effect.Effect<A, Retry.RetryStopped<E2>>
) =>
  Effect.gen(function* () {
    const { calls, outcome } = yield* timeline(answers, (call) => Effect.flip(caller(call)))
    return {
      calls,
      error: outcome instanceof Retry.RetryStopped ? outcome.error : undefined,
      reason: outcome instanceof Retry.RetryStopped ? outcome.reason._tag : undefined,
      endedAt: yield* Clock.currentTimeMillis
    }
  })

/** A rate limiter that grants first attempts alone. */
const once: TokenBucket.TokenBucket = {
  ...TokenBucket.unlimited,
  acquire: (request) => (request.attempt === 1 ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
}

/** A row whose policies and attempts are those of core's own tests of all doors. */
const stories =
  (...names: ReadonlyArray<string>) =>
  () =>
    names.forEach((name) => {
      const all: ReadonlyArray<Stories.Story<Stories.Funded>> = [...Stories.plain, ...Stories.funded]
      const { end, policy, reason = "none", script = [], starts } = storyOf(all, name)
      virtually(name, () =>
        Effect.gen(function* () {
          const answers = [...script, undefined].map((word) =>
            word === undefined ? Effect.succeed("done") : Effect.fail(word)
          )
          const { calls, outcome } = yield* timeline(answers as [(typeof answers)[number]], (call) =>
            Retry.orStopped(call, { ...policy, observe: [hear] })
          )
          const stopped = outcome instanceof Retry.RetryStopped ? outcome : { error: outcome, reason: "none" }
          expect({ calls, end: String(stopped.error) }).toEqual({ calls: starts, end })
          expect(stopped).toMatchObject({ reason })
        })
      )
    })

describe(`${path} ## Defaults`, () => {
  const at = (value: unknown, ...fields: ReadonlyArray<string>): unknown =>
    fields.reduce<unknown>(
      (record, field) =>
        typeof record === "object" && record !== null
          ? Object.entries(record).find(([name]) => name === field)?.[1]
          : undefined,
      value
    )
  const standard = Policy.standard.backoff.tree
  /** The bound before a retry, where the back-off is a single curve. */
  const bound = ({ tree }: Backoff.Backoff, n: number): number =>
    tree._tag === "Leaf" ? (tree.curve.delayMillis(n, tree.state, Infinity, 1) ?? NaN) : NaN
  const celery = Classic.celery({ factor: 1 })
  const longest = 2_147_483_647

  const values: Readonly<Record<string, unknown>> = {
    "`Hint.standard` `atMost`": at(Hint.standard, "atMostMillis"),
    "`Hint.standard` `otherwise`": at(Hint.standard, "otherwise"),
    "`Hint.standard` `jitterRatio`": at(Hint.standard, "jitterRatio"),
    "`Hint.floor` `jitterRatio`": at(Hint.floor({ atMost: 1, otherwise: "clamp" }), "jitterRatio"),
    "`Policy.standard` `maxAttempts`": Policy.standard.maxAttempts,
    "`Policy.standard` base": bound(Policy.standard.backoff, 1),
    "`Policy.standard` factor": bound(Policy.standard.backoff, 2) / bound(Policy.standard.backoff, 1),
    "`Policy.standard` cap": at(standard, "capMillis"),
    "`Policy.standard` jitter": at(standard, "jitter", "name"),
    "`Policy.once` `maxAttempts`": Policy.once.maxAttempts,
    "`Backoff.exponential` `factor`": bound(Backoff.exponential({ base: 1 }), 2),
    "`Classic.celery` `maximum`": bound(celery, 30),
    "`Classic.celery` `jitter`": celery.draws,
    // The longest delay is half of it.
    "`Classic.connectRetry` `maximum`": 2 * bound(Classic.connectRetry(), 7),
    "`Deadline.refuse` `reserve`": Deadline.refuse("1 second").reserveMillis,
    "`AttemptTimeout` verdict": at(AttemptTimeout.constant("1 second").verdict, "kind"),
    "`AttemptTimeout` at most": Millis.longestTimerMillis,
    "A bound without a cap, at most": Millis.longestMillis
  }
  const fields = [
    "name",
    "observe",
    "whenNested",
    "attempt",
    "attemptSpan",
    "rateLimiter",
    "attemptTimeout",
    "result",
    "attemptsByKind",
    "hint",
    "deadline",
    "release",
    "bucket"
  ]
  const cells = new Map(rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value]))

  it("has a row for each of these values", () => {
    expect([...cells.keys()]).toEqual([...fields.map((field) => `\`${field}\``), ...Object.keys(values)])
  })

  it.each(Object.entries(values))("%s is what the table says", (option, value) => {
    expect(String(value)).toBe(cells.get(option))
  })

  it("a timeout or a cut above the longest timer is refused", () => {
    expect(AttemptTimeout.constant(longest).millisOf(1, 0)).toBe(longest)
    expect(() => AttemptTimeout.constant(longest + 1)).toThrow("AttemptTimeout.constant: duration must be")
    expect(() => Deadline.cut(longest + 1)).toThrow("Deadline.cut: within must be")
  })

  virtually("a policy of three fields runs, and follows a hint by the standard rule", () =>
    Effect.gen(function* () {
      const hinted = { ...policy, classifier: () => Verdict.retryable("Server", { hint: "59 seconds" }) }
      const callsAt = (u: number) =>
        VirtualClock.run(timeline([down], Retry.retry(hinted))).pipe(Effect.provide(SeededRandom.layerConstant(u)))
      expect((yield* callsAt(0)).calls).toEqual([0, 59_000, 118_000])
      expect((yield* callsAt(1 - Number.EPSILON)).calls).toEqual([0, 60_000, 120_000])
    })
  )
})

/** What a bucket, an observer or a plan does under given options: the same where an option has its default. */
type Trace = (options: Readonly<Record<string, unknown>>) => Effect.Effect<unknown>

/** `neutral` is an option's value that changes nothing, where the default is to have none. */
interface Default {
  readonly trace: Trace
  readonly other: unknown
  readonly neutral?: unknown
}

/** The options without those that the table names by a path, such as `cost.orElse`. */
const undotted = (options: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !name.includes(".")))

describe(`${path} ### Of buckets, observers and plans`, () => {
  const now = Effect.map(Clock.currentTimeNanos, Number)

  type Quota = NonNullable<Parameters<typeof TokenBucket.quota>[0]>
  const quota =
    (base: Quota): Trace =>
    (options) =>
      Effect.gen(function* () {
        const costs = Object.entries(options).filter(([name]) => name.startsWith("cost."))
        const cost = { Throttling: 5, orElse: 14, ...Object.fromEntries(costs.map(([name, n]) => [name.slice(5), n])) }
        const bucket = yield* TokenBucket.quota({
          ...base,
          ...(costs.length === 0 ? {} : { cost }),
          ...undotted(options)
        })
        const seen: Array<unknown> = [yield* bucket.level]
        for (const kind of ["Throttling", "Server"] as const) seen.push(yield* tokensOf(bucket, { kind }))
        yield* succeed(bucket)
        yield* Effect.sleep("2 seconds")
        seen.push(yield* bucket.level)
        for (let n = 0; n < 40; n++) seen.push(yield* tokensOf(bucket, { kind: "Server" }), yield* now)
        return seen
      })

  const successRatio: Trace = (options) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 10, ...options })
      const taken = yield* tokensOf(bucket, { kind: "Server" })
      yield* Effect.sleep("2 seconds")
      return [taken, yield* bucket.level]
    })

  const requestRatio: Trace = (options) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.requestRatio(options)
      const levels = [yield* bucket.level]
      for (let n = 0; n < 20; n++) {
        if (n < 5) yield* bucket.started?.({ attempt: 1 }) ?? Effect.void
        yield* Effect.sleep("1 second")
        levels.push(yield* bucket.level)
      }
      return levels
    })

  /** When attempts are granted by a limiter, one after the other, and whether. */
  const sent = (
    limiter: TokenBucket.TokenBucket,
    count: number,
    ended: (n: number) => "Succeeded" | Verdict.Kind,
    pause = 0
  ) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      for (let n = 0; n < count; n++) {
        yield* Effect.sleep(pause)
        seen.push(yield* tokensOf(limiter, { attempt: 1 }), yield* now)
        yield* tell(limiter, ended(n))
      }
      return seen
    })

  const fixed: Trace = (options) =>
    Effect.flatMap(RateLimiter.fixed({ rate: 1, burst: 1, ...options }), (limiter) =>
      sent(limiter, 3, () => "Succeeded")
    )

  const adaptive: Trace = (options) =>
    Effect.gen(function* () {
      // Forty per second, throttled twice within a second and then never, with a silence in between.
      const busy = yield* RateLimiter.adaptive(options)
      const seen = yield* sent(busy, 100, (n) => (n === 80 || n === 85 ? "Throttling" : "Succeeded"), 25)
      yield* Effect.sleep("30 seconds")
      seen.push(...(yield* sent(busy, 40, () => "Succeeded")))
      // Throttled before there is a rate: the least limit.
      const slow = yield* RateLimiter.adaptive(options)
      seen.push(...(yield* sent(slow, 4, () => "Throttling")))
      yield* Effect.sleep("30 seconds")
      return [...seen, ...(yield* sent(slow, 4, () => "Throttling"))]
    })

  const acceptRatio: Trace = (options) =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.acceptRatio(options)
      const ends = ["Throttling", "Server", "Throttling", "Succeeded"] as const
      return yield* sent(limiter, 200, (n) => ends[n % 4] ?? "Server", 2000)
    }).pipe(Effect.provide(SeededRandom.layer("accept ratio")))

  const serverPause: Trace = (options) =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.serverPause({ atMost: "1 minute", ...options })
      yield* limiter.record({
        _tag: "Failed",
        attempt: 1,
        granted: { tokens: 0, refund: Effect.void },
        verdict: Verdict.retryable("Server", { hint: "10 seconds" })
      })
      return [yield* tokensOf(limiter, { attempt: 1 }), yield* now]
    }).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

  const concurrencyLimit =
    (base: Parameters<typeof RateLimiter.concurrencyLimit>[0]): Trace =>
    (options) =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.concurrencyLimit({ ...base, ...options })
        const first = yield* limiter.acquire(request({ kind: "Server" }))
        const granted = yield* Effect.fork(
          Effect.all([
            tokensOf(limiter, { kind: "Server" }),
            tokensOf(limiter, { kind: "Server" }),
            tokensOf(limiter, { kind: "Server" }),
            now
          ])
        )
        yield* Effect.sleep("5 seconds")
        yield* limiter.record({
          _tag: "Succeeded",
          attempt: 2,
          granted: Option.getOrElse(first, () => ({ tokens: 0, refund: Effect.void }))
        })
        return yield* Effect.timeoutOption(Fiber.join(granted), "10 seconds")
      })

  const adaptiveConcurrency =
    (base: Parameters<typeof RateLimiter.adaptiveConcurrency>[0]): Trace =>
    (options) =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.adaptiveConcurrency({ ...base, ...options })
        const noGrant = { tokens: 0, refund: Effect.void }
        const levels = [yield* limiter.level]
        const sendAll = (count: number, millis: number) =>
          Effect.gen(function* () {
            const grants = yield* Effect.replicateEffect(
              limiter.acquire(request({ kind: "Server", atMostMillis: 0 })),
              count
            )
            for (const grant of grants) {
              if (Option.isNone(grant)) continue
              const ran = Duration.millis(millis)
              yield* limiter.record({ _tag: "Succeeded", attempt: 2, granted: grant.value, ran })
            }
            levels.push(yield* limiter.level)
          })
        for (let n = 0; n < 8; n++) yield* sendAll(2000, 100)
        for (let n = 0; n < 14; n++) yield* sendAll(2000, 6000 * 2 ** n)
        const held = yield* Effect.replicateEffect(limiter.acquire(request({ kind: "Server", atMostMillis: 0 })), 2000)
        const waiting = yield* Effect.fork(Effect.zip(tokensOf(limiter, { kind: "Server" }), now))
        yield* Effect.sleep("5 seconds")
        const granted = Option.getOrElse(held[0] ?? Option.none(), () => noGrant)
        yield* limiter.record({ _tag: "Abandoned", attempt: 2, granted })
        return [levels, yield* Effect.timeoutOption(Fiber.join(waiting), "10 seconds")]
      })

  /** Options of `opensAt` have a dot in their names. */
  const opensAtOf = (options: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(options).flatMap(([name, value]) => (name.startsWith("opensAt.") ? [[name.slice(8), value]] : []))
    )

  const circuitBreaker =
    (base: Parameters<typeof CircuitBreaker.make>[0]): Trace =>
    (options) =>
      Effect.gen(function* () {
        const opensAt = { ...base?.opensAt, ...opensAtOf(options) }
        const breaker = yield* CircuitBreaker.make({
          ...base,
          ...undotted(options),
          ...(Object.keys(opensAt).length > 0 && { opensAt: opensAt as { readonly consecutive: number } })
        })
        const seen: Array<unknown> = []
        /** The end of an attempt, if it is granted, and what the circuit does then. */
        const send = (kind: Verdict.Kind | undefined, hint?: Duration.DurationInput, seconds = 1) =>
          Effect.gen(function* () {
            const grant = yield* breaker.acquire(request({ kind: "Server" }))
            const ran = Duration.seconds(seconds)
            if (Option.isSome(grant)) {
              const ended = { attempt: 2, granted: grant.value, ran }
              yield* breaker.record(
                kind === undefined
                  ? { _tag: "Succeeded", ...ended }
                  : { _tag: "Failed", ...ended, verdict: Verdict.retryable(kind, { hint }) }
              )
            }
            seen.push(Option.isSome(grant), yield* breaker.state, yield* now)
          })
        const open = (hint?: Duration.DurationInput) =>
          Effect.forEach(Array.from({ length: 24 }), () => send("Server", hint))
        for (const kind of ["Server", "Server", "Throttling", "Throttling", "Throttling", undefined] as const) {
          yield* send(kind)
        }
        yield* open()
        yield* Effect.sleep("16 seconds")
        // A probe that does not end, and another one.
        for (let n = 0; n < 2; n++)
          seen.push(Option.isSome(yield* breaker.acquire(request({ kind: "Server", atMostMillis: 0 }))))
        yield* Effect.sleep("30 seconds")
        yield* send(undefined)
        yield* open("2 hours")
        return seen
      }).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

  const logs: Trace = (options) =>
    Effect.gen(function* () {
      const levels: Array<LogLevel.LogLevel> = []
      const logger = Logger.make(({ logLevel }) => void levels.push(logLevel))
      const known: Readonly<Record<string, LogLevel.LogLevel>> = {
        Debug: LogLevel.Debug,
        Error: LogLevel.Error,
        Info: LogLevel.Info,
        None: LogLevel.None,
        Warning: LogLevel.Warning
      }
      const levelsOf = Object.entries(options).map(([name, level]) => [name, known[String(level)]])
      const observe = [Observe.logs(Object.fromEntries(levelsOf))]
      const answers = [Effect.succeed("up"), down, down]
      const operation = Retry.retry(
        Effect.suspend(() => answers.shift() ?? down),
        { ...policy, maxAttempts: 2, observe }
      )
      const twice = Effect.all([operation, operation], { mode: "either" })
      yield* Effect.exit(Retry.retry(twice, { ...policy, name: "outer" })).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
      return levels
    })

  const backoff = Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full))
  const explain: Trace = (options) =>
    Effect.sync(() => Plan.toText(Plan.explain({ maxAttempts: 50, backoff }, options)))
  const explainSchedule: Trace = (options) =>
    Effect.map(Plan.explainSchedule({ maxAttempts: 5, backoff }, options), Plan.toText)
  const byKind = Backoff.byKind({ Transient: Backoff.constant({ delay: 1 }), orElse: Backoff.resetAfter(backoff, 50) })
  const sample: Trace = (options) =>
    Plan.sample(
      { maxAttempts: 5, backoff: byKind, deadline: Deadline.refuse("1 second") },
      { seed: 1, samples: 20, failureProbability: 0.9, ...options }
    )

  const long = "1000 days"
  const defaults: Readonly<Record<string, Default>> = {
    "`TokenBucket.quota` `capacity`": { trace: quota({}), other: 400 },
    "`TokenBucket.quota` `initial`": { trace: quota({}), other: 400, neutral: 500 },
    "`TokenBucket.quota` `cost.Throttling`": { trace: quota({}), other: 6 },
    "`TokenBucket.quota` `cost.orElse`": { trace: quota({}), other: 10 },
    "`TokenBucket.quota` `firstSuccessIncrement`": { trace: quota({}), other: 2 },
    "`TokenBucket.quota` `refillPerSecond`": { trace: quota({}), other: 1 },
    "`TokenBucket.quota` `whenShort`": { trace: quota({ refillPerSecond: 1 }), other: "wait" },
    "`TokenBucket.quota` `maxWait`": {
      trace: quota({ refillPerSecond: 1, whenShort: "wait" }),
      other: "1 second",
      neutral: long
    },
    "`TokenBucket.successRatio` `initial`": { trace: successRatio, other: 5, neutral: 10 },
    "`TokenBucket.successRatio` `floorPerSecond`": { trace: successRatio, other: 0.1 },
    "`TokenBucket.requestRatio` `ratio`": { trace: requestRatio, other: 0.1 },
    "`TokenBucket.requestRatio` `floorPerSecond`": { trace: requestRatio, other: 1 },
    "`TokenBucket.requestRatio` `window`": { trace: requestRatio, other: 5000 },
    "`RateLimiter.fixed` `whenShort`": { trace: fixed, other: "refuse" },
    "`RateLimiter.fixed` `maxWait`": { trace: fixed, other: "500 millis", neutral: long },
    "`RateLimiter.adaptive` `whenShort`": { trace: adaptive, other: "refuse" },
    "`RateLimiter.adaptive` `maxWait`": { trace: adaptive, other: "500 millis", neutral: long },
    "`RateLimiter.adaptive` `beta`": { trace: adaptive, other: 0.5 },
    "`RateLimiter.adaptive` `scaleConstant`": { trace: adaptive, other: 0.1 },
    "`RateLimiter.adaptive` `smoothing`": { trace: adaptive, other: 0.5 },
    "`RateLimiter.adaptive` `minFillRate`": { trace: adaptive, other: 1 },
    "`RateLimiter.adaptive` `minCapacity`": { trace: adaptive, other: 3 },
    "`RateLimiter.adaptive` `measurementBucketDuration`": { trace: adaptive, other: 200 },
    "`RateLimiter.adaptive` `cutAtMostEvery`": { trace: adaptive, other: "5 seconds", neutral: 1 },
    "`RateLimiter.adaptive` `idleAfter`": { trace: adaptive, other: "10 seconds", neutral: long },
    "`RateLimiter.adaptive` `offAfter`": { trace: adaptive, other: "10 seconds", neutral: long },
    "`RateLimiter.acceptRatio` `K`": { trace: acceptRatio, other: 1 },
    "`RateLimiter.acceptRatio` `window`": { trace: acceptRatio, other: 10_000 },
    "`RateLimiter.acceptRatio` `maxRejectionProbability`": { trace: acceptRatio, other: 0 },
    "`RateLimiter.acceptRatio` `failures`": { trace: acceptRatio, other: "rejected" },
    "`RateLimiter.serverPause` `jitterRatio`": { trace: serverPause, other: 0.5 },
    "`RateLimiter.serverPause` `whenShort`": { trace: serverPause, other: "refuse" },
    "`RateLimiter.serverPause` `maxWait`": { trace: serverPause, other: "1 second", neutral: long },
    "`RateLimiter.concurrencyLimit` `limit`": { trace: concurrencyLimit({ ratio: 0.2 }), other: 1, neutral: 1e9 },
    "`RateLimiter.concurrencyLimit` `ratio`": { trace: concurrencyLimit({ limit: 5 }), other: 0, neutral: 1e9 },
    "`RateLimiter.concurrencyLimit` `atLeast`": { trace: concurrencyLimit({ ratio: 0.2 }), other: 2 },
    "`RateLimiter.concurrencyLimit` `whenShort`": { trace: concurrencyLimit({ limit: 3 }), other: "refuse" },
    "`RateLimiter.concurrencyLimit` `maxWait`": {
      trace: concurrencyLimit({ limit: 3 }),
      other: "1 second",
      neutral: long
    },
    "`RateLimiter.concurrencyLimit` `maxWaiting`": { trace: concurrencyLimit({ limit: 3 }), other: 0, neutral: 1e9 },
    "`RateLimiter.adaptiveConcurrency` `least`": { trace: adaptiveConcurrency({}), other: 5 },
    "`RateLimiter.adaptiveConcurrency` `most`": { trace: adaptiveConcurrency({}), other: 100 },
    "`RateLimiter.adaptiveConcurrency` `initial`": { trace: adaptiveConcurrency({}), other: 10 },
    "`RateLimiter.adaptiveConcurrency` `rule`": { trace: adaptiveConcurrency({}), other: "aimd" },
    "`RateLimiter.adaptiveConcurrency` `samples`": { trace: adaptiveConcurrency({}), other: 10 },
    "`RateLimiter.adaptiveConcurrency` `slowerThan`": { trace: adaptiveConcurrency({ rule: "aimd" }), other: 10_000 },
    "`RateLimiter.adaptiveConcurrency` `whenShort`": { trace: adaptiveConcurrency({}), other: "refuse" },
    "`RateLimiter.adaptiveConcurrency` `maxWait`": {
      trace: adaptiveConcurrency({}),
      other: "1 second",
      neutral: long
    },
    "`RateLimiter.adaptiveConcurrency` `maxWaiting`": { trace: adaptiveConcurrency({}), other: 0, neutral: 1e9 },
    "`CircuitBreaker.make` `opensAt.consecutive`": { trace: circuitBreaker({}), other: 4 },
    "`CircuitBreaker.make` `opensAt.atLeast`": {
      trace: circuitBreaker({ opensAt: { ratio: 0.5, window: "1 minute" } }),
      other: 10
    },
    "`CircuitBreaker.make` `kinds`": {
      trace: circuitBreaker({}),
      other: ["Server", "Throttling"],
      neutral: ["Server", "Timeout", "Transient"]
    },
    "`CircuitBreaker.make` `slowerThan`": { trace: circuitBreaker({}), other: "500 millis", neutral: long },
    "`CircuitBreaker.make` `openFor`": {
      trace: circuitBreaker({}),
      other: "10 seconds",
      neutral: Backoff.jittered(Backoff.constant({ delay: "10 seconds" }), Jitter.additive({ max: "5 seconds" }))
    },
    "`CircuitBreaker.make` `maxHint`": { trace: circuitBreaker({}), other: "1 minute" },
    "`CircuitBreaker.make` `probes`": { trace: circuitBreaker({}), other: 2 },
    "`CircuitBreaker.make` `successes`": { trace: circuitBreaker({}), other: 2 },
    "`CircuitBreaker.make` `probeTimeout`": { trace: circuitBreaker({}), other: "1 hour", neutral: "30 seconds" },
    "`CircuitBreaker.make` `whenShort`": { trace: circuitBreaker({}), other: "wait" },
    "`CircuitBreaker.make` `maxWait`": {
      trace: circuitBreaker({ whenShort: "wait" }),
      other: "1 second",
      neutral: long
    },
    "`Observe.logs` `NestingNoticed`": { trace: logs, other: "Error" },
    "`Observe.logs` `AttemptFailed`": { trace: logs, other: "Error" },
    "`Observe.logs` `RetryScheduled`": { trace: logs, other: "Error" },
    "`Observe.logs` `Succeeded`": { trace: logs, other: "Error" },
    "`Observe.logs` `GaveUp`": { trace: logs, other: "Error" },
    "`Plan.explain` `rows`": { trace: explain, other: 10 },
    "`Plan.explain` `attemptTakes`": { trace: explain, other: "1 second", neutral: 0 },
    "`Plan.explainSchedule` `samples`": { trace: explainSchedule, other: 50 },
    "`Plan.explainSchedule` `seed`": { trace: explainSchedule, other: 1 },
    "`Plan.sample` `attemptTakes`": { trace: sample, other: 400 },
    "`Plan.sample` `kind`": { trace: sample, other: "Server" }
  }
  const cells = new Map(
    rowsOf(path, "### Of buckets, observers and plans").map(([option = "", value = ""]) => [option, value])
  )

  it("has a row for each of these options", () => {
    expect([...cells.keys()]).toEqual(Object.keys(defaults))
  })

  it.effect.each(Object.entries(defaults))("%s is what the table says", ([option, { neutral, other, trace }]) =>
    Effect.gen(function* () {
      const field = option.split("`").at(-2) ?? ""
      const cell = cells.get(option) ?? ""
      expect(cell === "absent").toBe(neutral !== undefined)
      const value = neutral ?? (Number.isNaN(Number(cell)) ? cell : Number(cell))
      const run = (options: Readonly<Record<string, unknown>>) => VirtualClock.run(trace(options))
      const byDefault = yield* run({})
      expect(yield* run({ [field]: value })).toEqual(byDefault)
      expect(yield* run({ [field]: other })).not.toEqual(byDefault)
    })
  )
})

tableOf(
  path,
  "## What it does when",
  {
    "An attempt succeeds": stories("succeed at once"),

    "A failure is retryable": stories("wait after each failure"),

    "A failure is `Terminal`": stories("do not repeat what is terminal"),

    "No classifier has an opinion": stories("do not repeat what no classifier knows"),

    "`maxAttempts` calls have been made": stories("end with the last error where the attempts are spent"),

    "The back-off has ended, by itself or by `take` or `within`": stories(
      "end with the list of delays",
      "end with the back-off",
      "end with the time of the back-off"
    ),

    "A kind of failure has a limit in `attemptsByKind`": stories(
      "count attempts of the kinds apart that the policy limits"
    ),

    "The server gave a hint": stories("wait as long as the server asks, also above the cap"),

    "The hint is longer than the rule's `atMost`": stories(
      "give up where the server asks for too long a wait",
      "wait no longer than the rule lets the server ask",
      "wait as the back-off says where the rule leaves such a hint"
    ),

    "A hint was followed, and the rule has `startsOver`": stories(
      "let the back-off start over after a hint, where the policy says so"
    ),

    "A hint is zero, and the rule is `Hint.override`": stories(
      "wait as the back-off says where the server asks for no wait",
      "do not wait where the server asks for no wait and the rule follows it"
    ),

    "A failure is judged with `progressed`": () =>
      virtually("starts over, but for the deadline", () =>
        Effect.gen(function* () {
          const classifier = (error: string) => Verdict.retryable("Transient", { progressed: error === "broken off" })
          const backoff = Backoff.exponential({ base: "1 second" })
          const attemptTimeout = AttemptTimeout.growing({ initial: "2 seconds", factor: 2, maximum: "1 minute" })
          const again = { ...policy, classifier, backoff, attemptTimeout, deadline: Deadline.refuse("20 seconds") }
          const broken = Effect.fail("broken off")
          const ended = yield* stopped([down, broken, broken, Effect.never, broken, down], Retry.orStopped(again))
          expect(ended.calls).toEqual([0, 1000, 2000, 3000, 9000, 10_000, 12_000])
          expect(ended).toMatchObject({ error: "down", reason: "AttemptsSpent" })
          const endless = yield* stopped([broken], Retry.orStopped(again))
          expect(endless).toMatchObject({ reason: "DeadlinePassed", endedAt: ended.endedAt + 19_000 })
        })
      ),

    "The hint is negative, NaN or not a duration": () =>
      virtually("ignores it", () =>
        Effect.gen(function* () {
          for (const hint of [-1, NaN, "soon" as Duration.DurationInput]) {
            const classifier = Classifier.withHint(Classifier.always, () => hint)
            const { calls } = yield* timeline([down], Retry.retry({ ...policy, classifier }))
            expect(calls).toEqual([0, 1000, 2000])
          }
        })
      ),

    "The next attempt could not start before the deadline": stories(
      "refuse an attempt that would start at the deadline",
      "shorten the wait that would pass the deadline"
    ),

    "The deadline passes during an attempt": () => {
      const slow = Effect.delay(down, "10 seconds")

      virtually("leaves the attempt alone", () =>
        Effect.gen(function* () {
          const deadline = Deadline.refuse("1 second")
          const ended = yield* stopped([slow], Retry.orStopped({ ...policy, deadline }))
          expect(ended).toEqual({ calls: [0], error: "down", reason: "DeadlinePassed", endedAt: 10_000 })
        })
      )

      virtually("interrupts it when it cuts", () =>
        Effect.gen(function* () {
          const ended = yield* stopped([slow], Retry.orStopped({ ...policy, deadline: Deadline.cut("1 second") }))
          expect(ended).toMatchObject({ calls: [0], reason: "DeadlinePassed", endedAt: 1000 })
          expect(ended.error).toBeInstanceOf(Deadline.DeadlineExceeded)
        })
      )
    },

    "An attempt runs into its timeout": () =>
      virtually("interrupts it and counts a failure of its kind", () =>
        Effect.gen(function* () {
          const interrupted = yield* Ref.make(0)
          const hanging = Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (count) => count + 1))
          const attemptTimeout = AttemptTimeout.constant("3 seconds")
          const backoff = Backoff.byKind({
            Timeout: Backoff.constant({ delay: "7 seconds" }),
            orElse: Backoff.fromDelays([])
          })
          const { calls, outcome } = yield* timeline([hanging], Retry.retry({ ...policy, attemptTimeout, backoff }))
          expect(calls).toEqual([0, 10_000, 20_000])
          expect(outcome).toMatchObject({ _tag: "AttemptTimedOut", attempt: 3 })
          expect(yield* Ref.get(interrupted)).toBe(3)
        })
      ),

    "The timeout is `AttemptTimeout.fromFunction(name, (attempt, startMillis) => millis)`": () =>
      virtually("asks the function with the number and the start of each attempt", () =>
        Effect.gen(function* () {
          const attemptTimeout = AttemptTimeout.fromFunction("until 10 seconds", (attempt, startMillis) =>
            attempt === 1 ? 3000 : Math.max(1, 10_000 - startMillis)
          )
          const { calls, outcome } = yield* timeline([Effect.never], Retry.retry({ ...policy, attemptTimeout }))
          expect(calls).toEqual([0, 4000, 11_000])
          expect(outcome).toMatchObject({ _tag: "AttemptTimedOut", attempt: 3 })
        })
      ),

    "An attempt that cannot be interrupted runs into its timeout": () => {
      const stubborn = Effect.uninterruptible(Effect.as(Effect.sleep("5 seconds"), "late"))
      const attemptTimeout = AttemptTimeout.constant("1 second")

      virtually("waits for it and counts the timeout", () =>
        Effect.gen(function* () {
          const { calls, outcome } = yield* timeline([stubborn], Retry.retry({ ...policy, attemptTimeout }))
          expect(calls).toEqual([0, 6000, 12_000])
          expect(outcome).toMatchObject({ _tag: "AttemptTimedOut" })
        })
      )

      virtually("does not wait when it is disconnected", () =>
        Effect.gen(function* () {
          const disconnected = AttemptTimeout.disconnected(attemptTimeout)
          const { calls } = yield* timeline([stubborn], Retry.retry({ ...policy, attemptTimeout: disconnected }))
          expect(calls).toEqual([0, 2000, 4000])
        })
      )
    },

    "A result is judged retryable": () => {
      const again = { ...policy, result: (answer: string) => (answer === "no" ? Verdict.transient : Verdict.noOpinion) }

      virtually("waits, and makes the next attempt", () =>
        Effect.gen(function* () {
          const script = [Effect.succeed("no"), Effect.succeed("yes")] as const
          expect(yield* timeline([...script], Retry.retry(again))).toEqual({ calls: [0, 1000], outcome: "yes" })
        })
      )

      virtually("returns the last result when it gives up", () =>
        Effect.gen(function* () {
          const { calls, outcome } = yield* timeline([Effect.succeed("no")], Retry.retry(again))
          expect({ calls, outcome }).toEqual({ calls: [0, 1000, 2000], outcome: "no" })
        })
      )
    },

    "A result is judged `Terminal`": () =>
      virtually("returns it at once", () =>
        Effect.gen(function* () {
          const useless = { ...policy, result: () => Verdict.terminal("no use") }
          const { calls, outcome } = yield* timeline([Effect.succeed("no")], Retry.retry(useless))
          expect({ calls, outcome }).toEqual({ calls: [0], outcome: "no" })
          const ended = yield* stopped([Effect.succeed("no")], Retry.orStopped(useless))
          expect(ended).toMatchObject({ reason: "Terminal", error: { _tag: "ResultRejected", result: "no" } })
        })
      ),

    "The bucket refuses": stories("do not wait where the bucket refuses"),

    'A bucket with `whenShort: "wait"` is short of tokens': () =>
      virtually("waits for its turn, and then the delay", () =>
        Effect.gen(function* () {
          const quota = { capacity: 5, cost: { orElse: 5 }, refillPerSecond: 1, whenShort: "wait" } as const
          const bucket = yield* TokenBucket.quota(quota)
          const { calls } = yield* timeline([down], Retry.retry({ ...policy, bucket }))
          expect(calls).toEqual([0, 1000, 6000])
        })
      ),

    "The same, and the tokens would come too late for the deadline": () =>
      virtually("stops without a wait", () =>
        Effect.gen(function* () {
          const quota = { capacity: 5, cost: { orElse: 5 }, refillPerSecond: 1, whenShort: "wait" } as const
          const bucket = yield* TokenBucket.quota(quota)
          const hasty = { ...policy, bucket, deadline: Deadline.refuse("5 seconds") }
          const ended = yield* stopped([down], Retry.orStopped(hasty))
          expect(ended).toEqual({ calls: [0, 1000], error: "down", reason: "BucketEmpty", endedAt: 1000 })
        })
      ),

    "A bucket charges first attempts, and refuses one": () =>
      virtually("fails without a call", () =>
        Effect.gen(function* () {
          const quota = yield* TokenBucket.quota({ capacity: 1, cost: { first: 1, orElse: 1 } })
          const charged = { ...policy, rateLimiter: TokenBucket.firstAttempts(quota), maxAttempts: 1, bucket: quota }
          const ended = yield* stopped([down], (call) =>
            Effect.zipRight(Effect.exit(Retry.retry(call, charged)), Retry.orStopped(call, charged))
          )
          expect(ended).toMatchObject({
            calls: [0],
            error: { _tag: "AttemptRefused", attempt: 1 },
            reason: "RateLimiterRefused",
            endedAt: 0
          })
        })
      ),

    "A failed attempt left something open, and the policy has `release`": () => {
      const releasing = () => {
        const calls: Array<string> = []
        const release: Policy.Release = (failed, because) =>
          Effect.map(Clock.currentTimeMillis, (now) => void calls.push(`${now} ${String(failed)} ${because}`))
        return { calls, policy: { ...policy, release } }
      }

      virtually("calls it before the wait, and not for what the operation ends with", () =>
        Effect.gen(function* () {
          const { calls, policy } = releasing()
          yield* Effect.flip(Retry.retry(down, policy))
          expect(calls).toEqual(["0 down Retried", "1000 down Retried"])
        })
      )

      virtually("calls it when the operation is interrupted before that", () =>
        Effect.gen(function* () {
          const { calls, policy } = releasing()
          const short = { capacity: 2, cost: { orElse: 2 }, refillPerSecond: 0.01, whenShort: "wait" } as const
          const bucket = yield* TokenBucket.quota(short)
          const first = yield* Effect.fork(Retry.retry(down, { ...policy, bucket }))
          yield* Effect.sleep("5 seconds")
          yield* Fiber.interrupt(first)
          expect(calls).toEqual(["0 down Retried", "5000 down Interrupted"])
        })
      )
    },

    "The next attempt is refused after `release` has run": () => {
      const releasing = { ...policy, release: () => Effect.void }

      virtually("fails with the refusal, and the last error as its error", () =>
        Effect.gen(function* () {
          const ended = yield* stopped([down], Retry.orStopped({ ...releasing, rateLimiter: once }))
          expect(ended).toMatchObject({
            calls: [0],
            error: { _tag: "AttemptRefused", attempt: 2, error: "down" },
            reason: "RateLimiterRefused"
          })
        })
      )

      virtually("fails with the deadline's error where the wait took too long", () =>
        Effect.gen(function* () {
          const slow = {
            ...releasing,
            release: () => Effect.sleep("1 minute"),
            deadline: Deadline.refuse("10 seconds")
          }
          const ended = yield* stopped([down], Retry.orStopped(slow))
          expect(ended).toMatchObject({ calls: [0], error: { _tag: "DeadlineExceeded" }, reason: "DeadlinePassed" })
        })
      )
    },

    "A retry is granted tokens but then not made": () => {
      const paidFor = Effect.gen(function* () {
        const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 5 })
        return { funded: { ...policy, bucket }, level: bucket.level }
      })

      virtually("refunds them when the rate limiter refuses it", () =>
        Effect.gen(function* () {
          const { funded, level } = yield* paidFor
          const ended = yield* Effect.flip(Retry.orStopped(down, { ...funded, rateLimiter: once }))
          expect(ended.reason._tag).toBe("RateLimiterRefused")
          expect(yield* level).toBe(5)
        })
      )

      virtually("refunds them when it is interrupted in the wait", () =>
        Effect.gen(function* () {
          const { funded, level } = yield* paidFor
          const fiber = yield* Effect.fork(Retry.retry(down, funded))
          yield* Effect.sleep("500 millis")
          expect(yield* level).toBe(4)
          yield* Fiber.interrupt(fiber)
          expect(yield* level).toBe(5)
        })
      )
    },

    "A key needs room, and a keyed bucket drops that of another key": () =>
      virtually("closes it after its attempts", () =>
        Effect.gen(function* () {
          const closed: Array<string> = []
          const each = Effect.zipRight(
            Effect.flatMap(TokenBucket.Key, (key) => Effect.addFinalizer(() => Effect.sync(() => closed.push(key)))),
            TokenBucket.successRatio({ ratio: 0.1, capacity: 5 })
          )
          const bucket = yield* TokenBucket.keyed({ bucket: each, maxKeys: 1, idleTimeToLive: "100 millis" })
          const at = Effect.provideService(TokenBucket.Key, "a")
          const fiber = yield* Effect.fork(at(Effect.exit(Retry.retry(down, { ...policy, bucket, maxAttempts: 2 }))))
          yield* Effect.sleep("500 millis")
          yield* bucket.level
          yield* Effect.provideService(bucket.level, TokenBucket.Key, "b")
          yield* Effect.sleep("1 milli")
          expect(closed).toEqual([])
          yield* Fiber.join(fiber)
          yield* Effect.sleep("1 milli")
          expect(closed).toEqual(["a"])
        }).pipe(Effect.scoped)
      ),

    "The rate limiter makes an attempt wait": () =>
      virtually("counts the wait for the deadline", () =>
        Effect.gen(function* () {
          const waits: Array<number> = []
          const listen: Observe.Observer = (event) =>
            Effect.sync(() => {
              if (event._tag === "AttemptFailed") waits.push(Duration.toMillis(event.rateLimiterWait))
            })
          const limited = {
            ...policy,
            observe: [hear, listen],
            rateLimiter: yield* RateLimiter.fixed({ rate: 0.25, burst: 1 }),
            deadline: Deadline.refuse("6 seconds")
          }
          const ended = yield* stopped([down], Retry.orStopped(limited))
          expect(ended).toMatchObject({ calls: [0, 4000], reason: "RateLimiterRefused", endedAt: 5000 })
          expect(waits).toEqual([0, 3000])
        })
      ),

    "The rate limiter refuses the first attempt": stories("make no attempt that the rate limiter refuses"),

    "The rate limiter refuses a later attempt": () =>
      virtually("stops with the last error", () =>
        Effect.gen(function* () {
          const ended = yield* stopped([down], Retry.orStopped({ ...policy, rateLimiter: once }))
          expect(ended).toEqual({ calls: [0], error: "down", reason: "RateLimiterRefused", endedAt: 1000 })
        })
      ),

    "The rate limiter knows before the wait that it will refuse, as a circuit breaker does": () =>
      virtually("stops without a wait", () =>
        Effect.gen(function* () {
          const rateLimiter = yield* CircuitBreaker.make({ opensAt: { consecutive: 1 }, openFor: "2 seconds" })
          const classifier = () => Verdict.server
          const ended = yield* stopped([down], Retry.orStopped({ ...policy, classifier, rateLimiter }))
          expect(ended).toEqual({ calls: [0], error: "down", reason: "RateLimiterRefused", endedAt: 0 })
        })
      ),

    "A bucket or a rate limiter dies": () => {
      const dying: TokenBucket.TokenBucket = {
        acquire: () => Effect.die("bug"),
        record: () => Effect.die("bug"),
        level: Effect.die("bug")
      }

      virtually("logs a warning, and a bucket that dies when asked has refused", () =>
        Effect.gen(function* () {
          const ended = yield* stopped([down], Retry.orStopped({ ...policy, bucket: dying })).pipe(
            Effect.provide(silent)
          )
          expect(ended).toEqual({ calls: [0], error: "down", reason: "BucketEmpty", endedAt: 0 })
        })
      )

      virtually("counts as told where it dies hearing of an outcome", () =>
        Effect.gen(function* () {
          const deaf = { ...TokenBucket.unlimited, record: dying.record }
          const { calls } = yield* timeline([down], Retry.retry({ ...policy, rateLimiter: deaf })).pipe(
            Effect.provide(silent)
          )
          expect(calls).toEqual([0, 1000, 2000])
        })
      )
    },

    "An attempt itself retries": () =>
      virtually("multiplies the numbers of calls", () =>
        Effect.gen(function* () {
          const outer = { ...policy, name: "outer" }
          const { calls } = yield* timeline([down], (call) => Retry.retry(Retry.retry(call, policy), outer))
          expect(calls).toHaveLength(9)
        })
      ),

    'The same with `whenNested: "standDown"` inside': () =>
      virtually("makes one attempt each time", () =>
        Effect.gen(function* () {
          const inner = { ...policy, whenNested: "standDown" } as const
          const outer = { ...policy, name: "outer" }
          const { calls, outcome } = yield* timeline([down], (call) =>
            Effect.flip(Retry.retry(Retry.orStopped(call, inner), outer))
          )
          expect(calls).toEqual([0, 1000, 2000])
          expect(outcome).toMatchObject({ attempts: 1, reason: { _tag: "StoodDown", outer: "outer" } })
        })
      ),

    "An attempt forks fibers, and the policy has an `attemptTimeout` or a `Deadline.cut`": () =>
      virtually("ends them with the attempt", () =>
        Effect.gen(function* () {
          const ended = yield* Ref.make(0)
          const beside = Effect.onInterrupt(Effect.never, () => Ref.update(ended, (count) => count + 1))
          const forking = Effect.zipRight(Effect.fork(beside), Effect.delay(Effect.succeed("up"), "1 second"))
          yield* Retry.retry(forking, { ...policy, attemptTimeout: AttemptTimeout.constant("1 minute") })
          yield* Retry.retry(forking, { ...policy, deadline: Deadline.cut("1 minute") })
          yield* Effect.yieldNow()
          expect(yield* Ref.get(ended)).toBe(2)
        })
      ),

    "An observer dies": () =>
      virtually("logs a warning and continues", () =>
        Effect.gen(function* () {
          const lines: Array<string> = []
          const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
          const { calls, outcome } = yield* timeline(
            [down, Effect.succeed("up")],
            Retry.retry({ ...policy, observe: [() => Effect.die("bug"), hear] })
          ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
          expect({ calls, outcome }).toEqual({ calls: [0, 1000], outcome: "up" })
          expect(lines).toEqual(Array.from({ length: 3 }, () => "WARN an observer died"))
        })
      ),

    "An attempt dies": () =>
      virtually("passes the defect through", () =>
        Effect.gen(function* () {
          const { calls, outcome } = yield* timeline([Effect.die("bug")], (call) =>
            Effect.sandbox(Retry.orStopped(call, policy))
          )
          expect(calls).toEqual([0])
          expect(outcome).toEqual(Cause.die("bug"))
        })
      ),

    "The classifier returns no verdict, or throws": () =>
      virtually("dies, and keeps the error of the call", () =>
        Effect.gen(function* () {
          const predicate: unknown = () => true
          const throwing = () => {
            throw new Error("bug")
          }
          for (const classifier of [predicate as typeof Classifier.always, throwing]) {
            const { calls, outcome } = yield* timeline([down], (call) =>
              Effect.catchAllDefect(Retry.retry(call, { ...policy, classifier }), Effect.succeed)
            )
            expect(calls).toEqual([0])
            expect(outcome).toMatchObject({ field: "classifier", cause: { original: "down" } })
          }
        })
      ),

    "The function for `result` returns no verdict": () =>
      virtually("dies", () =>
        Effect.gen(function* () {
          const predicate: unknown = () => true
          const result = predicate as () => Verdict.Verdict
          const { calls, outcome } = yield* timeline([Effect.succeed("up")], (call) =>
            Effect.catchAllDefect(Retry.retry(call, { ...policy, result }), Effect.succeed)
          )
          expect(calls).toEqual([0])
          expect(outcome).toMatchObject({ field: "result" })
        })
      ),

    "The operation is interrupted during a wait": () =>
      virtually("ends at once", () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(Retry.orStopped(down, policy))
          yield* Effect.sleep("500 millis")
          const exit = yield* Fiber.interrupt(fiber)
          expect(Exit.isInterrupted(exit)).toBe(true)
          expect(yield* Clock.currentTimeMillis).toBe(500)
        })
      ),

    "The operation is uninterruptible": () =>
      virtually("waits to its end", () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(Effect.uninterruptible(Retry.retry(down, policy)))
          yield* Effect.sleep("500 millis")
          yield* Fiber.interrupt(fiber)
          expect(yield* Clock.currentTimeMillis).toBe(2000)
        })
      ),

    "The wall clock is set, forward or back": () =>
      virtually("goes on as before", () =>
        Effect.gen(function* () {
          for (const set of [VirtualClock.stepBack("1 hour"), VirtualClock.setWallTime("10000 days")]) {
            const attempts = yield* Ref.make(0)
            const slow = Effect.gen(function* () {
              yield* Effect.sleep("1 second")
              if ((yield* Ref.updateAndGet(attempts, (count) => count + 1)) === 2) yield* set
              return yield* down
            })
            const bounded = { ...policy, maxAttempts: 99, deadline: Deadline.refuse("6 seconds") }
            const ended = yield* Effect.flip(VirtualClock.run(Retry.orStopped(slow, bounded)))
            expect(ended.history.map(({ startedAfter }) => Duration.toMillis(startedAfter))).toEqual([0, 2000, 4000])
            expect(ended).toMatchObject({ reason: { _tag: "DeadlinePassed" } })
          }
        })
      ),

    "The same effect is run again": () =>
      virtually("starts from the first attempt", () =>
        Effect.gen(function* () {
          const { calls } = yield* timeline([down], (call) => {
            const retried = Effect.ignore(Retry.retry(call, policy))
            return Effect.zip(retried, retried)
          })
          expect(calls).toEqual([0, 1000, 2000, 2000, 3000, 4000])
        })
      ),

    "A policy has a field that policies do not have": () =>
      it("throws an error that names it, even if the types could not see it", () => {
        const misspelt: Record<string, unknown> = { ...policy, attempTimeout: AttemptTimeout.constant("1 second") }
        expect(() => Policy.make(misspelt as unknown as typeof policy)).toThrow("Policy.make: attempTimeout must be")
      }),

    "A function such as `Retry.retry` gets no effect or no policy, but a promise or `undefined`": () =>
      it("throws an error that shows how to call it", () => {
        const retry: (self: unknown, policy: unknown) => unknown = Retry.retry as never
        expect(() => retry(Effect.void, undefined)).toThrow("as in Retry.retry(effect, policy)")
        expect(() => retry(Promise.resolve(1), policy)).toThrow("Retry.retry: ")
      }),

    "A constructor gets NaN, a negative value or a fraction of a call": () =>
      it("throws an error that names function, field, range and value", () => {
        const refusals = [
          [() => Backoff.exponential({ base: 1, factor: NaN }), "Backoff.exponential: factor must be >= 1, got NaN"],
          [() => Backoff.constant({ delay: -1 }), "Backoff.constant: delay must be a finite duration >= 0, got -1"],
          [
            () => Policy.make({ ...policy, maxAttempts: 1.5 }),
            "Policy.make: maxAttempts must be a whole number >= 1, got 1.5"
          ]
        ] as const
        for (const [construct, message] of refusals) expect(construct).toThrow(message)
      })
  },
  hearing
)

tableOf(path, "## How the types work", {
  "`attempt: Retry.CurrentAttempt`": () =>
    it("removes the requirement, and only if the policy has it", () => {
      const reading = Effect.map(Retry.CurrentAttempt, ({ number }) => number)
      expectTypeOf(Retry.retry(reading, policy)).toEqualTypeOf<Effect.Effect<number, never, Retry.CurrentAttempt>>()
      const told = Retry.retry(reading, { ...policy, attempt: Retry.CurrentAttempt })
      expectTypeOf(told).toEqualTypeOf<Effect.Effect<number>>()
      expect(Effect.runSync(told)).toBe(1)
    }),

  "`rateLimiter: Tag`": () =>
    it("adds an error and the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, TokenBucket.TokenBucket>() {}
      const limited = Retry.retry(down, { ...policy, maxAttempts: 1, rateLimiter: Mine })
      expectTypeOf(limited).toEqualTypeOf<Effect.Effect<never, string | Retry.AttemptRefused, Mine>>()
      expect(Effect.runSync(Effect.flip(Effect.provideService(limited, Mine, TokenBucket.unlimited)))).toBe("down")
    }),

  "`rateLimiter`, a bucket itself": () =>
    it("adds an error", () => {
      const limited = Retry.retry(down, { ...policy, rateLimiter: TokenBucket.empty })
      expectTypeOf(limited).toEqualTypeOf<Effect.Effect<never, string | Retry.AttemptRefused>>()
      expect(Effect.runSync(Effect.flip(limited))).toEqual(new Retry.AttemptRefused({ attempt: 1 }))
    }),

  "`attemptTimeout`": () =>
    virtually("adds its error, or the caller's", () =>
      Effect.gen(function* () {
        const timed = Retry.retry(Effect.never, { ...policy, attemptTimeout: AttemptTimeout.constant("1 second") })
        expectTypeOf(timed).toEqualTypeOf<Effect.Effect<never, AttemptTimeout.AttemptTimedOut>>()
        expect(yield* Effect.flip(timed)).toBeInstanceOf(AttemptTimeout.AttemptTimedOut)
        const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: ({ attempt }) => attempt })
        const named = Retry.retry(Effect.never, { ...policy, attemptTimeout })
        expectTypeOf(named).toEqualTypeOf<Effect.Effect<never, number>>()
        expect(yield* Effect.flip(named)).toBe(3)
      })
    ),

  "`backoff: Schedule<_, _, R>`": () =>
    it("adds its requirement", () => {
      class Limit extends Context.Tag("Limit")<Limit, number>() {}
      const backoff = Schedule.recurs(9).pipe(
        Schedule.whileOutputEffect((n) => Effect.map(Limit, (limit) => n < limit))
      )
      const scheduled = Retry.orStopped(down, { ...policy, maxAttempts: 9, backoff })
      expectTypeOf(scheduled).toEqualTypeOf<Effect.Effect<never, Retry.RetryStopped<string>, Limit>>()
      const ended = Effect.runSync(Effect.flip(Effect.provideService(scheduled, Limit, 2)))
      expect(ended).toMatchObject({ attempts: 3, reason: { _tag: "BackoffEnded" } })
    }),

  "`deadline: Deadline.cut`": () =>
    virtually("adds its error, or the caller's; the others add nothing", () =>
      Effect.gen(function* () {
        const cut = Retry.retry(down, { ...policy, deadline: Deadline.cut("1 millis") })
        expectTypeOf(cut).toEqualTypeOf<Effect.Effect<never, string | Deadline.DeadlineExceeded>>()
        expect(yield* Effect.flip(cut)).toBeInstanceOf(Deadline.DeadlineExceeded)
        const deadline = Deadline.cut("1 millis", { onExceeded: ({ attempts }) => attempts })
        const named = Retry.retry(down, { ...policy, deadline })
        expectTypeOf(named).toEqualTypeOf<Effect.Effect<never, string | number>>()
        expect(yield* Effect.flip(named)).toBe(1)
        const refused = Retry.retry(down, { ...policy, deadline: Deadline.refuse("1 millis") })
        expectTypeOf(refused).toEqualTypeOf<Effect.Effect<never, string>>()
        expect(yield* Effect.flip(refused)).toBe("down")
      })
    ),

  "`release`, with `Deadline.refuse` or `Deadline.truncate`": () =>
    virtually("adds the deadline's error", () =>
      Effect.gen(function* () {
        const release = () => Effect.sleep("1 minute")
        const deadline = Deadline.refuse("10 seconds")
        const released = Retry.retry(down, { ...policy, deadline, release })
        expectTypeOf(released).toEqualTypeOf<Effect.Effect<never, string | Deadline.DeadlineExceeded>>()
        expect(yield* Effect.flip(released)).toBeInstanceOf(Deadline.DeadlineExceeded)
        expectTypeOf(Retry.retry(down, { ...policy, release })).toEqualTypeOf<Effect.Effect<never, string>>()
      })
    ),

  "`bucket: Tag`": () =>
    it("adds the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, TokenBucket.TokenBucket>() {}
      const funded = Retry.retry(down, { ...policy, bucket: Mine })
      expectTypeOf(funded).toEqualTypeOf<Effect.Effect<never, string, Mine>>()
      expect(Effect.runSync(Effect.flip(Effect.provideService(funded, Mine, TokenBucket.empty)))).toBe("down")
      const itself = Retry.retry(down, { ...policy, bucket: TokenBucket.empty })
      expectTypeOf(itself).toEqualTypeOf<Effect.Effect<never, string>>()
      expect(Effect.runSync(Effect.flip(itself))).toBe("down")
    })
})

describe(`${path} ## How the types work, of what adds nothing`, () => {
  it("a name, observers, standing down, a span and limits by kind leave the types as they are", () => {
    const told = Retry.retry(down, {
      ...policy,
      maxAttempts: 1,
      name: "told",
      whenNested: "standDown",
      attemptSpan: "attempt",
      attemptsByKind: { Throttling: 2 }
    })
    expectTypeOf(told).toEqualTypeOf<Effect.Effect<never, string>>()
    expect(Effect.runSync(Effect.flip(told))).toBe("down")
  })

  it("a preset with a classifier is a policy", () => {
    const complete: Policy.Policy<string> = { ...Policy.once, classifier: Classifier.always }
    const once = Retry.retry(down, complete)
    expectTypeOf(once).toEqualTypeOf<Effect.Effect<never, string>>()
    expect(Effect.runSync(Effect.flip(once))).toBe("down")
  })
})

describe("packages/core/README.md ## Modules", () => {
  it("has a row for each export of the index", () => {
    const names = rowsOf("packages/core/README.md", "## Modules").map(([name]) => name)
    const exported = Array.from(
      read("packages/core/src/index.ts").matchAll(/^export \* as (\w+)/gm),
      ([, name]) => name
    )
    expect(names).toEqual(exported.map((name) => `\`${name}\``))
  })
})

describe(`${path} ## What it does not do`, () => {
  virtually("refunds nothing for a retry that was made and failed", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 100 })
      yield* Effect.flip(Retry.retry(down, { ...policy, bucket }))
      expect(yield* bucket.level).toBe(100 - 2 * 14)
    })
  )

  it("asks no bucket and no rate limiter for a plan", () => {
    const plan = Plan.explain({ ...policy, bucket: TokenBucket.empty, rateLimiter: TokenBucket.empty })
    expect(plan.assumptions.map(({ _tag }) => _tag)).toEqual(
      expect.arrayContaining(["BucketGrants", "RateLimiterGrants"])
    )
    expect(plan.worst.attempts).toBe(3)
  })
})

describe(`${path} ## How the types work, of classifiers`, () => {
  class Busy extends Data.TaggedError("Busy")<{ readonly load: number }> {}
  class Forbidden extends Data.TaggedError("Forbidden") {}
  const call = Effect.fail<Busy | Forbidden>(new Busy({ load: 2 }))
  const { backoff } = policy

  it("a case sees its error without an annotation, in a call and in a pipe", () => {
    const dataFirst = Retry.retry(call, {
      classifier: Classifier.fromTags({ Busy: ({ load }) => Verdict.terminal(`load ${load}`) }),
      maxAttempts: 3,
      backoff
    })
    const dataLast = call.pipe(
      Retry.orStopped({
        classifier: Classifier.fromTags({ Busy: ({ load }) => Verdict.terminal(`load ${load}`) }),
        maxAttempts: 3,
        backoff
      })
    )
    expectTypeOf(dataFirst).toEqualTypeOf<Effect.Effect<never, Busy | Forbidden>>()
    expect(Effect.runSync(Effect.flip(dataFirst))).toBeInstanceOf(Busy)
    expectTypeOf(dataLast).toEqualTypeOf<Effect.Effect<never, Retry.RetryStopped<Busy | Forbidden>>>()
    expect(Effect.runSync(Effect.flip(dataLast)).reason).toEqual({ _tag: "Terminal", why: "load 2" })
  })

  it("a tag outside the union does not compile, not even in a constant", () => {
    const rest = { maxAttempts: 1, backoff }
    // @ts-expect-error the call has no such error
    Retry.retry(call, { ...rest, classifier: Classifier.fromTags({ Bussy: Verdict.server }) })
    const misspelt = Classifier.fromTags({ Bussy: Verdict.server })
    // @ts-expect-error the call has no such error
    Retry.retry(call, { ...rest, classifier: misspelt })
    const unchecked: Classifier.Classifier = misspelt
    Classifier.fromTags<Busy | Forbidden>({
      // @ts-expect-error the union has no such error
      Bussy: Verdict.server
    })
    const named = Classifier.fromTags<Busy | Forbidden>({ Busy: Verdict.server })
    expectTypeOf(named).toEqualTypeOf<Classifier.Classifier<Busy | Forbidden>>()
    for (const retried of [
      Retry.retry(call, { ...rest, classifier: unchecked }),
      Retry.retry(call, { ...rest, classifier: named })
    ]) {
      expect(Effect.runSync(Effect.flip(retried))).toBeInstanceOf(Busy)
    }
  })
})

describe(`${path} ## A jitter of your own`, () => {
  it("is tried at construction", () => {
    const outside = {
      name: "outside",
      interval: (bound: number) => [0, bound] as const,
      draw: (bound: number) => 2 * bound
    }
    expect(() => Jitter.make(outside)).toThrow("Jitter.outside: draw must be within its interval [0, 1]")
  })

  it.effect("is fitted below the cap", () =>
    Effect.gen(function* () {
      const above = Jitter.make({ name: "above", interval: (b) => [b, 2 * b], draw: (b, u) => b + u * b })
      const backoff = Backoff.constant({ delay: "1 second" }).pipe(Backoff.jittered(above), Backoff.capped("1 second"))
      const delays = yield* Schedule.run(backoff, 0, Array.from({ length: 200 }))
      const millis = Array.from(delays, Duration.toMillis)
      expect(Math.max(...millis)).toBeLessThanOrEqual(1000)
      expect(millis.filter((delay) => delay === 1000).length).toBeLessThan(10)
    }).pipe(Effect.provide(SeededRandom.layer("above")))
  )
})
