import { TokenBucket } from "@effect-retry/core"
import { TokenBucketContract } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Deferred, Duration, Effect, Exit, Fiber, FiberId, Layer, Option, Random } from "effect"
import { failing, findings } from "../Findings.ts"

type Bucket = TokenBucket.TokenBucket
type Answer = Option.Option<TokenBucket.Grant>
type Change<T> = (sound: Bucket, state: T) => Partial<Bucket>

const found = (make: TokenBucketContract.Make, options?: TokenBucketContract.Options) =>
  failing((runner) => TokenBucketContract.suite(runner, "it", make, options))

const capacity = 3

const changed = <T>(sound: Bucket, state: T, change: Change<T>): Bucket => ({ ...sound, ...change(sound, state) })

interface Tokens {
  left: number
}

const add = (tokens: Tokens, count: number) =>
  Effect.sync(() => {
    tokens.left = Math.min(capacity, tokens.left + count)
  })

const takeOne = (tokens: Tokens): Answer => {
  if (tokens.left < 1) return Option.none()
  tokens.left -= 1
  return Option.some({ tokens: 1, refund: add(tokens, 1) })
}

/** A sound bucket of three tokens, with something changed. */
const bucket = (change: Change<Tokens> = () => ({})): Effect.Effect<Bucket> =>
  Effect.sync(() => {
    const tokens: Tokens = { left: capacity }
    const sound: Bucket = {
      acquire: () => Effect.sync(() => takeOne(tokens)),
      record: () => Effect.void,
      level: Effect.sync(() => tokens.left)
    }
    return changed(sound, tokens, change)
  })

/** A sound bucket whose tokens come back when attempts end, with something changed. */
const returning = (change: Change<Tokens> = () => ({})) =>
  bucket((sound, tokens) =>
    changed(
      { ...sound, started: () => Effect.void, record: ({ granted }) => add(tokens, granted.tokens) },
      tokens,
      change
    )
  )

interface Waiter {
  wake: Deferred.Deferred<void>
}

interface Waiting extends Tokens {
  atMillis: number
  readonly queue: Array<Waiter>
  /** How many waiters are served before one. */
  ahead: (waiter: Waiter) => number
  /** How long a waiter sleeps that is due in so many milliseconds. */
  sleep: (dueMillis: number) => number
  /** What a waiter does with its tokens. */
  serve: (answer: Answer, request: TokenBucket.Request) => Effect.Effect<Answer>
  /** Whether a waiter leaves that is interrupted. */
  leaves: boolean
}

const monotonicMillis = Effect.map(Effect.clock, (clock) => Number(clock.unsafeCurrentTimeNanos()) / 1e6)

/** A sound bucket of one token per second that waits, with something changed. */
const waiting = (change: Change<Waiting> = () => ({})): Effect.Effect<Bucket> =>
  Effect.map(monotonicMillis, (atMillis) => {
    const queue: Array<Waiter> = []
    const state: Waiting = {
      left: capacity,
      atMillis,
      queue,
      ahead: (waiter) => queue.indexOf(waiter),
      sleep: (dueMillis) => dueMillis,
      serve: (answer) => Effect.succeed(answer),
      leaves: true
    }
    const refill = Effect.map(monotonicMillis, (now) => {
      state.left = Math.min(capacity, state.left + (now - state.atMillis) / 1_000)
      state.atMillis = now
      return now
    })
    const wakeAll = Effect.suspend(() => Effect.forEach(queue, ({ wake }) => Deferred.succeed(wake, undefined)))
    const refund = Effect.zipRight(Effect.zipRight(refill, add(state, 1)), Effect.asVoid(wakeAll))
    const turn = (waiter: Waiter, untilMillis: number, request: TokenBucket.Request): Effect.Effect<Answer> =>
      Effect.flatMap(refill, (now) => {
        const ahead = state.ahead(waiter)
        if (ahead === 0 && state.left > 1 - 1e-6) {
          state.left = Math.max(0, state.left - 1)
          return Effect.succeedSome({ tokens: 1, refund })
        }
        const dueMillis = (ahead + 1 - state.left) * 1_000
        if (now + dueMillis > untilMillis + 1e-6) return Effect.succeedNone
        waiter.wake = Deferred.unsafeMake(FiberId.none)
        const waited = request.restore(pause(waiter.wake, state.sleep(dueMillis)))
        return Effect.flatMap(Effect.zipRight(waited, turn(waiter, untilMillis, request)), (answer) =>
          state.serve(answer, request)
        )
      })
    const sound: Bucket = {
      acquire: (request) =>
        Effect.flatMap(monotonicMillis, (now) => {
          const waiter: Waiter = { wake: Deferred.unsafeMake(FiberId.none) }
          queue.push(waiter)
          const most = Option.match(request.atMost, { onNone: () => Infinity, onSome: Duration.toMillis })
          return Effect.onExit(turn(waiter, now + most, request), (exit) => {
            if (Exit.isSuccess(exit) || state.leaves) queue.splice(queue.indexOf(waiter), 1)
            return wakeAll
          })
        }),
      record: () => Effect.void,
      level: Effect.map(refill, () => state.left)
    }
    return changed(sound, state, change)
  })

