/**
 * One table of policies and scripts, and one law, for all doors: each makes the same attempts at the same times.
 *
 * `Promises.retry` runs under fake timers, the other doors run in virtual time. All draw the same random numbers.
 */
import {
  Backoff,
  type Classifier,
  Curve,
  Deadline,
  Hint,
  Jitter,
  Policy,
  Promises,
  Retry,
  TokenBucket
} from "@effect-retry/core"
import { Arbitraries, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it, vi } from "@effect/vitest"
import { Duration, Effect, FastCheck, Schedule } from "effect"
import { PCGRandom } from "effect/Utils"
import { law } from "../support/Laws.ts"
import { judge, type Word, words } from "./Recording.ts"

/** What every door can carry out. */
type Plain = Pick<Policy.Policy<unknown>, "classifier" | "maxAttempts" | "attemptsByKind" | "backoff" | "hint"> & {
  readonly deadline?: Deadline.Deadline | undefined
}

/** What a schedule cannot: it sees failures alone. */
type Funded = Plain & Pick<Policy.Policy<unknown, Retry.AttemptRefused>, "bucket" | "rateLimiter">

interface Run<P = Funded> {
  readonly policy: P
  /** What the attempts fail with, one after the other; the one after the last word succeeds. */
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

/** A door for effects, in virtual time. */
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

/** The door for promises, under fake timers. */
const promised: Door<Funded> = ({ policy, script }) =>
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

const doors: { readonly [door: string]: Door<Funded> } = {
  "Retry.retry": virtual((self, policy) => Retry.retry(self, policy)),
  "Retry.orStopped": virtual((self, policy) => Effect.mapError(Retry.orStopped(self, policy), ({ error }) => error)),
  "Retry.retryOrElse": virtual((self, policy) => Retry.retryOrElse(self, policy, ({ error }) => Effect.fail(error))),
  "Promises.retry": promised
}

const allDoors: { readonly [door: string]: Door<Plain> } = {
  ...doors,
  "Policy.toSchedule": virtual((self, policy) => Effect.retry(self, Policy.toSchedule(policy)))
}

const traced = <P>(door: Door<P>, run: Run<P>): Effect.Effect<Trace> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      let draws = 0
      const generator = vi.spyOn(PCGRandom.prototype, "number").mockImplementation(() => {
        const u = run.chance[draws++]
        return u ?? expect.unreachable(`drew ${draws} numbers`)
      })
      return { draws: () => draws, generator }
    }),
    ({ draws }) => Effect.map(door(run), (trace) => ({ ...trace, draws: draws() })),
    ({ generator }) => Effect.sync(() => generator.mockRestore())
  )

const policy = {
  classifier: ((error) => judge(error as Word)) satisfies Classifier.Classifier,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" }),
  hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
}

const doubling = Backoff.exponential({ base: "1 second" })

interface Row<P> extends Partial<Run<P>> {
  readonly name: string
  readonly policy: P
  readonly starts: ReadonlyArray<number>
  readonly end: string
}

