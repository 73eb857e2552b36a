/**
 * The published retry strategies and rate limiters of the SDK for JavaScript, on a clock and with draws that a test pins,
 * and ours on the same.
 */
import { type Policy, Retry, type TokenBucket, type Verdict } from "@effect-retry/core"
import { Clock, Duration, Effect } from "effect"
import * as SyncRun from "../../../core/test/support/SyncRun.ts"
import * as RandomLine from "../../../plan/src/chance/RandomLine.ts"

/** Time and chance of one run. */
export interface World {
  millis: number
  u: number
}

/**
 * Runs a function while the timers, the clock and the chance of the platform are those of a world: a timer fires as soon as
 * the promises before it are settled, and time passes at once by what Node.js waits, whole milliseconds and at least one.
 */
export const inside = async <A>(world: World, run: () => Promise<A>): Promise<A> => {
  const { setTimeout } = globalThis
  const { random } = Math
  const { now } = Date
  Date.now = () => world.millis
  Math.random = () => world.u
  globalThis.setTimeout = ((wake: () => void, millis: number) => {
    world.millis += millis === 0 ? 0 : Math.max(1, Math.trunc(millis))
    queueMicrotask(wake)
  }) as typeof globalThis.setTimeout
  try {
    return await run()
  } finally {
    globalThis.setTimeout = setTimeout
    Math.random = random
    Date.now = now
  }
}

/** Runs an effect in a world, whose one sleeper at a time wakes at once. */
export const runIn = <A, E>(world: World, effect: Effect.Effect<A, E>): A => {
  const wall = () => world.millis
  const nanos = () => BigInt(world.millis) * 1_000_000n
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.sync(() => {
        world.millis += Duration.toMillis(duration)
      })
  }
  return SyncRun.run(RandomLine.withDraws(Effect.withClock(effect, clock), () => world.u))
}

/** A failure of an attempt: its kind, whether it may be retried, the wait that the server asks for, and the draw. */
interface Failure {
  readonly verdict: Verdict.Verdict
  readonly u: number
}

/** Failures, then a success unless there is no further attempt. */
export type Operation = ReadonlyArray<Failure>

/** What followed an attempt. */
export interface Step {
  readonly outcome: "retried" | "stopped" | "succeeded"
  readonly level: number
  readonly millis: number
}

/** The kinds of the SDK for JavaScript, which names those that it does not retry after the side at fault. */
const errorTypeOf = (verdict: Verdict.Verdict): ErrorType => {
  if (verdict._tag !== "Retryable") return "CLIENT_ERROR"
  return verdict.kind === "Throttling" ? "THROTTLING" : "TRANSIENT"
}
type ErrorType = "CLIENT_ERROR" | "THROTTLING" | "TRANSIENT"

/** A strategy of either version, with the quota that it keeps to itself. */
interface Published<T> {
  readonly acquireInitialRetryToken: (scope: string) => Promise<T>
  readonly refreshRetryTokenForRetry: (
    token: T,
    info: { readonly errorType: ErrorType; readonly retryAfterHint?: Date }
  ) => Promise<T>
  readonly recordSuccess: (token: T) => void
  readonly getCapacity: () => number
}

/**
 * One operation under a published strategy. `waitOf` is for those that leave the wait to their caller.
 */
export const operatePublished = async <T>(
  world: World,
  strategy: Published<T>,
  operation: Operation,
  options: { readonly scope: string; readonly waitOf: (token: T) => number }
): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  const note = (outcome: Step["outcome"], since: number) =>
    steps.push({ outcome, level: strategy.getCapacity(), millis: world.millis - since })
  let token = await strategy.acquireInitialRetryToken(options.scope)
  for (const { u, verdict } of operation) {
    const since = world.millis
    world.u = u
    const hint = verdict._tag === "Retryable" && verdict.hint._tag === "Some" ? verdict.hint.value : undefined
    try {
      token = await strategy.refreshRetryTokenForRetry(token, {
        errorType: errorTypeOf(verdict),
        ...(hint !== undefined && { retryAfterHint: new Date(world.millis + Duration.toMillis(hint)) })
      })
    } catch {
      note("stopped", since)
      return steps
    }
    world.millis += options.waitOf(token)
    note("retried", since)
  }
  strategy.recordSuccess(token)
  note("succeeded", world.millis)
  return steps
}

/** One operation under a policy whose errors are the verdicts themselves. */
export const operateOurs = (
  world: World,
  policy: Policy.Policy<Verdict.Verdict>,
  bucket: TokenBucket.TokenBucket,
  operation: Operation
): Effect.Effect<ReadonlyArray<Step>> =>
  Effect.suspend(() => {
    const steps: Array<Step> = []
    let attempts = 0
    let since: number | undefined
    const note = (outcome: Step["outcome"]) =>
      Effect.map(bucket.level, (level) => {
        if (since !== undefined || outcome === "succeeded") {
          steps.push({ outcome, level, millis: world.millis - (since ?? world.millis) })
        }
        since = world.millis
      })
    const attempt = Effect.suspend(() => {
      const failure = operation[attempts++]
      world.u = failure?.u ?? 0
      return Effect.zipRight(note("retried"), failure === undefined ? Effect.void : Effect.fail(failure.verdict))
    })
    const retried = Effect.matchEffect(Retry.retry(attempt, policy), {
      onFailure: () => note("stopped"),
      onSuccess: () => note("succeeded")
    })
    return Effect.as(retried, steps)
  })
