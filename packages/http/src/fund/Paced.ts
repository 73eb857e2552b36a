/**
 * A rate limiter that learns the pace of a server from its answers.
 */
import type { TokenBucket } from "@effect-retry/core"
import { Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
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
  /** The longest time until a reset, and the longest pause; longer ones are cut to this. @default "1 hour" */
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
  /** The pace that granted it. */
  readonly pace: Pace.Settings
  readonly number: number
}

/**
 * A rate limiter that learns from the headers of all answers how many requests are left and when there are more, and delays
 * requests so that the server need not refuse any. It is for one server: `HttpRetry.perHost({ rateLimiter:
 * HttpRetry.paced() })` makes one per host.
 *
 * Reads all dialects of `HintHeader`, and several limits at once: `ratelimit` and `ratelimit-policy`, `x-ratelimit-*`
 * and its variants, OpenAI's, Anthropic's and Discord's. What is left is the least that a window's answers have
 * reported, minus the unanswered requests, so answers count the same in any order; a request that stays unanswered
 * for 10 seconds does not count in later windows. The first request is sent alone, until it is answered or for 10
 * seconds. If the headers report no limits, only the hint of a throttle holds requests back. A server that rounds its
 * times down to whole seconds is detected after at most one throttle.
 *
 * If others use the same limit, a new window is expected to have the share that this program had of the last ones, until its
 * first answer arrives. A request waits in its turn, by priority, and is refused at once if the reset comes too late for its
 * deadline. The level is what is left, `Infinity` if no limit is known. A request that costs more than 1, such as one
 * priced in points, is noticed only in the answers.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10 (2025-09-24),
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/, read 2026-11-20; the headers of vendors in
 * `HintHeader`.
 *
 * @category constructors
 */
export const paced = (options: Options = {}): Effect.Effect<TokenBucket.TokenBucket> => {
  const { atMost = "1 hour", spreadBelow = 0 } = Argument.options(owner, `{ spreadBelow: 0.5 }`, options, {
    atMost: false,
    spreadBelow: false,
    whenShort: false,
    maxWait: false
  })
  const settings: Pace.Settings = {
    atMostMillis: Argument.millis(owner, "atMost", atMost, { min: 1 }),
    spreadBelow: Argument.number(owner, "spreadBelow", spreadBelow, { min: 0, max: 1 })
  }
  const maxWait = Waiting.check(owner, options, "wait")
  return Effect.suspend(() => {
    // A copy for this pace alone, because grants identify their pace by it.
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
    take: (pace, now) => Pace.sent(pace, settings, now),
    put: (pace, _now, number) => Pace.refunded(pace, number),
    millisUntil,
    soonestMillis: (pace, now) => (Pace.isHeldBack(pace) ? 0 : millisUntil(pace, now, 1)),
    level: Pace.level
  }
}

const bucketOf = (settings: Pace.Settings, store: TokenStore.TokenStore<Pace.Pace>): TokenBucket.TokenBucket => {
  const isSent = (granted: TokenBucket.Grant): granted is Sent => "pace" in granted && granted.pace === settings
  const ended = store.change((pace, now, { answer, number }: { number: number; answer: Pace.Answer | undefined }) =>
    answer === undefined ? Pace.unanswered(pace, number) : Pace.answered(pace, settings, now, number, answer)
  )
  return {
    acquire: (request) =>
      Effect.flatMap(store.acquire(request), (answer) =>
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
      return Effect.suspend(() => ended({ number, answer: answerOf(outcome) }))
    },
    level: store.level,
    // Needed because the value given to `started` later carries the response.
    started: () => Effect.void
  }
}

/** The answer of an outcome; `undefined` if there was none. */
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
  return { ...said, limits: RateLimits.read(headers, FiberLine.wallMillis(MonotonicTime.currentClock())) }
}
