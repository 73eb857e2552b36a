import { describe, expect, it } from "@effect/vitest"
import { Backoff, Jitter } from "@effect-retry/core"
import { FastCheck } from "effect"
import * as Circuit from "../../../src/fund/count/Circuit.ts"
import type * as Failures from "../../../src/fund/count/Failures.ts"

/** A circuit as one would explain it: what was let through remembers when, and what happened is kept as it was. */
interface Model {
  mode: "Closed" | "Open" | "HalfOpen" | "Isolated"
  /** Counts the changes of mode. */
  era: number
  /** Outcomes of this era, the latest last. */
  outcomes: Array<"f" | "o">
  openUntil: number
  lastOpen: number
  closedSince: number
  /** Openings that the times count. */
  openings: number
  admitted: Array<Admitted>
}

interface Admitted {
  readonly era: number
  readonly isProbe: boolean
  readonly until: number
  isOver: boolean
}

interface Case {
  readonly name: string
  readonly rule: Failures.Rule
  readonly atOnce: number
  readonly successes: number
  readonly isTooMuch: (outcomes: ReadonlyArray<"f" | "o">) => boolean
}

const share = (outcomes: ReadonlyArray<"f" | "o">): number =>
  outcomes.filter((one) => one === "f").length / outcomes.length

const cases: ReadonlyArray<Case> = [
  {
    name: "two failures in a row, one probe",
    rule: { _tag: "Consecutive", failures: 2 },
    atOnce: 1,
    successes: 1,
    isTooMuch: (outcomes) => outcomes.length >= 2 && outcomes.slice(-2).every((one) => one === "f")
  },
  {
    name: "a failure, two probes of which both have to succeed",
    rule: { _tag: "Consecutive", failures: 1 },
    atOnce: 2,
    successes: 2,
    isTooMuch: (outcomes) => outcomes.at(-1) === "f"
  },
  {
    name: "half of the last three, two probes of which one has to succeed",
    rule: { _tag: "Last", ratio: 0.5, attempts: 3, atLeast: 2 },
    atOnce: 2,
    successes: 1,
    isTooMuch: (outcomes) => outcomes.at(-1) === "f" && outcomes.length >= 2 && share(outcomes.slice(-3)) >= 0.5
  }
]

/** Open for 2, then 4, then always 4. */
const times = [2, 4]
const openFor = Backoff.fromDelays(["2 millis", "4 millis"])
const lease = 3

const settingsOf = ({ atOnce, rule, successes }: Case): Circuit.Settings => ({
  rule,
  openFor: openFor.tree,
  draws: false,
  maxHintMillis: 10,
  atOnce,
  successes,
  leaseMillis: lease
})

const newModel = (): Model => ({
  mode: "Closed",
  era: 0,
  outcomes: [],
  openUntil: 0,
  lastOpen: 0,
  closedSince: 0,
  openings: 0,
  admitted: []
})

const enter = (model: Model, mode: Model["mode"], now: number): void => {
  model.mode = mode
  model.era += 1
  model.outcomes = []
  if (mode === "Closed") model.closedSince = now
}

const inFlight = (model: Model, now: number): number =>
  model.admitted.filter(({ era, isOver, until }) => era === model.era && !isOver && now < until).length

const ask = (model: Model, { atOnce }: Case, now: number): Admitted | undefined => {
  if (model.mode === "Isolated" || (model.mode === "Open" && now < model.openUntil)) return undefined
  if (model.mode === "Open") enter(model, "HalfOpen", now)
  const isProbe = model.mode === "HalfOpen"
  if (isProbe && inFlight(model, now) >= atOnce) return undefined
  const admitted = { era: model.era, isProbe, until: isProbe ? now + lease : Infinity, isOver: false }
  model.admitted.push(admitted)
  return admitted
}

type How = "f" | "o" | "i" | "h" | "refund"

const end = (model: Model, { isTooMuch, successes }: Case, now: number, admitted: Admitted, how: How): void => {
  const counts = admitted.era === model.era && !admitted.isOver && now < admitted.until
  admitted.isOver = true
  if (!counts || how === "refund") return
  if (how === "i" || how === "h") {
    if (how === "i" || !admitted.isProbe) return
    enter(model, "Open", now)
    model.openUntil = now + 5
    return
  }
  model.outcomes.push(how)
  if (admitted.isProbe && how === "o") {
    if (model.outcomes.length >= successes) enter(model, "Closed", now)
    return
  }
  if (how === "o" || (!admitted.isProbe && !isTooMuch(model.outcomes))) return
  if (!admitted.isProbe && now - model.closedSince >= model.lastOpen) model.openings = 0
  model.lastOpen = times[Math.min(model.openings, times.length - 1)]!
  model.openings += 1
  enter(model, "Open", now)
  model.openUntil = now + model.lastOpen
}

