/**
 * The keys of a policy's configuration as a table: what `Policy.config` reads, the allowed values of each key, and a
 * preset's values.
 */
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as Hint from "../../decide/Hint.ts"
import * as ConfigText from "./ConfigText.ts"
import * as ConfiguredPolicy from "./ConfiguredPolicy.ts"
import type { Preset } from "./PolicyRecord.ts"
import * as PolicySettings from "./PolicySettings.ts"

/**
 * A key of a policy's configuration.
 *
 * @category models
 */
export interface Described {
  /** Its name in a file, below the name of the policy: `maxAttempts`. */
  readonly key: string
  /** Its name in the environment: `PAYMENTS_MAX_ATTEMPTS`. */
  readonly variable: string
  /** The allowed values, such as `a finite duration >= 1ms`. */
  readonly allowed: string
  /** The preset's value, written as the key would hold it; absent if the preset has none, or several. */
  readonly value?: string
}

/**
 * Lists the keys that `Policy.config` reads for the policy `name`, with the allowed values and the value in `preset`.
 *
 * For a preset that `Policy.config` has read, these are the values in effect: print
 * `console.table(Policy.describe("payments", preset))` when a service starts. They are values of the policy, never
 * texts of the configuration. A configuration that holds all of them makes the same policy.
 *
 * @category destructors
 */
export const describe = (name: string, preset: Preset<unknown>): ReadonlyArray<Described> => {
  const policy = ConfigText.named("Policy.describe", name)
  const values = valuesOf(ConfiguredPolicy.presetOf("Policy.describe", preset))
  return PolicySettings.keys.map((key) => {
    const value = values[key]
    return {
      key,
      variable: PolicySettings.variableOf(policy, key),
      allowed: PolicySettings.allowedFor(key),
      ...(value !== undefined && { value })
    }
  })
}

type Values = { readonly [K in PolicySettings.Key]?: string | undefined }

const valuesOf = ({ attemptTimeout, backoff, deadline, hint, maxAttempts }: Preset<unknown>): Values => {
  const times = attemptTimeout && [1, 2, 3].map((attempt) => attemptTimeout.millisOf(attempt, 0))
  return {
    ...ofLeaves(backoff.tree),
    maxAttempts: String(maxAttempts),
    attemptTimeout: times === undefined ? undefined : same(times.map(duration)),
    ...(deadline !== undefined && {
      deadline: duration(deadline.withinMillis),
      deadlineReserve: deadline._tag === "Cut" ? undefined : duration(deadline.reserveMillis)
    }),
    ...ofHint(hint ?? Hint.standard)
  }
}

/** The values on which all leaves agree. */
const ofLeaves = (tree: BackoffTree.Tree): Values => {
  const all: Array<Values> = []
  BackoffTree.mapLeaves(tree, (leaf) => {
    all.push({ ...ofCurve(leaf.curve), ...ofJitter(leaf), cap: duration(leaf.capMillis) })
    return leaf
  })
  return Object.fromEntries(PolicySettings.keys.map((key) => [key, same(all.map((values) => values[key]))]))
}

const same = (values: ReadonlyArray<string | undefined>): string | undefined =>
  values.every((value) => value === values[0]) ? values[0] : undefined

/** The parameters of a curve of this package, found from its first two bounds. */
const ofCurve = (curve: BackoffTree.Leaf["curve"]): Values => {
  const { name } = curve
  const [first = 0, second = 0] = [1, 2].map((n) => curve.intervalMillis(n, Infinity)[1])
  const ratio = second / first
  const base = duration(first)
  switch (name) {
    case "constant":
    case "fibonacci":
      return { curve: name, base }
    case "exponential":
      return { curve: name, base, factor: number(ratio) }
    case "linear":
      return { curve: name, base, step: duration(second - first) }
    case "polynomial":
      return { curve: name, base, degree: number(Math.log2(ratio)) }
    case "decorrelated":
      return { curve: name, base: duration(first / 3) }
    case "decorrelatedSmooth":
      return { curve: name, base: duration((first * 1.4) / (2 * Math.tanh(2))) }
    default:
      return { curve: name }
  }
}

const ofJitter = ({ curve, jitter }: BackoffTree.Leaf): Values => {
  if (curve.draws) return {}
  const [name = ""] = jitter.name.split("(")
  const width = (boundMillis: number): number => jitter.interval(boundMillis)[1] - boundMillis
  return {
    jitter: name,
    jitterRatio: name === "proportional" ? number(width(1)) : undefined,
    jitterMax: name === "additive" ? duration(width(0)) : undefined
  }
}

const ofHint = (hint: Hint.Hint): Values =>
  hint._tag === "Floor" || hint._tag === "Override"
    ? { hintAtMost: duration(hint.atMostMillis), hintOtherwise: hint.otherwise }
    : {}

const number = (value: number): string | undefined => (Number.isFinite(value) ? String(rounded(value)) : undefined)

/** Removes floating-point error. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

const units = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1_000]
] as const

/** A time as `Policy.config` reads it, in the largest unit that gives a whole number. */
const duration = (millis: number): string | undefined => {
  if (millis === Infinity) return undefined
  const [unit, size] = units.find(([, size]) => millis > 0 && millis % size === 0) ?? ["millis", 1]
  const amount = rounded(millis / size)
  return `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`
}
