/**
 * What holds for hedges by any script, in any order of events, and whichever step an interruption comes before.
 */
import { Deadline, Hedge, type Observe, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, FastCheck as fc, Option } from "effect"
import { law } from "../support/Laws.ts"
import { classifier, Fatal, hedge, Passing } from "./Hedging.ts"
import * as Stepping from "./Stepping.ts"

interface Plan {
  readonly afterMillis: number
  readonly end: "ok" | "pass" | "fatal" | "die" | "hang" | "stubborn"
  readonly hint: number | undefined
}

interface Script {
  readonly plans: ReadonlyArray<Plan>
  readonly delayMillis: number
  readonly maxInFlight: number
  readonly tokens: number
  readonly answerMillis: number
  readonly deadline: "none" | "refuse" | "cut"
  readonly interruptedAt: number
}

const plan = fc.record({
  afterMillis: fc.constantFrom(0, 1, 50, 51, 100, 300),
  end: fc.constantFrom<Plan["end"]>("ok", "pass", "pass", "pass", "fatal", "die", "hang", "stubborn"),
  hint: fc.option(fc.constantFrom(0, 30, 400, Infinity), { nil: undefined })
})

const scripts: fc.Arbitrary<Script> = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 6 }),
  delayMillis: fc.constantFrom(0, 1, 50, 100, Infinity),
  maxInFlight: fc.integer({ min: 1, max: 6 }),
  tokens: fc.integer({ min: 0, max: 5 }),
  answerMillis: fc.constantFrom(0, 0, 0, 1, 70),
  deadline: fc.constantFrom<Script["deadline"]>("none", "none", "refuse", "cut"),
  interruptedAt: fc.constantFrom(0, 1, 50, 120, 100_000)
})

const deadlineMillis = 250

const deadlines = {
  none: undefined,
  refuse: Deadline.refuse(deadlineMillis),
  cut: Deadline.cut(deadlineMillis, { onExceeded: () => new Fatal({ attempt: 0 }) })
}

/** A run, with all that was noted of it; `nowMillis` reads the clock. */
const running = (script: Script, nowMillis: () => number) => {
  const seen = {
    running: 0,
    most: 0,
    starts: [] as Array<number>,
    ends: [] as Array<readonly [number: number, end: string, atMillis: number]>,
    asked: 0,
    granted: 0,
    refunded: 0,
    began: 0,
    recorded: [] as Array<TokenBucket.Outcome>,
    events: [] as Array<string>
  }
  let tokens = script.tokens
  const bucket: TokenBucket.TokenBucket = {
    acquire: () => {
      const answer = Effect.sync(() => {
        seen.asked += 1
        if (tokens === 0) return Option.none()
        tokens -= 1
        seen.granted += 1
        return Option.some({ tokens: 1, refund: Effect.sync(() => void (seen.refunded += 1)) })
      })
      return script.answerMillis === 0 ? answer : Effect.delay(answer, script.answerMillis)
    },
    started: () => Effect.sync(() => void (seen.began += 1)),
    record: (outcome) => Effect.sync(() => void seen.recorded.push(outcome)),
    level: Effect.succeed(0)
  }
  const ended = (attempt: number, { end, hint }: Plan): Effect.Effect<number, Passing | Fatal> => {
    if (end === "pass") return Effect.fail(new Passing({ attempt, hint }))
    if (end === "fatal") return Effect.fail(new Fatal({ attempt }))
    return end === "die" ? Effect.die("broken") : Effect.succeed(attempt)
  }
  const play = (attempt: number): Effect.Effect<number, Passing | Fatal> => {
    const given = script.plans[attempt - 1]!
    if (given.end === "hang") return Effect.never
    const timed =
      given.afterMillis === 0 ? ended(attempt, given) : Effect.delay(ended(attempt, given), given.afterMillis)
    return given.end === "stubborn" ? Effect.uninterruptible(timed) : timed
  }
  const call = Effect.suspend(() => {
    const attempt = seen.starts.push(nowMillis())
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    return Effect.onExit(play(attempt), (exit) =>
      Effect.sync(() => {
        seen.running -= 1
        const end = Exit.isSuccess(exit) ? "ok" : Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "failed"
        seen.ends.push([attempt, end, nowMillis()])
      })
    )
  })
  const observe: ReadonlyArray<Observe.Observer> = [
    ({ _tag, attempt }) => Effect.sync(() => void seen.events.push(`${_tag} ${attempt}`))
  ]
  const hedged = Hedge.hedge(call, {
    classifier,
    maxAttempts: script.plans.length,
    maxInFlight: script.maxInFlight,
    delay: Duration.millis(script.delayMillis),
    deadline: deadlines[script.deadline],
    bucket,
    observe
  })
  return { hedged, seen }
}

type Seen = ReturnType<typeof running>["seen"]

