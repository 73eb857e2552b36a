/**
 * A pause that the server asks for: the hint in one failure holds back all later attempts.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Argument from "../../accept/Argument.ts"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import type { Grant, Outcome, Request, TokenBucket } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as TimedRef from "../store/TimedRef.ts"
import * as Waiting from "../port/Waiting.ts"

/** The options of `serverPause`. */
interface Options extends Waiting.Options {
  /** The longest pause; longer hints are cut to this. At most 24 days. */
  readonly atMost: Duration.DurationInput
  /** Spreads the attempts that were held back over this share of the pause after its end, 0..1. @default 0 */
  readonly jitterRatio?: number
}

interface Pause {
  readonly untilMillis: number
  readonly lengthMillis: number
}

/** A pause as an attempt sees it. */
interface Seen {
  readonly nowMillis: number
  /** Whole milliseconds until it is over; zero or less if it is over. */
  readonly leftMillis: number
  readonly lengthMillis: number
}

const owner = "RateLimiter.serverPause"

const free: Option.Option<Grant> = /*#__PURE__*/ Option.some(noTokens)

/** What the server asked to wait, in milliseconds. */
const hintMillis = (outcome: Outcome): number =>
  outcome._tag === "Failed" && outcome.verdict._tag !== "NoOpinion" && Option.isSome(outcome.verdict.hint)
    ? Duration.toMillis(outcome.verdict.hint.value)
    : 0

const paused = (pause: Pause, nowMillis: number, lengthMillis: number): Pause =>
  nowMillis + lengthMillis > pause.untilMillis ? { untilMillis: nowMillis + lengthMillis, lengthMillis } : pause

const seen = ({ lengthMillis, untilMillis }: Pause, nowMillis: number): Seen => ({
  nowMillis,
  leftMillis: Math.ceil(untilMillis - nowMillis),
  lengthMillis
})

/**
 * A rate limiter that grants every attempt, except during a pause that the server has asked for.
 *
 * The hint of a failure (`Retry-After` and the like), retryable or not, starts a pause of that length, at most `atMost`, for
 * every later attempt; a longer pause under way is kept. An attempt waits for the end of the pause and, with `jitterRatio`,
 * a random time of up to that share of the pause longer. If it may not wait that long, it is refused at once. All attempts
 * share the pause: make one per server, or use `TokenBucket.keyed`. Its level is zero during a pause and `Infinity`
 * otherwise. Draws from `Random` only if an attempt waits and `jitterRatio` is above 0.
 *
 * @category constructors
 */
export const serverPause = (options: Options): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, '{ atMost: "1 minute" }', options, {
    atMost: true,
    jitterRatio: false,
    whenShort: false,
    maxWait: false
  })
  const atMostMillis = Argument.millis(owner, "atMost", given.atMost, { min: 1, max: longestTimerMillis })
  const jitterRatio = Argument.number(owner, "jitterRatio", options.jitterRatio ?? 0, { min: 0, max: 1 })
  const maxWait = Waiting.check(owner, options, "wait")
  const draw = jitterRatio === 0 ? Effect.succeed(0) : Random.next
  return Effect.map(TimedRef.makeUnread<Pause>({ untilMillis: -Infinity, lengthMillis: 0 }), (self) => {
    const look = TimedRef.modify(self, (pause, now) => [seen(pause, now), pause])
    const wait = (
      { leftMillis, lengthMillis, nowMillis }: Seen,
      untilMillis: number,
      request: Request
    ): Effect.Effect<Option.Option<Grant>> => {
      if (leftMillis <= 0) return Effect.succeed(free)
      if (nowMillis + leftMillis > untilMillis) return Effect.succeedNone
      const waited = Effect.flatMap(draw, (u) => {
        const millis = Math.min(leftMillis + u * jitterRatio * lengthMillis, untilMillis - nowMillis)
        return Effect.sleep(Duration.millis(Math.min(Math.floor(millis), longestTimerMillis)))
      })
      return Effect.flatMap(Effect.zipRight(request.restore(waited), look), (seen) => wait(seen, untilMillis, request))
    }
    return {
      acquire: (request) =>
        AtOnce.suspend(() =>
          AtOnce.andThen(look, (seen) => {
            if (seen.leftMillis <= 0) return Effect.succeed(free)
            if (Option.isNone(maxWait)) return Effect.succeedNone
            return wait(seen, seen.nowMillis + Waiting.millisFor(maxWait.value, request), request)
          })
        ),
      record: (outcome) => {
        const lengthMillis = Math.min(hintMillis(outcome), atMostMillis)
        return lengthMillis > 0
          ? TimedRef.modify(self, (pause, now) => [undefined, paused(pause, now, lengthMillis)])
          : Effect.void
      },
      level: Effect.map(look, ({ leftMillis }) => (leftMillis > 0 ? 0 : Infinity))
    }
  })
}
