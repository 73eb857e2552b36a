/**
 * The loop for `async` functions.
 *
 * Under a policy that has nothing to do before the first failure, the function is called without a fiber, and the loop is
 * asked what follows a failure. A fiber is started only where the loop has to wait, and runs the rest.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import { constVoid } from "effect/Function"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Argument from "../accept/Argument.ts"
import * as AtOnce from "../fund/fiber/AtOnce.ts"
import * as Loop from "./run/Loop.ts"
import type { Erased, FiberView } from "./run/Operation.ts"
import { make } from "./run/Operation.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepare } from "./policy/PolicyCheck.ts"
import type { Any, Plain } from "./policy/PolicyRecord.ts"
import type { Checked, ResultIn } from "./policy/PolicyTypes.ts"

/**
 * The attempt that an `async` function is called for.
 *
 * @category models
 */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /**
   * Aborted when the attempt is interrupted: by its timeout, the deadline, or the caller's signal. To be read from the
   * attempt itself: a copy of the attempt (`{ ...attempt }`) has no signal.
   */
  readonly signal: AbortSignal
}

/** An attempt that can be aborted. Its signal is made when it is first read: a controller costs microseconds. */
interface Abortable extends Attempt {
  readonly [state]: State
}

const state: unique symbol = Symbol("state")

interface State {
  controller?: AbortController
  /** The first reason counts, also for a signal that is read later. */
  aborted?: { readonly reason: unknown }
}

/** Inherited by all attempts: a getter of its own would cost each of them a microsecond. */
const lazySignal: ThisType<Abortable> & Pick<Abortable, "signal"> = {
  get signal() {
    const own = this[state]
    if (own.controller === undefined) {
      own.controller = new AbortController()
      if (own.aborted !== undefined) own.controller.abort(own.aborted.reason)
    }
    return own.controller.signal
  }
}

const makeAttempt = (number: number): Abortable => {
  const attempt: Attempt & { number: number; [state]: State } = Object.create(lazySignal)
  attempt.number = number
  attempt[state] = {}
  return attempt
}

const abortAttempt = ({ [state]: own }: Abortable, reason: unknown): void => {
  own.aborted ??= { reason }
  own.controller?.abort(reason)
}

type Call<A> = (attempt: Attempt) => PromiseLike<A>

/** Calls the function; one that throws at once counts as one that rejects. A promise of another library is adopted. */
const called = <A>(call: Call<A>, attempt: Abortable): Promise<A> => {
  try {
    return Promise.resolve(call(attempt))
  } catch (error) {
    return Promise.reject(error)
  }
}

/**
 * Retries an `async` function as a policy says, and rejects with the function's own last error.
 *
 * The function is given the number of the attempt, from 1, and an `AbortSignal` for it: aborted when the attempt times
 * out, when the deadline cuts it, and when the caller's own signal is aborted. A timeout as the last failure rejects with
 * an `AttemptTimedOut`, a cut with a `DeadlineExceeded` or what the deadline makes instead, and the caller's signal with its
 * reason.
 *
 * Rejects with an `InvalidArgument` where the classifier answers no verdict, or throws: its cause is the last error.
 *
 * Takes policies without services: a bucket itself instead of a tag. Waits and draws use the default `Clock` and `Random`.
 *
 * @category running
 */
export const retry: {
  <A, P extends Plain<unknown, A>>(
    call: (attempt: Attempt) => PromiseLike<A>,
    policy: Checked<P>,
    options?: { readonly signal?: AbortSignal | undefined }
  ): Promise<A>
  // For a function with lambdas of its own, which is typed only after the policy.
  <P extends Plain<unknown, never>, A extends ResultIn<P>>(
    call: (attempt: Attempt) => PromiseLike<A>,
    policy: Checked<P>,
    options?: { readonly signal?: AbortSignal | undefined }
  ): Promise<A>
  // As the first one: it is the last one of which the compiler says why it does not take a policy.
  <A, P extends Plain<unknown, A>>(
    call: (attempt: Attempt) => PromiseLike<A>,
    policy: Checked<P>,
    options?: { readonly signal?: AbortSignal | undefined }
  ): Promise<A>
} = <A>(call: Call<A>, policy: Any, options?: { readonly signal?: AbortSignal | undefined }): Promise<A> => {
  const usage = "Promises.retry(call, policy)"
  if (typeof call !== "function")
    Argument.refuseForeign("Promises.retry", "call", `an async function, as in ${usage}`, call)
  const prepared = prepare("Promises.retry", policy, usage)
  const signal = options?.signal
  if (signal?.aborted === true) return Promise.reject(signal.reason)
  if (prepared.eager) return started(call, signal, (op) => inFiber(op, Loop.run(op.self, prepared)))
  const begin = (op: Operation<A>) => (cause: Cause.Cause<unknown>) => afterFirst(op.self, prepared, cause)
  if (signal !== undefined) return started(call, signal, (op) => callOutside(op, begin(op)))
  const retried = (error: unknown) =>
    started(call, undefined, (op) => {
      op.attempts = 1
      failed(op, begin(op), error)
    })
  return called(call, makeAttempt(1)).catch(retried)
}

