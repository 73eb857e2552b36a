/**
 * One table of policies and scripts, `Stories.ts`, and one law, for all functions that retry: each makes the same attempts at the same times.
 *
 * `Promises.retry` runs under fake timers, the others run in virtual time. All draw the same random numbers.
 */
import { Deadline, Hint, Policy, Promises, Retry } from "@effect-retry/core"
import { Arbitraries, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it, vi } from "@effect/vitest"
import { Duration, Effect, FastCheck, Schedule } from "effect"
import * as DefaultRandom from "../support/DefaultRandom.ts"
import { law } from "../support/Laws.ts"
import { type Word, words } from "./Recording.ts"
import { stepped } from "./Steps.ts"
import * as Stories from "./Stories.ts"

interface Run<P = Stories.Funded> {
  readonly policy: P
  readonly script: ReadonlyArray<Word>
  /** The random numbers. */
  readonly chance: ReadonlyArray<number>
}

/** When the attempts started in milliseconds, how the operation ended, and how many random numbers it drew. */
interface Trace {
  readonly starts: ReadonlyArray<number>
  readonly end: string
  readonly draws: number
}

type Door<P> = (run: Run<P>) => Effect.Effect<Omit<Trace, "draws">>

/** A function for effects, in virtual time. */
const virtual =
  <P>(retried: (self: Effect.Effect<string, Word>, policy: P) => Effect.Effect<string, unknown>): Door<P> =>
  ({ policy, script }) =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const attempt = Effect.flatMap(VirtualClock.now, (now) => {
        const word = script[starts.push(Duration.toMillis(now)) - 1]
        return word === undefined ? Effect.succeed("done") : Effect.fail(word)
      })
      const services = yield* Effect.context<VirtualClock.VirtualClock>()
      const end = yield* Effect.merge(retried(Effect.provide(attempt, services), policy))
      return { starts, end: String(end) }
    }).pipe(VirtualClock.run)

/** The function for promises, under fake timers. */
const promised: Door<Stories.Funded> = ({ policy, script }) =>
  Effect.promise(async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 0, loopLimit: 1_000_000 })
    // Effect keeps the `process.hrtime` that was there when it was loaded.
    const monotonic = vi.spyOn(process.hrtime, "bigint").mockImplementation(() => BigInt(Date.now()) * 1_000_000n)
    try {
      const starts: Array<number> = []
      const call = async () => {
        const word = script[starts.push(Date.now()) - 1]
        if (word !== undefined) throw word
        return "done"
      }
      const end = Promises.retry(call, policy).then(String, String)
      await vi.runAllTimersAsync()
      expect(vi.getTimerCount()).toBe(0)
      return { starts, end: await end }
    } finally {
      monotonic.mockRestore()
      vi.useRealTimers()
    }
  })

const doors: { readonly [door: string]: Door<Stories.Funded> } = {
  "Retry.retry": virtual((self, policy) => Retry.retry(self, policy)),
  "Retry.orStopped": virtual((self, policy) => Effect.mapError(Retry.orStopped(self, policy), ({ error }) => error)),
  "Retry.retryOrElse": virtual((self, policy) => Retry.retryOrElse(self, policy, ({ error }) => Effect.fail(error))),
  "Promises.retry": promised,
  Stepper: virtual((self, policy) => stepped(self, policy))
}

const allDoors: { readonly [door: string]: Door<Stories.Plain> } = {
  ...doors,
  "Policy.toSchedule": virtual((self, policy) => Effect.retry(self, Policy.toSchedule(policy)))
}

const traced = <P>(door: Door<P>, run: Run<P>): Effect.Effect<Trace> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      let draws = 0
      const restore = DefaultRandom.replaced(() => {
        const u = run.chance[draws++]
        return u ?? expect.unreachable(`drew ${draws} numbers`)
      })
      return { draws: () => draws, restore }
    }),
    ({ draws }) => Effect.map(door(run), (trace) => ({ ...trace, draws: draws() })),
    ({ restore }) => Effect.sync(restore)
  )

const check = <P>(
  doors: { readonly [door: string]: Door<P> },
  { chance = [], end, policy, script = [], starts }: Stories.Story<P>
) =>
  Effect.forEach(Object.entries(doors), ([name, door]) =>
    Effect.map(traced(door, { policy, script, chance }), (trace) =>
      expect({ name, ...trace }).toEqual({ name, starts, end, draws: chance.length })
    )
  )

describe("All retry functions", () => {
  it.effect.each(Stories.plain)("$name", (row) => check(allDoors, row))

  it.effect.each(Stories.funded)("but the schedule $name", (row) => check(doors, row))

  const hints = FastCheck.constantFrom(
    undefined,
    Hint.ignore,
    Hint.override({ atMost: "1 minute", otherwise: "giveUp" }),
    Hint.floor({ atMost: "3 seconds", otherwise: "clamp", jitterRatio: 0.5 }),
    Hint.within({ above: "2 seconds" })
  )

  const deadlines = FastCheck.oneof(
    FastCheck.constant(undefined),
    FastCheck.integer({ min: 1, max: 60_000 }).map((within) => Deadline.refuse(within)),
    FastCheck.integer({ min: 2, max: 60_000 }).map((within) => Deadline.truncate(within, { reserve: within / 2 }))
  )

  const foreign = FastCheck.constantFrom(
    Schedule.exponential("100 millis").pipe(Schedule.jittered),
    Schedule.intersect(Schedule.fibonacci("1 second"), Schedule.recurs(3)),
    Schedule.fromDelays("1 second", "0.5 millis", "3 seconds"),
    Schedule.stop
  )

  const policies = FastCheck.record({
    classifier: FastCheck.constant(Stories.policy.classifier),
    maxAttempts: FastCheck.oneof(FastCheck.integer({ min: 1, max: 8 }), FastCheck.constant(Infinity)),
    attemptsByKind: FastCheck.constantFrom(undefined, { Throttling: 2 }, { Transient: 4, Server: 1 }),
    backoff: FastCheck.oneof({ arbitrary: Arbitraries.backoff(), weight: 4 }, { arbitrary: foreign, weight: 1 }),
    hint: hints,
    deadline: deadlines
  })

  const vocabulary: ReadonlyArray<Word> = [...words, "busy", "slow down", "come back later"]

  const runs = FastCheck.record({
    policy: policies,
    script: FastCheck.array(FastCheck.constantFrom(...vocabulary), { maxLength: 8 }),
    chance: FastCheck.array(FastCheck.double({ min: 0, maxExcluded: true, max: 1, noNaN: true }), {
      minLength: 20,
      maxLength: 20
    })
  })

  it.effect.prop(
    "make the same attempts at the same times, with the same draws and the same end",
    [runs],
    ([run]) =>
      Effect.gen(function* () {
        const expected = yield* traced(doors["Retry.retry"]!, run)
        for (const [name, door] of Object.entries(allDoors)) {
          expect({ name, ...(yield* traced(door, run)) }).toEqual({ name, ...expected })
        }
      }),
    law(100)
  )
})