/** Lasts until it is woken or so many milliseconds have passed. */
const pause = (wake: Deferred.Deferred<void>, millis: number) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDaemon(
        Effect.interruptible(Effect.zipRight(Effect.sleep(Math.ceil(millis - 1e-6)), Deferred.succeed(wake, undefined)))
      ),
      (timer) => Effect.ensuring(restore(Deferred.await(wake)), Fiber.interruptFork(timer))
    )
  )

const onlyOne = Effect.runSync(bucket())

const path = (sentence: string) => `${sentence}, on any path`

const waits = { waits: true, refills: true }

interface Defect {
  readonly defect: string
  readonly make: Effect.Effect<Bucket>
  readonly options?: TokenBucketContract.Options
  readonly finds: ReadonlyArray<string>
}

const defects: ReadonlyArray<Defect> = [
  {
    defect: "dies of an outcome",
    make: bucket(() => ({
      record: (outcome) =>
        outcome._tag === "Failed" && outcome.verdict._tag === "NoOpinion"
          ? Effect.dieMessage("no opinion")
          : Effect.void
    })),
    finds: ["records every way in which an attempt can end, without a failure and in no time"]
  },
  {
    defect: "takes its time to hear of an outcome",
    make: bucket(() => ({ record: ({ attempt }) => (attempt > 999 ? Effect.sleep("1 milli") : Effect.void) })),
    finds: ["records every way in which an attempt can end, without a failure and in no time"]
  },
  {
    defect: "is always the same",
    make: Effect.succeed(onlyOne),
    finds: ["is another bucket whenever it is made"]
  },
  {
    defect: "takes a token for a success",
    make: bucket((_, tokens) => ({
      record: ({ _tag }) =>
        Effect.sync(() => {
          if (_tag === "Succeeded") tokens.left = Math.max(0, tokens.left - 1)
        })
    })),
    finds: ["loses no tokens to a success"]
  },
  {
    defect: "makes tokens out of a clock that steps back",
    make: bucket(({ acquire, level }, tokens) => {
      let latest = 0
      const tick = Effect.map(Clock.currentTimeMillis, (now) => {
        if (now < latest) tokens.left = Math.min(capacity, tokens.left + 1)
        latest = now
      })
      return { acquire: (request) => Effect.zipRight(tick, acquire(request)), level: Effect.zipRight(tick, level) }
    }),
    finds: ["neither makes nor loses tokens when the wall clock is set"]
  },
  {
    defect: "makes tokens out of a clock that is set forward",
    make: bucket(({ level }, tokens) => ({
      level: Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now > 86_400_000 * 30) tokens.left = capacity
        return level
      })
    })),
    finds: ["neither makes nor loses tokens when the wall clock is set"]
  },
  {
    defect: "goes into debt",
    make: bucket((_, tokens) => ({
      acquire: () =>
        Effect.sync(() => {
          if (tokens.left <= 0) return Option.none()
          tokens.left -= 2
          return Option.some({ tokens: 2, refund: add(tokens, 2) })
        })
    })),
    finds: [path("has a level between zero and its capacity")]
  },
  {
    defect: "has a level that is no number",
    make: bucket(({ level }) => {
      let isBroken = false
      return {
        record: ({ attempt, granted }) => Effect.sync(() => void (isBroken ||= attempt === 3 && granted.tokens > 0)),
        level: Effect.map(level, (left) => (isBroken ? NaN : left))
      }
    }),
    finds: [path("has a level between zero and its capacity")]
  },
  {
    defect: "is filled above its capacity",
    make: bucket((_, tokens) => ({
      record: ({ _tag }) => Effect.sync(() => void (_tag === "Succeeded" && (tokens.left += 1)))
    })),
    finds: [path("has a level between zero and its capacity")]
  },
  {
    defect: "grants a number of tokens below zero",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        request.attempt === 3
          ? Effect.as(add(tokens, 1), Option.some({ tokens: -1, refund: Effect.void }))
          : acquire(request)
    })),
    finds: [path("grants a number of tokens between zero and its capacity")]
  },
  {
    defect: "grants tokens that are no number",
    make: bucket(({ acquire }) => ({
      acquire: (request) =>
        request.attempt === 3 ? Effect.succeedSome({ tokens: NaN, refund: Effect.void }) : acquire(request)
    })),
    finds: [path("grants a number of tokens between zero and its capacity")]
  },
  {
    defect: "grants more than it can hold",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        request.attempt === 3 && tokens.left > 0
          ? Effect.succeedSome({ tokens: capacity + 1, refund: Effect.void })
          : acquire(request)
    })),
    finds: [path("grants a number of tokens between zero and its capacity")]
  },
  {
    defect: "waits although it says that it does not",
    make: bucket(({ acquire }) => ({
      acquire: (request) => Effect.zipLeft(acquire(request), Effect.sleep(request.attempt === 3 ? 1 : 0))
    })),
    finds: ["never waits, on any path"]
  },
  {
    defect: "takes less than it says",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        request.attempt === 3 && tokens.left >= 1
          ? Effect.sync(() => {
              tokens.left -= 0.5
              return Option.some({ tokens: 1, refund: add(tokens, 1) })
            })
          : acquire(request)
    })),
    finds: [path("takes what it grants")]
  },
  {
    defect: "charges for what it refuses",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        Effect.suspend(() => {
          if (request.attempt < 3) return acquire(request)
          tokens.left = Math.max(0, tokens.left - 1)
          return Effect.succeedNone
        })
    })),
    finds: [path("takes and returns nothing where it refuses")]
  },
  {
    defect: "returns tokens where it refuses",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        Effect.tap(acquire(request), (answer) =>
          Option.isNone(answer) && request.attempt === 3 ? add(tokens, 1) : Effect.void
        )
    })),
    finds: [path("takes and returns nothing where it refuses")]
  },
  {
    defect: "keeps what is refunded",
    make: bucket(({ acquire }) => ({
      acquire: (request) =>
        Effect.map(
          acquire(request),
          Option.map((grant) => (request.attempt === 3 ? { ...grant, refund: Effect.void } : grant))
        )
    })),
    finds: [path("returns what is refunded")]
  },
  {
    defect: "refunds twice what it granted",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        Effect.map(
          acquire(request),
          Option.map((grant) => (request.attempt === 3 ? { ...grant, refund: add(tokens, 2) } : grant))
        )
    })),
    finds: [path("returns what is refunded")]
  },
  {
    defect: "refunds a token for every grant, also for those that took none",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        request.attempt === 1 ? Effect.succeedSome({ tokens: 0, refund: add(tokens, 1) }) : acquire(request)
    })),
    finds: [path("returns what is refunded")]
  },
  {
    defect: "can be interrupted between taking and answering",
    make: bucket((_, tokens) => ({
      acquire: ({ restore }) =>
        restore(
          Effect.zipLeft(
            Effect.sync(() => takeOne(tokens)),
            Effect.yieldNow()
          )
        )
    })),
    finds: ["answers with what it took, at whatever step it is interrupted"]
  },
  {
    defect: "grants what was refunded twice",
    make: bucket(({ acquire }) => {
      let isRefunded = false
      const granting = { tokens: 0, refund: Effect.void }
      return {
        acquire: (request) =>
          Effect.flatMap(acquire(request), (answer) => {
            if (Option.isNone(answer) && isRefunded) return Effect.succeedSome(granting)
            return Effect.succeed(
              Option.map(answer, (grant) => ({
                ...grant,
                refund: Effect.zipRight(
                  Effect.sync(() => (isRefunded = true)),
                  grant.refund
                )
              }))
            )
          })
      }
    }),
    finds: ["grants again what was refunded, once"]
  },
  {
    defect: "looks first and takes afterwards",
    make: bucket((_, tokens) => ({
      acquire: () =>
        Effect.flatMap(
          Effect.sync(() => tokens.left),
          (left) =>
            left < 1
              ? Effect.succeedNone
              : Effect.sync(() => {
                  tokens.left = left - 1
                  return Option.some({ tokens: 1, refund: add(tokens, 1) })
                })
        )
    })),
    finds: ["grants one of a hundred attempts at once where the tokens of one are left"]
  },
  {
    defect: "makes tokens out of time",
    make: bucket(({ acquire }, tokens) => ({
      acquire: (request) =>
        Effect.flatMap(monotonicMillis, (now) => {
          if (now >= 86_400_000) tokens.left = capacity
          return acquire(request)
        })
    })),
    finds: ["stays empty however much time passes"]
  },
  {
    defect: "never grants again",
    make: bucket(),
    options: { refills: true },
    finds: ["grants again as time passes"]
  },
  ...(["Succeeded", "Failed", "Abandoned"] as const).map((ending) => ({
    defect: `does not return the tokens of an attempt that ends as ${ending}`,
    make: returning(({ record }) => ({
      record: (outcome) => (outcome._tag === ending ? Effect.void : record(outcome))
    })),
    options: { returns: true },
    finds: [`gets its tokens back from an attempt that ends as ${ending}`]
  })),
  {
    defect: "waits longer than the request allows",
    make: waiting(({ acquire }) => ({
      acquire: (request) => acquire(request.attempt === 3 ? { ...request, atMost: Option.none() } : request)
    })),
    options: waits,
    finds: [path("waits no longer than the request allows")]
  },
  {
    defect: "waits before it refuses",
    make: waiting(({ acquire }) => ({
      acquire: (request) =>
        Effect.tap(acquire(request), (answer) =>
          Option.isNone(answer) &&
          request.attempt === 3 &&
          Option.exists(request.atMost, Duration.greaterThan(Duration.zero))
            ? Effect.sleep("1 milli")
            : Effect.void
        )
    })),
    options: waits,
    finds: [path("does not wait before a refusal")]
  },
  {
    defect: "serves the latest waiter first",
    make: waiting((_, state) => {
      state.ahead = (waiter) => state.queue.length - 1 - state.queue.indexOf(waiter)
      return {}
    }),
    options: waits,
    finds: ["serves waiting attempts in the order in which they came"]
  },
  {
    defect: "looks for tokens every two seconds where it has to wait for one or more",
    make: waiting((_, state) => {
      state.sleep = (dueMillis) => (dueMillis < 1_000 ? dueMillis : Math.ceil(dueMillis / 2_000) * 2_000)
      return {}
    }),
    options: waits,
    finds: ["grants as soon as time has brought the tokens, and refuses at once where that is too late"]
  },
  {
    defect: "keeps the place of an attempt that was interrupted",
    make: waiting((_, state) => {
      state.leaves = false
      return {}
    }),
    options: waits,
    finds: [
      "delays no attempt for one that is interrupted in front of others",
      "loses nothing to an attempt that is interrupted while it is served"
    ]
  },
  {
    defect: "loses the tokens of a waiting attempt that is interrupted while it is served",
    make: waiting((_, state) => {
      state.serve = (answer, { restore }) => restore(Effect.as(Effect.yieldNow(), answer))
      return {}
    }),
    options: waits,
    finds: ["loses nothing to an attempt that is interrupted while it is served"]
  },
  {
    defect: "cannot be interrupted while it waits",
    make: waiting(({ acquire }) => ({
      acquire: (request) => acquire({ ...request, restore: (effect) => effect })
    })),
    options: waits,
    finds: [
      "loses nothing to an attempt that is interrupted when it is empty",
      "delays no attempt for one that is interrupted in front of others",
      "delays no attempt for one that is interrupted between others",
      "stops waiting as soon as it is interrupted"
    ]
  }
]

