/**
 * Server streams that resume where they broke.
 *
 * The whole stream is one operation of its policy. A failure after a response counts as progress: delay, attempt
 * timeout and count of attempts continue as after a first attempt, while the total timeout counts from the start.
 *
 * @example
 * ```ts
 * import { RetrySettings, ServerStream } from "@effect-retry/google"
 * import { Data, Effect, Option, Stream } from "effect"
 * import * as assert from "node:assert"
 *
 * class Failed extends Data.TaggedError("Failed")<{ code: string }> {}
 *
 * const requests: Array<{ from: number }> = []
 * const readRows = (request: { readonly from: number }) => {
 *   requests.push(request)
 *   const rows = Stream.range(request.from, 5)
 *   return request.from > 1 ? rows : Stream.concat(Stream.take(rows, 2), Stream.fail(new Failed({ code: "UNAVAILABLE" })))
 * }
 *
 * const call = {
 *   request: { from: 1 },
 *   open: readRows,
 *   resumption: {
 *     initial: 0,
 *     received: (seen: number, row: number) => [seen + 1, row] as const,
 *     resume: (seen: number) => Option.some({ from: 1 + seen })
 *   }
 * }
 * const rows = ServerStream.make(call, RetrySettings.toPolicy({ maxAttempts: 3 }, { codes: ["UNAVAILABLE"] }))
 *
 * Effect.runPromise(Stream.runCollect(rows)).then((rows) => {
 *   assert.deepStrictEqual([...rows], [1, 2, 3, 4, 5])
 *   assert.deepStrictEqual(requests, [{ from: 1 }, { from: 3 }])
 * })
 * ```
 */
