/**
 * A rate limiter that learns the pace of a server from its answers.
 */
import type { TokenBucket } from "@effect-retry/core"
import { Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as TokenStore from "@effect-retry/core/unstable/TokenStore"
import * as Waiting from "@effect-retry/core/unstable/Waiting"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as RateLimits from "../classify/RateLimits.ts"
import * as Answering from "./Answering.ts"
import * as Pace from "./Pace.ts"

/** The options of `paced`. */
interface Options extends Waiting.Options {
  /** What a longer time until a reset, and a longer pause, is cut to. @default "1 hour" */
  readonly atMost?: Duration.DurationInput
  /**
   * The share of a limit below which requests are spread over the rest of its window, 0..1: 1 spreads all of them, 0 none.
   * @default 0
   */
  readonly spreadBelow?: number
}

const owner = "HttpRetry.paced"

/** The grant of a request, by its number. */
interface Sent extends TokenBucket.Grant {
  /** The pace that has made it. */
  readonly pace: Pace.Settings
  readonly number: number
}

/**
 * A rate limiter that learns from the headers of all answers how many requests are left and when there are more, and makes
 * requests wait so that the server refuses none. For one server: `HttpRetry.perHost({ rateLimiter: HttpRetry.paced() })`
 * makes one for each host.
 *
 * All dialects of `HintHeader` are read, with several limits at once: `ratelimit` and `ratelimit-policy`, `x-ratelimit-*` and
 * its relatives, OpenAI's, Anthropic's and Discord's. What is left is the least that a window's answers have told, less the
 * requests without an answer; answers count the same in any order. The first request is sent alone, until it is answered or for
 * 10 seconds; where the headers tell no limits, requests are held back only by the hint of a throttle. A server that rounds down
 * its times to whole seconds is noticed, at the cost of a throttle at most.
 *
 * Where others use the same limit, a new window is expected to have the share that this program had of the last ones, until
 * its first answer tells. A request waits in its turn, by priority, and is refused at once where the reset comes too late for its
 * deadline. The level is what is left, `Infinity` where no limit is known. A cost above 1, such as one in points, is known
 * from the answers only.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10 (2025-09-24),
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/, read 2026-11-20; the headers of vendors in `HintHeader`.
 *
 * @category constructors
 */
export const paced = (options: Options = {}): Effect.Effect<TokenBucket.TokenBucket> => {
  const { atMost = "1 hour", spreadBelow = 0 } = Argument.options(owner, `{ spreadBelow: 0.5 }`, options)
  const settings: Pace.Settings = {
    atMostMillis: Argument.millis(owner, "atMost", atMost, { min: 1 }),
    spreadBelow: Argument.number(owner, "spreadBelow", spreadBelow, { min: 0, max: 1 })
  }
  const maxWait = Waiting.check(owner, options, "wait")
  return Effect.suspend(() => {
    // Of this pace alone: grants name it.
    const own = { ...settings }
    return Effect.map(TokenStore.make(arithmeticOf(own), maxWait), (store) => bucketOf(own, store))
  })
}

const arithmeticOf = (settings: Pace.Settings): TokenStore.Arithmetic<Pace.Pace> => {
  const granted = (number: number, refund: Effect.Effect<void>): Sent => ({ tokens: 1, refund, pace: settings, number })
  const millisUntil = (pace: Pace.Pace, now: number, count: number) => Pace.millisUntil(pace, settings, now, count)
  return {
    initial: () => Pace.initial,
    granted,
    take: (pace, now) => Option.fromNullable(Pace.sent(pace, settings, now)),
    put: (pace, _now, number) => Pace.refunded(pace, number),
    millisUntil,
    soonestMillis: (pace, now) => (Pace.isHeldBack(pace) ? 0 : millisUntil(pace, now, 1)),
    level: Pace.level
  }
}

const bucketOf = (settings: Pace.Settings, store: TokenStore.TokenStore<Pace.Pace>): TokenBucket.TokenBucket => {
  const isSent = (granted: TokenBucket.Grant): granted is Sent => "pace" in granted && granted.pace === settings
  return {
    acquire: (request) =>
      Effect.flatMap(store.acquire(1, request), (answer) =>
        Option.isSome(answer) || request.refused === undefined
          ? Effect.succeed(answer)
          : Effect.map(
              store.look((pace, now) => Pace.millisUntil(pace, settings, now, 1)),
              (millis) => {
                request.refused?.({ state: "Paced", retryAfter: Option.some(Duration.millis(millis)) })
                return answer
              }
            )
      ),
    record: (outcome) => {
      const { granted } = outcome
      if (!isSent(granted)) return Effect.void
      const { number } = granted
      return Effect.suspend(() => {
        const answer = answerOf(outcome)
        return store.change((pace, now) =>
          answer === undefined ? Pace.unanswered(pace, number) : Pace.answered(pace, settings, now, number, answer)
        )
      })
    },
    level: store.level,
    // What is told of an attempt that begins has its response later.
    started: () => Effect.void
  }
}

/** What came back; `undefined` where nothing did. */
const answerOf = (outcome: TokenBucket.Outcome): Pace.Answer | undefined => {
  if (outcome._tag === "Abandoned") return undefined
  const verdict = outcome._tag === "Failed" ? outcome.verdict : Verdict.noOpinion
  const said = {
    isThrottle: Option.contains(Verdict.kindOf(verdict), "Throttling"),
    hintMillis:
      verdict._tag === "NoOpinion" ? 0 : Option.match(verdict.hint, { onNone: () => 0, onSome: Duration.toMillis })
  }
  const { started } = outcome
  if (!Answering.isAnswering(started)) return { ...said, limits: [] }
  const headers = Answering.headersOf(started)
  if (headers === undefined) return undefined
  const { unsafeCurrentTimeMillis } = MonotonicTime.currentClock()
  return { ...said, limits: RateLimits.read(headers, unsafeCurrentTimeMillis()) }
}
