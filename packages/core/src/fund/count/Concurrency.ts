/**
 * Estimates from latencies how many attempts a server can take at a time. Pure.
 */

export interface Settings {
  readonly least: number
  readonly most: number
  /** How many attempts make one step of the gradient. */
  readonly samples: number
  /** For AIMD: an attempt longer than this counts as dropped. */
  readonly slowMillis: number
  readonly rule: "gradient" | "aimd"
}

/** An attempt that has ended. */
export interface Sample {
  readonly ranMillis: number
  /** How many attempts were in flight when it was granted, itself included. */
  readonly inFlight: number
  /** Whether the server refused it because of load, or did not answer in time. */
  readonly isDropped: boolean
}

export interface Concurrency {
  /** The largest number of attempts in flight. A whole number. */
  readonly limit: number
  /** The latency of the server without a queue; zero before the first step. */
  readonly baselineMillis: number
  /** How long the attempts since the last step ran, in milliseconds, the latest first. */
  readonly ran: Ran | undefined
  /** The length of `ran`. */
  readonly samples: number
  /** The highest number of them in flight at once. */
  readonly inFlight: number
  readonly isDropped: boolean
  /** Consecutive steps that have left the limit low without lowering the latency. */
  readonly stuck: number
}

/** A linked list, so that adding an attempt copies nothing. */
interface Ran {
  readonly millis: number
  readonly before: Ran | undefined
}

const begin = { ran: undefined, samples: 0, inFlight: 0, isDropped: false } as const

export const make = (initial: number): Concurrency => ({ limit: initial, baselineMillis: 0, stuck: 0, ...begin })

/** Records how an attempt ended. */
export const noted = (self: Concurrency, settings: Settings, sample: Sample): Concurrency => {
  if (settings.rule === "aimd") {
    const limit = bounded(aimd(self.limit, settings, sample), settings)
    return limit === self.limit ? self : { ...self, limit }
  }
  // Every field is written out: spreading a record of numbers takes V8 ten times as long.
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
 * The limit after a step. Formula: `floor(g * limit + sqrt(g * limit))` with `g = baseline * 1.25 / latency`, between
 * 0.5 and 2.
 */
const gradient = (limit: number, baselineMillis: number, latencyMillis: number): number => {
  const g = Math.max(0.5, Math.min(2, latencyMillis === 0 ? 2 : (baselineMillis * 1.25) / latencyMillis))
  return Math.floor(g * limit + Math.sqrt(g * limit))
}

/** The share of the difference by which the baseline rises in one step. */
const weight = 0.05

/** After this many steps with the limit this low, the latency there is taken as the latency without a queue. */
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
  // Do not raise a limit that was less than half used.
  const next = bounded(inFlight * 2 < limit ? Math.min(limit, wanted) : wanted, settings)
  const isStuck = next === limit && limit <= Math.max(few, settings.least) && latencyMillis > baseline * 1.25
  const isAgain = isStuck && stuck + 1 === mostStuck
  return {
    limit: next,
    baselineMillis: isAgain ? latencyMillis : baseline,
    stuck: isStuck && !isAgain ? stuck + 1 : 0,
    ...begin
  }
}

/** Falls at once, and rises slowly while the limit is not reached: latency from our own queue must not become the baseline. */
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
