/**
 * Retries of `async` functions.
 *
 * An operation under a policy without effects needs no fiber: after a failure there is one pure decision, and a wait is one
 * timer. Under any other policy a fiber runs the loop of `Retry.retry` from the first attempt on.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid } from "effect/Function"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import * as Property from "../accept/Property.ts"
import type { Verdict } from "../classify/Verdict.ts"
import * as ScheduleLine from "../decide/ScheduleLine.ts"
import * as Causes from "../fund/fiber/Causes.ts"
import * as Chance from "../fund/fiber/Chance.ts"
import * as Interruption from "../fund/fiber/Interruption.ts"
import * as Line from "../fund/fiber/Line.ts"
import * as Wait from "../fund/fiber/Wait.ts"
import * as BucketOrTag from "../fund/port/BucketOrTag.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepare } from "./policy/PolicyCheck.ts"
import type { Mistake, Plain } from "./policy/PolicyRecord.ts"
import type { Checked } from "./policy/PolicyTypes.ts"
import * as Decision from "./run/Decision.ts"
import * as Elapsed from "./run/Elapsed.ts"
import * as Judged from "./run/Judged.ts"
import * as Loop from "./run/Loop.ts"
import * as Progress from "./run/Progress.ts"

/**
 * The attempt for which an `async` function is called.
 *
 * @category models
 */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /**
   * Aborted when the attempt is interrupted: by its timeout, the deadline, or the caller's signal. Read it from the attempt
   * itself: a copy (`{ ...attempt }`) has no signal.
   */
  readonly signal: AbortSignal
}

/** An attempt that can be aborted. Its signal is made when first read, because a controller costs microseconds. */
interface Abortable extends Attempt {
  readonly [state]: State
}

const state: unique symbol = Symbol("state")

interface State {
  controller?: AbortController
  /** The reason of the first abort, kept for a signal that is read later. */
  aborted?: { readonly reason: unknown }
}

/** Inherited by all attempts: an own getter would cost each of them a microsecond. */
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

