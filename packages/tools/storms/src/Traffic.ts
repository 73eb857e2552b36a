/**
 * The outage of docs/guards.md for what `Load.recovery` does not simulate: requests of two priorities, and requests over
 * HTTP to a server that tells its limits.
 */
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { type Load, SeededRandom, VirtualClock } from "@effect-retry/plan"
import { Clock, Effect, Random } from "effect"
import { immediately } from "./Clients.ts"

type Answer =
  | { readonly _tag: "Answered"; readonly left: number; readonly resetMillis: number }
  /** Requests are refused until the reset. */
  | { readonly _tag: "Refused"; readonly resetMillis: number }
  | { readonly _tag: "TimedOut" }

/** Makes a request of its attempts, and says whether it succeeded. */
type Client = (attempt: Effect.Effect<Answer>, priority: "critical" | "sheddable") => Effect.Effect<boolean>

/** Requests that the server serves per second, which it also tells as its limit. */
const limit = 50
const serviceMillis = 1000 / limit
const timeoutMillis = 1000
const clients = 3
/** Of one client. */
const perSecond = 5
const outage = { from: 60_000, to: 80_000 }
/** Traffic begins shortly before the outage, and ends when requests succeed again. */
const [firstSecond, seconds] = [50, 100]

/** One queue, first come, first served. */
const makeServer = (inOutage: "stall" | "refuse") => {
  let [freeAtMillis, resetAtMillis, used] = [0, 0, 0]
  return (now: number): readonly [afterMillis: number, Answer] => {
    const isOut = now >= outage.from && now < outage.to
    if (isOut && inOutage === "refuse") return [0, { _tag: "Refused", resetMillis: outage.to - now }]
    if (now >= resetAtMillis) [resetAtMillis, used] = [(Math.floor(now / 1000) + 1) * 1000, 0]
    used += 1
    const start = Math.max(now, freeAtMillis)
    const isStalled = inOutage === "stall" && start + serviceMillis > outage.from && start < outage.to
    freeAtMillis = (isStalled ? outage.to : start) + serviceMillis
    return freeAtMillis - now > timeoutMillis
      ? [timeoutMillis, { _tag: "TimedOut" }]
      : [freeAtMillis - now, { _tag: "Answered", left: Math.max(0, limit - used), resetMillis: resetAtMillis - now }]
  }
}

type Counts = { -readonly [K in keyof Load.Second]: Load.Second[K] }

const quiet = (): Counts => ({ requests: 0, succeeded: 0, attempts: 0 })

/** The seconds of the requests of each priority: half of them are critical, and half are sheddable. */
const through = (makeClient: Effect.Effect<Client>, inOutage: "stall" | "refuse") =>
  Effect.gen(function* () {
    const seen = {
      critical: Array.from({ length: seconds }, quiet),
      sheddable: Array.from({ length: seconds }, quiet)
    }
    const serve = makeServer(inOutage)
    const request = (client: Client) =>
      Effect.gen(function* () {
        const priority = (yield* Random.nextBoolean) ? "critical" : "sheddable"
        const second = Effect.map(Clock.currentTimeMillis, (now) => seen[priority][Math.floor(now / 1000)] ?? quiet())
        const attempt = Effect.flatMap(Effect.zip(Clock.currentTimeMillis, second), ([now, second]) => {
          second.attempts += 1
          const [afterMillis, answer] = serve(now)
          return Effect.as(Effect.sleep(afterMillis), answer)
        })
        const began = yield* second
        began.requests += 1
        if (yield* client(attempt, priority)) began.succeeded += 1
      })
    const pause = Effect.map(Random.next, (u) => (-Math.log(1 - u) * 1000) / perSecond)
    const traffic = Effect.flatMap(makeClient, (client) =>
      Effect.forever(Effect.zipRight(Effect.flatMap(pause, Effect.sleep), Effect.fork(request(client))))
    )
    yield* Effect.sleep(`${firstSecond} seconds`)
    yield* Effect.raceFirst(
      Effect.replicateEffect(traffic, clients, { concurrency: clients }),
      Effect.sleep(`${seconds - firstSecond} seconds`)
    )
    return seen
  }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layer(2)))

/** At most three attempts of each client are in flight, and others wait. `isTold` says whether the limiter sees priorities. */
export const prioritised = (isTold: boolean) =>
  through(
    Effect.map(RateLimiter.concurrencyLimit({ limit: 3, maxWaiting: 30 }), (rateLimiter): Client => {
      const policy = { ...immediately(3), rateLimiter, classifier: () => Verdict.timeout }
      return (attempt, priority) => {
        const answered = Effect.filterOrFail(attempt, ({ _tag }) => _tag === "Answered")
        const succeeded = Effect.isSuccess(Retry.retry(answered, policy))
        return isTold ? Effect.provideService(succeeded, TokenBucket.Priority, priority) : succeeded
      }
    }),
    "stall"
  )

/** The server tells how many requests are left, and when there are more; in the outage, none are. */
export const paced: Effect.Effect<ReadonlyArray<Load.Second>> = Effect.map(
  through(
    Effect.map(HttpRetry.paced(), (rateLimiter): Client => {
      const retried = HttpRetry.withRetry({ ...immediately(3), rateLimiter })
      return (attempt) =>
        Effect.match(retried(clientOf(attempt)).get("http://server/"), {
          onFailure: () => false,
          onSuccess: ({ status }) => status === 200
        })
    }),
    "refuse"
  ),
  ({ critical, sheddable }) =>
    critical.map((second, i) => ({
      requests: second.requests + (sheddable[i]?.requests ?? 0),
      succeeded: second.succeeded + (sheddable[i]?.succeeded ?? 0),
      attempts: second.attempts + (sheddable[i]?.attempts ?? 0)
    }))
)

const clientOf = (attempt: Effect.Effect<Answer>): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.flatMap(attempt, (answer) => {
      if (answer._tag === "TimedOut") return Effect.never
      const headers = {
        "x-ratelimit-limit": `${limit}`,
        "x-ratelimit-remaining": `${answer._tag === "Answered" ? answer.left : 0}`,
        "x-ratelimit-reset": `${Math.ceil(answer.resetMillis / 1000)}`
      }
      const status = answer._tag === "Answered" ? 200 : 429
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status, headers })))
    })
  )