type Failure = Omit<Extract<Circuit.Ending, { readonly _tag: "Failed" }>, "_tag"> & { readonly u: number }

const ending = (how: How): Circuit.Ending => {
  if (how === "f") return { _tag: "Failed", kind: "Server", hintMillis: 0, ranMillis: 0 }
  return how === "o" ? { _tag: "Succeeded" } : { _tag: "Ignored", hintMillis: how === "h" ? 5 : 0 }
}

const moves = [
  "ask",
  "pass",
  "first f",
  "first o",
  "last f",
  "last i",
  "last h",
  "last refund",
  "isolate",
  "reset"
] as const

interface Walk {
  readonly circuit: Circuit.Circuit
  readonly model: Model
  readonly now: number
  /** Tickets that have not ended, and how the model knows them. */
  readonly tickets: ReadonlyArray<readonly [ticket: number, index: number]>
  readonly path: ReadonlyArray<string>
}

const fail = ({ path }: Walk, what: string): never => {
  throw new Error(`${what} after ${path.join(", ")}`)
}

const copied = (model: Model): Model => ({
  ...model,
  outcomes: [...model.outcomes],
  admitted: model.admitted.map((one) => ({ ...one }))
})

/** Takes one move in both; `undefined` if it is none. */
const moved = (walk: Walk, move: (typeof moves)[number], one: Case, settings: Circuit.Settings): Walk | undefined => {
  const { circuit, now, tickets } = walk
  const model = copied(walk.model)
  const path = [...walk.path, move]
  switch (move) {
    case "pass":
      return { circuit, model, now: now + 1, tickets, path }
    case "isolate":
      if (model.mode !== "Isolated") enter(model, "Isolated", now)
      return { circuit: Circuit.isolated(circuit), model, now, tickets, path }
    case "reset": {
      enter(model, "Closed", now)
      model.openings = 0
      model.lastOpen = 0
      return { circuit: Circuit.reset(circuit, settings, now), model, now, tickets, path }
    }
    case "ask": {
      const [ticket, after] = Circuit.asked(circuit, settings, now)
      const admitted = ask(model, one, now)
      const next = { circuit: after, model, now, tickets, path }
      if ((ticket === undefined) !== (admitted === undefined)) return fail(next, "one lets through, the other does not")
      return ticket === undefined ? next : { ...next, tickets: [...tickets, [ticket, model.admitted.length - 1]] }
    }
    default: {
      const [which, how] = move.split(" ") as ["first" | "last", How]
      const at = which === "first" ? 0 : tickets.length - 1
      const chosen = tickets[at]
      if (chosen === undefined) return undefined
      const [ticket, index] = chosen
      end(model, one, now, model.admitted[index]!, how)
      const after =
        how === "refund"
          ? Circuit.refunded(circuit, ticket)
          : Circuit.recorded(circuit, settings, now, ticket, ending(how), undefined)
      if (after === Circuit.needsDraw) return fail(walk, "asks for a draw")
      if (how === "o" && after._tag === "Open" && circuit._tag !== "Open") return fail(walk, "a success opens")
      if (how === "o" && Circuit.ignoresSuccess(circuit, ticket) && after !== circuit) return fail(walk, "not ignored")
      return { circuit: after, model, now, tickets: tickets.toSpliced(at, 1), path }
    }
  }
}

/** Until the open time is over, or the first of the leases. */
const waitOf = (model: Model, free: number, now: number): number => {
  if (free > 0) return 0
  if (model.mode === "Open") return model.openUntil - now
  const leases = model.admitted.filter(({ era, isOver, until }) => era === model.era && !isOver && now < until)
  return Math.min(...leases.map(({ until }) => until)) - now
}

const begun: Pick<Walk, "model" | "now" | "path" | "tickets"> = { model: newModel(), now: 0, tickets: [], path: [] }

/** After these moves, those left out that are none. */
const walkedTo = (path: ReadonlyArray<(typeof moves)[number]>, one: Case, settings: Circuit.Settings): Walk =>
  path.reduce((from: Walk, move) => moved(from, move, one, settings) ?? from, {
    ...begun,
    circuit: Circuit.closed(settings, 0)
  })

/** Compares on every path of so many moves, and counts the states. */
const walkAll = (from: Walk, left: number, one: Case, settings: Circuit.Settings): number => {
  compare(from, one, settings)
  if (left === 0) return 1
  return moves.reduce((walked, move) => {
    const next = moved(from, move, one, settings)
    return next === undefined ? walked : walked + walkAll(next, left - 1, one, settings)
  }, 1)
}

