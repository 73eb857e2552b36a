/**
 * Clients in virtual time, and a server that throttles what comes faster than it allows.
 */
import { Retry, type RateLimiter } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Clock, Duration, Effect, Layer } from "effect"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import * as AwsRetry from "../../src/loop/AwsRetry.ts"
import { errorOf } from "./AwsRetryRuns.ts"

/** A response: when it was answered, and whether the request was throttled. */
interface Answer {
  readonly seconds: number
  readonly throttled: boolean
}

interface Server {
  readonly call: Effect.Effect<void, ReturnType<typeof errorOf>>
  readonly answers: ReadonlyArray<Answer>
}

/** A server that answers after `latency` and allows `perSecond` requests, up to a second's worth at once. */
export const makeServer = (perSecond: number, latency: Duration.DurationInput): Server => {
  const answers: Array<Answer> = []
  let tokens = perSecond
  let at = 0
  const call = Effect.gen(function* () {
    const seconds = (yield* Clock.currentTimeMillis) / 1000
    tokens = Math.min(perSecond, tokens + (seconds - at) * perSecond)
    at = seconds
    const throttled = tokens < 1
    if (!throttled) tokens -= 1
    yield* Effect.sleep(latency)
    answers.push({ seconds: seconds + Duration.toSeconds(latency), throttled })
    if (throttled) return yield* Effect.fail(errorOf({ status: 400, code: "ThrottlingException" }))
  })
  return { call, answers }
}

type Options = NonNullable<Parameters<typeof RateLimiter.adaptive>[0]>

/** Workers of one client that call again as soon as they have an answer, for so many seconds. */
export const load = (
  sendRate: ReturnType<typeof RateLimiter.adaptive>,
  { seconds, workers, server }: { readonly seconds: number; readonly workers: number; readonly server: Server }
) =>
  Effect.gen(function* () {
    const call = Effect.ignore(Retry.retry(server.call, AwsRetry.adaptive))
    yield* Effect.timeoutOption(
      Effect.all(
        Array.from({ length: workers }, () => Effect.forever(call)),
        { concurrency: "unbounded" }
      ),
      Duration.seconds(seconds)
    )
    return server.answers
  }).pipe(
    Effect.provide(Layer.effect(AwsRetry.SendRate, sendRate)),
    Effect.provide(Layer.effect(AwsRetry.Quota, AwsQuota.standard)),
    VirtualClock.run
  )

/** How many answers came, and which share of them was throttled, in a span of seconds. */
export const between = (answers: ReadonlyArray<Answer>, from: number, to: number) => {
  const inside = answers.filter(({ seconds }) => seconds >= from && seconds < to)
  const throttled = inside.filter((answer) => answer.throttled).length
  return {
    perSecond: (inside.length - throttled) / (to - from),
    throttledRatio: throttled / Math.max(1, inside.length)
  }
}

export type { Options }
