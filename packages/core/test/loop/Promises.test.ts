/**
 * The function for `async` functions runs with real promises and the live clock; no test measures time.
 */
import { getEventListeners } from "node:events"
import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Deadline,
  InvalidArgument,
  type Observe,
  Policy,
  Promises,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { assertType, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Cause, Context, Data, Effect, Metric, Schedule } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly after: number }> {}
class Bucket extends Context.Tag("test/Bucket")<Bucket, TokenBucket.TokenBucket>() {}

const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }
const forever = { ...policy, backoff: Backoff.constant({ delay: "1 day" }) }
/** What makes the policy enter the loop before the first attempt. */
const eager = { ...policy, name: "call" }

const busy = (number: number) => new Error(`busy ${number}`)

/** Rejects until the attempt `until`, which answers its number; keeps the attempts. */
const succeedingAt = (until: number) => {
  const attempts: Array<Promises.Attempt> = []
  const call = async (attempt: Promises.Attempt) => {
    attempts.push(attempt)
    if (attempt.number < until) throw busy(attempt.number)
    return attempt.number
  }
  return { attempts, call }
}

/** Rejects when its signal is aborted, as `fetch` does. */
const untilAborted = ({ signal }: Promises.Attempt) =>
  new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
  })

const settled = async (promise: Promise<unknown>) => {
  const [result] = await Promise.allSettled([promise])
  return result?.status === "rejected" ? { rejected: result.reason } : { resolved: result?.value }
}

