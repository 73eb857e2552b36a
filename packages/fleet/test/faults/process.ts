/**
 * A process that asks for tokens, one after the other. It tells what came of it, and then either
 * ends by itself, which it does only when no connection and no timer is left, or keeps what it holds until it is killed.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { request } from "../../../core/test/fund/Asking.ts"
import * as IoRedis from "../../src/fund/redis/IoRedis.ts"
import * as RedisBucket from "../../src/fund/redis/RedisBucket.ts"
import * as Stalls from "./Stalls.ts"

/** What it is told, as JSON in its first argument. */
export interface Task {
  readonly port: number
  readonly name: string
  readonly burst: number
  readonly perSecond: number
  readonly withinMillis: number
  /** How many answers of the bucket it waits for. Errors are no answers. */
  readonly answers: number
  readonly thenStay: boolean
}

/** What it tells. */
export interface Report {
  readonly grants: number
  readonly refusals: number
  /** The reasons of errors. */
  readonly failures: ReadonlyArray<string>
  /** Milliseconds of the longest attempt, without those in which the process itself stood still. */
  readonly longest: number
}

const tell = (report: Report) =>
  Effect.async<void>((resume) => {
    process.send?.(report, () => resume(Effect.void))
  })

const run = ({ answers, burst, name, perSecond, thenStay }: Task) =>
  Effect.gen(function* () {
    const bucket = yield* RedisBucket.quota({
      name,
      capacity: burst,
      refillPerSecond: perSecond,
      cost: { orElse: 1 },
      // What it holds stays with it when it is killed.
      idleAfter: "1 hour"
    })
    const stalls = yield* Stalls.watch
    const report = { grants: 0, refusals: 0, failures: new Array<string>(), longest: 0 }
    while (report.grants + report.refusals < answers) {
      const startedAt = performance.now()
      const answer = yield* Effect.either(Effect.uninterruptible(bucket.acquire(request())))
      report.longest = Math.max(report.longest, stalls.without(startedAt, performance.now()))
      if (answer._tag === "Left") {
        report.failures.push(answer.left.reason)
        yield* Effect.sleep("20 millis")
      } else if (Option.isSome(answer.right)) report.grants += 1
      else report.refusals += 1
    }
    yield* tell(report)
    if (thenStay) yield* Effect.never
  })

const task = JSON.parse(process.argv[2] ?? "") as Task
const connection = IoRedis.layer({ host: "127.0.0.1", port: task.port, within: task.withinMillis })
// The bucket ends before its connection, through which it returns its lease.
await Effect.runPromise(Effect.provide(Effect.scoped(run(task)), connection))
process.disconnect()