describe("TokenBucketContract.suite", () => {
  it.effect.each([
    { sort: "refuses", make: bucket() },
    { sort: "is a layer", make: Layer.effect(TokenBucket.RetryBucket, bucket()) },
    { sort: "gets its tokens back", make: returning(), options: { returns: true } },
    { sort: "waits", make: waiting(), options: waits },
    { sort: "grants all", make: Effect.succeed(TokenBucket.unlimited), options: { grants: "all" as const } },
    { sort: "grants none", make: Effect.succeed(TokenBucket.empty), options: { grants: "none" as const } },
    {
      sort: "leaves it to chance",
      make: bucket(({ acquire }, tokens) => ({
        acquire: (request) =>
          Effect.flatMap(Random.nextBoolean, (isGranted) => {
            tokens.left = capacity
            return isGranted ? acquire(request) : Effect.succeedNone
          })
      })),
      options: { grants: "by chance" as const }
    }
  ])("finds nothing in a sound bucket that $sort", ({ make, options }) =>
    Effect.map(found(make, options), (found) => expect(found).toEqual([]))
  )

  it.effect.each(defects)("finds a bucket that $defect", ({ finds, make, options }) =>
    Effect.map(found(make, options), (found) => expect(found).toEqual(finds))
  )

  it.effect("finds a bucket that grants none though it is said to grant all, and the reverse", () =>
    Effect.gen(function* () {
      expect(yield* found(Effect.succeed(TokenBucket.empty), { grants: "all" })).toContain("grants every attempt")
      expect(yield* found(Effect.succeed(TokenBucket.unlimited), { grants: "none" })).toEqual(["grants no attempt"])
    })
  )
})