/** Until everything that is due has run. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length

describe.each([
  { of: "a plain policy", given: policy },
  { of: "a policy that looks at the first attempt", given: eager }
])("Promises.retry under $of", ({ given }) => {
  it("calls the function once for each attempt, with its number, and answers the first success", async () => {
    const { attempts, call } = succeedingAt(3)
    expect(await Promises.retry(call, given)).toBe(3)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(await Promises.retry(succeedingAt(1).call, given)).toBe(1)
  })

  it("rejects with the very error of the last attempt", async () => {
    const errors: Array<Error> = []
    const failing = async ({ number }: Promises.Attempt) => {
      errors.push(busy(number))
      throw errors.at(-1)
    }
    const { rejected } = await settled(Promises.retry(failing, given))
    expect(rejected).toBe(errors[2])
    expect(errors.length).toBe(3)
  })

  it.each([undefined, null, 0, "no error"])("rejects with whatever the function rejects with: %s", async (reason) => {
    expect(await settled(Promises.retry(() => Promise.reject(reason), given))).toEqual({ rejected: reason })
  })

  it("treats a throw like a rejection", async () => {
    let calls = 0
    const throwing = (): Promise<string> => {
      calls += 1
      throw busy(calls)
    }
    expect(await settled(Promises.retry(throwing, given))).toEqual({ rejected: busy(3) })
    expect(calls).toBe(3)
  })

  it("adopts the promises of another library", async () => {
    const own = Promise.resolve("done")
    const foreign: PromiseLike<string> = new Proxy(own, {
      get: (target, field) => (field === "then" ? target.then.bind(target) : undefined)
    })
    expect(await Promises.retry(() => foreign, given)).toBe("done")
  })

  it("makes one attempt when the failure is terminal, or known to no classifier", async () => {
    for (const classifier of [Classifier.never, () => Verdict.noOpinion]) {
      const { attempts, call } = succeedingAt(2)
      expect(await settled(Promises.retry(call, { ...given, classifier }))).toEqual({ rejected: busy(1) })
      expect(attempts.length).toBe(1)
    }
  })

  it("rejects with what a classifier throws and the error of the call", async () => {
    const broken = new RangeError("broken classifier")
    const classifier = () => {
      throw broken
    }
    const { rejected } = await settled(Promises.retry(succeedingAt(2).call, { ...given, classifier }))
    expect(rejected).toMatchObject({ value: { original: broken }, cause: { original: busy(1) } })
  })

  it("rejects with what a classifier answers in place of a verdict, and with the error of the call", async () => {
    const classifier = (() => true) as unknown as Classifier.Classifier
    const { rejected } = await settled(Promises.retry(succeedingAt(2).call, { ...given, classifier }))
    expect(rejected).toMatchObject({ field: "classifier", value: true, cause: { original: busy(1) } })
    expect(String(rejected)).toContain("Classifier.fromPredicate")
  })

  it.each([
    ["a promise", Promise.resolve(1), "Promise"],
    ["undefined", undefined, "undefined"],
    ["an effect", Effect.suspend(() => Effect.void), "EffectPrimitive"]
  ])("refuses %s in place of the function", (_, call, got) => {
    const message = `Promises.retry: call must be an async function, as in Promises.retry(call, policy), got ${got}`
    expect(() => Promises.retry(call as never, given)).toThrow(message)
  })

  it.each([
    ["the signal itself, which has no properties of its own", new AbortController().signal, "AbortSignal"],
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["a text", "signal", '"signal"']
  ])("refuses %s in place of the options", (_, options, got) => {
    const message = `Promises.retry: options must be a record, as in Promises.retry(call, policy, { signal }), got ${got}`
    expect(() => Promises.retry(succeedingAt(1).call, given, options as never)).toThrow(message)
  })

  it("refuses a signal that cannot be heard", () => {
    expect(() => Promises.retry(succeedingAt(1).call, given, { signal: {} as never })).toThrow(
      "Promises.retry: signal must be an AbortSignal, got"
    )
  })

  it("hands in a signal that is never aborted when nothing aborts", async () => {
    const { attempts, call } = succeedingAt(3)
    await Promises.retry(call, given)
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([false, false, false])
  })

  it("hands each attempt one signal of its own", async () => {
    const { attempts, call } = succeedingAt(2)
    await Promises.retry(call, given)
    expect(attempts[0]?.signal).toBe(attempts[0]?.signal)
    expect(attempts[0]?.signal).not.toBe(attempts[1]?.signal)
  })
})

describe("Promises.retry under the caller's signal", () => {
  const reason = new Error("the caller has gone")

  /** Aborts when `aborts` says so; tells what the promise came to, and how many listeners are left. */
  const aborted = async (
    given: Policy.Policy<unknown>,
    call: (attempt: Promises.Attempt, abort: () => void) => Promise<unknown>,
    observe: (event: Observe.RetryEvent, abort: () => void) => void = () => undefined
  ) => {
    const controller = new AbortController()
    const abort = () => controller.abort(reason)
    const attempts: Array<Promises.Attempt> = []
    const observer: Observe.Observer = (event) => Effect.sync(() => observe(event, abort))
    const observed = { ...given, observe: [observer] }
    const promise = Promises.retry(
      (attempt) => {
        attempts.push(attempt)
        return call(attempt, abort)
      },
      observed,
      { signal: controller.signal }
    )
    const result = await settled(promise)
    await turn()
    return { ...result, attempts, listeners: listeners(controller.signal) }
  }

  it("calls nothing if it is aborted before the call", async () => {
    for (const given of [policy, eager]) {
      const { attempts, call } = succeedingAt(1)
      const signal = AbortSignal.abort(reason)
      expect(await settled(Promises.retry(call, given, { signal }))).toEqual({ rejected: reason })
      expect([attempts.length, listeners(signal)]).toEqual([0, 0])
    }
  })

  it("aborts the first attempt of a plain policy with the caller's reason", async () => {
    const controller = new AbortController()
    const attempts: Array<Promises.Attempt> = []
    const promise = Promises.retry(
      (attempt) => {
        attempts.push(attempt)
        return untilAborted(attempt)
      },
      policy,
      { signal: controller.signal }
    )
    expect(listeners(controller.signal)).toBe(1)
    controller.abort(reason)
    expect((await settled(promise)).rejected).toBe(reason)
    await turn()
    expect(attempts.map(({ signal }) => signal.reason)).toEqual([reason])
    expect(listeners(controller.signal)).toBe(0)
  })

  it("aborts the first attempt of any policy with the caller's reason", async () => {
    const { attempts, listeners, ...result } = await aborted(eager, (attempt, abort) => {
      setImmediate(abort)
      return untilAborted(attempt)
    })
    expect(result).toEqual({ rejected: reason })
    expect(attempts.map(({ signal }) => signal.reason)).toEqual([reason])
    expect(listeners).toBe(0)
  })

  it("aborts a later attempt, and makes no other", async () => {
    const { attempts, listeners, ...result } = await aborted(policy, (attempt, abort) => {
      if (attempt.number === 1) return Promise.reject(busy(1))
      setImmediate(abort)
      return untilAborted(attempt)
    })
    expect(result).toEqual({ rejected: reason })
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([false, true])
    expect(listeners).toBe(0)
  })

  it("ends a wait at once", async () => {
    const waiting = await aborted(
      forever,
      ({ number }) => Promise.reject(busy(number)),
      ({ _tag }, abort) => {
        if (_tag === "RetryScheduled") setImmediate(abort)
      }
    )
    expect([waiting.rejected, waiting.attempts.length, waiting.listeners]).toEqual([reason, 1, 0])
  })

  it("rejects with its reason even if an attempt does not heed its signal, and ignores how that attempt ends", async () => {
    for (const outcome of ["resolves", "rejects"] as const) {
      let finish = () => undefined as void
      const deaf = new Promise<string>((resolve, reject) => {
        finish = () => (outcome === "resolves" ? resolve("late") : reject(busy(1)))
      })
      const { attempts, rejected } = await aborted(policy, (_, abort) => {
        setImmediate(abort)
        return deaf
      })
      finish()
      await turn()
      expect([rejected, attempts.length]).toEqual([reason, 1])
    }
  })

  it("takes an operation out of the queue of a rate limiter, before its first attempt", async () => {
    const rateLimiter = await Effect.runPromise(RateLimiter.concurrencyLimit({ limit: 1, whenShort: "wait" }))
    const controller = new AbortController()
    let finish = () => undefined as void
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const first = Promises.retry(() => held, { ...policy, rateLimiter })
    const { attempts, call } = succeedingAt(1)
    const second = Promises.retry(call, { ...policy, rateLimiter }, { signal: controller.signal })
    await turn()
    controller.abort(reason)
    expect(await settled(second)).toEqual({ rejected: reason })
    finish()
    await first
    await turn()
    expect(attempts).toEqual([])
  })

  it("counts also if the function itself aborts it", async () => {
    for (const given of [policy, eager]) {
      const failing = await aborted(given, ({ number }, abort) => {
        abort()
        return Promise.reject(busy(number))
      })
      expect([failing.rejected, failing.attempts.length, failing.listeners]).toEqual([reason, 1, 0])
    }
  })

  it("asks a policy nothing about an attempt that it has aborted", async () => {
    for (const given of [policy, eager]) {
      const controller = new AbortController()
      const classified: Array<unknown> = []
      const classifier = (error: unknown) => {
        classified.push(error)
        return Verdict.transient
      }
      const call = ({ number }: Promises.Attempt) => {
        controller.abort(reason)
        return Promise.reject(busy(number))
      }
      const { signal } = controller
      expect(await settled(Promises.retry(call, { ...given, classifier }, { signal }))).toEqual({ rejected: reason })
      await turn()
      expect(classified).toEqual([])
    }
  })

  it("makes no other attempt when a classifier aborts it", async () => {
    const retried = { ...policy, backoff: Backoff.constant({ delay: 0 }) }
    for (const given of [retried, { ...retried, observe: [() => Effect.void] }, { ...retried, name: "call" }]) {
      const controller = new AbortController()
      const { attempts, call } = succeedingAt(9)
      const classifier = () => {
        controller.abort(reason)
        return Verdict.transient
      }
      const { signal } = controller
      expect(await settled(Promises.retry(call, { ...given, classifier }, { signal }))).toEqual({ rejected: reason })
      await turn()
      expect([attempts.length, listeners(signal)]).toEqual([1, 0])
    }
  })

  it("has no listener left when the operation has ended", async () => {
    const { signal } = new AbortController()
    await Promises.retry(succeedingAt(1).call, policy, { signal })
    await Promises.retry(succeedingAt(3).call, policy, { signal })
    await Promises.retry(succeedingAt(3).call, eager, { signal })
    await settled(Promises.retry(succeedingAt(9).call, policy, { signal }))
    await settled(Promises.retry(succeedingAt(9).call, eager, { signal }))
    expect(listeners(signal)).toBe(0)
  })

  describe.each([
    { name: "a plain policy", added: {} },
    { name: "`name`", added: { name: "call" } },
    { name: "`attemptSpan`", added: { attemptSpan: "call" } },
    { name: "`attemptTimeout`", added: { attemptTimeout: AttemptTimeout.constant("1 minute") } },
    {
      name: "`attemptSpan` and `attemptTimeout`",
      added: { attemptSpan: "call", attemptTimeout: AttemptTimeout.constant("1 minute") }
    },
    { name: "`attemptSpan` and `Deadline.cut`", added: { attemptSpan: "call", deadline: Deadline.cut("1 minute") } }
  ])("under $name", ({ added }) => {
    /** What the classifier got, and what the promise rejects with. */
    const rejection = async (error: unknown) => {
      const judged: Array<unknown> = []
      const classifier = (error: unknown) => {
        judged.push(error)
        return Verdict.transient
      }
      const retried = Promises.retry(() => Promise.reject(error), {
        ...policy,
        ...added,
        maxAttempts: 2,
        classifier
      })
      const rejected = await retried.then(
        () => undefined,
        (reason: unknown) => ({ reason })
      )
      return { judged, rejected }
    }

    it("rejects with the very error of the function, which the classifier gets too", async () => {
      class Private extends Error {
        readonly #code = 42
        get code() {
          return this.#code
        }
      }
      const error = new Private("busy")
      const { judged, rejected } = await rejection(error)
      expect(rejected?.reason).toBe(error)
      expect(error.code).toBe(42)
      expect(judged.map((each) => each === error)).toEqual([true, true])
    })

    it("rejects with a revoked proxy", async () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      const { judged, rejected } = await rejection(proxy)
      // A matcher would read the proxy.
      expect([rejected?.reason === proxy, judged.length]).toEqual([true, 2])
    })
  })

  it("leaves no rejection unhandled", async () => {
    const unhandled: Array<unknown> = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on("unhandledRejection", note)
    try {
      for (const given of [policy, eager, forever]) {
        await aborted(given, (attempt, abort) => {
          setImmediate(abort)
          return attempt.number === 1 ? Promise.reject(busy(1)) : untilAborted(attempt)
        })
      }
      await settled(Promises.retry(succeedingAt(9).call, policy))
      await turn()
    } finally {
      process.off("unhandledRejection", note)
    }
    expect(unhandled).toEqual([])
  })
})

