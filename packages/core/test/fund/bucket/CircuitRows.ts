/**
 * What circuit breakers of other libraries do, step by step, and what ours does under the same settings.
 * `packages/tools/comparison` takes the steps on the libraries that run on Node.
 */
import { Backoff } from "@effect-retry/core"
import type { CircuitBreaker } from "@effect-retry/core"
import type { Duration } from "effect"

export type Options = NonNullable<Parameters<typeof CircuitBreaker.make>[0]>

type OpenFor = NonNullable<Options["openFor"]>

interface Row {
  readonly id: string
  /** What they are in ours. */
  readonly options: Options
  /** What the library does. */
  readonly steps: string
  /** What ours does, if that differs. */
  readonly ours?: string
  readonly because?: string
}

const inARow = (consecutive: number, openFor: OpenFor = "1 second"): Options => ({
  opensAt: { consecutive },
  openFor
})

const ofLast = (ratio: number, last: number, atLeast = last): Options => ({
  opensAt: { ratio, last, atLeast },
  openFor: "1 second"
})

/** More than half of the last attempts: at least 51 %. */
const moreThanHalfOf = (last: number, atLeast = last): Options => ofLast(0.51, last, atLeast)

const inWindow = (
  ratio: number,
  atLeast: number,
  openFor: OpenFor,
  window: Duration.DurationInput = "10 seconds"
): Options => ({
  opensAt: { ratio, window, atLeast },
  openFor
})

const doubling = (millis: number) => Backoff.exponential({ base: millis, factor: 2 })

const longer =
  "the open times begin again only after the circuit was closed for as long as it was open: flapping keeps them long"
const emptied = "the probe that closes the circuit is no attempt of the window that begins then"
const lease = "a probe without an end loses its place after 30 seconds"
const late = "an outcome counts only in the state in which its attempt was let through"
const onlyFailures = "a success never opens a circuit"

