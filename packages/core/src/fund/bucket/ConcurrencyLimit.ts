/**
 * A limit on the attempts in flight: a fixed number, or a share of all attempts for retries.
 */
import * as Effect from "effect/Effect"
import * as Argument from "../../accept/Argument.ts"
import type { Outcome, Request, TokenBucket } from "../port/Port.ts"
import * as Priority from "../port/Priority.ts"
import * as TokenStore from "../store/TokenStore.ts"
import * as Waiting from "../port/Waiting.ts"

/** The options of `concurrencyLimit`: a `limit`, a `ratio`, or both. */
interface Options extends Waiting.Options {
  /** The largest number of granted attempts in flight; a whole number. @default no limit */
  readonly limit?: number
  /** The largest share of retries among the attempts in flight: 0.2 for one in five. 1 or more is no limit. @default 1 */
  readonly ratio?: number
  /** How many retries in flight `ratio` always allows. @default 3 */
  readonly atLeast?: number
  /**
   * How many attempts may wait. One more is refused, or replaces the newest waiter of the lowest priority below its own,
   * which is then refused. @default no limit
   */
  readonly maxWaiting?: number
}

interface InFlight {
  /** First attempts that have started but not ended, granted or not. */
  readonly first: number
  /** First attempts that were granted but have not ended. */
  readonly grantedFirst: number
  /** Retries that were granted but have not ended: retries waiting for their delay are in flight too. */
  readonly retries: number
  /** Whether sheddable attempts leave a part of the limit to others, which they do once another one has asked. */
  readonly keeps: boolean
}

interface Limits {
  readonly limit: number
  readonly ratio: number
  readonly atLeast: number
}

const owner = "RateLimiter.concurrencyLimit"

const check = (options: Options): Limits => {
  const { atLeast, limit, ratio } = Argument.options(owner, "{ limit: 10 }", options, {
    limit: false,
    ratio: false,
    atLeast: false,
    whenShort: false,
    maxWait: false,
    maxWaiting: false
  })
  if (limit === undefined && ratio === undefined) Argument.refuse(owner, "limit", "set if ratio is not", limit)
  if (atLeast !== undefined && ratio === undefined) {
    Argument.refuse(owner, "atLeast", "absent if ratio is not set", atLeast)
  }
  return {
    limit: limit === undefined ? Infinity : Argument.number(owner, "limit", limit, { min: 1, integer: true }),
    ratio: Argument.number(owner, "ratio", ratio ?? 1, { min: 0 }),
    atLeast: Argument.number(owner, "atLeast", atLeast ?? 3, { min: 0, integer: true })
  }
}

/** The largest number of retries in flight; from `retries <= ratio * (first + retries)`. */
const mostRetries = (first: number, { atLeast, ratio }: Limits): number =>
  ratio < 1 ? Math.max(atLeast, Math.floor((ratio * first) / (1 - ratio) + 1e-9)) : Infinity

/** How many attempts could be granted in a row. */
const free = ({ first, grantedFirst, retries }: InFlight, limits: Limits, isFirst: boolean): number => {
  const ofLimit = limits.limit - grantedFirst - retries
  return Math.max(0, isFirst ? ofLimit : Math.min(ofLimit, mostRetries(first, limits) - retries))
}

/** Every field is written out here and below: spreading a record of numbers takes V8 ten times as long. */
const changed = ({ first, grantedFirst, keeps, retries }: InFlight, attempt: number, granted: number): InFlight =>
  attempt === 1
    ? { first, grantedFirst: Math.max(0, grantedFirst + granted), keeps, retries }
    : { first, grantedFirst, keeps, retries: Math.max(0, retries + granted) }

/** Counts a first attempt that starts (1) or ends (-1). */
const counted = ({ first, grantedFirst, keeps, retries }: InFlight, change: 1 | -1): InFlight => ({
  first: Math.max(0, first + change),
  grantedFirst,
  keeps,
  retries
})

/**
 * A concurrency limit: a granted attempt holds its token until it has ended.
 *
 * Formula: granted attempts in flight `<= limit`, and retries in flight `<= max(atLeast, ratio * n)`, where `n` is the
 * number of first attempts under way and granted retries. As a policy's `rateLimiter` it bounds all attempts by
 * `limit`; as its `bucket` it bounds only the retries, from the start of their delay. Waiting attempts are served by
 * `TokenBucket.Priority`, then first come, first served; if attempts do not wait, `sheddable` ones leave a fifth of the
 * limit to others, once others have asked. Its level is the number of retries that could be granted now. A policy with
 * limits in both places needs two of them: with a single one, a retry would wait for its own token. It is told of
 * starts and of abandoned attempts. Source of `ratio` and `atLeast`:
 * Envoy's retry budget, `budget_percent` (20 %) and `min_retry_concurrency` (3),
 * https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/cluster/v3/circuit_breaker.proto, read 2026-11-20.
 *
 * @category constructors
 */
export const concurrencyLimit = (options: Options): Effect.Effect<TokenBucket> => {
  const limits = check(options)
  const maxWait = Waiting.check(owner, options, "wait")
  const maxWaiting = Waiting.checkMost(owner, options.maxWaiting, maxWait)
  const ofSheddable = Priority.leastOf(limits.limit)
  const isFree = (state: InFlight, { attempt }: Request) =>
    free(state, limits, attempt === 1) >= 1 &&
    (!state.keeps || state.grantedFirst + state.retries < ofSheddable || !Priority.isSheddable())
  const arithmetic: TokenStore.Arithmetic<InFlight> = {
    initial: () => ({ first: 0, grantedFirst: 0, retries: 0, keeps: false }),
    isTimeless: true,
    maxWaiting,
    asked: (state) => (state.keeps || Priority.isSheddable() ? state : { ...state, keeps: true }),
    take: (state, _now, _cost, _demand, request) =>
      isFree(state, request) ? [request.attempt, changed(state, request.attempt, 1)] : undefined,
    put: (state, _now, attempt) => changed(state, attempt, -1),
    granted: (_attempt, refund) => ({ tokens: 1, refund }),
    // Only the end of another attempt makes room.
    millisUntil: () => Infinity,
    level: (state) => free(state, limits, false)
  }
  return Effect.map(TokenStore.make(arithmetic, maxWait), ({ acquire, change, level }) => {
    const startFirst = change((state) => counted(state, 1))()
    const end = change((state, _now, { attempt, granted }: Pick<Outcome, "attempt" | "granted">) => {
      const after = changed(state, attempt, -granted.tokens)
      return attempt === 1 ? counted(after, -1) : after
    })
    return {
      acquire,
      record: end,
      level,
      started: ({ attempt }) => (attempt === 1 ? startFirst : Effect.void)
    }
  })
}
