/**
 * How many attempts a server can take at a time, by their latency. Pure.
 */

export interface Settings {
  readonly least: number
  readonly most: number
  /** Attempts that make one step of the gradient. */
  readonly samples: number
  /** A longer attempt counts as refused, for AIMD. */
  readonly slowMillis: number
  readonly rule: "gradient" | "aimd"
}

/** An attempt that has ended. */
export interface Sample {
  readonly ranMillis: number
  /** Attempts that were in flight when it was granted, itself included. */
  readonly inFlight: number
  /** Whether the server refused it for its load, or did not answer in time. */
  readonly isDropped: boolean
}

export interface Concurrency {
  /** Attempts in flight at most. A whole number. */
  readonly limit: number
  /** The latency of the server without a queue; zero before the first step. */
  readonly baselineMillis: number
  /** Of the attempts since the last step, in milliseconds, the latest first. */
  readonly ran: Ran | undefined
  /** How many these are. */
  readonly samples: number
  /** The most of them that were in flight together. */
  readonly inFlight: number
  readonly isDropped: boolean
  /** Steps in a row that have left the limit low, and did not lower the latency. */
  readonly stuck: number
}

/** A list: to note an attempt copies nothing. */
interface Ran {
  readonly millis: number
  readonly before: Ran | undefined
}

const begin = { ran: undefined, samples: 0, inFlight: 0, isDropped: false } as const

export const make = (initial: number): Concurrency => ({ limit: initial, baselineMillis: 0, stuck: 0, ...begin })

/** Notes how an attempt ended. */
export const noted = (self: Concurrency, settings: Settings, sample: Sample): Concurrency => {
  if (settings.rule === "aimd") {
    const limit = bounded(aimd(self.limit, settings, sample), settings)
    return limit === self.limit ? self : { ...self, limit }
  }
  // Every field is written out: to spread a record of numbers takes V8 ten times as long.
  const next: Concurrency = {
    limit: self.limit,
    baselineMillis: self.baselineMillis,
    stuck: self.stuck,
    ran: { millis: sample.ranMillis, before: self.ran },
    samples: self.samples + 1,
    inFlight: Math.max(self.inFlight, sample.inFlight),
    isDropped: self.isDropped || sample.isDropped
  }
  return next.samples < settings.samples ? next : stepped(next, settings)
}

const bounded = (limit: number, { least, most }: Settings): number => Math.max(least, Math.min(most, limit))

/** Additive increase, multiplicative decrease. */
const aimd = (limit: number, { slowMillis }: Settings, { inFlight, isDropped, ranMillis }: Sample): number => {
  if (isDropped || ranMillis > slowMillis) return Math.floor(limit * 0.9)
  return inFlight * 2 >= limit ? limit + 1 : limit
}

/**
 * The limit after a step. Formula: `floor(g * limit + sqrt(g * limit))` with `g = baseline * 1.25 / latency`, from 0.5 to 2.
 */
export const gradient = (limit: number, baselineMillis: number, latencyMillis: number): number => {
  const g = Math.max(0.5, Math.min(2, latencyMillis === 0 ? 2 : (baselineMillis * 1.25) / latencyMillis))
  return Math.floor(g * limit + Math.sqrt(g * limit))
}

/** The share of a window by which a baseline rises. */
const weight = 0.05

/** After so many steps that leave the limit at so few attempts, the latency there is taken for that without a queue. */
const mostStuck = 5
const few = 5

const stepped = (
  { baselineMillis, inFlight, isDropped, limit, ran, stuck }: Concurrency,
  settings: Settings
): Concurrency => {
  const latencyMillis = median(millisOf(ran))
  const baseline = baselineOf(baselineMillis, latencyMillis, inFlight < limit)
  const wanted = isDropped
    ? Math.min(gradient(limit, baseline, latencyMillis), Math.floor(limit * 0.9))
    : gradient(limit, baseline, latencyMillis)
  // What was not used says nothing of more.
  const next = bounded(wanted > limit && inFlight * 2 < limit ? limit : wanted, settings)
  const isStuck = next === limit && limit <= Math.max(few, settings.least) && latencyMillis > baseline * 1.25
  const isAgain = isStuck && stuck + 1 === mostStuck
  return {
    limit: next,
    baselineMillis: isAgain ? latencyMillis : baseline,
    stuck: isStuck && !isAgain ? stuck + 1 : 0,
    ...begin
  }
}

/** Falls at once, and rises slowly while attempts leave room: a queue of our own is no baseline. */
const baselineOf = (baselineMillis: number, latencyMillis: number, hasRoom: boolean): number => {
  if (baselineMillis === 0 || latencyMillis < baselineMillis) return latencyMillis
  return hasRoom ? baselineMillis + weight * (latencyMillis - baselineMillis) : baselineMillis
}

const millisOf = (latest: Ran | undefined): ReadonlyArray<number> => {
  const all: Array<number> = []
  for (let ran = latest; ran !== undefined; ran = ran.before) all.push(ran.millis)
  return all
}

const median = (millis: ReadonlyArray<number>): number =>
  millis.toSorted((one, other) => one - other)[Math.floor((millis.length - 1) / 2)] ?? 0