import type { AttemptTimeout, Classifier, Policy } from "@effect-retry/core"
import { Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Loop from "@effect-retry/core/unstable/Loop"
import * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import type { Adds, Needs, Provided } from "@effect-retry/core/unstable/PolicyTypes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as BodyLine from "@effect-retry/http/unstable/BodyLine"

/**
 * Tracks what a stream has received, and makes the request for the rest. Each run of the stream begins with `initial`.
 *
 * Source: https://github.com/googleapis/sdk-platform-java, gax-java, `StreamResumptionStrategy`, 56aa343.
 *
 * @category models
 */
export interface Resumption<in out Request, in A, out B, in out S> {
  readonly initial: S
  /** The state after a response, and the response as it is passed on. */
  readonly received: (state: S, response: A) => readonly [state: S, response: B]
  /** The request that continues after what was received, made from the first one; `None` if the stream cannot continue. */
  readonly resume: (state: S, request: Request) => Option.Option<Request>
}

/**
 * A policy for streams, without `result`: a stream has no result to judge.
 *
 * @category models
 */
export interface Streaming<in E> extends Policy.Fields<E, never> {
  readonly result?: undefined
}

/**
 * Makes a stream that is opened again when it fails, as the policy says.
 *
 * `open` makes the stream of a request, anew for each attempt. Responses are pulled only when the ones before have been
 * taken. The attempt timeout bounds an attempt from its start to the last response, including the time that the
 * consumer takes; `Stream.timeoutFail` inside `open` bounds the wait for a single response.
 *
 * Without a `resumption` a stream is retried only while nothing has been received. Each response is passed on once, and
 * those before a failure stay. Fails with the last error if the policy or the resumption allows no further attempt.
 * Source: the same repository, `StreamingRetryAlgorithm`, `ServerStreamingAttemptCallable` and
 * `SimpleStreamResumptionStrategy`.
 *
 * @category constructors
 */
export const make = <Request, A, E, R, P extends Streaming<E>, B = A, S = boolean>(
  call: {
    readonly request: Request
    readonly open: (request: Request) => Stream.Stream<A, E, R>
    /** @default no request after the first response */
    readonly resumption?: Resumption<Request, A, B, S> | undefined
  },
  policy: Policy.Checked<P>
): Stream.Stream<B, E | Adds<P>[keyof Adds<P>], Exclude<R, Provided<P>> | Needs<P>[keyof Needs<P>]> => {
  const checked = check(call as unknown as Erased, policy)
  const stream: Stream.Stream<any, any, any> = Stream.unwrapScoped(started(checked))
  return stream
}

interface Erased {
  readonly request: unknown
  readonly open: (request: unknown) => Stream.Stream<unknown, unknown, unknown>
  readonly resumption?: Resumption<unknown, unknown, unknown, unknown> | undefined
}

const owner = "ServerStream.make"

const check = (call: Erased, policy: Policy.Any): Call => {
  if (!Predicate.isRecord(call)) Argument.refuse(owner, "call", "a request and how it is opened", call)
  const { open, request, resumption = simple }: Erased = call
  const prepared = PolicyCheck.prepare(owner, policy)
  if (prepared.hooks.result !== undefined) {
    Argument.refuse(owner, "result", "absent: a stream has no result", prepared.hooks.result)
  }
  if (!Predicate.isFunction(open)) Argument.refuse(owner, "open", "a function from a request to a stream", open)
  if (!Predicate.isFunction(resumption?.received) || !Predicate.isFunction(resumption.resume)) {
    Argument.refuse(owner, "resumption", "a record with received and resume, both functions", resumption)
  }
  return { request, open, prepared, resumption }
}

interface Call extends Pick<Erased, "request" | "open"> {
  readonly prepared: PolicyCheck.Prepared
  readonly resumption: Resumption<unknown, unknown, unknown, unknown>
}

/** The default resumption: its state is whether anything has been received. */
const simple: Resumption<unknown, unknown, unknown, unknown> = {
  initial: false,
  received: (_, response) => [true, response],
  resume: (received, request) => (received === true ? Option.none() : Option.some(request))
}

/** The next responses for the consumer of the stream. */
type Pull = Effect.Effect<ReadonlyArray<unknown>, Option.Option<unknown>>

interface Run extends Call {
  state: unknown
  attempts: number
  /** Whether the latest attempt has received anything. */
  progressed: boolean
  /** Open while the consumer is waiting. */
  readonly demand: Effect.Latch
  readonly pulls: Queue.Queue<Pull>
}

/** Starts the operation in its own fiber, which is idle while the consumer asks for nothing. */
const started = (call: Call): Effect.Effect<Stream.Stream<unknown, unknown>, never, Scope.Scope | unknown> =>
  Effect.gen(function* () {
    const pulls = yield* Queue.unbounded<Pull>()
    const demand = yield* Effect.makeLatch(false)
    const run: Run = { ...call, state: call.resumption.initial, attempts: 0, progressed: false, demand, pulls }
    const operation = Loop.run(
      Effect.suspend(() => attempt(run)),
      preparedOf(run)
    )
    const ended = Effect.onExit(operation, (exit) => Queue.offer(pulls, lastPull(exit)))
    yield* Effect.forkScoped(Effect.interruptible(ended))
    return BodyLine.repeated(
      Effect.suspend(() => {
        demand.unsafeOpen()
        return Effect.flatten(Queue.take(pulls))
      })
    )
  })

const lastPull = (exit: Exit.Exit<unknown, unknown>): Pull =>
  Exit.isSuccess(exit) ? Effect.fail(Option.none()) : Effect.failCause(Cause.map(exit.cause, Option.some))

const attempt = (run: Run): Effect.Effect<void, unknown, unknown> => {
  const { open, request, resumption, state } = run
  run.attempts += 1
  run.progressed = false
  const next = run.attempts === 1 ? request : Option.getOrThrow(resumption.resume(state, request))
  return Effect.scoped(Effect.flatMap(BodyLine.pulled(open(next)), (pull) => handAllOn(run, pull)))
}

const handAllOn = (
  run: Run,
  pull: Effect.Effect<Option.Option<ReadonlyArray<unknown>>, unknown, unknown>
): Effect.Effect<void, unknown, unknown> => {
  const demanded = Effect.zipRight(run.demand.await, pull)
  const rest: Effect.Effect<void, unknown, unknown> = Effect.flatMap(demanded, (responses) => {
    if (Option.isNone(responses)) return Effect.void
    handOn(run, responses.value)
    return rest
  })
  return rest
}

/** One step, so that no interruption comes between passing responses on and leaving them out of the next request. */
const handOn = (run: Run, responses: ReadonlyArray<unknown>): void => {
  if (responses.length === 0) return
  const given = responses.map((response) => {
    const [state, handed] = run.resumption.received(run.state, response)
    run.state = state
    return handed
  })
  run.progressed = true
  run.demand.unsafeClose()
  Queue.unsafeOffer(run.pulls, Effect.succeed(given))
}

const preparedOf = (run: Run): PolicyCheck.Prepared => {
  const { hooks } = run.prepared
  const attemptTimeout = hooks.attemptTimeout && timeoutOf(run, hooks.attemptTimeout)
  const classifier: Classifier.Classifier = (error, moment) => judged(run, hooks.classifier(error, moment))
  return { ...run.prepared, hooks: { ...hooks, attemptTimeout, classifier } }
}

/** The verdict on an attempt that timed out. */
const timeoutOf = (
  run: Run,
  timeout: AttemptTimeout.AttemptTimeout<unknown>
): AttemptTimeout.AttemptTimeout<unknown> => {
  const { disconnected, machinery, millisOf, onTimeout, verdict } = timeout
  return {
    disconnected,
    machinery,
    millisOf,
    onTimeout,
    get verdict() {
      return judged(run, verdict)
    }
  }
}

const judged = ({ progressed, request, resumption, state }: Run, verdict: Verdict.Verdict): Verdict.Verdict => {
  if (verdict._tag !== "Retryable") return verdict
  if (Option.isSome(resumption.resume(state, request))) return progressed ? { ...verdict, progressed } : verdict
  const { hint, kind } = verdict
  return Verdict.terminal("the stream cannot go on after what it has received", {
    kind,
    hint: Option.getOrUndefined(hint)
  })
}