const rows: ReadonlyArray<Row<Plain>> = [
  { name: "succeed at once", policy, starts: [0], end: "done" },
  { name: "wait after each failure", policy, script: ["busy", "slow down"], starts: [0, 1_000, 2_000], end: "done" },
  {
    name: "end with the last error where the attempts are spent",
    policy,
    script: ["busy", "slow down", "busy", "busy"],
    starts: [0, 1_000, 2_000],
    end: "busy"
  },
  {
    name: "count attempts of the kinds apart that the policy limits",
    policy: { ...policy, maxAttempts: 2, attemptsByKind: { Throttling: 3 } },
    script: ["slow down", "busy", "slow down", "slow down", "busy"],
    starts: [0, 1_000, 2_000, 3_000],
    end: "slow down"
  },
  {
    name: "make one attempt in all",
    policy: { ...policy, maxAttempts: 1 },
    script: ["busy"],
    starts: [0],
    end: "busy"
  },
  { name: "do not repeat what is terminal", policy, script: ["bad request"], starts: [0], end: "bad request" },
  {
    name: "do not repeat what no classifier knows",
    policy,
    script: ["busy", "riddle"],
    starts: [0, 1_000],
    end: "riddle"
  },
  {
    name: "do not wait where the delay is zero",
    policy: { ...policy, backoff: Backoff.constant({ delay: 0 }) },
    script: ["busy", "busy"],
    starts: [0, 0, 0],
    end: "done"
  },
  {
    name: "wait longer than a timer of the platform holds",
    policy: { ...policy, backoff: Backoff.constant({ delay: "50 days" }) },
    script: ["busy"],
    starts: [0, 50 * 86_400_000],
    end: "done"
  },
  {
    name: "let the back-off grow, and start over after progress",
    policy: { ...policy, maxAttempts: 4, backoff: doubling },
    script: ["busy", "busy", "broken off", "busy", "busy", "busy"],
    starts: [0, 1_000, 3_000, 4_000, 6_000, 10_000],
    end: "busy"
  },
  {
    name: "end with the back-off",
    policy: { ...policy, backoff: Backoff.take(doubling, 1) },
    script: ["busy", "slow down", "busy"],
    starts: [0, 1_000],
    end: "slow down"
  },
  {
    name: "end with the time of the back-off",
    policy: { ...policy, maxAttempts: 9, backoff: Backoff.within(doubling, "4 seconds") },
    script: ["busy", "busy", "busy"],
    starts: [0, 1_000, 3_000],
    end: "busy"
  },
  {
    name: "follow a curve of the caller's own",
    policy: { ...policy, maxAttempts: 4, backoff: Backoff.fromCurve(Curve.fromFunction("cubes", (n) => n ** 3)) },
    script: ["busy", "busy", "busy"],
    starts: [0, 1, 9, 36],
    end: "done"
  },
  {
    name: "draw one number for each delay",
    policy: { ...policy, backoff: Backoff.jittered(doubling, Jitter.full) },
    script: ["busy", "busy"],
    chance: [0.5, 0.25],
    starts: [0, 500, 1_000],
    end: "done"
  },
  { name: "wait as long as the server asks", policy, script: ["come back later"], starts: [0, 5_000], end: "done" },
  {
    name: "draw for the hint of the server",
    policy: { ...policy, hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp", jitterRatio: 0.5 }) },
    script: ["busy", "come back later"],
    chance: [0.5],
    starts: [0, 1_000, 7_250],
    end: "done"
  },
  {
    name: "give up where the server asks for too long a wait",
    policy,
    script: ["come back next year"],
    starts: [0],
    end: "come back next year"
  },
  {
    name: "let the back-off start over after a hint, where the policy says so",
    policy: {
      ...policy,
      maxAttempts: 4,
      backoff: doubling,
      hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp", startsOver: true })
    },
    script: ["busy", "come back later", "busy"],
    starts: [0, 1_000, 6_000, 7_000],
    end: "done"
  },
  {
    name: "refuse an attempt that would start at the deadline",
    policy: { ...policy, maxAttempts: 9, deadline: Deadline.refuse("2 seconds") },
    script: ["busy", "busy"],
    starts: [0, 1_000],
    end: "busy"
  },
  {
    name: "shorten the wait that would pass the deadline",
    policy: { ...policy, maxAttempts: 9, deadline: Deadline.truncate("2 seconds", { reserve: "300 millis" }) },
    script: ["busy", "busy", "busy"],
    starts: [0, 1_000, 1_700],
    end: "busy"
  },
  {
    name: "step a schedule that is no back-off",
    policy: {
      ...policy,
      maxAttempts: 9,
      backoff: Schedule.intersect(Schedule.fibonacci("1 second"), Schedule.recurs(3))
    },
    script: ["busy", "busy", "busy", "busy"],
    starts: [0, 1_000, 2_000, 4_000],
    end: "busy"
  }
]

const funded: ReadonlyArray<Row<Funded>> = [
  {
    name: "do not wait where the bucket refuses",
    policy: { ...policy, bucket: TokenBucket.empty },
    script: ["busy"],
    starts: [0],
    end: "busy"
  },
  {
    name: "make no attempt that the rate limiter refuses",
    policy: { ...policy, rateLimiter: TokenBucket.empty },
    starts: [],
    end: String(new Retry.AttemptRefused({ attempt: 1, cause: undefined }))
  },
  {
    name: "retry as before where both grant all",
    policy: { ...policy, bucket: TokenBucket.unlimited, rateLimiter: TokenBucket.unlimited },
    script: ["busy", "slow down", "busy"],
    starts: [0, 1_000, 2_000],
    end: "busy"
  }
]

const check = <P>(
  doors: { readonly [door: string]: Door<P> },
  { chance = [], end, policy, script = [], starts }: Row<P>
) =>
  Effect.forEach(Object.entries(doors), ([name, door]) =>
    Effect.map(traced(door, { policy, script, chance }), (trace) =>
      expect({ name, ...trace }).toEqual({ name, starts, end, draws: chance.length })
    )
  )

describe("All doors", () => {
  it.effect.each(rows)("$name", (row) => check(allDoors, row))

  it.effect.each(funded)("but the schedule $name", (row) => check(doors, row))

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
    classifier: FastCheck.constant(policy.classifier),
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
