/**
 * The pace that a server's limits allow, as data: how many requests are left of each limit, and when there are more.
 *
 * The rest of a window is the least that its answers have reported, minus the unanswered requests, so answers count the
 * same in any order. Times are in milliseconds of a clock that never goes back.
 */
import type { RateLimit } from "../classify/RateLimit.ts"

/** The options of a pace. */
export interface Settings {
  /** The longest time until a reset, and the longest pause; longer ones are cut to this. */
  readonly atMostMillis: number
  /** The share of a limit below which requests are spread over the rest of the window, 0..1. */
  readonly spreadBelow: number
}

/** One limit. */
interface Window {
  /** The highest limit seen for a window. */
  readonly limit: number
  /** The least that answers in this window have reported; before the first of them, what a window is expected to have. */
  readonly least: number
  /** When there are more; `undefined` while no answer has reported it for this window. */
  readonly resetMillis: number | undefined
  /** When the window before it ended. */
  readonly beganMillis: number
  /** How long a window lasts, as far as known. */
  readonly lengthMillis: number
  /** Requests up to this one were sent in earlier windows. */
  readonly before: number
  /** The latest request whose answer was counted. */
  readonly newest: number
  /** This program's share of the limit, which others may use too. */
  readonly share: number
  /** How many requests others have made in this window. */
  readonly foreign: number
  /** How many requests in this window the server refused; they do not count against the limit. */
  readonly refused: number
  /** By how much the server was seen to round down. */
  readonly slackMillis: number
}

/** A request under way, or one that ended without an answer. */
interface Open {
  readonly sentMillis: number
  readonly isOver: boolean
}

export interface Pace {
  readonly windows: ReadonlyMap<string, Window>
  readonly open: ReadonlyMap<number, Open>
  /** The number of the latest request. */
  readonly sent: number
  readonly sentMillis: number
  /** Whether any request has been answered; until then, requests are made one at a time. */
  readonly isAnswered: boolean
  readonly pausedUntilMillis: number
}

export const initial: Pace = {
  windows: new Map(),
  open: new Map(),
  sent: 0,
  sentMillis: -Infinity,
  isAnswered: false,
  pausedUntilMillis: -Infinity
}

/** How long an unanswered request holds back others: the first one all of them, a later one its place in new windows. */
const longestUnansweredMillis = 10_000

/** How many requests a window is expected to allow this program. */
const expected = ({ limit, share }: Window): number => Math.max(1, Math.floor(limit * share + 1e-9))

/** When the window ends, as far as known. */
const endMillis = ({ beganMillis, lengthMillis, resetMillis }: Window): number =>
  resetMillis ?? beganMillis + lengthMillis

/** How fast the share follows what a window has shown: requests of others are noticed late, or not at all. */
const fall = 1 / 2
const rise = 1 / 8

/** The window at this time; a new one if the old one has ended. */
const at = (self: Window, pace: Pace, nowMillis: number): Window => {
  const end = endMillis(self)
  if (nowMillis < end) return self
  const own = pace.sent - self.before - self.refused
  const seen = own <= 0 ? self.share : own / (own + self.foreign)
  const share = self.share + (seen - self.share) * (seen < self.share ? fall : rise)
  return {
    ...self,
    share,
    least: expected({ ...self, share }),
    resetMillis: undefined,
    beganMillis: self.resetMillis === undefined ? nowMillis : end,
    before: pace.sent,
    foreign: 0,
    refused: 0
  }
}

/** The state at this time. */
const current = (self: Pace, nowMillis: number): Pace => {
  let isNew = false
  const windows = new Map<string, Window>()
  for (const [name, window] of self.windows) {
    const now = at(window, self, nowMillis)
    isNew ||= now !== window
    windows.set(name, now)
  }
  if (!isNew) return self
  const isCounted = ({ isOver, sentMillis }: Open) => !isOver && nowMillis - sentMillis < longestUnansweredMillis
  return { ...self, windows, open: new Map([...self.open].filter(([, request]) => isCounted(request))) }
}