describe("Promises.retry under a plain policy", () => {
  const reason = new Error("the caller has gone")
  const fibers = () => Effect.runSync(Metric.value(Metric.fiberStarted)).count

  /** Fibers that a promise starts; to read their number starts one as well. */
  const fibersOf = async (promise: () => Promise<unknown>) => {
    const before = fibers()
    await settled(promise())
    return Number(fibers()) - Number(before) - 1
  }

  it.each([
    { what: "that succeeds", until: 3, given: policy, starts: 0 },
    { what: "that gives up", until: 9, given: policy, starts: 0 },
    { what: "that waits", until: 3, given: { ...policy, backoff: Backoff.constant({ delay: 1 }) }, starts: 0 },
    { what: "under a deadline", until: 3, given: { ...policy, deadline: Deadline.refuse("1 minute") }, starts: 0 },
    { what: "under a foreign schedule", until: 3, given: { ...policy, backoff: Schedule.forever }, starts: 1 }
  ])("starts $starts fibers for an operation $what", async ({ given, starts, until }) => {
    const { attempts, call } = succeedingAt(until)
    expect(await fibersOf(() => Promises.retry(call, given))).toBe(starts)
    const { signal } = new AbortController()
    expect(await fibersOf(() => Promises.retry(call, given, { signal }))).toBe(starts)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 1, 2, 3])
  })

  it("is aborted by the caller's signal before, in and after any attempt, and at once", async () => {
    const delays = [policy.backoff, Backoff.constant({ delay: 1 })]
    for (const backoff of delays) {
      for (const at of [1, 2, 3]) {
        for (const outcome of ["resolves", "rejects", "goes on"] as const) {
          const controller = new AbortController()
          const { signal } = controller
          const attempts: Array<Promises.Attempt> = []
          const call = async (attempt: Promises.Attempt) => {
            attempts.push(attempt)
            if (attempt.number < at) throw busy(attempt.number)
            controller.abort(reason)
            if (outcome === "resolves") return "late"
            if (outcome === "rejects") throw busy(at)
            return untilAborted(attempt)
          }
          expect(await settled(Promises.retry(call, { ...policy, maxAttempts: 9, backoff }, { signal }))).toEqual({
            rejected: reason
          })
          await turn()
          expect(attempts.map(({ signal }) => signal.reason)).toEqual([
            ...Array.from({ length: at - 1 }, () => undefined),
            reason
          ])
          expect(listeners(signal)).toBe(0)
        }
      }
    }
  })

  it("ends a wait at once when the caller's signal is aborted", async () => {
    const controller = new AbortController()
    const { attempts, call } = succeedingAt(9)
    const promise = Promises.retry(call, forever, { signal: controller.signal })
    await turn()
    controller.abort(reason)
    expect(await settled(promise)).toEqual({ rejected: reason })
    expect([attempts.length, listeners(controller.signal)]).toEqual([1, 0])
  })

  it("rejects with what a classifier throws after a later attempt, and with the error of that attempt", async () => {
    const broken = new RangeError("broken classifier")
    const classifier: Classifier.Classifier = (_, { attempt }) => {
      if (attempt === 2) throw broken
      return Verdict.transient
    }
    for (const backoff of [policy.backoff, Backoff.constant({ delay: 1 })]) {
      const { rejected } = await settled(Promises.retry(succeedingAt(9).call, { ...policy, backoff, classifier }))
      expect(rejected).toMatchObject({ value: { original: broken }, cause: { original: busy(2) } })
    }
  })
})