/** Calls the function. A synchronous throw counts as a rejection, and a promise of another library is adopted. */
const called = <A>(call: Call<A>, attempt: Abortable): Promise<A> => {
  try {
    return Promise.resolve(call(attempt))
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Resolves to `never` for a function that makes a promise; for anything else, the compiler shows what to write. */
type NoFunction<Inferred> = [Inferred] extends [never]
  ? Mistake<"a function, as in Promises.retry(() => fetch(url), policy)">
  : never

/**
 * Retries an `async` function as a policy says, and rejects with the function's own last error.
 *
 * The function receives the number of the attempt, from 1, and an `AbortSignal` that is aborted when the attempt times
 * out, the deadline cuts it, or the caller's own signal is aborted. If the last failure is a timeout, the promise
 * rejects with an `AttemptTimedOut`; a cut rejects with a `DeadlineExceeded` or the deadline's own error, and the
 * caller's signal with its reason.
 *
 * Rejects with an `InvalidArgument`, with the last error as its cause, if the classifier returns no verdict or throws.
 *
 * Takes policies without services: with a bucket itself instead of a tag. Waits and draws use the default `Clock` and
 * `Random`.
 *
 * @category running
 */
export const retry = <A = never, P extends Plain<unknown, A> = Plain<unknown, A>>(
  call: ((attempt: Attempt) => PromiseLike<A>) | NoFunction<A>,
  policy: Checked<P>,
  options?: { readonly signal?: AbortSignal | undefined }
): Promise<A> => {
  const owner = "Promises.retry"
  const usage = "(call, policy)"
  if (typeof call !== "function") {
    return Argument.refuseForeign(owner, "call", `an async function, as in ${owner}${usage}`, call)
  }
  const prepared = prepare(owner, policy, usage)
  const signal = options === undefined ? undefined : signalOf(owner, options)
  if (signal?.aborted === true) return Promise.reject(signal.reason)
  if (!isPure(prepared)) {
    refuseTags(owner, prepared)
    return begun(call, signal, (caller) => runInFiber(caller, prepared))
  }
  if (signal !== undefined || prepared.eager) {
    return begun(call, signal, (caller) => makeNext(operation(caller, prepared)))
  }
  // Nothing is set up before the first failure.
  return called(call, makeAttempt(1)).catch((error) =>
    begun<A>(call, undefined, (caller) => {
      const op = operation(caller, prepared)
      op.attempts = 1
      failed(op, error)
    })
  )
}

/** The caller's signal. One that is given as the options has no properties of its own, and would be ignored. */
const signalOf = (owner: string, options: { readonly signal?: AbortSignal | undefined }): AbortSignal | undefined => {
  const example = "call, policy, { signal }"
  if (Property.isObject(options) && "aborted" in options) {
    Argument.refuseForeign(owner, "options", `a record, as in ${owner}(${example})`, options)
  }
  const { signal } = Argument.options(owner, example, options, { signal: false })
  const isSignal = signal === undefined || typeof Property.property(signal, "addEventListener") === "function"
  return isSignal ? signal : Argument.refuseForeign(owner, "signal", "an AbortSignal", signal)
}

/** There is no context in which a tag could be looked up. */
const refuseTags = (owner: string, { hooks }: Prepared): void => {
  for (const field of ["bucket", "rateLimiter"] as const) {
    const given = hooks[field]
    if (given === undefined || !BucketOrTag.isTag(given)) continue
    Argument.refuse(owner, field, "a bucket itself, not its tag, because a promise is given no services", given.key)
  }
}

/** Whether no field of a policy is or needs an effect, so that its operations need no fiber. */
const isPure = ({ eager, hooks, isBare, tree }: Prepared): boolean =>
  tree !== undefined &&
  (!eager || (isBare && hooks.observers.length === 0 && hooks.rateLimiter === undefined && hooks.bucket === undefined))

/** The caller's side of an operation. */
interface Caller<A> {
  readonly call: Call<A>
  readonly signal: AbortSignal | undefined
  readonly resolve: (value: A) => void
  readonly reject: (error: unknown) => void
  /** The latest attempt. */
  running: Abortable | undefined
  /** Ends the wait, or the fiber. */
  cancel: () => void
}

const begun = <A>(call: Call<A>, signal: AbortSignal | undefined, begin: (caller: Caller<A>) => void): Promise<A> =>
  new Promise<A>((resolve, reject) => {
    // Rejects first, so that the caller sees the signal's reason and not the interruption of the fiber.
    const abort = () => {
      reject(signal?.reason)
      if (caller.running !== undefined) abortAttempt(caller.running, signal?.reason)
      caller.cancel()
    }
    const ending =
      <B>(end: (value: B) => void) =>
      (value: B) => {
        signal?.removeEventListener("abort", abort)
        end(value)
      }
    const caller: Caller<A> = {
      call,
      signal,
      resolve: ending(resolve),
      reject: ending(reject),
      running: undefined,
      cancel: constVoid
    }
    signal?.addEventListener("abort", abort, { once: true })
    begin(caller)
  })

const isAborted = ({ signal }: { readonly signal: AbortSignal | undefined }): boolean => signal?.aborted === true

const callFor = <A>(caller: Caller<A>, number: number): Promise<A> => {
  caller.running = makeAttempt(number)
  return called(caller.call, caller.running)
}

/** An operation without a fiber. It takes only those steps of the loop that a policy without effects needs. */
interface Operation<A> extends Progress.Progress, Elapsed.Timed {
  readonly caller: Caller<A>
  attemptStartedMillis: number
}

const operation = <A>(caller: Caller<A>, prepared: Prepared): Operation<A> => {
  const { timed, tree } = prepared
  const services = Line.defaultServices
  const clock = timed ? Elapsed.clockOf(services) : undefined
  return {
    caller,
    prepared,
    services,
    clock,
    timed,
    attempts: 0,
    outdated: 0,
    failures: Progress.noFailures,
    tree,
    scheduleState: ScheduleLine.start,
    attemptStartedMillis: 0,
    elapsedMillis: 0,
    lookedAtMillis: clock === undefined ? 0 : Elapsed.nowMillis(clock)
  }
}

const makeNext = <A>(op: Operation<A>): void => {
  op.attempts += 1
  op.attemptStartedMillis = op.attempts === 1 ? 0 : Elapsed.millis(op)
  callFor(op.caller, op.attempts).then(
    (value) => succeeded(op, value),
    (error) => failed(op, error)
  )
}

const succeeded = <A>(op: Operation<A>, value: A): void => {
  const end = () => op.caller.resolve(value)
  if (op.prepared.hooks.result === undefined) return end()
  judged(op, end, () => Judged.ofResult(op, value))
}

const failed = <A>(op: Operation<A>, error: unknown): void =>
  judged(
    op,
    () => op.caller.reject(error),
    () => Judged.ofError(op, error)
  )

/** Continues as the policy says. Rejects with whatever a function of the policy throws. */
const judged = <A>(op: Operation<A>, end: () => void, judge: () => Verdict): void => {
  if (isAborted(op.caller)) return
  try {
    const verdict = judge()
    // The judge may have aborted the operation.
    if (!isAborted(op.caller)) goOn(op, end, verdict)
  } catch (defect) {
    op.caller.reject(defect)
  }
}

const goOn = <A>(op: Operation<A>, end: () => void, verdict: Verdict): void => {
  const { prepared } = op
  const elapsedMillis = Elapsed.millis(op)
  const ranMillis = elapsedMillis - op.attemptStartedMillis
  Progress.fail(prepared, op, verdict)
  const now = { elapsedMillis, ranMillis, outer: undefined, u: undefined, stepped: undefined }
  const decision = Decision.decide(prepared, op, now, verdict)
  const decided =
    decision._tag === "NeedsDraw" ? Decision.decide(prepared, op, { ...now, u: Chance.draw() }, verdict) : decision
  if (decided._tag !== "Retry") return end()
  Progress.backOffFrom(op, decided.tree, decided.startsOver)
  op.caller.cancel = Wait.call(Elapsed.clock(op), decided.delayMillis, () => {
    if (Decision.lateness(prepared, Elapsed.millis(op)) === undefined) makeNext(op)
    else end()
  })
}

/** Runs an operation as an effect, in the loop. */
const runInFiber = <A>(caller: Caller<A>, prepared: Prepared): void => {
  const looped = Loop.run(effectOf(caller), prepared) as Effect.Effect<A, unknown>
  const fiber = Line.runFork(Line.defaultRunner, looped)
  caller.cancel = () => Interruption.send(fiber)
  // The call may have aborted the signal before the fiber existed.
  if (isAborted(caller)) caller.cancel()
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) caller.resolve(exit.value)
    else caller.reject(reasonOf(exit.cause))
  })
}

/** The call as an effect, once per attempt. */
const effectOf = <A>(caller: Caller<A>): Effect.Effect<A, unknown> => {
  let attempts = 0
  return Effect.async<A, unknown>((resume) => {
    attempts += 1
    callFor(caller, attempts).then(
      (value) => resume(Effect.succeed(value)),
      // Not `Effect.fail`, which wraps the error in a proxy if there is a span.
      (error) => resume(Exit.fail(error))
    )
    const attempt = caller.running!
    return Effect.sync(() => abortAttempt(attempt, new DOMException("The attempt was interrupted.", "AbortError")))
  })
}

/** The reason of a rejection: the error, or else the defect. */
const reasonOf = (cause: Cause.Cause<unknown>): unknown =>
  Option.getOrElse(Cause.failureOption(cause), () =>
    Option.getOrElse(Causes.defectOf(cause), () => Causes.interruption())
  )
