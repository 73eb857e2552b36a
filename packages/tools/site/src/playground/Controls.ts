/**
 * The controls of the playground, as data: the page draws them, the address keeps them, and a link or a text from outside is
 * checked by them.
 */

import { type PresetKey, presets } from "./Presets.ts"

interface Shown {
  readonly label: string
  /** The control matters where another one has one of these values. */
  readonly when?: readonly [control: string, ...values: ReadonlyArray<string>]
}

export interface NumberControl extends Shown {
  readonly _tag: "Number"
  readonly unit: string
  readonly least: number
  readonly most: number
  readonly step: number
  /** A count, such as that of attempts. */
  readonly isWhole: boolean
  readonly initial: number
}

export interface ChoiceControl<A extends string = string> extends Shown {
  readonly _tag: "Choice"
  readonly choices: Readonly<Record<A, string>>
  readonly initial: A
}

export type Control = NumberControl | ChoiceControl

const number = (
  label: string,
  unit: string,
  initial: number,
  { least, most, step = 1, isWhole = step === 1 }: Partial<NumberControl> & Pick<NumberControl, "least" | "most">,
  when?: Shown["when"]
): NumberControl => ({
  _tag: "Number",
  label,
  unit,
  initial,
  least,
  most,
  step,
  isWhole,
  ...(when === undefined ? {} : { when })
})

const millis = (label: string, initial: number, least: number, most: number, when?: Shown["when"]): NumberControl =>
  number(label, "ms", initial, { least, most, isWhole: false }, when)

const choice = <A extends string>(
  label: string,
  initial: NoInfer<A>,
  choices: Readonly<Record<A, string>>,
  when?: Shown["when"]
): ChoiceControl<A> => ({ _tag: "Choice", label, initial, choices, ...(when === undefined ? {} : { when }) })

const hour = 3_600_000

/** In the order in which a policy consults them. */
export const policyControls = {
  attemptTimeout: millis("Attempt timeout, 0 for none", 0, 0, hour),
  maxAttempts: number("Maximum attempts", "", 4, { least: 1, most: 50 }),
  curve: choice("Curve", "exponential", {
    constant: "constant",
    linear: "linear",
    exponential: "exponential",
    fibonacci: "Fibonacci",
    decorrelated: "decorrelated",
    decorrelatedSmooth: "decorrelated, smooth"
  }),
  base: millis("Base", 100, 0, hour),
  factor: number("Factor", "", 2, { least: 1, most: 10, step: 0.1 }, ["curve", "exponential"]),
  step: millis("Step", 100, 0, hour, ["curve", "linear"]),
  cap: millis("Cap", 5_000, 0, hour),
  jitter: choice(
    "Jitter",
    "full",
    { none: "none", full: "full", equal: "equal", proportional: "proportional", additive: "additive" },
    ["curve", "constant", "linear", "exponential", "fibonacci"]
  ),
  jitterRatio: number("Jitter ratio", "", 0.2, { least: 0, most: 1, step: 0.05 }, ["jitter", "proportional"]),
  jitterMax: millis("Maximum added", 1_000, 0, hour, ["jitter", "additive"]),
  hint: choice("A server's hint", "floor", {
    ignore: "is ignored",
    floor: "is the least delay",
    override: "replaces the delay"
  }),
  hintAtMost: millis("Longest hint", 5_000, 0, hour, ["hint", "floor", "override"]),
  deadline: choice("Deadline", "none", {
    none: "none",
    refuse: "refuses an attempt beyond it",
    truncate: "shortens the last wait",
    cut: "stops the running attempt"
  }),
  deadlineWithin: millis("Deadline after", 10_000, 1, hour, ["deadline", "refuse", "truncate", "cut"]),
  deadlineReserve: millis("Reserve for the last attempt", 1_000, 0, hour, ["deadline", "truncate"]),
  bucket: choice("Token bucket", "none", {
    none: "none",
    successRatio: "refilled by successes",
    requestRatio: "a share of the requests",
    quota: "quota by kind"
  }),
  bucketCapacity: number("Capacity", "tokens", 10, { least: 1, most: 10_000 }, ["bucket", "successRatio", "quota"]),
  bucketRatio: number("Ratio", "", 0.1, { least: 0, most: 1, step: 0.01 }, ["bucket", "successRatio", "requestRatio"]),
  rateLimiter: choice("Rate limiter", "none", {
    none: "none",
    fixed: "fixed rate",
    concurrencyLimit: "concurrency",
    acceptRatio: "accept ratio",
    circuitBreaker: "circuit breaker"
  }),
  rate: number("Rate", "per second", 50, { least: 1, most: 10_000 }, ["rateLimiter", "fixed"]),
  burst: number("Burst", "tokens", 10, { least: 1, most: 10_000 }, ["rateLimiter", "fixed"]),
  concurrency: number("Attempts in flight", "", 20, { least: 1, most: 10_000 }, ["rateLimiter", "concurrencyLimit"]),
  breakerFailures: number("Opens after failures in a row", "", 5, { least: 1, most: 1000 }, [
    "rateLimiter",
    "circuitBreaker"
  ]),
  breakerOpenFor: millis("Open for", 2_000, 1, hour, ["rateLimiter", "circuitBreaker"]),
  hedge: millis("Hedge after, 0 for none", 0, 0, hour)
} as const satisfies Readonly<Record<string, Control>>

/** What the server does. */
export const serverControls = {
  failureRatio: number("Attempts that fail", "ratio", 0.2, { least: 0, most: 1, step: 0.01 }),
  latency: millis("Mean latency", 80, 0, 60_000),
  outage: millis("Length of the outage", 2_000, 0, 60_000),
  serverHint: millis("Hint with a failure, 0 for none", 0, 0, 60_000),
  load: number("Load, as a share of its capacity", "ratio", 0.5, { least: 0.05, most: 2, step: 0.05 }),
  clients: number("Clients that fail together", "", 200, { least: 10, most: 1000 }),
  seed: number("Seed", "", 1, { least: 0, most: 999_999 })
} as const satisfies Readonly<Record<string, Control>>

/** What the policy is compared with. */
export const comparedControls = {
  other: choice(
    "Compared with",
    "once",
    Object.fromEntries(Object.entries(presets).map(([key, { name }]) => [key, name])) as Readonly<
      Record<PresetKey, string>
    >
  )
} as const satisfies Readonly<Record<string, Control>>

/** Where the policy comes from. */
export const presetControls = {
  preset: choice("Policy of a package", "none", {
    none: "none",
    ...Object.fromEntries(Object.entries(presets).map(([key, { name }]) => [key, name]))
  } as Readonly<Record<PresetKey | "none", string>>)
} as const satisfies Readonly<Record<string, Control>>

/** What a policy that is searched for should do. */
export const wishControls = {
  wishSucceeded: number("Operations that should succeed", "ratio", 0.93, { least: 0, most: 1, step: 0.01 }),
  wishWithin: millis("Within", 2_000, 10, 60_000),
  wishOutageEvery: number("An outage every", "s", 60, { least: 1, most: 86_400 }),
  wishOutageLoad: number("Maximum load in an outage, 0 for any", "attempts", 0, { least: 0, most: 50, step: 0.1 })
} as const satisfies Readonly<Record<string, Control>>

export const controls = {
  ...presetControls,
  ...policyControls,
  ...serverControls,
  ...comparedControls,
  ...wishControls
}