describe("Promises.retry with a schedule that interrupts", () => {
  it("rejects with an interruption", async () => {
    const backoff = Schedule.tapInput(Schedule.forever, () => Effect.interrupt)
    const { rejected } = await settled(Promises.retry(succeedingAt(9).call, { ...policy, backoff }))
    expect(Cause.isInterruptedException(rejected)).toBe(true)
  })
})

describe("Promises.retry signal of an attempt", () => {
  it("is aborted by an attempt timeout, which is retried like any failure", async () => {
    const attempts: Array<Promises.Attempt> = []
    const timed = { ...policy, maxAttempts: 2, attemptTimeout: AttemptTimeout.constant("1 millis") }
    const { rejected } = await settled(
      Promises.retry((attempt) => {
        attempts.push(attempt)
        return untilAborted(attempt)
      }, timed)
    )
    expect(rejected).toBeInstanceOf(AttemptTimeout.AttemptTimedOut)
    expect(rejected).toMatchObject({ attempt: 2 })
    const interrupted = ["AbortError", "The attempt was interrupted."]
    expect(attempts.map(({ signal }) => [signal.reason.name, signal.reason.message])).toEqual([
      interrupted,
      interrupted
    ])
  })

  it("is aborted by a deadline that cuts", async () => {
    const attempts: Array<Promises.Attempt> = []
    const cut = { ...policy, deadline: Deadline.cut("5 millis", { onExceeded: () => "too late" }) }
    const result = await settled(
      Promises.retry((attempt) => {
        attempts.push(attempt)
        return untilAborted(attempt)
      }, cut)
    )
    expect(result).toEqual({ rejected: "too late" })
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true])
  })

  it("is aborted by a deadline that cuts, and says so when the policy says nothing of its own", async () => {
    const cut = { ...policy, deadline: Deadline.cut("5 millis") }
    const { rejected } = await settled(Promises.retry(untilAborted, cut))
    expect(rejected).toBeInstanceOf(Deadline.DeadlineExceeded)
  })

  it("is made when it is first read, and is aborted with the caller's reason even after that", async () => {
    const made: Array<AbortController> = []
    class Counting extends AbortController {
      constructor() {
        super()
        made.push(this)
      }
    }
    const original = globalThis.AbortController
    const controller = new original()
    const seen: Array<Promises.Attempt> = []
    globalThis.AbortController = Counting
    try {
      await Promises.retry(async (attempt) => void seen.push(attempt), policy)
      const never = (attempt: Promises.Attempt) => {
        seen.push(attempt)
        return new Promise<never>(() => undefined)
      }
      const aborted = Promises.retry(never, eager, { signal: controller.signal })
      controller.abort("gone")
      expect(await settled(aborted)).toEqual({ rejected: "gone" })
      await turn()
      expect(made.length).toBe(0)
      expect(seen.map(({ signal }) => [signal.aborted, signal.reason])).toEqual([
        [false, undefined],
        [true, "gone"]
      ])
      expect(made.length).toBe(2)
    } finally {
      globalThis.AbortController = original
    }
  })
})

