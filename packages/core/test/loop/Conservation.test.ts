/**
 * No token is lost or spent twice, whichever step of an operation an interruption comes before.
 */
import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option } from "effect"
import * as Recording from "./Recording.ts"
import * as Stepping from "./Stepping.ts"

const { make, policy } = Recording

const busy = Effect.fail("busy" as const)

const yielding: Recording.Answer = ({ restore }) => Effect.as(restore(Effect.yieldNow()), Option.some(3))

const refusingThird: Recording.Answer = ({ attempt }) => Effect.succeed(attempt < 3 ? Option.some(1) : Option.none())

const scripts: ReadonlyArray<{ readonly name: string; readonly script: Recording.Script }> = [
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

const bounds: ReadonlyArray<{ readonly bound: string; readonly changed: Bounds }> = [
  { bound: "no bound", changed: {} },
  { bound: "a deadline", changed: { deadline: Deadline.refuse("1 hour") } },
  { bound: "a timeout", changed: { attemptTimeout: timeout } },
  {
    bound: "a disconnected timeout and a cut",
    changed: { attemptTimeout: AttemptTimeout.disconnected(timeout), deadline: Deadline.cut("1 hour") }
  }
]

const attempted = [
  { attempt: "fails", effect: Effect.zipRight(Effect.yieldNow(), busy) },
  {
    attempt: "fails and dies",
    effect: Effect.failCause(Cause.parallel(Cause.fail("busy" as const), Cause.die("defect")))
  }
]

// Every bound where there is most to lose, and no bound and all of them at once elsewhere.
const table = scripts.flatMap((script) =>
  (script.script.limiter === yielding ? bounds : [...bounds.slice(0, 1), ...bounds.slice(-1)]).flatMap((bound) =>
    attempted.map((attempt) => ({ ...script, ...bound, ...attempt }))
  )
)

/** What a bucket holds that no attempt was made with, and what it heard that does not fit. */
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

describe("Retry.retry conservation of tokens", () => {
  it.each(table)(
    "holds before every step where $name, under $bound, and the attempt $attempt",
    ({ changed, effect, script }) => {
      const found: Array<readonly [number, ReadonlyArray<string>, ReadonlyArray<string>]> = []
      const runs = Stepping.everywhere(() => {
        const recording = make(script)
        const { bucket, ledgers, limiter, lines } = recording
        const attempt = recording.attempts(effect)
        return {
          self: Retry.retry(attempt, { ...policy, ...changed, rateLimiter: limiter, bucket }),
          watched: attempt,
          check: ({ exit, handedOver }, at) => {
            const spent = ledgers.bucket.granted - ledgers.bucket.refunded
            const retries = Math.max(0, handedOver - 1)
            const wrong = [
              ...wrongs("bucket", recording, script.counts === true),
              ...wrongs("limiter", recording, script.counts === true),
              ...(script.bucket === undefined && spent !== 5 * retries ? [`${spent} for ${retries} retries`] : []),
              ...(Exit.isFailure(exit) ? [] : ["succeeded"])
            ]
            if (wrong.length > 0) found.push([at, wrong, lines])
          }
        }
      })
      expect(found).toEqual([])
      expect(runs).toBeGreaterThan(20)
    }
  )
})
