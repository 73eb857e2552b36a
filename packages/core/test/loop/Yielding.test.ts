import { AttemptTimeout, Backoff, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option } from "effect"
import type { Note } from "./Yielding.ts"
import * as Yielding from "./Yielding.ts"

type Attempt = Effect.Effect<string, string>

/** An operation under test. */
type Operation = Effect.Effect<string, string | Retry.AttemptRefused>

/** What a policy of the tests says, and a loop by hand does. */
interface Bounds {
  readonly attemptTimeout?: number
  readonly cut?: number
}

const maxAttempts = 2
const delay = 3

/** A loop by hand, bounded by Effect itself. */
const byHand =
  ({ attemptTimeout, cut }: Bounds) =>
  (self: Attempt): Attempt => {
    const bounded = (one: Attempt, duration: number | undefined, error: string): Attempt =>
      duration === undefined ? one : Effect.timeoutFail(one, { duration, onTimeout: () => error })
    const attempts = (number: number): Attempt =>
      Effect.catchAllCause(bounded(self, attemptTimeout, "timeout"), (cause) =>
        Option.isNone(Cause.failureOption(cause)) || Option.isSome(Cause.dieOption(cause)) || number === maxAttempts
          ? Effect.failCause(cause)
          : Effect.zipRight(
              Effect.sleep(delay),
              Effect.suspend(() => attempts(number + 1))
            )
      )
    return bounded(attempts(1), cut, "cut")
  }

const policyOf = ({ attemptTimeout, cut }: Bounds) => ({
  classifier: () => Verdict.transient,
  maxAttempts,
  backoff: Backoff.constant({ delay }),
  ...(attemptTimeout !== undefined && {
    attemptTimeout: AttemptTimeout.constant(attemptTimeout, { onTimeout: () => "timeout" })
  }),
  ...(cut !== undefined && { deadline: Deadline.cut(cut, { onExceeded: () => "cut" }) })
})

const bounds = {
  "no bound": {},
  "a timeout that is kept": { attemptTimeout: 50 },
  "a timeout that passes": { attemptTimeout: 5 },
  "a cut that passes": { cut: 5 },
  "a timeout and a cut": { attemptTimeout: 5, cut: 10 }
} satisfies Readonly<Record<string, Bounds>>

type Bound = keyof typeof bounds

const pause = Effect.sleep(7)

const closing = (note: Note, self: Attempt): Attempt => Effect.onExit(self, (exit) => note(`over: ${exit._tag}`))

/** Kinds of attempts: made afresh for each run, as some count. */
const attempts = {
  "that succeeds": (note) => closing(note, Effect.succeed("done")),
  "that takes its time": (note) => closing(note, Effect.as(pause, "done")),
  "that fails once": (note) => {
    let calls = 0
    return closing(
      note,
      Effect.suspend(() =>
        ++calls === 1 ? Effect.zipRight(Effect.yieldNow(), Effect.fail("busy")) : Effect.succeed("done")
      )
    )
  },
  "that never ends": (note) => closing(note, Effect.never),
  "with a scope": (note) =>
    Effect.scoped(
      Effect.zipRight(
        Effect.acquireRelease(note("acquired"), () => note("released")),
        Effect.succeed("done")
      )
    ),
  "with a scope that takes its time": (note) =>
    Effect.scoped(
      Effect.zipRight(
        Effect.acquireRelease(note("acquired"), () => Effect.zipRight(Effect.sleep(2), note("released"))),
        Effect.as(pause, "done")
      )
    ),
  "with a fork": (note) =>
    Effect.zipRight(
      Effect.fork(Effect.interruptible(Effect.onInterrupt(Effect.never, () => note("the fork")))),
      Effect.as(pause, "done")
    ),
  "that cannot be interrupted": (note) => Effect.uninterruptible(closing(note, Effect.as(pause, "done"))),
  "with a mask": (note) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipLeft(restore(closing(note, Effect.as(pause, "done"))), note("in the mask"))
    )
} satisfies Readonly<Record<string, (note: Note) => Attempt>>

type Kind = keyof typeof attempts

const surroundings = {
  "on its own": (self) => self,
  "in an uninterruptible region": Effect.uninterruptible,
  "in a worker of `Effect.forEach`": (self) =>
    Effect.map(
      Effect.forEach([1], () => self, { concurrency: 2 }),
      ([value]) => value!
    )
} satisfies Readonly<Record<string, Yielding.Model["around"]>>

type Place = keyof typeof surroundings

interface Row {
  readonly kind: Kind
  readonly bound: Bound
  readonly place: Place
}

/** Begins an operation, which may note what is checked at its end. */
type Retrying = (self: Attempt, row: Row) => { readonly self: Operation; readonly check?: () => void }

const plain: Retrying = (self, { bound }) => ({ self: Retry.retry(self, policyOf(bounds[bound])) })

const native: Retrying = (self, { bound }) => ({ self: byHand(bounds[bound])(self) })

const everywhere = (row: Row, retrying: Retrying): ReadonlyArray<Yielding.Outcome> => {
  let check: (() => void) | undefined
  return Yielding.everywhere({
    operation: (note) => {
      check?.()
      const begun = retrying(attempts[row.kind](note), row)
      check = begun.check
      return begun.self
    },
    around: surroundings[row.place]
  })
}

