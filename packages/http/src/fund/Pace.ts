/**
 * The pace that a server's limits allow, as data: how many requests are left of each limit, and when there are more.
 *
 * What is left of a window is the least that its answers have told, less the requests that are not answered: so answers
 * count the same in any order. Times are in milliseconds of a clock that never goes back.
 */
import type { RateLimit } from "../classify/RateLimit.ts"

/** What does not change. */
export interface Settings {
  /** A longer time until a reset, and a longer pause, is cut to this. */
  readonly atMostMillis: number
  /** The share of a limit below which requests are spread over the rest of the window, 0..1. */
  readonly spreadBelow: number
}

/** One limit. */
interface Window {
  /** The most requests that a window was seen to have. */
  readonly limit: number
  /** The least that answers of this window have told; before the first of them, what a window is expected to have. */
  readonly least: number
  /** When there are more; `undefined` in a window of which no answer has told. */
  readonly resetMillis: number | undefined
  /** When the window before it ended. */
  readonly beganMillis: number
  /** How long a window lasts, as far as is known. */
  readonly lengthMillis: number
  /** Requests up to this one were sent in earlier windows. */
  readonly before: number
  /** The latest request whose answer was counted. */
  readonly newest: number
  /** The share of the limit that this program has: others can use the same one. */
  readonly share: number
  /** Requests of others in this window. */
  readonly foreign: number
  /** Requests of this window that the server refused: they take nothing from the limit. */
  readonly refused: number
  /** What the server was seen to round down by. */
  readonly slackMillis: number
}

/** A request that is under way, or that ended without an answer. */
interface Open {
  readonly sentMillis: number
  readonly isOver: boolean
}

export interface Pace {
  readonly windows: ReadonlyMap<string, Window>
  readonly open: ReadonlyMap<number, Open>
  /** Requests so far: the number of the latest one. */
  readonly sent: number
  readonly sentMillis: number
  /** Whether a request was answered: before that, requests are made one at a time. */
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

/** For so long the first request holds back all others, should its answer not come. */
const longestFirstMillis = 10_000

/** What a window is expected to have for this program. */
const expected = ({ limit, share }: Window): number => Math.max(1, Math.floor(limit * share + 1e-9))

/** When the window ends, as far as is known. */
const endMillis = ({ beganMillis, lengthMillis, resetMillis }: Window): number =>
  resetMillis ?? beganMillis + lengthMillis

/** How far the share follows what a window has shown: requests of others are seen late, or not at all. */
const fall = 1 / 2
const rise = 1 / 8

/** The window at this time: a new one where the old one has ended. */
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
export const current = (self: Pace, nowMillis: number): Pace => {
  let isNew = false
  const windows = new Map<string, Window>()
  for (const [name, window] of self.windows) {
    const now = at(window, self, nowMillis)
    isNew ||= now !== window
    windows.set(name, now)
  }
  if (!isNew) return self
  return { ...self, windows, open: new Map([...self.open].filter(([, { isOver }]) => !isOver)) }
}

const left = (window: Window, { open }: Pace): number => window.least - open.size

/** Milliseconds until so many requests can be made; zero or less where they can now. */
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

/** Whole milliseconds until so many requests can be made, as far as is known. */
export const millisUntil = (self: Pace, settings: Settings, nowMillis: number, count: number): number => {
  const pace = current(self, nowMillis)
  let longest = pace.pausedUntilMillis - nowMillis
  for (const window of pace.windows.values()) {
    longest = Math.max(longest, untilMillis(window, pace, settings, nowMillis, count))
  }
  if (isHeldBack(pace)) longest = Math.max(longest, pace.sentMillis + longestFirstMillis - nowMillis)
  return Math.max(0, Math.ceil(longest))
}

/** Whether nothing is known yet, and an answer is on its way. */
export const isHeldBack = ({ isAnswered, open }: Pace): boolean =>
  !isAnswered && [...open.values()].some(({ isOver }) => !isOver)

/** Makes a request, and gives it a number. */
export const sent = (self: Pace, settings: Settings, nowMillis: number): readonly [number, Pace] | undefined => {
  if (millisUntil(self, settings, nowMillis, 1) > 0) return undefined
  const pace = current(self, nowMillis)
  const number = pace.sent + 1
  // Where the server tells no limits, nothing is to be counted.
  const isCounted = !pace.isAnswered || pace.windows.size > 0
  const open = isCounted ? new Map(pace.open).set(number, { sentMillis: nowMillis, isOver: false }) : pace.open
  return [number, { ...pace, open, sent: number, sentMillis: nowMillis }]
}

/** The request was not made. */
export const refunded = (self: Pace, number: number): Pace => ({ ...self, open: without(self.open, number) })

const without = (open: Pace["open"], number: number): Pace["open"] => {
  const rest = new Map(open)
  rest.delete(number)
  return rest
}

/** The request ended without an answer: the server may have counted it, until a later one is answered. */
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
  /** Whether the server has refused the request. */
  readonly isThrottle: boolean
  /** How long the server asks to wait. */
  readonly hintMillis: number
}

/** A request was answered. */
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
  // Names come from outside: those that were told last are kept.
  for (const name of windows.keys()) if (windows.size > mostWindows) windows.delete(name)
  // A throttle that no limit explains comes from another limit, or another client: then the hint counts.
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
  // A reset that is past, or now, is the next moment: requests are left only after it.
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
  // How much two answers of one window can differ: by what is rounded, and by how long they took.
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

/** A server that rounds to whole seconds, and down, says 0 before the reset, or refuses what was sent after it. */
const slackOf = (self: Window | undefined, { isThrottle, limit, number }: Told): number => {
  const known = self?.slackMillis ?? 0
  if (limit.unitMillis <= known || limit.remaining > 0) return known
  const isEarly = self !== undefined && isThrottle && self.resetMillis === undefined && number > self.before
  return limit.resetMillis === 0 || isEarly ? limit.unitMillis : known
}

/** Requests that can be made now; `Infinity` where no limit is known. */
export const level = (self: Pace, nowMillis: number): number => {
  const pace = current(self, nowMillis)
  if (isHeldBack(pace) || pace.pausedUntilMillis > nowMillis) return 0
  return Math.max(0, Math.min(...[...pace.windows.values()].map((window) => left(window, pace))))
}
