/**
 * The state of a circuit breaker as data, and each step that it takes. Pure.
 *
 * Every attempt that is let through has a ticket, a number. A closed circuit has one ticket for all its attempts, and each
 * probe of a half-open one has its own. An outcome counts only under a ticket that the circuit still knows: what a circuit
 * has let through in an earlier state changes nothing.
 */
import type { Kind } from "../../classify/Verdict.ts"
import type { Tree } from "../../decide/BackoffTree.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as Failures from "./Failures.ts"

export interface Settings {
  readonly rule: Failures.Rule
  /** Gives the times for which the circuit stays open. */
  readonly openFor: Tree
  /** Whether each of them takes a random number. */
  readonly draws: boolean
  /** What a longer hint is cut to. */
  readonly maxHintMillis: number
  /** Probes in flight at most. */
  readonly atOnce: number
  /** Probes that have to succeed. */
  readonly successes: number
  /** How long a probe has its place; `undefined` for the time that the circuit was open, and at least half a minute. */
  readonly leaseMillis: number | undefined
}

/** What a circuit keeps in every state. */
interface Kept {
  /** The next ticket. */
  readonly next: number
  /** Where the open times stand. */
  readonly openFor: Tree
  /** How long the circuit was, or is, open the last time; zero before. */
  readonly openMillis: number
  /** When the first of the openings was that the open times count. */
  readonly firstMillis: number
}

interface Closed extends Kept {
  readonly _tag: "Closed"
  readonly ticket: number
  readonly sample: Failures.Sample
  readonly sinceMillis: number
}

interface Open extends Kept {
  readonly _tag: "Open"
  readonly untilMillis: number
}

interface HalfOpen extends Kept {
  readonly _tag: "HalfOpen"
  readonly probes: ReadonlyArray<Probe>
  /** Probes that have succeeded. */
  readonly succeeded: number
}

interface Isolated extends Kept {
  readonly _tag: "Isolated"
}

/** An attempt that finds out whether the circuit can be closed. */
interface Probe {
  readonly ticket: number
  /** Then another attempt gets its place. */
  readonly untilMillis: number
}

export type Circuit = Closed | Open | HalfOpen | Isolated

/** How an attempt ended, as far as a circuit judges it. */
export type Ending =
  | { readonly _tag: "Succeeded" }
  | {
      readonly _tag: "Failed"
      readonly kind: Kind | undefined
      /** What the server asked to wait. */
      readonly hintMillis: number
      readonly ranMillis: number
    }
  /** It says nothing about the server, but that may have asked to wait. */
  | { readonly _tag: "Ignored"; readonly hintMillis: number }

/** A circuit that has just been made, or reset. */
export const closed = ({ openFor, rule }: Settings, nowMillis: number, ticket = 0): Circuit => ({
  _tag: "Closed",
  ticket,
  sample: Failures.none(rule),
  sinceMillis: nowMillis,
  next: ticket + 1,
  openFor,
  openMillis: 0,
  firstMillis: nowMillis
})

export const reset = (self: Circuit, settings: Settings, nowMillis: number): Circuit =>
  closed(settings, nowMillis, self.next)

/** Closed to all attempts, until it is reset. */
export const isolated = (self: Circuit): Circuit =>
  self._tag === "Isolated" ? self : { ...kept(self), _tag: "Isolated" }

const kept = ({ firstMillis, next, openFor, openMillis }: Circuit): Kept => ({ firstMillis, next, openFor, openMillis })

/** Asks for an attempt: its ticket, `undefined` where the circuit refuses it, and the circuit after it. */
export const asked = (
  self: Circuit,
  settings: Settings,
  nowMillis: number
): readonly [ticket: number | undefined, after: Circuit] => {
  if (self._tag === "Closed") return [self.ticket, self]
  const probes = probesOf(self, nowMillis)
  if (probes === undefined || probes.length >= settings.atOnce) return [undefined, self]
  const leaseMillis = settings.leaseMillis ?? Math.max(self.openMillis, leastLeaseMillis)
  const ticket = self.next
  return [
    ticket,
    {
      ...kept(self),
      _tag: "HalfOpen",
      next: ticket + 1,
      probes: [...probes, { ticket, untilMillis: nowMillis + leaseMillis }],
      succeeded: self._tag === "HalfOpen" ? self.succeeded : 0
    }
  ]
}

const leastLeaseMillis = 30_000

/** The probes that have their place; `undefined` where there is no place for a probe. */
const probesOf = (self: Circuit, nowMillis: number): ReadonlyArray<Probe> | undefined => {
  if (self._tag === "HalfOpen") return self.probes.filter(({ untilMillis }) => untilMillis > nowMillis)
  return self._tag === "Open" && nowMillis >= self.untilMillis ? [] : undefined
}