const left = (window: Window, { open }: Pace): number => window.least - open.size

/** Milliseconds until this many requests can be made; zero or less if they can be made now. */
const untilMillis = (window: Window, pace: Pace, settings: Settings, nowMillis: number, count: number): number => {
  const there = left(window, pace)
  const end = endMillis(window)
  if (there < count) {
    const later = Math.ceil((count - Math.max(0, there)) / expected(window)) - 1
    return end - nowMillis + later * window.lengthMillis
  }
  if (there > settings.spreadBelow * window.limit || pace.sentMillis === -Infinity) return 0
  return pace.sentMillis + (end - pace.sentMillis) / (there + 1) - nowMillis
}

/** Whole milliseconds until this many requests can be made, as far as known. */
export const millisUntil = (self: Pace, settings: Settings, nowMillis: number, count: number): number => {
  const pace = current(self, nowMillis)
  let longest = pace.pausedUntilMillis - nowMillis
  for (const window of pace.windows.values()) {
    longest = Math.max(longest, untilMillis(window, pace, settings, nowMillis, count))
  }
  if (isHeldBack(pace)) longest = Math.max(longest, pace.sentMillis + longestUnansweredMillis - nowMillis)
  return Math.max(0, Math.ceil(longest))
}

/** Whether nothing is known yet and an answer is awaited. */
export const isHeldBack = ({ isAnswered, open }: Pace): boolean =>
  !isAnswered && [...open.values()].some(({ isOver }) => !isOver)

/** Counts a request, and gives it a number. */
export const sent = (self: Pace, settings: Settings, nowMillis: number): readonly [number, Pace] | undefined => {
  if (millisUntil(self, settings, nowMillis, 1) > 0) return undefined
  const pace = current(self, nowMillis)
  const number = pace.sent + 1
  // If the server reports no limits, there is nothing to count.
  const isCounted = !pace.isAnswered || pace.windows.size > 0
  const open = isCounted ? new Map(pace.open).set(number, { sentMillis: nowMillis, isOver: false }) : pace.open
  return [number, { ...pace, open, sent: number, sentMillis: nowMillis }]
}

/** Takes back a request that was not made. */
export const refunded = (self: Pace, number: number): Pace => ({ ...self, open: without(self.open, number) })

const without = (open: Pace["open"], number: number): Pace["open"] => {
  const rest = new Map(open)
  rest.delete(number)
  return rest
}

/** Notes a request that ended without an answer: until a later one is answered, the server may have counted it. */
export const unanswered = (self: Pace, number: number): Pace => {
  const request = self.open.get(number)
  if (request === undefined) return self
  if (self.windows.size === 0) return refunded(self, number)
  return { ...self, open: new Map(self.open).set(number, { ...request, isOver: true }) }
}

/** Limits that are remembered. */
const mostWindows = 32

/** What an answer says. */
export interface Answer {
  readonly limits: ReadonlyArray<RateLimit>
  /** Whether the server refused the request. */
  readonly isThrottle: boolean
  /** How long the server asks to wait. */
  readonly hintMillis: number
}

/** Notes the answer to a request. */
export const answered = (
  self: Pace,
  settings: Settings,
  nowMillis: number,
  number: number,
  { hintMillis, isThrottle, limits }: Answer
): Pace => {
  const sentMillis = self.open.get(number)?.sentMillis ?? nowMillis
  const windows = new Map(self.windows)
  const open = new Map([...self.open].filter(([other, { isOver }]) => other !== number && !(isOver && other < number)))
  const pace = { ...self, open, isAnswered: true }
  for (const limit of limits) {
    const heard = { limit, number, sentMillis, nowMillis, isThrottle }
    const window = told(windows.get(limit.name), pace, settings, heard)
    windows.delete(limit.name)
    windows.set(limit.name, window)
  }
  // Names come from outside, so their number is bounded: the latest ones are kept.
  for (const name of windows.keys()) if (windows.size > mostWindows) windows.delete(name)
  // A throttle that no limit explains comes from another limit or another client, so the hint counts.
  const isExplained = !isThrottle || limits.some(({ remaining }) => remaining === 0)
  const pausedUntilMillis = isExplained
    ? pace.pausedUntilMillis
    : Math.max(pace.pausedUntilMillis, nowMillis + Math.min(hintMillis, settings.atMostMillis))
  return { ...pace, windows, pausedUntilMillis }
}