const holdsForAnyEnd = ({ maxInFlight, plans }: Script, seen: Seen) => {
  expect(seen.running).toBe(0)
  expect(seen.most).toBeLessThanOrEqual(maxInFlight)
  expect(seen.starts.length).toBeLessThanOrEqual(plans.length)
  expect(seen.began).toBe(seen.recorded.length)
  expect(new Set(seen.recorded.map(({ attempt }) => attempt)).size).toBe(seen.recorded.length)
  // The budget: every attempt but the first has a token of its own, and the rest was refunded.
  expect(seen.granted - seen.refunded).toBe(Math.max(0, seen.starts.length - 1))
}

const holdsForTheEnd = (script: Script, seen: Seen, exit: Exit.Exit<Option.Option<number>, Passing | Fatal>) => {
  const successes = seen.recorded.filter(({ _tag }) => _tag === "Succeeded").map(({ attempt }) => attempt)
  if (Exit.isSuccess(exit)) {
    // An interruption may come while a success waits for losers that cannot be interrupted.
    if (Option.isNone(exit.value)) return
    expect(successes).toEqual([exit.value.value])
    const [, , at] = seen.ends.find(([, end]) => end === "ok")!
    // No attempt starts after the answer, and that is the first success there was.
    expect(seen.ends.find(([attempt]) => attempt === Option.getOrUndefined(exit.value))![2]).toBe(at)
    expect(seen.starts.filter((start) => start > at)).toEqual([])
    expect(seen.events.at(-1)).toBe(`Succeeded ${exit.value.value}`)
  } else {
    expect(successes).toEqual([])
    const found = Cause.failureOption(exit.cause)
    if (Option.isNone(found)) return
    expect(seen.events.at(-1)).toMatch(/^GaveUp/)
    if (found.value._tag === "Passing") expect(seen.ends.some(([, end]) => end === "ok")).toBe(false)
  }
  if (script.deadline !== "none") {
    expect(seen.starts.filter((start, index) => index > 0 && start >= deadlineMillis)).toEqual([])
  }
}

const nowOf = Effect.map(Effect.clock, (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n))

describe("Hedge.hedge", () => {
  it.effect.prop(
    "keeps its promises by any script",
    [scripts],
    ([script]) =>
      Effect.gen(function* () {
        const { hedged, seen } = running(script, yield* nowOf)
        const exit = yield* Effect.exit(Effect.timeoutOption(hedged, script.interruptedAt))
        // What the bucket answers after the end.
        yield* Effect.sleep(200)
        holdsForAnyEnd(script, seen)
        holdsForTheEnd(script, seen, exit)
        expect(yield* VirtualClock.sleepers).toBe(0)
      }).pipe(VirtualClock.run),
    law(400)
  )

  const base: Script = {
    plans: [
      { afterMillis: 300, end: "ok", hint: undefined },
      { afterMillis: 50, end: "pass", hint: undefined },
      { afterMillis: 50, end: "stubborn", hint: undefined }
    ],
    delayMillis: 100,
    maxInFlight: 3,
    tokens: 5,
    answerMillis: 0,
    deadline: "none",
    interruptedAt: Infinity
  }

  it.each<{ name: string; script: Script }>([
    { name: "nothing waits", script: base },
    { name: "the bucket answers later", script: { ...base, answerMillis: 10 } },
    { name: "the bucket refuses", script: { ...base, tokens: 0 } },
    {
      name: "the deadline cuts",
      script: { ...base, deadline: "cut", plans: base.plans.map((plan) => ({ ...plan, afterMillis: 999 })) }
    },
    { name: "all attempts fail", script: { ...base, plans: base.plans.map((plan) => ({ ...plan, end: "pass" })) } },
    { name: "two are in flight", script: { ...base, maxInFlight: 2, delayMillis: 0 } }
  ])("leaves nothing behind, whichever step an interruption comes before, when $name", ({ script }) => {
    const runs = Stepping.everywhere(() => {
      const { hedged, seen } = running(script, () => 0)
      return { self: hedged, check: () => holdsForAnyEnd(script, seen) }
    })
    expect(runs).toBeGreaterThan(25)
  })

  it("starts no attempt that it does not end, in a region that cannot be interrupted", () => {
    const runs = Stepping.everywhere(() => {
      const { hedged, seen } = running(base, () => 0)
      return { self: Effect.uninterruptible(hedged), check: () => holdsForAnyEnd(base, seen) }
    })
    expect(runs).toBeGreaterThan(50)
  })

  it.effect.prop(
    "with one attempt is the effect itself",
    [plan.filter(({ end }) => end !== "hang")],
    ([given]) =>
      Effect.gen(function* () {
        const script = {
          plans: [given],
          delayMillis: 0,
          maxInFlight: 1,
          tokens: 0,
          answerMillis: 0,
          deadline: "none",
          interruptedAt: 0
        } as const
        const { hedged } = running(script, () => 0)
        const alone = yield* Effect.exit(hedged)
        const twice = yield* Effect.exit(Hedge.hedge(running(script, () => 0).hedged, { ...hedge, maxAttempts: 1 }))
        expect(twice).toEqual(alone)
      }).pipe(VirtualClock.run),
    law(40)
  )
})
