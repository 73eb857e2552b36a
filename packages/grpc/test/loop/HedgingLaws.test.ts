import { TokenBucket, Verdict } from "@effect-retry/core"
import { Hedging } from "@effect-retry/grpc"
import { Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, Exit, FastCheck as fc, Option } from "effect"
import { law } from "../../../core/test/support/Laws.ts"

class Failed extends Data.TaggedError("Failed")<{
  readonly attempt: number
  readonly end: "pass" | "fatal"
  readonly pushback: number | undefined
}> {}

interface Plan {
  readonly afterMillis: number
  readonly end: "succeed" | "pass" | "fatal" | "hang"
  readonly pushback: number | undefined
}

interface Script {
  readonly attempts: ReadonlyArray<Plan>
  readonly delayMillis: number
  /** Whether the bucket grants its first question, its second one and so on. */
  readonly grants: ReadonlyArray<boolean>
  /** How long the bucket takes to answer. */
  readonly answerMillis: number
  /** When the whole is interrupted. */
  readonly interruptedAt: number
}

const end = fc.constantFrom<Plan["end"]>("succeed", "pass", "pass", "pass", "fatal", "hang")
const pushback = fc.option(fc.constantFrom(0, 1, 30, 400, Infinity), { nil: undefined })
const attempt = fc.record({ afterMillis: fc.constantFrom(0, 1, 7, 50, 51, 100, 300), end, pushback })
const scripts: fc.Arbitrary<Script> = fc.record({
  attempts: fc.array(attempt, { minLength: 1, maxLength: 6 }),
  delayMillis: fc.constantFrom(0, 1, 50, 100),
  grants: fc
    .array(fc.boolean(), { minLength: 6, maxLength: 6 })
    .map((flags) => flags.map((flag, i) => flag || i % 3 > 0)),
  answerMillis: fc.constantFrom(0, 0, 1, 40, 130),
  interruptedAt: fc.constantFrom(0, 1, 50, 120, 100_000)
})

/** A bucket that grants by a script, at once or later, and notes what it is told. */
const noting = ({ answerMillis, grants }: Script) => {
  const noted = {
    asked: 0,
    granted: 0,
    refunded: 0,
    started: [] as Array<number>,
    ended: [] as Array<TokenBucket.Outcome>
  }
  const bucket: TokenBucket.TokenBucket = {
    acquire: () => {
      const answer = Effect.sync(() => {
        if (grants[noted.asked++] !== true) return Option.none()
        noted.granted += 1
        return Option.some({ tokens: 1, refund: Effect.sync(() => void (noted.refunded += 1)) })
      })
      return answerMillis === 0 ? answer : Effect.delay(answer, answerMillis)
    },
    started: ({ attempt }) => Effect.sync(() => void noted.started.push(attempt)),
    record: (outcome) => Effect.sync(() => void noted.ended.push(outcome)),
    level: Effect.succeed(0)
  }
  return { noted, bucket }
}

const run = (script: Script): Effect.Effect<Run> => {
  const { attempts, delayMillis, interruptedAt } = script
  const { bucket, noted } = noting(script)
  const call = (attempt: number): Effect.Effect<number, Failed> => {
    const { afterMillis, end, pushback } = attempts[attempt - 1]!
    if (end === "hang") return Timeline.attempt(Effect.never)
    const ended = end === "succeed" ? Effect.succeed(attempt) : Effect.fail(new Failed({ attempt, end, pushback }))
    return Timeline.attempt(afterMillis === 0 ? ended : Effect.delay(ended, afterMillis))
  }
  const hedged = Hedging.run(call, {
    classifier: ({ end, pushback }) =>
      end === "fatal" ? Verdict.terminal("it is fatal") : Verdict.retryable("Transient", { hint: pushback }),
    maxAttempts: attempts.length,
    hedgingDelay: delayMillis,
    bucket
  })
  return Effect.gen(function* () {
    const timeline = yield* Timeline.record(Effect.timeoutOption(hedged, interruptedAt))
    // What the bucket answers after the end.
    yield* Effect.sleep(script.answerMillis)
    const lived = Timeline.attempts(timeline).map(({ end, number, outcome, start }) => ({
      number,
      outcome,
      plan: attempts[number - 1]!,
      start: Duration.toMillis(start),
      end: Duration.toMillis(end)
    }))
    return { script, timeline, attempts: lived, noted, sleepers: yield* VirtualClock.sleepers }
  }).pipe(VirtualClock.run)
}