/** cockatiel 3.2.1 and 4.0.0, https://github.com/connor4312/cockatiel, run on a clock of its own on 2026-11-24. */
export const cockatiel: ReadonlyArray<Row> = [
  {
    id: "failures in a row",
    options: inARow(3, "10 seconds"),
    steps: "0f 100f 200o 300f 400f 500f>O 600o! 10499o! 10500o>C 10600f 10700f"
  },
  {
    id: "a probe that fails",
    options: inARow(2),
    steps: "0f 0f>O 1000f 1001o! 1999o! 2000o>C 2001f 2002f>O",
    ours: "0f 0f>O 1000f>O 1001o! 1999o! 2000o>C 2001f 2002f>O"
  },
  {
    id: "failures that are not handled, in version 3",
    options: inARow(2),
    steps: "0f 1i 2f>O 3i! 1003i>C 1004f>O 1005f!",
    ours: "0f 1i 2f>O 3i! 1003i>H 1004f>O 1005f!",
    because: "a probe that says nothing neither closes nor opens the circuit"
  },
  {
    id: "failures that are not handled, in version 4",
    options: inARow(2),
    steps: "0f 1i 2f>O 3i! 1003i>C 1004f 1005f>O",
    ours: "0f 1i 2f>O 3i! 1003i>H 1004f>O 1005f!",
    because: "a probe that says nothing neither closes nor opens the circuit"
  },
  {
    id: "a back-off of open times",
    options: inARow(1, Backoff.fromDelays(["100 millis", "200 millis", "400 millis"])),
    steps: "0f>O 99o! 100f 299o! 300f 699o! 700f 1099o! 1100o>C 1101f>O 1200o! 1201look",
    ours: "0f>O 99o! 100f>O 299o! 300f>O 699o! 700f>O 1099o! 1100o>C 1101f>O 1200o! 1500o! 1501o>C 1901f>O 2000o! 2001o>C",
    because: longer
  },
  {
    id: "a share of the last attempts",
    options: moreThanHalfOf(4),
    steps: "0o 1o 2f 3f 4o 5f>O 6f! 7f! 1007o>C 1008f 1009f 1010f>O",
    ours: "0o 1o 2f 3f 4o 5f>O 6f! 7f! 1007o>C 1008f 1009f 1010f 1011f>O",
    because: emptied
  },
  { id: "a least number of attempts", options: moreThanHalfOf(10, 3), steps: "0f 1f 2f>O 3o!" },
  { id: "a success that completes the least number", options: moreThanHalfOf(10, 3), steps: "0f 1f 2o 3o" },
  {
    id: "a share of a window of time",
    options: inWindow(0.51, 3, "1 second", "1 second"),
    steps: "0o 100f 200o 300f 400f>O 1399o! 1400o>C"
  },
  {
    id: "a window that has passed in silence",
    options: inWindow(0.51, 3, "1 second", "1 second"),
    steps: "0f 1f 60000o 60001f>O",
    ours: "0f 1f 60000o 60001f 60002o",
    because: "what is older than the window counts no longer, however long no attempt was made"
  },
  {
    id: "a late failure",
    options: inARow(1),
    steps: "0[old 1f>O 1001[probe>H 1100old]f>O 1101probe]o",
    ours: "0[old 1f>O 1001[probe>H 1100old]f 1101probe]o>C",
    because: late
  },
  { id: "a late success", options: inARow(1), steps: "0[old 1f>O 2old]o 3o!" },
  {
    id: "a probe that hangs",
    options: { ...inARow(1), whenShort: "wait" },
    steps: "0f>O 1000[probe>H 1001[second? 3600000look",
    ours: "0f>O 1000[probe>H 1001[second? 31000look 31001second]o>C 31002probe]f",
    because: lease
  },
  {
    id: "a call that waits for the probe",
    options: { ...inARow(1), whenShort: "wait" },
    steps: "0f>O 1000[probe>H 1001[second? 1002probe]o>C 1003second]o"
  },
  { id: "isolation", options: inARow(1), steps: "0isolate>I 1o! 5000o! 5001reset>C 5002o" },
  {
    id: "isolation during a probe",
    options: inARow(1),
    steps: "0f>O 1000[probe>H 1001isolate>I 1002probe]o 1003o! 1004reset>C"
  },
  {
    id: "three probes of three, in version 4",
    options: { ...inARow(1), probes: 3, successes: 3, whenShort: "wait" },
    steps: "0f>O 1000[a>H 1000[b 1000[c 1000[d? 1001a]o 1002b]o 1003c]o>C",
    ours: "0f>O 1000[a>H 1000[b 1000[c 1000[d? 1001a]o 1002b]o 1003c]o>C 1004d]o"
  },
  {
    id: "one of three probes fails, in version 4",
    options: { ...inARow(1), probes: 3, successes: 3 },
    steps: "0f>O 1000o>H 1001o 1002f>O 1003o! 2001o! 2002o>H 2003o 2004look"
  },
  {
    id: "a share of the probes, in version 4",
    options: { ...inARow(1), probes: 4, successes: 2 },
    steps: "0f>O 1000f>H 1001o 1002f 1003o>C 1004look",
    ours: "0f>O 1000f>O 1001o! 2000o>H 2001o>C",
    because: "the first probe that fails opens the circuit: the others need not find out"
  }
]

/** opossum 10.0.0, https://github.com/nodeshift/opossum, run under timers of its own on 2026-11-24; 9.0.0, the last version for Node 20, does the same. */
export const opossum: ReadonlyArray<Row> = [
  { id: "the first failure", options: inWindow(0.51, 1, "1 second"), steps: "0f>O 1o! 999o! 1000look>H 1001o>C" },
  { id: "more than half", options: inWindow(0.51, 1, "1 second"), steps: "0o 1f 2o 3f 4f>O" },
  { id: "a least number of attempts", options: inWindow(0.51, 5, "1 second"), steps: "0f 1f 2f 3f 4f>O" },
  {
    id: "calls under way",
    options: inWindow(0.51, 1, "1 second"),
    steps: "0[a 0[b 0[c 1f 2f 3f 10a]f>O",
    ours: "0[a 0[b 0[c 1f>O 2f! 3f! 10a]f",
    because: "attempts count when they end: those under way hide no failures"
  },
  {
    id: "filtered failures",
    options: inWindow(0.51, 4, "1 second"),
    steps: "0i 1i 2i 3f 4f 5f 6f>O 2000i>C",
    ours: "0i 1i 2i 3f 4f 5f 6f>O 2000i>H",
    because: "what does not count is no success, and closes nothing"
  },
  {
    id: "a probe that hangs",
    options: inWindow(0.51, 1, "1 second"),
    steps: "0f>O 1000[probe>H 1001o! 3600000o!",
    ours: "0f>O 1000[probe>H 1001o! 30999o! 31000o>C",
    because: lease
  },
  {
    id: "a late success",
    options: inWindow(0.51, 2, "1 second"),
    steps: "0[old 1f 2f>O 1003look>H 1004old]o>C",
    ours: "0[old 1f 2f>O 1003look>H 1004old]o",
    because: late
  },
  {
    id: "a late failure",
    options: inWindow(0.51, 2, "1 second"),
    steps: "0[old 1f 2f>O 1003[probe>H 1004old]f>O 1005probe]o",
    ours: "0[old 1f 2f>O 1003[probe>H 1004old]f 1005probe]o>C",
    because: late
  },
  { id: "a window that slides", options: inWindow(0.51, 3, "1 second"), steps: "0f 1f 9999o 10500f 11000f>O" },
  {
    id: "calls that were refused",
    options: inWindow(0.51, 2, "1 second"),
    steps: "0f 1f>O 10o! 11o! 12o! 13o! 14o! 15o! 16o! 17o! 1002o>C 1100f 1101f 1102f",
    ours: "0f 1f>O 10o! 11o! 12o! 13o! 14o! 15o! 16o! 17o! 1002o>C 1100f 1101f>O 1102f!",
    because: "refused attempts are not counted, and the window begins when the circuit closes"
  },
  {
    id: "one failure after the circuit has closed",
    options: inWindow(0.51, 2, "1 second"),
    steps: "0f 1f>O 2f! 3f! 1002o>C 1100f"
  }
]