const toOpen = ["ask", "ask", "first f", "first f", "pass", "pass"] as const
const toHalfOpen = [...toOpen, "ask", "ask"] as const
const toClosed = [...toHalfOpen, "first o", "first o"] as const

const compare = (walk: Walk, one: Case, settings: Circuit.Settings): void => {
  const { circuit, model, now } = walk
  if (circuit._tag !== model.mode) fail(walk, `${circuit._tag} instead of ${model.mode}`)
  const free =
    model.mode === "Closed"
      ? Infinity
      : model.mode === "HalfOpen"
        ? one.atOnce - inFlight(model, now)
        : model.mode === "Open" && now >= model.openUntil
          ? one.atOnce
          : 0
  if (Circuit.places(circuit, settings, now) !== free)
    fail(walk, `${Circuit.places(circuit, settings, now)} places instead of ${free}`)
  if (inFlight(model, now) > one.atOnce && model.mode === "HalfOpen") fail(walk, "too many probes")
  if (circuit.opened !== model.openings) fail(walk, `${circuit.opened} openings instead of ${model.openings}`)
  for (const [ticket, index] of walk.tickets) {
    const { era, isProbe, until } = model.admitted[index]!
    const isKnown = isProbe && era === model.era
    // A probe whose lease has run out is known until another one takes its place.
    if (Circuit.holds(circuit, ticket) !== isKnown && (!isKnown || now < until)) fail(walk, `${ticket} is ${isKnown}`)
  }
  const millis = Circuit.millisUntil(circuit, settings, now)
  if (millis !== waitOf(model, free, now)) fail(walk, `${millis} ms instead of ${waitOf(model, free, now)}`)
  if (millis === Infinity) return model.mode === "Isolated" ? undefined : fail(walk, "would never let through")
  if (Circuit.asked(circuit, settings, now + millis)[0] === undefined)
    fail(walk, "refuses when it said that it would not")
  if (millis > 0 && Circuit.asked(circuit, settings, now + millis - 1)[0] !== undefined)
    fail(walk, "waits for too long")
}