interface Attempt {
  readonly number: number
  readonly outcome: string
  readonly plan: Plan
  readonly start: number
  readonly end: number
}

interface Run {
  readonly script: Script
  readonly timeline: Timeline.Timeline<Option.Option<number>, Failed>
  readonly attempts: ReadonlyArray<Attempt>
  readonly noted: ReturnType<typeof noting>["noted"]
  readonly sleepers: number
}

const sendsEachOnceAndLeavesNone = ({ attempts, noted, script, sleepers, timeline }: Run) => {
  expect(attempts.length).toBeLessThanOrEqual(script.attempts.length)
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1))
  expect(noted.started).toEqual(attempts.map(({ number }) => number))
  expect(Math.max(...attempts.map(({ end }) => end))).toBeLessThanOrEqual(Duration.toMillis(timeline.elapsed))
  expect(sleepers).toBe(0)
}

const hasOneOutcome = ({ attempts, noted, script, timeline: { elapsed, exit } }: Run) => {
  const own = noted.ended.filter(({ _tag }) => _tag !== "Abandoned")
  const successes = own.filter(({ _tag }) => _tag === "Succeeded").map(({ attempt }) => attempt)
  if (Exit.isFailure(exit)) {
    expect(Option.getOrThrow(Cause.failureOption(exit.cause)).attempt).toBe(own.at(-1)?.attempt)
    expect(successes).toEqual([])
  } else {
    expect(successes).toEqual(Option.toArray(exit.value))
    if (Option.isNone(exit.value)) expect(Duration.toMillis(elapsed)).toBe(script.interruptedAt)
  }
  // What ended by itself and was not looked at ended in the very moment of the outcome.
  const seen = new Set(own.map(({ attempt }) => attempt))
  const unseen = attempts.filter(({ number, outcome }) => !seen.has(number) && outcome !== "interrupted")
  expect(unseen.map(({ end }) => end)).toEqual(unseen.map(() => Duration.toMillis(elapsed)))
}

const failsOnlyWhereItMust = ({ attempts, noted, script, timeline }: Run) => {
  if (Exit.isSuccess(timeline.exit)) return
  const failed = noted.ended.filter(({ _tag }) => _tag === "Failed").map(({ attempt }) => script.attempts[attempt - 1]!)
  expect(failed.slice(0, -1).every(({ end }) => end === "pass")).toBe(true)
  if (failed.at(-1)?.end === "fatal") return
  expect(failed.length).toBe(attempts.length)
  const isClosed = noted.asked > noted.granted || failed.some(({ pushback }) => pushback === Infinity)
  expect(isClosed || attempts.length === script.attempts.length).toBe(true)
}

const sendsInTime = ({ attempts, noted, script }: Run) => {
  const failures = attempts.filter(({ number }) =>
    noted.ended.some(({ _tag, attempt }) => _tag === "Failed" && attempt === number)
  )
  const releases = failures.map(({ end, plan }) => end + (plan.pushback ?? 0))
  for (const [i, { start }] of attempts.slice(1).entries()) {
    expect([attempts[i]!.start + script.delayMillis, ...releases]).toContain(start - script.answerMillis)
  }
  const undercut = failures.flatMap(({ end, plan }) =>
    attempts.filter(({ start }) => start > end && start < end + (plan.pushback ?? 0))
  )
  expect(undercut).toEqual([])
}

const paysForAllButTheFirst = ({ noted }: Run) => {
  expect(noted.granted).toBe(noted.started.length - 1 + noted.refunded)
  expect(noted.asked - noted.granted).toBeLessThanOrEqual(1)
  expect(noted.ended.map(({ attempt }) => attempt).toSorted((a, b) => a - b)).toEqual(noted.started)
  const spent = noted.ended.reduce((sum, { granted }) => sum + granted.tokens, 0)
  expect(spent + noted.refunded).toBe(noted.granted)
}

describe("Hedging.run", () => {
  it.effect.prop(
    "keeps its promises by any script",
    [scripts],
    ([script]) =>
      Effect.map(run(script), (ended) => {
        sendsEachOnceAndLeavesNone(ended)
        hasOneOutcome(ended)
        failsOnlyWhereItMust(ended)
        sendsInTime(ended)
        paysForAllButTheFirst(ended)
      }),
    law(60)
  )
})
