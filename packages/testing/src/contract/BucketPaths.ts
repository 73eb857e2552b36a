/**
 * Random sequences of calls of a bucket, and what the bucket must not do in any of them.
 */
import { type TokenBucket, Verdict } from "@effect-retry/core"
import { noTokens } from "@effect-retry/core/unstable/Port"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import type { Answer, Bucket, Contract, Ending } from "./BucketTrial.ts"
import { acquire, differs, endings, nowMillis, outcomeOf, record, tell, tolerance } from "./BucketTrial.ts"
import type * as VirtualClock from "../run/VirtualClock.ts"

/** What a bucket did at one step of a path. */
interface Observation {
  readonly step: Step
  readonly before: number
  readonly after: number
  readonly waitedMillis: number
  /** The answer to an attempt that asked. */
  readonly answer: Option.Option<Answer>
  /** The tokens of a refund. */
  readonly refunded: Option.Option<number>
}

/** A rule that a bucket must never break, and the buckets to which it applies. */
interface Ban {
  readonly sentence: string
  readonly applies?: (options: Options) => boolean
  readonly isFault: (observation: Observation, most: number) => boolean
}

/** The options of the contract on which the rules depend. */
export interface Options {
  readonly capacity?: number
  readonly isExact: boolean
  readonly refills: boolean
  readonly waits: boolean
}

const isSound = (tokens: number, most: number): boolean => tokens >= 0 && tokens <= most + tolerance

const bans: ReadonlyArray<Ban> = [
  {
    sentence: "has a level between zero and its capacity",
    isFault: ({ after }, most) => !isSound(after, most)
  },
  {
    sentence: "grants a number of tokens between zero and its capacity",
    isFault: ({ answer }, most) => Option.exists(Option.flatten(answer), ({ tokens }) => !isSound(tokens, most))
  },
  {
    sentence: "never waits",
    applies: ({ waits }) => !waits,
    isFault: ({ waitedMillis }) => waitedMillis > 0
  },
  {
    sentence: "waits no longer than the request allows",
    applies: ({ waits }) => waits,
    isFault: ({ step, waitedMillis }) => waitedMillis > step.atMostMillis
  },
  {
    sentence: "does not wait before a refusal",
    applies: ({ refills, waits }) => waits && refills,
    isFault: ({ answer, waitedMillis }) => Option.exists(answer, Option.isNone) && waitedMillis > 0
  },
  {
    sentence: "takes what it grants",
    applies: ({ isExact }) => isExact,
    isFault: ({ after, answer, before, waitedMillis }, most) =>
      Option.exists(
        Option.flatten(answer),
        ({ tokens }) => waitedMillis === 0 && isSound(tokens, most) && differs(after, before - tokens)
      )
  },
  {
    sentence: "takes and returns nothing where it refuses",
    applies: ({ isExact }) => isExact,
    isFault: ({ after, answer, before, waitedMillis }) =>
      Option.exists(answer, Option.isNone) && waitedMillis === 0 && differs(after, before)
  },
  {
    sentence: "returns what is refunded",
    applies: ({ isExact }) => isExact,
    isFault: ({ after, before, refunded }, most) =>
      Option.exists(refunded, (tokens) => {
        const least = most === Infinity ? before : Math.min(most, before + tokens)
        return isSound(tokens, most) && (after < least - tolerance || after > before + tokens + tolerance)
      })
  }
]

/** Registers a test for each rule. The paths are run once for all of these tests. */
export const aboutPaths = ({ fresh, it }: Contract, options: Options): void => {
  const observed = Effect.runSync(
    Effect.cached(
      Effect.gen(function* () {
        const most = options.capacity ?? (yield* fresh(({ level }) => level))
        const observations = yield* Effect.forEach(paths, (path) => fresh((bucket) => walk(bucket, path)))
        return { most, observations: observations.flat() }
      })
    )
  )
  for (const { applies = () => true, isFault, sentence } of bans) {
    if (!applies(options)) continue
    it(
      `${sentence}, on any path`,
      // A copy for each test, because each adds its promise to the message.
      Effect.flatMap(Effect.catchAllDefect(observed, copied), ({ most, observations }) => {
        const fault = observations.find((observation) => isFault(observation, most))
        return fault === undefined ? Effect.void : Effect.die(new Error(said(fault, most)))
      })
    )
  }
}

const copied = (defect: unknown): Effect.Effect<never> =>
  Effect.die(defect instanceof Error ? new Error(defect.message, { cause: defect }) : defect)

