/**
 * The state of a circuit breaker as data, and its transitions. Pure.
 *
 * Every attempt that is let through has a ticket, which is a number. A closed circuit has one ticket for all its attempts;
 * each probe of a half-open circuit has its own. An outcome counts only if the circuit still knows its ticket, so attempts
 * let through in an earlier state change nothing.
 */
import type { Kind } from "../../classify/Verdict.ts"
import type { Tree } from "../../decide/BackoffTree.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as Failures from "./Failures.ts"

export interface Settings {
  readonly rule: Failures.Rule
  /** How long the circuit stays open, each time that it opens. */
  readonly openFor: Tree
  /** Whether each open time needs a random number. */
  readonly draws: boolean
  /** The longest hint that is followed. */
  readonly maxHintMillis: number
  /** The largest number of probes in flight. */
  readonly atOnce: number
  /** How many probes must succeed. */
  readonly successes: number
  /** How long a probe keeps its place; `undefined` for the last open time, but at least 30 seconds. */
  readonly leaseMillis: number | undefined
}

/** What a circuit keeps in every state. */
interface Kept {
  /** The next ticket. */
  readonly next: number
  /** The current position in the open times. */
  readonly openFor: Tree
  /** The latest open time; zero before the first. */
  readonly openMillis: number
  /** The time of the first opening in the current run of open times. */
  readonly firstMillis: number
  /** How many open times of the run have been used. */
  readonly opened: number
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
  /** How many probes have succeeded. */
  readonly succeeded: number
}

interface Isolated extends Kept {
  readonly _tag: "Isolated"
}

/** An attempt that tests whether the circuit can close. */
interface Probe {
  readonly ticket: number
  /** After this, another attempt may take its place. */
  readonly untilMillis: number
}

export type Circuit = Closed | Open | HalfOpen | Isolated

/** How an attempt ended, as the circuit sees it. */
export type Ending =
  | { readonly _tag: "Succeeded" }
  | {
      readonly _tag: "Failed"
      readonly kind: Kind | undefined
      /** The wait that the server asked for. */
      readonly hintMillis: number
      readonly ranMillis: number
    }
  /** Neither a success nor a failure, but the server may have asked for a wait. */
  | { readonly _tag: "Ignored"; readonly hintMillis: number }

/** A circuit that has just been made, or reset. */
export const closed = ({ openFor, rule }: Settings, nowMillis: number, ticket = 0): Closed => ({
  _tag: "Closed",
  ticket,
  sample: Failures.none(rule),
  sinceMillis: nowMillis,
  next: ticket + 1,
  openFor,
  openMillis: 0,
  firstMillis: nowMillis,
  opened: 0
})

export const reset = (self: Circuit, settings: Settings, nowMillis: number): Circuit =>
  closed(settings, nowMillis, self.next)

/** Refuses all attempts until it is reset. */
export const isolated = (self: Circuit): Circuit =>
  self._tag === "Isolated" ? self : { ...kept(self), _tag: "Isolated" }

const kept = ({ firstMillis, next, openFor, openMillis, opened }: Circuit): Kept => ({
  firstMillis,
  next,
  openFor,
  openMillis,
  opened
})

/** Asks for an attempt: returns its ticket, `undefined` if the circuit refuses it, and the next state. */
export const asked = (
  self: Circuit,
  settings: Settings,
  nowMillis: number
): readonly [ticket: number | undefined, after: Circuit] => {
  if (self._tag === "Closed") return [self.ticket, self]
  const probes = probesOf(self, nowMillis)
  if (probes === undefined || probes.length >= settings.atOnce) return [undefined, self]
  const leaseMillis = leaseMillisOf(settings, self.openMillis)
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

/** How long a probe keeps its place after an open time. */
export const leaseMillisOf = ({ leaseMillis }: Settings, openMillis: number): number =>
  leaseMillis ?? Math.max(openMillis, leastLeaseMillis)

const leastLeaseMillis = 30_000

/** The probes that hold a place; `undefined` if the circuit admits no probe. */
const probesOf = (self: Circuit, nowMillis: number): ReadonlyArray<Probe> | undefined => {
  if (self._tag === "HalfOpen") return self.probes.filter(({ untilMillis }) => untilMillis > nowMillis)
  return self._tag === "Open" && nowMillis >= self.untilMillis ? [] : undefined
}

/** Returns the place of an attempt that was let through but not made. */
export const refunded = (self: Circuit, ticket: number): Circuit =>
  self._tag === "HalfOpen" && holds(self, ticket) ? without(self, ticket) : self

const without = (self: HalfOpen, ticket: number): HalfOpen => ({
  ...self,
  probes: self.probes.filter((probe) => probe.ticket !== ticket)
})

/** The circuit would open, and needs a random number for its open time. */
export const needsDraw = "NeedsDraw"

/** Records how an attempt ended. `u` is a random number in [0, 1), given after `needsDraw`. */
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
      // The lease has run out, and another probe may already hold the place.
      if (probe.untilMillis <= nowMillis) return without(self, ticket)
      return recordedProbe(self, settings, nowMillis, ticket, ending, u)
    }
    default:
      return self
  }
}

/** Whether a success with this ticket changes nothing, at any time. */
export const ignoresSuccess = (self: Circuit, ticket: number): boolean =>
  self._tag === "Closed" && self.ticket === ticket && Failures.ignoresSuccess(self.sample)

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
  // Only a failure opens a circuit, although a success may also complete the minimum number of attempts.
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
      const begun = closed(settings, nowMillis, self.next)
      return { ...begun, ...kept(self), next: begun.next }
    }
  }
}

/** Opens the circuit. The open times start over if it has stayed closed for as long as it was last open. */
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
  // When the open times are used up, the last one repeats.
  const delayMillis = step?.delayMillis ?? self.openMillis
  const openMillis = Math.max(delayMillis, Math.min(hintMillis, settings.maxHintMillis))
  return {
    _tag: "Open",
    untilMillis: nowMillis + openMillis,
    next: self.next,
    openFor: step?.rest ?? openFor,
    openMillis,
    firstMillis,
    opened: beginsAgain ? 1 : self.opened + 1
  }
}

/** Whether the probe with this ticket still counts. */
export const holds = (self: Circuit, ticket: number): boolean =>
  self._tag === "HalfOpen" && self.probes.some((probe) => probe.ticket === ticket)

/** How many attempts would be let through now. */
export const places = (self: Circuit, { atOnce }: Settings, nowMillis: number): number => {
  if (self._tag === "Closed") return Infinity
  const probes = probesOf(self, nowMillis)
  return probes === undefined ? 0 : Math.max(0, atOnce - probes.length)
}

/** Milliseconds until time alone lets an attempt through; `Infinity` if it never does. */
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