/** Each test takes hundreds of thousands of steps. */
describe("Circuit", () => {
  it.each(cases)("does what its model does, on every path of six moves, from closed and from open: $name", (one) => {
    const settings = settingsOf(one)
    const walked = [[], toOpen].map((path) => walkAll(walkedTo(path, one, settings), 6, one, settings))
    expect(walked[0]! + walked[1]!).toBeGreaterThan(50_000)
  })

  it.each([
    { state: "open", path: toOpen },
    { state: "half open", path: toHalfOpen },
    { state: "closed again", path: toClosed }
  ])("does what its model does, on every path of four moves while it is $state", ({ path }) => {
    const walked = cases.map((one) => walkAll(walkedTo(path, one, settingsOf(one)), 4, one, settingsOf(one)))
    expect(Math.min(...walked)).toBeGreaterThan(500)
  })

  it.each(cases)("does what its model does, on long paths: $name", (one) => {
    const settings = settingsOf(one)
    const letThrough = new Set<string>()
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.constantFrom(...moves), { minLength: 40, maxLength: 80 }),
        (path) => {
          let walk = walkedTo([], one, settings)
          for (const move of path) {
            // Isolation would be most of a long path.
            const before = move === "isolate" && walk.path.length % 8 !== 0 ? "ask" : move
            walk = moved(walk, before, one, settings) ?? walk
            compare(walk, one, settings)
            letThrough.add(`${walk.circuit._tag} ${Math.min(walk.model.openings, 3)}`)
          }
        }
      ),
      { seed: 7, numRuns: 2_000 }
    )
    expect(letThrough.size).toBeGreaterThanOrEqual(8)
  })

  it.each<{
    what: string
    openFor: Backoff.Backoff
    failures: ReadonlyArray<Partial<Failure>>
    openMillis: Array<number>
  }>([
    {
      what: "the random number",
      openFor: Backoff.jittered(Backoff.constant({ delay: 10 }), Jitter.additive({ max: 10 })),
      failures: [{}, { u: 0.5 }, { u: 0 }],
      openMillis: [10, 15, 10]
    },
    {
      what: "the kind",
      openFor: Backoff.byKind({ Server: Backoff.constant({ delay: 3 }), orElse: Backoff.constant({ delay: 7 }) }),
      failures: [{ kind: "Server" }, { kind: "Timeout" }, {}],
      openMillis: [3, 7, 7]
    },
    {
      what: "how long the attempt ran",
      openFor: Backoff.resetAfter(openFor, 20),
      failures: [{}, { ranMillis: 19 }, { ranMillis: 20 }],
      openMillis: [2, 4, 2]
    },
    {
      what: "the time since the first opening",
      openFor: Backoff.within(Backoff.fromDelays([4, 8, 12]), 14),
      // The third would end after 4 + 8 + 12.
      failures: [{}, {}, {}],
      openMillis: [4, 8, 8]
    },
    {
      what: "the hint, up to the longest",
      openFor,
      failures: [{ hintMillis: 1 }, { hintMillis: 9 }, { hintMillis: 11 }],
      openMillis: [2, 9, 10]
    }
  ])("takes each open time from $what", ({ failures, openFor, openMillis }) => {
    const settings = { ...settingsOf(cases[1]!), openFor: openFor.tree }
    let circuit: Circuit.Circuit = Circuit.closed(settings, 1_000)
    let now = 1_000
    const waits = failures.map(({ u, ...how }) => {
      const [ticket, after] = Circuit.asked(circuit, settings, now)
      const failed = { _tag: "Failed", kind: undefined, hintMillis: 0, ranMillis: 0, ...how } as const
      circuit = Circuit.recorded(after, settings, now, ticket!, failed, u) as Circuit.Circuit
      const millis = Circuit.millisUntil(circuit, settings, now)
      now += millis
      return millis
    })
    expect(waits).toEqual(openMillis)
  })

  it.each([
    { leaseMillis: undefined, openMillis: 0, millis: 30_000 },
    { leaseMillis: undefined, openMillis: 29_999, millis: 30_000 },
    { leaseMillis: undefined, openMillis: 30_001, millis: 30_001 },
    { leaseMillis: 5, openMillis: 30_001, millis: 5 }
  ])(
    "keeps a place for $millis ms after $openMillis ms, if told $leaseMillis",
    ({ leaseMillis, millis, openMillis }) => {
      expect(Circuit.leaseMillisOf({ ...settingsOf(cases[0]!), leaseMillis }, openMillis)).toBe(millis)
    }
  )

  it("is the same circuit if nothing changes", () => {
    const settings = settingsOf(cases[1]!)
    const { circuit, tickets } = walkedTo(toHalfOpen, cases[1]!, settings)
    const isolated = Circuit.isolated(circuit)
    const unknown = Math.max(...tickets.map(([ticket]) => ticket)) + 1
    expect(Circuit.isolated(isolated)).toBe(isolated)
    expect(Circuit.refunded(circuit, unknown)).toBe(circuit)
    expect(Circuit.recorded(circuit, settings, 2, unknown, ending("f"), undefined)).toBe(circuit)
  })

  it("forgets everything in a reset, except the numbers of its tickets", () => {
    const settings = settingsOf(cases[0]!)
    const failed = ending("f")
    const open = [0, 0].reduce(
      (circuit: Circuit.Circuit, ticket) =>
        Circuit.recorded(circuit, settings, 5, ticket, failed, undefined) as Circuit.Circuit,
      Circuit.closed(settings, 0)
    )
    expect(open._tag).toBe("Open")
    const again = Circuit.reset(open, settings, 9)
    expect(again).toEqual(Circuit.closed(settings, 9, open.next))
  })

  it("ignores a success while it is closed and has counted no failure", () => {
    const settings = settingsOf(cases[0]!)
    const closed = Circuit.closed(settings, 0)
    const failed = Circuit.recorded(closed, settings, 0, 0, ending("f"), undefined) as Circuit.Circuit
    const again = Circuit.recorded(failed, settings, 0, 0, ending("o"), undefined) as Circuit.Circuit
    expect([closed, failed, again].map((circuit) => Circuit.ignoresSuccess(circuit, 0))).toEqual([true, false, true])
    // The ticket of another state.
    expect(Circuit.ignoresSuccess(Circuit.reset(closed, settings, 0), 0)).toBe(false)
  })

  it("asks for a random number only when it opens, and changes nothing before", () => {
    const settings = { ...settingsOf(cases[0]!), draws: true }
    const first = Circuit.recorded(
      Circuit.closed(settings, 0),
      settings,
      0,
      0,
      ending("f"),
      undefined
    ) as Circuit.Circuit
    expect(first._tag).toBe("Closed")
    expect(Circuit.recorded(first, settings, 0, 0, ending("f"), undefined)).toBe(Circuit.needsDraw)
    expect((Circuit.recorded(first, settings, 0, 0, ending("f"), 0.5) as Circuit.Circuit)._tag).toBe("Open")
  })
})