/** Gives back the place of an attempt that was let through and not made. */
export const refunded = (self: Circuit, ticket: number): Circuit =>
  self._tag === "HalfOpen" && self.probes.some((probe) => probe.ticket === ticket) ? without(self, ticket) : self

const without = (self: HalfOpen, ticket: number): HalfOpen => ({
  ...self,
  probes: self.probes.filter((probe) => probe.ticket !== ticket)
})

/** The circuit would open, and a random number is needed for how long. */
export const needsDraw = "NeedsDraw"

/** Notes how an attempt ended. `u` is a random number in [0, 1), once it was asked for. */
export const recorded = (
  self: Circuit,
  settings: Settings,
  nowMillis: number,
  ticket: number,
  ending: Ending,
  u: number | undefined
): Circuit | typeof needsDraw => {
  switch (self._tag) {
    case "Closed":
      return self.ticket === ticket ? recordedClosed(self, settings, nowMillis, ending, u) : self
    case "HalfOpen": {
      const probe = self.probes.find((probe) => probe.ticket === ticket)
      if (probe === undefined) return self
      // The place may be another's already, in a circuit where one was asked for.
      if (probe.untilMillis <= nowMillis) return without(self, ticket)
      return recordedProbe(self, settings, nowMillis, ticket, ending, u)
    }
    default:
      return self
  }
}

const recordedClosed = (
  self: Closed,
  settings: Settings,
  nowMillis: number,
  ending: Ending,
  u: number | undefined
): Circuit | typeof needsDraw => {
  if (ending._tag === "Ignored") return self
  const isFailure = ending._tag === "Failed"
  const sample = Failures.added(settings.rule, self.sample, isFailure, nowMillis)
  // Only a failure opens a circuit: a success may fill up the least number of attempts as well.
  if (isFailure && Failures.areTooMany(settings.rule, sample)) return opened(self, settings, nowMillis, ending, u)
  return sample === self.sample ? self : { ...self, sample }
}

const recordedProbe = (
  self: HalfOpen,
  settings: Settings,
  nowMillis: number,
  ticket: number,
  ending: Ending,
  u: number | undefined
): Circuit | typeof needsDraw => {
  switch (ending._tag) {
    case "Failed":
      return opened(self, settings, nowMillis, ending, u)
    case "Ignored": {
      const untilMillis = nowMillis + Math.min(ending.hintMillis, settings.maxHintMillis)
      return untilMillis > nowMillis ? { ...kept(self), _tag: "Open", untilMillis } : without(self, ticket)
    }
    case "Succeeded": {
      const succeeded = self.succeeded + 1
      if (succeeded < settings.successes) return { ...without(self, ticket), succeeded }
      const { firstMillis, openFor, openMillis } = self
      return { ...closed(settings, nowMillis, self.next), firstMillis, openFor, openMillis }
    }
  }
}

/** Opens the circuit. The open times begin again where it was closed for as long as it was open before. */
const opened = (
  self: Closed | HalfOpen,
  settings: Settings,
  nowMillis: number,
  { hintMillis, kind, ranMillis }: Extract<Ending, { readonly _tag: "Failed" }>,
  u: number | undefined
): Circuit | typeof needsDraw => {
  if (settings.draws && u === undefined) return needsDraw
  const beginsAgain = self._tag === "Closed" && nowMillis - self.sinceMillis >= self.openMillis
  const firstMillis = beginsAgain ? nowMillis : self.firstMillis
  const openFor = beginsAgain ? settings.openFor : self.openFor
  const step = BackoffTree.step(openFor, { u: u ?? 0, kind, ranMillis, elapsedMillis: nowMillis - firstMillis })
  // Where there are no further times, the last one holds.
  const delayMillis = step?.delayMillis ?? self.openMillis
  const openMillis = Math.max(delayMillis, Math.min(hintMillis, settings.maxHintMillis))
  return {
    _tag: "Open",
    untilMillis: nowMillis + openMillis,
    next: self.next,
    openFor: step?.rest ?? openFor,
    openMillis,
    firstMillis
  }
}

/** Attempts that would be let through now, one after the other. */
export const places = (self: Circuit, { atOnce }: Settings, nowMillis: number): number => {
  if (self._tag === "Closed") return Infinity
  const probes = probesOf(self, nowMillis)
  return probes === undefined ? 0 : Math.max(0, atOnce - probes.length)
}

/** Milliseconds until an attempt is let through by time alone; `Infinity` where it never is. */
export const millisUntil = (self: Circuit, settings: Settings, nowMillis: number): number => {
  if (places(self, settings, nowMillis) > 0) return 0
  switch (self._tag) {
    case "Open":
      return self.untilMillis - nowMillis
    case "HalfOpen":
      return Math.min(...self.probes.map(({ untilMillis }) => untilMillis)) - nowMillis
    default:
      return Infinity
  }
}
