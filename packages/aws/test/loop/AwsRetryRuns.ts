/**
 * Operations whose responses are scripted, and what follows: delays, levels and outcomes.
 */
import { type Policy, Retry, type TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Duration, Effect } from "effect"

/** A response of a service: a status, and if it is an error its code and headers. */
export interface Response {
  readonly status: number
  readonly code?: string
  readonly headers?: { readonly [name: string]: string }
}

/** An error as the SDK for JavaScript has them. */
export const errorOf = ({ code = "ServiceError", headers = {}, status }: Response) => ({
  name: code,
  $fault: status < 500 ? ("client" as const) : ("server" as const),
  $metadata: { httpStatusCode: status },
  $response: { statusCode: status, headers }
})

/** What followed a response. */
interface Step {
  readonly outcome: string
  /** Of the bucket, when the next attempt starts or the operation ends. */
  readonly level: number
  /** Between the response and what followed it. */
  readonly seconds: number
}

export const nowSeconds = Effect.map(VirtualClock.now, Duration.toSeconds)

type Erased = Policy.Policy<unknown, Retry.AttemptRefused>

/** One operation: its responses until it ends, and how many of them it took. */
export const operate = (policy: Erased, bucket: TokenBucket.TokenBucket, responses: ReadonlyArray<Response>) =>
  Effect.gen(function* () {
    const steps: Array<Step> = []
    let answered: number | undefined
    let taken = 0
    const note = (outcome: string) =>
      Effect.zipWith(bucket.level, nowSeconds, (level, now) => {
        if (answered !== undefined) steps.push({ outcome, level, seconds: Number((now - answered).toFixed(6)) })
        answered = now
      })
    const attempt = Effect.suspend(() => {
      const response = responses[taken++]
      return Effect.zipRight(
        note("retry"),
        response === undefined || response.status < 300 ? Effect.void : Effect.fail(errorOf(response))
      )
    })
    const outcome = yield* Retry.orStopped(attempt, policy).pipe(
      Effect.match({ onFailure: ({ reason }) => reason._tag, onSuccess: () => "success" })
    )
    yield* note(outcome)
    return { steps, taken }
  })

/** Operations one after the other on one bucket, until all responses are taken. */
export const operateAll = (policy: Erased, bucket: TokenBucket.TokenBucket, responses: ReadonlyArray<Response>) =>
  Effect.gen(function* () {
    const steps: Array<Step> = []
    for (let taken = 0; taken < responses.length;) {
      const operation = yield* operate(policy, bucket, responses.slice(taken))
      steps.push(...operation.steps)
      taken += operation.taken
    }
    return steps
  })
