/**
 * The loop for `async` functions.
 *
 * A first attempt that needs nothing of the policy is called directly: only a failure starts a fiber, which enters the
 * loop as after a first attempt.
 */
import { Cause, Effect, Exit, FiberId, Runtime, Scheduler } from "effect"
import type { Fiber } from "effect"
import * as Loop from "./Loop.ts"
import type { Prepared } from "./PolicyCheck.ts"
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
 * The front door for `async` functions. A promise rejects with `unknown`, and comes in no pipe. The second overload is
 * for a function with lambdas of its own, which is typed only after the policy.
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

/** The signal is made when it is first read: a controller costs microseconds. */
class Attempt implements PromiseAttempt {
  readonly number: number
  #controller: AbortController | undefined
  #aborted: { readonly reason: unknown } | undefined
  constructor(number: number) {
    this.number = number
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }
  /** The first reason counts, also for a signal that is read later. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason }
    this.#controller?.abort(reason)
  }
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
    if (prepared.eager) return started(new Operation(call, prepared, signal), undefined)
    const attempt = new Attempt(1)
    const first = called(call, attempt)
    return signal === undefined
      ? first.catch((error) => started(new Operation(call, prepared, signal), { error }))
      : abortable(first, attempt, signal, (error) => started(new Operation(call, prepared, signal), { error }))
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
      attempt.abort(signal.reason)
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

class Operation<A> {
  readonly call: Call<A>
  readonly prepared: Prepared
  readonly signal: AbortSignal | undefined
  attempts = 0
  running: Attempt | undefined
  constructor(call: Call<A>, prepared: Prepared, signal: AbortSignal | undefined) {
    this.call = call
    this.prepared = prepared
    this.signal = signal
  }
}

/** The call as an effect, once per attempt. */
const effectOf = <A>(op: Operation<A>): Effect.Effect<A, unknown> =>
  Effect.async<A, unknown>((resume) => {
    const attempt = new Attempt((op.attempts += 1))
    op.running = attempt
    called(op.call, attempt).then(
      (value) => resume(Effect.succeed(value)),
      (error) => resume(Effect.fail(error))
    )
    return Effect.sync(() => attempt.abort(new DOMException("The attempt was interrupted.", "AbortError")))
  })

/** A settled promise goes on in a microtask of its own already. */
const mixed = new Scheduler.MixedScheduler(2048)
const atOnce: Scheduler.Scheduler = {
  shouldYield: (fiber) => mixed.shouldYield(fiber),
  scheduleTask: (task) => task()
}

const started = <A>(op: Operation<A>, failed: { readonly error: unknown } | undefined): Promise<A> => {
  if (failed !== undefined) op.attempts = 1
  const self = effectOf(op)
  const looped = (
    failed === undefined ? Loop.run(self, op.prepared) : Loop.afterFirst(self, op.prepared, Cause.fail(failed.error))
  ) as Effect.Effect<A, unknown>
  return new Promise<A>((resolve, reject) => {
    const fiber = Runtime.runFork(Runtime.defaultRuntime, looped, { scheduler: atOnce })
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
  // Rejects first: the interruption of the fiber is not what the caller is to see.
  const abort = () => {
    reject(signal.reason)
    op.running?.abort(signal.reason)
    fiber.unsafeInterruptAsFork(FiberId.none)
  }
  if (signal.aborted) abort()
  else signal.addEventListener("abort", abort, { once: true })
  return () => signal.removeEventListener("abort", abort)
}