/** What the bucket did, in a sentence. */
const said = ({ after, answer, before, refunded, step, waitedMillis }: Observation, most: number): string => {
  const { atMostMillis, attempt, move } = step
  const level = `level ${before} before and ${after} after, capacity ${most}`
  if (Option.isSome(refunded)) return `a refund of ${tokens(refunded.value)}: ${level}`
  if (Option.isNone(answer)) return `${doings[move]}: ${level}`
  const answered = Option.match(answer.value, {
    onNone: () => "refused",
    onSome: (granted) => `granted ${tokens(granted.tokens)}`
  })
  return `attempt ${attempt}, which may wait ${atMostMillis} ms, was ${answered} after ${waitedMillis} ms: ${level}`
}

const tokens = (count: number): string => (count === 1 ? "1 token" : `${count} tokens`)

const doings: { readonly [move in Step["move"]]: string } = {
  acquire: "an attempt that asked",
  start: "an attempt that began",
  refund: "a refund with nothing to refund",
  pass: "700 ms that passed",
  Succeeded: "a success",
  Failed: "a failure",
  Abandoned: "an interrupted attempt"
}

interface Step {
  readonly move: "acquire" | "start" | "refund" | "pass" | Ending
  readonly attempt: number
  readonly kind: Option.Option<Verdict.Kind>
  readonly atMostMillis: number
}

const paths: ReadonlyArray<ReadonlyArray<Step>> = /*#__PURE__*/ FastCheck.sample(
  FastCheck.array(
    FastCheck.record<Step>({
      move: FastCheck.constantFrom("acquire", "acquire", "acquire", "start", "refund", "pass", ...endings),
      attempt: FastCheck.constantFrom(1, 2, 3),
      kind: FastCheck.constantFrom(Option.none(), ...Verdict.kinds.map(Option.some)),
      atMostMillis: FastCheck.constantFrom(0, 1, 300, 2_000)
    }),
    { maxLength: 40, size: "max" }
  ),
  { seed: 1, numRuns: 30 }
)

/** A granted attempt that has not ended. */
interface Held {
  readonly attempt: number
  readonly granted: TokenBucket.Grant
  started: TokenBucket.Started | undefined
}

/** Runs a path of random steps, and records what the bucket did. */
const walk = (
  bucket: Bucket,
  path: ReadonlyArray<Step>
): Effect.Effect<ReadonlyArray<Observation>, never, VirtualClock.VirtualClock> =>
  Effect.gen(function* () {
    const held: Array<Held> = []
    const observations: Array<Observation> = []
    let before = yield* bucket.level
    for (const step of path) {
      const askedAt = yield* nowMillis
      const done = yield* take(bucket, step, held)
      const after = yield* bucket.level
      const waitedMillis = step.move === "acquire" ? (yield* nowMillis) - askedAt : 0
      observations.push({ step, before, after, waitedMillis, ...done })
      before = after
    }
    return observations
  })

/** Takes one step of a path. */
const take = (bucket: Bucket, step: Step, held: Array<Held>): Effect.Effect<Pick<Observation, "answer" | "refunded">> =>
  Effect.gen(function* () {
    const { attempt, move } = step
    const unstarted = held.find(({ started }) => started === undefined)
    const nothing = { answer: Option.none(), refunded: Option.none() }
    switch (move) {
      case "pass":
        return (yield* Effect.sleep("700 millis"), nothing)
      case "acquire": {
        const answer = yield* acquire(bucket, step)
        if (Option.isSome(answer)) held.push({ attempt, granted: answer.value, started: undefined })
        return { ...nothing, answer: Option.some(answer) }
      }
      case "start": {
        if (unstarted === undefined) return nothing
        unstarted.started = { attempt: unstarted.attempt }
        return (yield* bucket.started?.(unstarted.started) ?? Effect.void, nothing)
      }
      case "refund": {
        if (unstarted === undefined) return nothing
        held.splice(held.indexOf(unstarted), 1)
        return (yield* unstarted.granted.refund, { ...nothing, refunded: Option.some(unstarted.granted.tokens) })
      }
      default: {
        const ending = held.shift() ?? { attempt, granted: noTokens, started: undefined }
        const outcome = outcomeOf(move, ending.attempt, ending.granted)
        const { started } = ending
        return (yield* started === undefined ? tell(bucket, outcome) : record(bucket, { ...outcome, started }), nothing)
      }
    }
  })
