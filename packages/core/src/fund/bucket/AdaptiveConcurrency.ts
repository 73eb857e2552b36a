/**
 * A limit on the attempts in flight that follows the latency of the server.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as Verdict from "../../classify/Verdict.ts"
import { longestMillis } from "../../decide/Millis.ts"
import * as Concurrency from "../count/Concurrency.ts"
import type { Grant, Outcome, TokenBucket } from "../port/Port.ts"
import * as Priority from "../port/Priority.ts"
import * as TokenStore from "../store/TokenStore.ts"
import * as Waiting from "../port/Waiting.ts"

/** The options of `adaptiveConcurrency`. */
interface Options extends Waiting.Options {
  /** The lower bound of the limit. @default 3 */
  readonly least?: number
  /** The upper bound of the limit. @default 1000 */
  readonly most?: number
  /** The limit at the start. @default 20, or the nearest value that `least` and `most` allow */
  readonly initial?: number
  /**
   * How the limit is adjusted: by the gradient of the latency, or by additive increase and multiplicative decrease.
   * @default "gradient"
   */
  readonly rule?: "gradient" | "aimd"
  /** How many attempts make one step of the gradient, which uses the median of their latencies. @default 20 */
  readonly samples?: number
  /** For `aimd`: an attempt that takes longer than this counts as dropped. @default 5 seconds */
  readonly slowerThan?: Duration.DurationInput
  /** How many attempts may wait. One more is refused, or takes the place of one with a lower priority. @default no limit */
  readonly maxWaiting?: number
}

interface State {
  readonly inFlight: number
  readonly concurrency: Concurrency.Concurrency
  /** Whether sheddable attempts leave a part of the limit to others, which they do once another one has asked. */
  readonly keeps: boolean
}

/** The grant of an attempt, with the number of attempts in flight when it was granted. */
interface Place extends Grant {
  readonly inFlight: number
}

const owner = "RateLimiter.adaptiveConcurrency"

const check = (options: Options): Concurrency.Settings & { readonly initial: number } => {
  const given = Argument.options(owner, "{ most: 100 }", options, {
    least: false,
    most: false,
    initial: false,
    rule: false,
    samples: false,
    slowerThan: false,
    whenShort: false,
    maxWait: false,
    maxWaiting: false
  })
  const { rule = "gradient", samples = 20, slowerThan = "5 seconds" } = given
  const whole = (field: "initial" | "least" | "most" | "samples", value: number, min: number, max: number) =>
    Argument.number(owner, field, value, { min, max, integer: true })
  const highest = options.most === undefined ? undefined : whole("most", options.most, 1, 1e6)
  const least = whole("least", options.least ?? Math.min(3, highest ?? 3), 1, 1e6)
  const most = whole("most", highest ?? Math.max(1000, least), least, 1e6)
  return {
    least,
    most,
    initial: whole("initial", options.initial ?? Math.max(least, Math.min(most, 20)), least, most),
    rule: Argument.oneOf(owner, "rule", rule, ["gradient", "aimd"]),
    samples: whole("samples", samples, 1, 1000),
    slowMillis: Argument.millis(owner, "slowerThan", slowerThan, { min: 1 })
  }
}

/** What an outcome says about the latency; `undefined` if it says nothing, like a fast failure. */
const sampleOf = (outcome: Outcome, inFlight: number): Concurrency.Sample | undefined => {
  const kind = outcome._tag === "Failed" ? Option.getOrUndefined(Verdict.kindOf(outcome.verdict)) : undefined
  const isDropped = kind === "Throttling" || kind === "Timeout"
  if (outcome._tag !== "Succeeded" && !isDropped) return undefined
  const ranMillis = outcome.ran === undefined ? 0 : Math.min(Duration.toMillis(outcome.ran), longestMillis)
  return { ranMillis, inFlight, isDropped }
}

/**
 * A concurrency limit that is learned: it grows while the server answers at its usual speed, and falls when answers slow
 * down.
 *
 * Formula of `gradient`, after every `samples` attempts: `limit = floor(g * limit + sqrt(g * limit))` with
 * `g = baseline * 1.25 / median latency`, between 0.5 and 2. The new limit is not above the old one if less than half
 * of that was used, and at most `0.9 * limit` if one of the attempts was throttled or timed out. The baseline is
 * learned: it falls to a lower median at once, rises by a twentieth of the difference while the limit is not reached,
 * and is reset to the median after five steps in a row that leave the limit at five attempts or at `least`. Formula of
 * `aimd`: an attempt that is throttled, times out or is slow lowers the limit to `floor(0.9 * limit)`; any other adds 1
 * if at least half of the limit was used. Successes, timeouts and throttles count; other failures do not, because they
 * arrive too fast to say anything about the latency.
 *
 * A falling limit interrupts no attempt. Waiting attempts are served by `TokenBucket.Priority`, then first come, first
 * served; if attempts do not wait, `sheddable` ones leave a fifth of the limit to others, once others have asked. Use
 * separate limits for attempts that differ much in their duration, for example with `TokenBucket.keyed`. Its level is the
 * number of attempts that could be granted now.
 * Sources: Envoy, adaptive concurrency, the gradient controller with its 25 % of headroom and its minimum limit,
 * https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/adaptive_concurrency_filter; Netflix
 * concurrency-limits, `AIMDLimit`, https://github.com/Netflix/concurrency-limits; both read 2026-11-24. The learned
 * baseline replaces Envoy's periodic probes at a low limit, which a client cannot afford.
 *
 * @category constructors
 */
export const adaptiveConcurrency = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const { initial, ...settings } = check(options)
  const maxWait = Waiting.check(owner, options, "wait")
  const isFree = ({ concurrency: { limit }, inFlight, keeps }: State): boolean =>
    inFlight < limit && (!keeps || inFlight < Priority.leastOf(limit) || !Priority.isSheddable())
  const left = ({ concurrency, inFlight, keeps }: State): State => ({
    concurrency,
    inFlight: Math.max(0, inFlight - 1),
    keeps
  })
  const arithmetic: TokenStore.Arithmetic<State> = {
    initial: () => ({ inFlight: 0, concurrency: Concurrency.make(initial), keeps: false }),
    isTimeless: true,
    maxWaiting: Waiting.checkMost(owner, options.maxWaiting, maxWait),
    asked: (state) => (state.keeps || Priority.isSheddable() ? state : { ...state, keeps: true }),
    take: (state) => {
      const { concurrency, keeps } = state
      const inFlight = state.inFlight + 1
      return isFree(state) ? [inFlight, { concurrency, inFlight, keeps }] : undefined
    },
    put: left,
    granted: (inFlight, refund): Place => ({ tokens: 1, refund, inFlight }),
    // Only the end of another attempt makes room.
    millisUntil: () => Infinity,
    level: ({ concurrency: { limit }, inFlight }) => Math.max(0, limit - inFlight)
  }
  return Effect.map(TokenStore.make(arithmetic, maxWait), ({ acquire, change, level }) => {
    const ended = change(({ concurrency, inFlight, keeps }, _now, sample: Concurrency.Sample | undefined) => ({
      inFlight: Math.max(0, inFlight - 1),
      keeps,
      concurrency: sample === undefined ? concurrency : Concurrency.noted(concurrency, settings, sample)
    }))
    return {
      acquire,
      record: (outcome) => {
        const { granted } = outcome
        return isPlace(granted) ? ended(sampleOf(outcome, granted.inFlight)) : Effect.void
      },
      level,
      started: () => Effect.void,
      timed: true
    }
  })
}

const isPlace = (granted: Grant): granted is Place => "inFlight" in granted