describe("Promises.retry policies", () => {
  it("judge results, and return the last one when they give up", async () => {
    const statuses = [503, 503, 200]
    const result = (status: number | undefined) => (status === 503 ? Verdict.server : Verdict.noOpinion)
    const judging = { ...policy, result }
    expect(await Promises.retry(async ({ number }) => statuses[number - 1], judging)).toBe(200)
    expect(await Promises.retry(async () => 503, judging)).toBe(503)
  })

  it("are paid from a bucket, and pass a rate limiter, each given as itself", async () => {
    const bucket = await Effect.runPromise(TokenBucket.quota({ capacity: 10, cost: { orElse: 5 } }))
    const { attempts, call } = succeedingAt(9)
    expect(await settled(Promises.retry(call, { ...policy, maxAttempts: 9, bucket }))).toEqual({ rejected: busy(3) })
    expect(attempts.length).toBe(3)
    const { rejected } = await settled(Promises.retry(call, { ...policy, rateLimiter: TokenBucket.empty }))
    expect(rejected).toBeInstanceOf(Retry.AttemptRefused)
    const rateLimiter = await Effect.runPromise(RateLimiter.fixed({ rate: 1000, burst: 10 }))
    expect(await Promises.retry(succeedingAt(2).call, { ...policy, rateLimiter })).toBe(2)
  })

  it("runs no more attempts at a time than the rate limiter lets in", async () => {
    const rateLimiter = await Effect.runPromise(RateLimiter.concurrencyLimit({ limit: 2, whenShort: "wait" }))
    let running = 0
    let most = 0
    const call = async () => {
      most = Math.max(most, ++running)
      await turn()
      running -= 1
    }
    await Promise.all(Array.from({ length: 10 }, () => Promises.retry(call, { ...policy, rateLimiter })))
    expect(most).toBe(2)
  })

  it("tell their observers what they do", async () => {
    const heard: Array<string> = []
    const observe = [
      ({ _tag, attempt }: Observe.RetryEvent) => Effect.sync(() => void heard.push(`${_tag} ${attempt}`))
    ]
    await Promises.retry(succeedingAt(2).call, { ...policy, observe })
    expect(heard).toEqual(["AttemptFailed 1", "RetryScheduled 1", "Succeeded 2"])
  })

  it("judge with the moment", async () => {
    const classifier: Classifier.Classifier = (_, { attempt }) => (attempt < 2 ? Verdict.transient : Verdict.noOpinion)
    const { attempts, call } = succeedingAt(9)
    await settled(Promises.retry(call, { ...policy, classifier }))
    expect(attempts.length).toBe(2)
  })

  it("are refused at the call if they are wrong, before the function is called", () => {
    const { attempts, call } = succeedingAt(1)
    const wrong = (fields: object) => () => Promises.retry(call, { ...policy, ...fields })
    expect(wrong({ maxAttemps: 3 })).toThrow(InvalidArgument.InvalidArgument)
    expect(wrong({ maxAttemps: 3 })).toThrow("Promises.retry: maxAttemps must be absent")
    expect(wrong({ maxAttempts: 0 })).toThrow("Promises.retry: maxAttempts must be a whole number >= 1, got 0")
    const noTag = "a bucket itself, not its tag, because a promise is given no services"
    expect(wrong({ bucket: Bucket })).toThrow(`Promises.retry: bucket must be ${noTag}, got "${Bucket.key}"`)
    expect(wrong({ rateLimiter: Bucket })).toThrow(`Promises.retry: rateLimiter must be ${noTag}, got "${Bucket.key}"`)
    expect(attempts).toEqual([])
  })

  it("keep operations apart that run at the same time", async () => {
    const run = async (until: number) => Promises.retry(succeedingAt(until).call, policy)
    expect(await Promise.all([run(1), run(2), run(3), run(2), run(1)])).toEqual([1, 2, 3, 2, 1])
  })

  it("may make thousands of attempts", async () => {
    const many = 5_000
    expect(await Promises.retry(succeedingAt(many).call, { ...policy, maxAttempts: Infinity })).toBe(many)
  })
})

