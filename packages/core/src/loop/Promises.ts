/**
 * The loop for `async` functions.
 *
 * Under a policy that has nothing to do before the first failure, the function is first called without a fiber; only a
 * failure starts one, which enters the loop after the first attempt.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import * as Scheduler from "effect/Scheduler"
import * as Loop from "./Loop.ts"
import type { Erased } from "./Operation.ts"
import { prepare } from "./PolicyCheck.ts"
import type { Any, Plain } from "./PolicyRecord.ts"
import type { Checked, ResultIn } from "./PolicyTypes.ts"

/**
 * The attempt that an `async` function is called for.
 *
 * @category models
 */
export interface PromiseAttempt {
  /** From 1. */
  readonly number: number
  /** Aborted when the attempt is interrupted: by its timeout, the deadline, or the caller's signal. */
  readonly signal: AbortSignal
}

/**
 * The front door for `async` functions. The error of a promise is `unknown`, and a promise is never piped. The second
 * overload is for a function with lambdas of its own, which is typed only after the policy.
 *
 * @category models
 */
export interface PromiseDoor {
  <A, P extends Plain<unknown, A>>(
    call: (attempt: PromiseAttempt) => PromiseLike<A>,
    policy: Checked<P>,
    options?: { readonly signal?: AbortSignal | undefined }
  ): Promise<A>
  <P extends Plain<unknown, never>, A extends ResultIn<P>>(
    call: (attempt: PromiseAttempt) => PromiseLike<A>,
    policy: Checked<P>,
    options?: { readonly signal?: AbortSignal | undefined }
  ): Promise<A>
}

/** An attempt that can be aborted. Its signal is made when it is first read: a controller costs microseconds. */
interface Attempt extends PromiseAttempt {
  readonly [state]: State
}

const state: unique symbol = Symbol("state")

interface State {
  controller: AbortController | undefined
  /** The first reason counts, also for a signal that is read later. */
  aborted: { readonly reason: unknown } | undefined
}

/** Inherited by all attempts: a getter of its own would cost each of them a microsecond. */
const lazySignal: ThisType<Attempt> & Pick<Attempt, "signal"> = {
  get signal() {
    const own = this[state]
    if (own.controller === undefined) {
      own.controller = new AbortController()
      if (own.aborted !== undefined) own.controller.abort(own.aborted.reason)
    }
    return own.controller.signal
  }
}

const makeAttempt = (number: number): Attempt => {
  const attempt: PromiseAttempt & { number: number; [state]: State } = Object.create(lazySignal)
  attempt.number = number
  attempt[state] = { controller: undefined, aborted: undefined }
  return attempt
}

const abortAttempt = ({ [state]: own }: Attempt, reason: unknown): void => {
  own.aborted ??= { reason }
  own.controller?.abort(reason)
}

type Call<A> = (attempt: PromiseAttempt) => PromiseLike<A>

/** Calls the function; one that throws at once counts as one that rejects. A promise of another library is adopted. */
const called = <A>(call: Call<A>, attempt: Attempt): Promise<A> => {
  try {
    return Promise.resolve(call(attempt))
  } catch (error) {
    return Promise.reject(error)
  }
}

/**
 * The door, named for its messages.
 *
 * @category constructors
 */
export const retry =
  (owner: string): PromiseDoor =>
  <A>(call: Call<A>, policy: Any, options?: { readonly signal?: AbortSignal | undefined }): Promise<A> => {
    const prepared = prepare(owner, policy)
    const signal = options?.signal
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const op: Operation<A> = { call, signal, attempts: 0, running: undefined }
    if (prepared.eager) return promised(op, Loop.run(effectOf(op), prepared))
    op.attempts = 1
    const attempt = makeAttempt(1)
    const first = called(call, attempt)
    const retried = (error: unknown) => promised(op, Loop.afterFirst(effectOf(op), prepared, Cause.fail(error)))
    return signal === undefined ? first.catch(retried) : abortable(first, attempt, signal, retried)
  }

/** A first attempt that the caller's signal can abort. */
const abortable = <A>(
  first: Promise<A>,
  attempt: Attempt,
  signal: AbortSignal,
  next: (error: unknown) => Promise<A>
): Promise<A> =>
  new Promise<A>((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      abortAttempt(attempt, signal.reason)
    }
    signal.addEventListener("abort", abort, { once: true })
    const settled = () => signal.removeEventListener("abort", abort)
    first.then(
      (value) => {
        settled()
        resolve(value)
      },
      (error) => {
        settled()
        if (!signal.aborted) resolve(next(error))
      }
    )
  })

/** An operation on its way, as far as promises need to know it. */
interface Operation<A> {
  readonly call: Call<A>
  readonly signal: AbortSignal | undefined
  attempts: number
  /** The latest attempt that the loop has made. */
  running: Attempt | undefined
}

/** The call as an effect, once per attempt. */
const effectOf = <A>(op: Operation<A>): Effect.Effect<A, unknown> =>
  Effect.async<A, unknown>((resume) => {
    const attempt = makeAttempt((op.attempts += 1))
    op.running = attempt
    called(op.call, attempt).then(
      (value) => resume(Effect.succeed(value)),
      (error) => resume(Effect.fail(error))
    )
    return Effect.sync(() => abortAttempt(attempt, new DOMException("The attempt was interrupted.", "AbortError")))
  })

/** Runs every task at once: a settled promise already goes on in a microtask of its own. */
const mixed = new Scheduler.MixedScheduler(2048)
const atOnce: Scheduler.Scheduler = {
  shouldYield: (fiber) => mixed.shouldYield(fiber),
  scheduleTask: (task) => task()
}

/** Runs what is left of an operation, as a promise. */
const promised = <A>(op: Operation<A>, looped: Erased): Promise<A> => {
  return new Promise<A>((resolve, reject) => {
    const fiber = Runtime.runFork(Runtime.defaultRuntime, looped as Effect.Effect<A, unknown>, { scheduler: atOnce })
    const settled = abortedBy(op, fiber, reject)
    fiber.addObserver((exit) => {
      settled()
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else reject(Cause.squash(exit.cause))
    })
  })
}

const abortedBy = <A>(
  op: Operation<A>,
  fiber: Fiber.RuntimeFiber<A, unknown>,
  reject: (reason: unknown) => void
): (() => void) => {
  const { signal } = op
  if (signal === undefined) return () => undefined
  // Rejects first, so that the caller sees the reason of the signal and not the interruption of the fiber.
  const abort = () => {
    reject(signal.reason)
    if (op.running !== undefined) abortAttempt(op.running, signal.reason)
    fiber.unsafeInterruptAsFork(FiberId.none)
  }
  if (signal.aborted) abort()
  else signal.addEventListener("abort", abort, { once: true })
  return () => signal.removeEventListener("abort", abort)
}