/** Effect 4.1.0, `CircuitBreaker` of `effect/unstable`, run under its TestClock on 2026-11-24. */
export const effect4: ReadonlyArray<Row> = [
  {
    id: "failures in a row",
    options: inARow(3, "10 seconds"),
    steps: "0f 100f 200o 300f 400f 500f>O 600o! 10499o! 10500o>C 10600f 10700f"
  },
  { id: "failures that are ignored", options: inARow(2), steps: "0f 1i 2f>O 1002i>H 1003o>C 1004f 1005f>O" },
  {
    id: "a share of the last attempts",
    options: ofLast(0.5, 4),
    steps: "0o 1o 2f 3f>O 4o!"
  },
  {
    id: "a success that completes the least number",
    options: ofLast(0.5, 10, 3),
    steps: "0f 1f 2o>O 3o!",
    ours: "0f 1f 2o 3o",
    because: onlyFailures
  },
  {
    id: "a schedule of open times",
    options: inARow(1, doubling(100)),
    steps: "0f>O 99o! 100f 299o! 300f 700o>C 701f>O 702o! 1501o>C 2301f>O 2302o!",
    ours: "0f>O 99o! 100f>O 299o! 300f>O 700o>C 701f>O 702o! 1501o>C 2301f>O 2302o! 2401o>C"
  },
  {
    id: "a hint of the server",
    options: inARow(1),
    steps: "0f(5000)>O 4999o! 5000f(10) 5999o! 6000o>C",
    ours: "0f(5000)>O 4999o! 5000f(10)>O 5999o! 6000o>C"
  },
  {
    id: "a hint that is too long",
    options: { ...inARow(1), maxHint: "2 seconds" },
    steps: "0f(5000)>O 1999o! 2000o>C"
  },
  { id: "one probe", options: inARow(1), steps: "0f>O 1000[probe>H 1001o! 1002probe]o>C 1003o" },
  { id: "a probe that is interrupted", options: inARow(1), steps: "0f>O 1000[probe>H 1001probe]x 1002o>C" },
  {
    id: "a probe that hangs",
    options: inARow(1),
    steps: "0f>O 1000[probe>H 1001o! 3600000o!",
    ours: "0f>O 1000[probe>H 1001o! 30999o! 31000o>C 31001probe]f",
    because: lease
  },
  { id: "a late failure", options: inARow(1), steps: "0[old 1f>O 1001[probe>H 1100old]f 1101probe]o>C" },
  { id: "a late success", options: inARow(2), steps: "0[old 1f 2f>O 1002[probe>H 1003old]o 1004probe]f>O" }
]