describe("TokenBucketContract.suite messages", () => {
  const said = (make: TokenBucketContract.Make, options: TokenBucketContract.Options, sentence: string) =>
    Effect.map(
      findings((runner) => TokenBucketContract.suite(runner, "it", make, options), sentence),
      (found) => found.map(({ says }) => says).join("\n")
    )

  it.effect("name the promise, what was seen, and the likely cause: restore around more than the wait", () =>
    Effect.gen(function* () {
      const sentence = "loses nothing to an attempt that is interrupted while it is served"
      const losing = waiting((_, state) => {
        state.serve = (answer, { restore }) => restore(Effect.as(Effect.yieldNow(), answer))
        return {}
      })
      const message = yield* said(losing, { waits: true, refills: true }, sentence)
      expect(message).toContain(`the bucket broke a promise: it ${sentence}\nthe tokens of its last grant: expected `)
      expect(message).toContain("likely cause: `restore` is around more than the wait")
    })
  )

  it.effect("name restore around more than the wait when an attempt is interrupted between taking and answering", () =>
    Effect.gen(function* () {
      const sentence = "answers with what it took, at whatever step it is interrupted"
      const losing = bucket((_, tokens) => ({
        acquire: ({ restore }) =>
          restore(
            Effect.flatMap(Effect.yieldNow(), () => Effect.yieldNow()).pipe(
              Effect.zipRight(Effect.sync(() => takeOne(tokens))),
              Effect.zipLeft(Effect.yieldNow())
            )
          )
      }))
      const message = yield* said(losing, {}, sentence)
      expect(message).toContain(`it ${sentence}\nits level: expected `)
      expect(message).toContain("likely cause: `restore` is around more than the wait")
    })
  )

  it.effect("name a wall clock as the likely cause of tokens from nowhere", () =>
    Effect.gen(function* () {
      const sentence = "neither makes nor loses tokens when the wall clock is set"
      const byWallClock = bucket((sound) => ({
        level: Effect.flatMap(Clock.currentTimeMillis, (now) => (now > 1e9 ? Effect.succeed(capacity) : sound.level))
      }))
      const message = yield* said(byWallClock, {}, sentence)
      expect(message).toContain(`it ${sentence}`)
      expect(message).toContain("likely cause: it refills by the wall clock")
    })
  )

  it.effect.each([
    {
      sentence: path("returns what is refunded"),
      make: bucket(({ acquire }, tokens) => ({
        acquire: (request) =>
          request.attempt === 1 ? Effect.succeedSome({ tokens: 0, refund: add(tokens, 1) }) : acquire(request)
      })),
      saw: /^a refund of 0 tokens: level \d before and \d after, capacity 3$/,
      cause: "likely cause: `refund` adds a fixed number of tokens"
    },
    {
      sentence: path("takes what it grants"),
      make: bucket((_, tokens) => ({
        acquire: () => Effect.sync(() => Option.map(takeOne(tokens), (grant) => ({ ...grant, tokens: 2 })))
      })),
      saw: /^attempt \d, which may wait \d+ ms, was granted 2 tokens after 0 ms: level 3 before and 2 after, capacity 3$/,
      cause: "likely cause: the number of tokens in the grant is not the number that it took"
    },
    {
      sentence: path("takes and returns nothing where it refuses"),
      make: bucket((_, tokens) => ({
        acquire: () =>
          Effect.sync(() => {
            tokens.left = Math.max(0, tokens.left - 1)
            return Option.none()
          })
      })),
      saw: /^attempt \d, which may wait \d+ ms, was refused after 0 ms: level 3 before and 2 after, capacity 3$/,
      cause: "likely cause: it takes tokens before it knows whether there are enough"
    },
    {
      sentence: path("has a level between zero and its capacity"),
      make: bucket((_, tokens) => ({ record: () => Effect.sync(() => void (tokens.left += 1)) })),
      saw: /^a(n interrupted attempt| success| failure): level 3 before and 4 after, capacity 3$/,
      cause: "the bucket broke a promise"
    }
  ])("say what a bucket did that broke $sentence", ({ cause, make, saw, sentence }) =>
    Effect.map(said(make, {}, sentence), (message) => {
      const [promise, seen] = message.split("\n")
      expect(promise).toBe(`Error: the bucket broke a promise: it ${sentence}`)
      expect(seen).toMatch(saw)
      expect(message).toContain(cause)
    })
  )

  it.effect("name the promise when no cause is known", () =>
    Effect.gen(function* () {
      const sentence = "grants no attempt"
      const message = yield* said(bucket(), { grants: "none" }, sentence)
      expect(message).toContain(`the bucket broke a promise: it ${sentence}\n`)
      expect(message).not.toContain("likely cause")
    })
  )

  it.effect("say what to write for a layer of another tag, once, and guess at no cause", () =>
    Effect.gen(function* () {
      class Budget extends Context.Tag("app/Budget")<Budget, Bucket>() {}
      const layer: Layer.Layer<any> = Layer.effect(Budget, bucket())
      const [first, ...others] = (yield* findings((runner) => TokenBucketContract.suite(runner, "it", layer))).map(
        ({ says }) => says.split("\n")[0]
      )
      const says = "InvalidArgument: TokenBucketContract.suite: make must be a layer of TokenBucket.RetryBucket"
      // The context of a layer may hold more than the layer provides.
      expect(first).toContain(`${says}, such as Layer.effect(`)
      expect(first).toContain('got "a layer of ')
      expect(others.length).toBeGreaterThan(10)
      for (const other of others)
        expect(other).toContain(`${says} (the first test says what to write), got "a layer of `)
    })
  )

  it.effect("show what keeps a bucket from being made, without a promise", () =>
    Effect.gen(function* () {
      const failing = Effect.die(new Error("no connection"))
      const found = yield* findings((runner) => TokenBucketContract.suite(runner, "it", failing))
      expect([...new Set(found.map(({ says }) => says.split("\n")[0]))]).toEqual(["Error: no connection"])
    })
  )

  it("refuse a bucket in place of what makes one", () => {
    expect(() => found(TokenBucket.empty as any)).toThrow(
      "TokenBucketContract.suite: make must be an effect or a layer of a bucket, got an object"
    )
  })

  it.effect("know causes of these promises", () =>
    Effect.gen(function* () {
      const dying = bucket(() => ({
        acquire: () => Effect.die(new Error("no")),
        record: () => Effect.die(new Error("no"))
      }))
      const all = yield* Effect.forEach([true, false], (refills) =>
        findings((runner) => TokenBucketContract.suite(runner, "it", dying, { waits: true, refills }))
      )
      const known = all.flat().flatMap(({ name, says }) => (says.includes("likely cause: ") ? [name] : []))
      expect([...new Set(known)].toSorted()).toEqual([
        "delays no attempt for one that is interrupted between others",
        "delays no attempt for one that is interrupted in front of others",
        "grants again as time passes",
        "grants again what was refunded, once",
        "grants one of a hundred attempts at once where the tokens of one are left",
        "is another bucket whenever it is made",
        "loses no tokens to a success",
        "loses nothing to an attempt that is interrupted when it is empty",
        "loses nothing to an attempt that is interrupted while it is served",
        "neither makes nor loses tokens when the wall clock is set",
        "records every way in which an attempt can end, without a failure and in no time",
        "returns what is refunded, on any path",
        "serves waiting attempts in the order in which they came",
        "stays empty however much time passes",
        "stops waiting as soon as it is interrupted",
        "takes and returns nothing where it refuses, on any path",
        "takes what it grants, on any path"
      ])
    })
  )
})