interface Told {
  readonly limit: RateLimit
  readonly number: number
  readonly sentMillis: number
  readonly nowMillis: number
  readonly isThrottle: boolean
}

const told = (self: Window | undefined, pace: Pace, { atMostMillis }: Settings, heard: Told): Window => {
  const { limit, nowMillis, number, sentMillis } = heard
  const slackMillis = slackOf(self, heard)
  // A reset in the past, or now, becomes the next millisecond: requests are available only after it.
  const resetMillis = nowMillis + Math.min(Math.max(1, limit.resetMillis + slackMillis), atMostMillis)
  const most = Math.max(1, limit.limit ?? Math.max(self?.limit ?? 0, limit.remaining + 1))
  const known = {
    limit: most,
    slackMillis,
    lengthMillis: Math.min(
      limit.windowMillis ?? Math.max(self?.lengthMillis ?? 0, limit.resetMillis + slackMillis, 1),
      atMostMillis
    )
  }
  const refused = heard.isThrottle ? 1 : 0
  // Others take their share of what is left.
  const remaining = Math.floor(limit.remaining * (self?.share ?? 1) + 1e-9)
  const fresh = { ...known, least: remaining, resetMillis, newest: number }
  if (self === undefined) return { ...fresh, beganMillis: nowMillis, before: 0, share: 1, foreign: 0, refused }
  const own = pace.sent - self.before - self.refused - refused
  const foreign = Math.max(0, most - limit.remaining - own)
  // How much the resets of two answers in one window can differ: by rounding, and by how long the answers took.
  const tolerance = Math.max(limit.unitMillis, nowMillis - sentMillis)
  if (self.resetMillis === undefined) {
    if (number > self.before) return { ...self, ...fresh, foreign, refused: self.refused + refused }
    const isOld = resetMillis <= self.beganMillis + tolerance
    return isOld ? self : { ...self, ...known, resetMillis, least: Math.min(self.least, remaining) }
  }
  if (resetMillis > self.resetMillis + tolerance && number > self.newest) {
    return { ...self, ...fresh, beganMillis: self.resetMillis, before: number - 1, foreign: 0, refused }
  }
  if (number <= self.before && resetMillis < self.resetMillis - tolerance) return self
  return {
    ...self,
    ...known,
    least: Math.min(self.least, remaining),
    resetMillis: slackMillis > self.slackMillis ? resetMillis : Math.min(self.resetMillis, resetMillis),
    newest: Math.max(self.newest, number),
    foreign: Math.max(self.foreign, foreign),
    refused: self.refused + refused
  }
}

/** Detects a server that rounds down to whole seconds: it says 0 before the reset, or refuses what was sent after it. */
const slackOf = (self: Window | undefined, { isThrottle, limit, number }: Told): number => {
  const known = self?.slackMillis ?? 0
  if (limit.unitMillis <= known || limit.remaining > 0) return known
  const isEarly = self !== undefined && isThrottle && self.resetMillis === undefined && number > self.before
  return limit.resetMillis === 0 || isEarly ? limit.unitMillis : known
}

/** How many requests can be made now; `Infinity` if no limit is known. */
export const level = (self: Pace, nowMillis: number): number => {
  const pace = current(self, nowMillis)
  if (isHeldBack(pace) || pace.pausedUntilMillis > nowMillis) return 0
  return Math.max(0, Math.min(...[...pace.windows.values()].map((window) => left(window, pace))))
}
