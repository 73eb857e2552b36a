/**
 * Operations that are interrupted before each of their steps, and what their buckets lose.
 */
import { AttemptTimeout, Deadline, Retry, type TokenBucket } from "@effect-retry/core"
import { Cause, Effect, Exit, Option } from "effect"
import * as Recording from "./Recording.ts"
import * as Stepping from "./Stepping.ts"
import * as Steps from "../support/Steps.ts"

const { make, policy } = Recording

const busy = Effect.fail("busy" as const)

export const yielding: Recording.Answer = ({ restore }) => Effect.as(restore(Effect.yieldNow()), Option.some(3))

const refusingThird: Recording.Answer = ({ attempt }) => Effect.succeed(attempt < 3 ? Option.some(1) : Option.none())

export const scripts: ReadonlyArray<{ readonly name: string; readonly script: Recording.Script }> = [
  { name: "nothing waits", script: {} },
  { name: "the bucket is told in several steps", script: { counts: true, slow: "bucket" } },
  { name: "the rate limiter is told in several steps", script: { counts: true, slow: "limiter" } },
  { name: "bucket and rate limiter wait", script: { bucket: yielding, limiter: yielding, counts: true } },
  {
    name: "the bucket waits uninterruptibly and the rate limiter refuses",
    script: { bucket: () => Effect.as(Effect.yieldNow(), Option.some(5)), limiter: refusingThird, counts: true }
  }
]

interface Bounds {
  readonly attemptTimeout?: AttemptTimeout.AttemptTimeout
  readonly deadline?: Deadline.Deadline<Deadline.DeadlineExceeded>
}

const timeout = AttemptTimeout.constant("1 hour")

export const bounds: ReadonlyArray<{ readonly bound: string; readonly changed: Bounds }> = [
  { bound: "no bound", changed: {} },
  { bound: "a deadline", changed: { deadline: Deadline.refuse("1 hour") } },
  { bound: "a timeout", changed: { attemptTimeout: timeout } },
  {
    bound: "a disconnected timeout and a cut",
    changed: { attemptTimeout: AttemptTimeout.disconnected(timeout), deadline: Deadline.cut("1 hour") }
  }
]

export interface Attempted {
  readonly attempt: string
  readonly effect: Effect.Effect<never, "busy">
}

export const attempted: ReadonlyArray<Attempted> = [
  { attempt: "fails", effect: Effect.zipRight(Effect.yieldNow(), busy) },
  {
    attempt: "fails and dies",
    effect: Effect.failCause(Cause.parallel(Cause.fail("busy" as const), Cause.die("defect")))
  }
]

/** Tokens that a bucket lost without an attempt, and outcomes that do not fit. */
const wrongs = (name: "bucket" | "limiter", { ledgers, lines }: Recording.Recording, counts: boolean) => {
  const { granted, refunded, spent } = ledgers[name]
  const records = lines.filter((line) => line.startsWith(`${name} record`)).map((line) => line.split(":")[0])
  const starts = lines.filter((line) => line.startsWith(`${name} started`))
  return [
    ...(new Set(records).size === records.length ? [] : [`${name} heard an end twice`]),
    ...(counts && granted !== refunded + spent ? [`${name} lost ${granted - refunded - spent}`] : []),
    ...(counts && starts.length !== records.length ? [`${name} heard ${starts.length} starts`] : [])
  ]
}

interface Operation {
  readonly script: Recording.Script
  readonly changed: Bounds
  readonly effect: Effect.Effect<never, "busy">
  readonly maxAttempts?: number
  /** The function that runs the attempts. @default Retry.retry */
  readonly run?: (attempt: Effect.Effect<never, "busy">, policy: Run) => Effect.Effect<never, unknown>
  /** Whether an attempt may be paid for that an interruption has kept from its first step. @default Steps.dropsHandedOver */
  readonly mayMissOne?: boolean
}

/** What an operation runs under. */
export type Run = typeof policy &
  Bounds & { readonly rateLimiter: TokenBucket.TokenBucket; readonly bucket: TokenBucket.TokenBucket }

/** Interrupts an operation before each of its steps, and answers what was wrong, and how often it was run. */
export const everywhere = ({
  changed,
  effect,
  maxAttempts = policy.maxAttempts,
  mayMissOne = Steps.dropsHandedOver,
  run = (attempt, policy) => Retry.retry(attempt, policy),
  script
}: Operation) => {
  const found: Array<readonly [at: number, wrong: ReadonlyArray<string>, lines: ReadonlyArray<string>]> = []
  const runs = Stepping.everywhere(
    () => {
      const recording = make(script)
      const { bucket, ledgers, limiter, lines } = recording
      const attempt = recording.attempts(effect)
      return {
        self: run(attempt, { ...policy, maxAttempts, ...changed, rateLimiter: limiter, bucket }),
        watched: attempt,
        check: ({ exit, handedOver }, at) => {
          const spent = ledgers.bucket.granted - ledgers.bucket.refunded
          const retries = Math.max(0, handedOver - 1)
          const fits = spent === 5 * retries || (mayMissOne && handedOver > 0 && spent === 5 * (retries + 1))
          const wrong = [
            ...wrongs("bucket", recording, script.counts === true),
            ...wrongs("limiter", recording, script.counts === true),
            ...(script.bucket === undefined && !fits ? [`${spent} for ${retries} retries`] : []),
            ...(Exit.isFailure(exit) ? [] : ["succeeded"])
          ]
          if (wrong.length > 0) found.push([at, wrong, lines])
        }
      }
    },
    maxAttempts * 1_000 + 7_000
  )
  return { found, runs }
}