/** Polly 8.7, https://github.com/App-vNext/Polly, from a model of its source that agrees with its own tests. */
export const polly: ReadonlyArray<Row> = [
  { id: "a least throughput", options: inWindow(0.5, 4, "5 seconds"), steps: "0f 100f 200f 300f>O" },
  { id: "an equal share", options: inWindow(0.5, 4, "5 seconds"), steps: "0o 100o 200f 300f>O 400f!" },
  {
    id: "a success that completes the least number",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0f 100f 200f 300o 400o 500f>O"
  },
  {
    id: "a window that slides",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0f 1f 2f 10000f 10001f 10002f 10003f>O",
    ours: "0f 1f 2f 10000f>O",
    because:
      "an attempt is remembered for the whole window and up to a hundredth of it longer, not for one slice of it less"
  },
  {
    id: "a window that has passed",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0f 1f 2f 11000f 11001f 11002f 11003f>O"
  },
  {
    id: "one probe",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0f 0f 0f 0f>O 4999o! 5000f 9999o! 10000[probe>H 10001o! 10002probe]o>C 10003f 10004f 10005f",
    ours: "0f 0f 0f 0f>O 4999o! 5000f>O 9999o! 10000[probe>H 10001o! 10002probe]o>C 10003f 10004f 10005f"
  },
  {
    id: "a probe that hangs",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0f 0f 0f 0f>O 5000[probe>H 3600000o!",
    ours: "0f 0f 0f 0f>O 5000[probe>H 34999o! 35000o>C",
    because: lease
  },
  {
    id: "a probe that is cancelled",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0f 0f 0f 0f>O 5000[probe>H 5001probe]x>C",
    ours: "0f 0f 0f 0f>O 5000[probe>H 5001probe]x 5002o>C",
    because: "an interrupted probe says nothing: the next call is one"
  },
  {
    id: "a late success",
    options: inWindow(0.5, 4, "5 seconds"),
    steps: "0[old 0f 0f 0f 0f>O 5000[probe>H 5001old]o>C 5002probe]f",
    ours: "0[old 0f 0f 0f 0f>O 5000[probe>H 5001old]o 5002probe]f>O",
    because: late
  },
  {
    id: "a generator of break durations",
    options: inWindow(0.5, 4, doubling(1000)),
    steps: "0f 0f 0f 0f>O 999o! 1000f 2999o! 3000f 6999o! 7000o>C 7001f 7001f 7001f 7001f>O 8000o!",
    ours: "0f 0f 0f 0f>O 999o! 1000f>O 2999o! 3000f>O 6999o! 7000o>C 7001f 7001f 7001f 7001f>O 8001o! 15000o! 15001o>C",
    because: longer
  },
  { id: "isolation", options: inWindow(0.5, 4, "5 seconds"), steps: "0isolate>I 1000000o! 1000001reset>C 1000002o" }
]

const resilience = (own: Options = {}): Options => ({
  opensAt: { ratio: 0.5, last: 4 },
  openFor: "5 seconds",
  probes: 2,
  successes: 2,
  ...own
})

const inclusive = "the end of the open time is part of the half-open state"

/** resilience4j 2.4, https://github.com/resilience4j/resilience4j, from a model of its source that agrees with its tests. */
export const resilience4j: ReadonlyArray<Row> = [
  { id: "an equal share", options: resilience(), steps: "0o 1o 2f 3f>O 4o!" },
  {
    id: "a success that completes the least number",
    options: resilience({ opensAt: { ratio: 0.5, last: 10, atLeast: 4 } }),
    steps: "0f 1f 2f 3o>O 4o!",
    ours: "0f 1f 2f 3o 4o",
    because: onlyFailures
  },
  {
    id: "the end of the open time",
    options: resilience(),
    steps: "0f 0f 0f 0f>O 5000o! 5001o>H",
    ours: "0f 0f 0f 0f>O 4999o! 5000o>H",
    because: inclusive
  },
  {
    id: "permitted calls in the half-open state",
    options: resilience(),
    steps: "0f 0f 0f 0f>O 5001[a>H 5001[b 5001[c! 5002a]o 5003[d! 5004b]o>C",
    ours: "0f 0f 0f 0f>O 5001[a>H 5001[b 5001[c! 5002a]o 5003[d 5004b]o>C",
    because: "probes are limited in flight, not in number: one that is over makes room"
  },
  {
    id: "an ignored probe",
    options: resilience(),
    steps: "0f 0f 0f 0f>O 5001[a>H 5001[b 5002a]i 5003[c"
  },
  {
    id: "a failed probe of four",
    options: resilience({ probes: 4, successes: 4 }),
    steps: "0f 0f 0f 0f>O 5001f>H 5002o 5003o 5004o>C 5005look",
    ours: "0f 0f 0f 0f>O 5001f>O 5002o! 10001o>H",
    because: "the first probe that fails opens the circuit: the others need not find out"
  },
  {
    id: "three failed probes of four",
    options: resilience({ probes: 4, successes: 4 }),
    steps: "0f 0f 0f 0f>O 5001f>H 5002f 5003o 5004f>O 5006look",
    ours: "0f 0f 0f 0f>O 5001f>O 5002f! 5003o! 5004f! 5006look",
    because: "the first probe that fails opens the circuit: the others need not find out"
  },
  {
    id: "probes that hang",
    options: resilience(),
    steps: "0f 0f 0f 0f>O 5001[a>H 5001[b 3600000o!",
    ours: "0f 0f 0f 0f>O 5001[a>H 5001[b 35000o! 35001o 35002o>C",
    because: lease
  },
  {
    id: "a longest half-open time",
    options: resilience({ probeTimeout: "1 second" }),
    steps: "0f 0f 0f 0f>O 5001[a>H 6000look 6001look>O 11001o! 11002o>H",
    ours: "0f 0f 0f 0f>O 5001[a>H 6000look 6001o 6002o>C",
    because: "a probe without an end says nothing: others find out at once"
  },
  {
    id: "a longest half-open time that ends closed",
    options: resilience({ probeTimeout: "1 second" }),
    steps: "0f 0f 0f 0f>O 5001[a>H 6001look>C",
    ours: "0f 0f 0f 0f>O 5001[a>H 6001look 6002o 6003o>C",
    because: "a probe without an end says nothing: others find out at once"
  },
  {
    id: "slow calls",
    options: resilience({ opensAt: { ratio: 0.5, last: 4 }, slowerThan: "4 seconds" }),
    steps: "0o(4000) 1o(4001) 2o(100) 3o(5000)>O"
  },
  {
    id: "a window of time",
    options: resilience({ opensAt: { ratio: 0.5, window: "20 seconds", atLeast: 5 } }),
    steps: "0o 1000o 2000o 3000f 4000f 5000f>O 6000look"
  },
  {
    id: "a window of time that slides",
    options: resilience({ opensAt: { ratio: 0.5, window: "10 seconds", atLeast: 4 }, probes: 4, successes: 4 }),
    steps: "0f 0f 0f 9999o>O 20000f>H 20000f 20000f",
    ours: "0f 0f 0f 9999o 20000f 20000f 20000f",
    because: onlyFailures
  },
  {
    id: "a late outcome",
    options: resilience({ opensAt: { consecutive: 4 } }),
    steps: "0[old 0f 0f 0f 0f>O 5001[a>H 5002old]f 5003a]o>O",
    ours: "0[old 0f 0f 0f 0f>O 5001[a>H 5002old]f 5003a]o 5004o>C",
    because: late
  }
]

/** failsafe-go 0.9.7, https://github.com/failsafe-go/failsafe-go, from a model of its source that agrees with its tests. */
export const failsafeGo: ReadonlyArray<Row> = [
  { id: "the defaults", options: inARow(1, "1 minute"), steps: "0f>O 59999o! 60000o>C" },
  { id: "failures in a row", options: inARow(3), steps: "0f 1o 2f 3f 4f>O" },
  {
    id: "two of three",
    options: ofLast(2 / 3, 3),
    steps: "0f 1o 2f>O"
  },
  {
    id: "two of ten, before there are ten",
    options: ofLast(0.2, 10, 2),
    steps: "0f 1f>O"
  },
  {
    id: "fewer than three of four",
    options: ofLast(3 / 4, 4),
    steps: "0o 1f 2o 3f 4o 5f 6o 7f 8o 9f 10o 11f"
  },
  {
    id: "three successes of three",
    options: { ...inARow(2), successes: 3, probes: 3 },
    steps: "0f 0f>O 1000o>H 1001o 1002f>O"
  },
  {
    id: "permits in the half-open state",
    options: { ...inARow(1), probes: 2, successes: 2 },
    steps: "0f>O 1000[a>H 1000[b 1000[c! 1001a]o 1002[d 1003b]o>C"
  },
  {
    id: "a share of a window",
    options: inWindow(0.5, 4, "1 second"),
    steps: "0o 100f 200f 300o>O 301o!",
    ours: "0o 100f 200f 300o 301o",
    because: onlyFailures
  }
]