const linesOf = (outcomes: ReadonlyArray<Yielding.Outcome>) => outcomes.map(({ lines }) => lines.join(", "))

const byHandAlready = new Map<string, ReadonlyArray<string>>()

/** The results of a loop by hand, interrupted at each of its steps, and not interrupted. */
const linesByHand = (row: Row): ReadonlyArray<string> => {
  const key = JSON.stringify(row, ["kind", "bound", "place"])
  const lines = byHandAlready.get(key) ?? linesOf(everywhere(row, native))
  byHandAlready.set(key, lines)
  return lines
}

/**
 * What a loop by hand comes to, interrupted at any step. Two bounds of Effect around each other pass an interruption on in more
 * steps than one: what an attempt without a bound comes to can be the end of one under both.
 */
const expectedOf = (row: Row): ReadonlySet<string> =>
  new Set([
    ...linesByHand(row),
    ...linesByHand({ ...row, bound: "no bound" }).filter((lines) => lines.endsWith("ends: interrupted"))
  ])

/** What is wrong with an operation of ours, held against the loop by hand. */
const wrong = (row: Row, retrying = plain) => {
  const expected = expectedOf(row)
  const outcomes = everywhere(row, retrying)
  const lines = linesOf(outcomes)
  return {
    unexpected: lines.filter((line) => !expected.has(line)),
    whole: lines.slice(-1).filter((line) => line !== linesByHand(row).at(-1)),
    lost: outcomes.filter(({ isLost }) => isLost),
    left: outcomes.filter(({ left }) => left.fibers + left.sleeps > 0)
  }
}

const nothing = { unexpected: [], whole: [], lost: [], left: [] }

const kinds = Object.keys(attempts) as ReadonlyArray<Kind>

/** Kinds for an operation inside another one: the rest differ in what the attempt does, and not in what stands around it. */
const nested = ["that takes its time", "that fails once", "with a scope", "with a fork", "with a mask"] as const

/** The places and bounds under which attempts are stepped through: of each kind if an operation is on its own. */
const places: ReadonlyArray<Omit<Row, "kind"> & { readonly kinds: ReadonlyArray<Kind> }> = [
  ...(Object.keys(bounds) as ReadonlyArray<Bound>).map((bound) => ({ bound, place: "on its own" as const, kinds })),
  { bound: "a timeout that passes", place: "in an uninterruptible region", kinds: nested },
  { bound: "a timeout that passes", place: "in a worker of `Effect.forEach`", kinds: nested }
]

/** What ends only by an interruption passes any timeout. */
const ends = ({ bound, kind }: Row) => kind !== "that never ends" || bound !== "a timeout that is kept"

const rows = places.flatMap(({ kinds, ...place }) => kinds.map((kind) => ({ ...place, kind }))).filter(ends)

/** A bucket that counts the attempts that have started and not ended. */
const counting = () => {
  let running = 0
  const bucket: TokenBucket.TokenBucket = {
    ...TokenBucket.unlimited,
    started: () => Effect.sync(() => void (running += 1)),
    record: () => Effect.sync(() => void (running -= 1))
  }
  return { bucket, check: () => expect(running).toBe(0) }
}

const named: Retrying = (self, { bound }) => ({
  self: Retry.retry(self, { ...policyOf(bounds[bound]), name: "orders" })
})

const funded: Retrying = (self, { bound }) => {
  const { bucket, check } = counting()
  return { self: Retry.retry(self, { ...policyOf(bounds[bound]), rateLimiter: bucket, bucket }), check }
}

/** What each attempt ends with is open; released is everything but what the operation ends with. */
const releasing: Retrying = (self, { bound }) => {
  let open = 0
  const opening = Effect.onExit(self, (exit) =>
    Effect.sync(() => void (open += Exit.isSuccess(exit) || Option.isSome(Cause.failureOption(exit.cause)) ? 1 : 0))
  )
  const release = () => Effect.sync(() => void (open -= 1))
  return {
    self: Retry.retry(opening, { ...policyOf(bounds[bound]), release }),
    check: () => expect([0, 1]).toContain(open)
  }
}

const ways = [
  { way: "with a name", retrying: named },
  { way: "with buckets that count attempts", retrying: funded },
  { way: "with a release", retrying: releasing }
]

describe("Retry.retry interrupted at any step, beside a loop by hand", () => {
  it.each(rows)("ends the same under $bound, $place, with an attempt $kind", (row) => {
    expect(wrong(row)).toEqual(nothing)
  })

  it.each(
    ways.flatMap((way) =>
      (["no bound", "a timeout that passes"] as const).flatMap((bound) =>
        (["that fails once", "that takes its time", "with a scope"] as const).map((kind) => ({ ...way, bound, kind }))
      )
    )
  )("ends the same $way, under $bound, with an attempt $kind", ({ bound, kind, retrying }) => {
    expect(wrong({ bound, kind, place: "on its own" }, retrying)).toEqual(nothing)
  })
})