/** Stands for a fiber where a policy has no need of one before the first failure. It has the default services. */
const noFiber: FiberView = {
  currentContext: /*#__PURE__*/ Context.empty(),
  currentDefaultServices: DefaultServices.liveServices,
  getFiberRef: (ref) => FiberRefs.getOrDefault(FiberRefs.empty(), ref)
}

/** Enters the loop outside of a fiber. What is answered may run in one. */
const afterFirst = (self: Erased, prepared: Prepared, cause: Cause.Cause<unknown>): Erased =>
  Loop.firstFailed(make(self, prepared, undefined, noFiber, Runtime.defaultRuntime), cause)

/** An operation on its way, as far as promises need to know it. */
interface Operation<A> {
  readonly call: Call<A>
  /** The call as an effect, once per attempt. */
  readonly self: Effect.Effect<A, unknown>
  readonly signal: AbortSignal | undefined
  readonly settle: (exit: Exit.Exit<A, unknown>) => void
  attempts: number
  /** The latest attempt. */
  running: Abortable | undefined
  /** Interrupts the fiber that runs the loop, from the first time on that it has to wait. */
  interrupt: () => void
}

const started = <A>(call: Call<A>, signal: AbortSignal | undefined, begin: (op: Operation<A>) => void): Promise<A> =>
  new Promise<A>((resolve, reject) => {
    // Rejects first, so that the caller sees the reason of the signal and not the interruption of the fiber.
    const abort = () => {
      reject(signal?.reason)
      if (op.running !== undefined) abortAttempt(op.running, signal?.reason)
      op.interrupt()
    }
    const settle = (exit: Exit.Exit<A, unknown>) => {
      signal?.removeEventListener("abort", abort)
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else reject(reasonOf(exit.cause))
    }
    const self = effectOf(() => op)
    const op: Operation<A> = { call, self, signal, settle, attempts: 0, running: undefined, interrupt: constVoid }
    signal?.addEventListener("abort", abort, { once: true })
    begin(op)
  })

/** What a promise rejects with: the error, or else the defect. */
const reasonOf = (cause: Cause.Cause<unknown>): unknown =>
  Option.getOrElse(Cause.failureOption(cause), () =>
    Option.getOrElse(Cause.dieOption(cause), () => new Cause.InterruptedException())
  )

const callNext = <A>(op: Operation<A>): Promise<A> => {
  op.attempts += 1
  op.running = makeAttempt(op.attempts)
  return called(op.call, op.running)
}

const isAborted = ({ signal }: { readonly signal: AbortSignal | undefined }): boolean => signal?.aborted === true

/** Makes an attempt outside of a fiber. */
const callOutside = <A>(op: Operation<A>, next: AtOnce.Handler): void => {
  callNext(op).then(
    (value) => op.settle(Exit.succeed(value)),
    (error) => failed(op, next, error)
  )
}

/** Goes on without a fiber where the loop answers with its end, or with another attempt that starts at once. */
const failed = <A>(op: Operation<A>, onFailure: AtOnce.Handler, error: unknown): void => {
  if (isAborted(op)) return
  const looped = answerOf(onFailure, error)
  // A classifier may have aborted it.
  if (isAborted(op)) return
  // Under a plain policy the loop only handles what the next attempt fails with.
  const next = AtOnce.handlerAround(op.self, looped)
  if (next !== undefined) callOutside(op, next)
  else if (AtOnce.hasEnded(looped as Effect.Effect<A, unknown>)) op.settle(looped as Exit.Exit<A, unknown>)
  else inFiber(op, looped)
}

const answerOf = (onFailure: AtOnce.Handler, error: unknown): Erased => {
  try {
    return onFailure(Cause.fail(error))
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** The call as an effect, once per attempt. */
const effectOf = <A>(operation: () => Operation<A>): Effect.Effect<A, unknown> =>
  Effect.async<A, unknown>((resume) => {
    const op = operation()
    callNext(op).then(
      (value) => resume(Effect.succeed(value)),
      // Not `Effect.fail`, which wraps the error in a proxy where there is a span.
      (error) => resume(Exit.fail(error))
    )
    const attempt = op.running!
    return Effect.sync(() => abortAttempt(attempt, new DOMException("The attempt was interrupted.", "AbortError")))
  })

/** Runs what is left of an operation in a fiber. */
const inFiber = <A>(op: Operation<A>, looped: Erased): void => {
  const fiber = Runtime.runFork(Runtime.defaultRuntime, looped as Effect.Effect<A, unknown>)
  op.interrupt = () => fiber.unsafeInterruptAsFork(FiberId.none)
  // The call may have aborted the signal before there was a fiber.
  if (isAborted(op)) op.interrupt()
  fiber.addObserver(op.settle)
}