describe("Promises.retry types", () => {
  interface Answer {
    readonly status: number
  }
  const fetched = async (): Promise<Answer> => ({ status: 200 })

  it("know the result, and tell it and the error to lambdas", () => {
    expectTypeOf(() => Promises.retry(fetched, policy)).returns.toEqualTypeOf<Promise<Answer>>()
    const judged = () =>
      Promises.retry(fetched, {
        ...Policy.standard,
        classifier: (error) => {
          expectTypeOf(error).toBeUnknown()
          return error instanceof TypeError ? Verdict.transient : Verdict.noOpinion
        },
        result: ({ status }) => (status === 503 ? Verdict.server : Verdict.noOpinion)
      })
    expectTypeOf(judged).returns.toEqualTypeOf<Promise<Answer>>()
    const inline = () => Promises.retry(async ({ number, signal }) => [number, signal.aborted] as const, policy)
    expectTypeOf(inline).returns.toEqualTypeOf<Promise<readonly [number, boolean]>>()
  })

  it("take classifiers of any error, and buckets themselves", () => {
    const full = () =>
      Promises.retry(fetched, {
        ...Policy.standard,
        classifier: Classifier.firstOf(
          Classifier.fromClass(Busy, ({ after }) => Verdict.retryable("Throttling", { hint: after })),
          Classifier.fromTags({ Lost: Verdict.server })
        ),
        attemptTimeout: AttemptTimeout.constant("1 second"),
        deadline: Deadline.cut("1 minute"),
        rateLimiter: TokenBucket.unlimited,
        bucket: TokenBucket.unlimited
      })
    expectTypeOf(full).returns.toEqualTypeOf<Promise<Answer>>()
  })

  it("take a policy that is annotated", () => {
    const annotated: Policy.Policy<unknown, AttemptTimeout.AttemptTimedOut> = policy
    expectTypeOf(() => Promises.retry(fetched, annotated)).returns.toEqualTypeOf<Promise<Answer>>()
  })

  it("refuse what needs a service, a narrow classifier, and unknown fields", () => {
    const asking = Schedule.recurWhileEffect(() => Effect.as(Bucket, true))
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error a promise has no services
      () => Promises.retry(fetched, { ...policy, bucket: Bucket }),
      // @ts-expect-error a promise has no services
      () => Promises.retry(fetched, { ...policy, rateLimiter: Bucket }),
      // @ts-expect-error a promise has no services
      () => Promises.retry(fetched, { ...policy, backoff: asking }),
      // @ts-expect-error a promise can reject with anything
      () => Promises.retry(fetched, { ...policy, classifier: (error: Busy) => Verdict.terminal(`${error.after}`) }),
      // @ts-expect-error another result
      () => Promises.retry(fetched, { ...policy, result: (text: string) => Verdict.terminal(text) }),
      // @ts-expect-error retries
      () => Promises.retry(fetched, { ...policy, retries: 3 })
    ])
  })
})
