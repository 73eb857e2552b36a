/**
 * A caller's own services may answer something that is no effect. The operation then ends as if they had died.
 */
import { Backoff, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, LogLevel } from "effect"

const answers: ReadonlyArray<unknown> = [undefined, null, 5, "granted", {}, () => Effect.void]

const policy = { classifier: () => Verdict.transient, maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

type Bucket = typeof TokenBucket.unlimited

/** A bucket with one answer that is no effect, by what it answers. */
const buckets: Readonly<Record<string, (answer: any) => Partial<Bucket>>> = {
  acquire: (answer) => ({ acquire: () => answer }),
  "acquire, with an invalid grant": (refund) => ({ acquire: () => Effect.succeedSome({ tokens: NaN, refund }) }),
  record: (answer) => ({ record: () => answer }),
  started: (answer) => ({ started: () => answer }),
  level: (level) => ({ level }),
  refusalAfter: (answer) => ({ refusalAfter: () => answer })
}

const services: ReadonlyArray<{ readonly name: string; readonly of: (answer: unknown) => object }> = [
  ...Object.entries(buckets).flatMap(([name, bucket]) =>
    ["bucket", "rateLimiter"].map((field) => ({
      name: `${field} ${name}`,
      of: (answer: unknown) => ({ [field]: { ...TokenBucket.unlimited, ...bucket(answer) } })
    }))
  ),
  { name: "observer", of: (answer) => ({ observe: [() => answer] }) },
  { name: "release", of: (answer) => ({ release: () => answer }) }
]

describe("A service that answers no effect", () => {
  it.effect.each(services)(
    "$name: the operation ends without a defect, and what is around it as well",
    ({ name, of }) =>
      Effect.gen(function* () {
        for (const answer of answers) {
          let attempts = 0
          let ended = false
          const call = Effect.suspend(() => (++attempts < 3 ? Effect.fail("busy") : Effect.succeed("ok")))
          const exit = yield* Retry.retry(call, { ...policy, ...of(answer) }).pipe(
            Effect.ensuring(Effect.sync(() => void (ended = true))),
            Effect.exit
          )
          const made = name.startsWith("bucket acquire") ? 1 : name.startsWith("rateLimiter acquire") ? 0 : 3
          expect({ attempts, ended }).toEqual({ attempts: made, ended: true })
          expect(Exit.isSuccess(exit) ? [] : [...Cause.defects(exit.cause)]).toEqual([])
        }
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )
})
