/**
 * Policies from configuration: the environment, a file, or any other source that Effect's `ConfigProvider` reads.
 */
import * as Config from "effect/Config"
import * as Either from "effect/Either"
import type { AttemptTimedOut } from "./AttemptTimeout.ts"
import * as ConfigLine from "./ConfigLine.ts"
import * as ConfigText from "./ConfigText.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as ConfiguredPolicy from "./ConfiguredPolicy.ts"
import * as Misspelt from "./Misspelt.ts"
import type { Preset } from "./PolicyRecord.ts"
import type { Setting, Settings, Value } from "./PolicySettings.ts"
import { isAbsent, settings, valueOf } from "./PolicySettings.ts"

/**
 * Reads the preset of the policy `name`; whatever the configuration leaves out stays as in `preset`.
 *
 * `Policy.describe` lists the keys; all are optional. The key `maxAttempts` of the policy `payments` is the environment
 * variable `PAYMENTS_MAX_ATTEMPTS`, or `{ "payments": { "maxAttempts": 5 } }` in a file; if both are present, the
 * variable counts. Durations are written with their unit: `250 millis`.
 *
 * A curve replaces every curve of the preset, whose caps, jitters and combinators are kept. A timeout, a deadline and a
 * bound on hints change only the times of the preset's own: the verdict on a timeout and the kind of deadline stay. If
 * the preset has none, they become `AttemptTimeout.constant`, `Deadline.refuse` and `Hint.standard`.
 *
 * Fails with a `ConfigError` that names every bad key at once, with the allowed range but without the value. A key that
 * would have no effect is bad, and so is a misspelt one, within two letters of a key. Other names under the prefix are
 * ignored.
 *
 * @category constructors
 */
export const config = <E2 = never>(name: string, preset: Preset<E2>): Config.Config<Preset<E2 | AttemptTimedOut>> => {
  const policy = ConfigText.named("Policy.config", name)
  ConfiguredPolicy.presetOf("Policy.config", preset)
  return ConfigLine.checked(
    Config.all({ found: settings(policy), given: Misspelt.given(policy) }),
    ({ found, given }) => [
      ...problems(found, preset).map(({ allowed, name }) => refusal(name, `must be ${allowed}`)),
      ...Misspelt.misspelt(policy, given, found).map(({ meant, name }) =>
        refusal(name, `is no key of a policy; did you mean ${meant}?`)
      )
    ],
    ({ found }) => ConfiguredPolicy.configured(found, preset)
  )
}

const refusal = (name: string, why: string) => ConfigLine.refusal([name], `Policy.config: ${name} ${why}`)

interface Problem {
  readonly name: string
  readonly allowed: string
}

/** All bad keys: those that cannot be read, those that have no effect, and those that are missing. */
const problems = (found: Settings, preset: Preset<unknown>): ReadonlyArray<Problem> => [
  ...Object.values<Setting<unknown>>(found).flatMap(({ held, name }) =>
    Either.isLeft(held) ? [{ name, allowed: held.left }] : []
  ),
  ...curveProblems(found),
  ...jitterProblems(found, preset),
  ...deadlineProblems(found, preset),
  ...(isAbsent(found.hintAtMost) ? unused(found, ["hintOtherwise"], found.hintAtMost.name) : [])
]

const missing = (found: Settings, keys: ReadonlyArray<keyof Settings>, reader: string): ReadonlyArray<Problem> =>
  keys.flatMap((key) => (isAbsent(found[key]) ? [{ name: found[key].name, allowed: `given with ${reader}` }] : []))

const unused = (found: Settings, keys: ReadonlyArray<keyof Settings>, reader: string): ReadonlyArray<Problem> =>
  keys.flatMap((key) =>
    valueOf<unknown>(found[key]) === undefined ? [] : [{ name: found[key].name, allowed: `absent without ${reader}` }]
  )

interface Parameters {
  readonly required: ReadonlyArray<keyof Settings>
  readonly optional?: keyof Settings
}

const parameters: { readonly [curve in Value<"curve">]: Parameters } = {
  constant: { required: ["base"] },
  linear: { required: ["base", "step"] },
  polynomial: { required: ["base", "degree"] },
  exponential: { required: ["base"], optional: "factor" },
  fibonacci: { required: ["base"] },
  decorrelated: { required: ["base"] },
  decorrelatedSmooth: { required: ["base"] }
}

const curveProblems = (found: Settings): ReadonlyArray<Problem> => {
  if (Either.isLeft(found.curve.held)) return []
  const curve = valueOf(found.curve)
  const { optional, required }: Parameters = curve === undefined ? { required: [] } : parameters[curve]
  const others = (["base", "step", "degree", "factor"] as const).filter(
    (key) => key !== optional && !required.includes(key)
  )
  const reader = `a ${found.curve.name} that reads it`
  return [
    ...missing(found, required, `${found.curve.name} ${curve}`),
    ...unused(found, others, curve === undefined ? `${reader}; set ${found.curve.name} as well` : reader)
  ]
}

const jitterProblems = (found: Settings, preset: Preset<unknown>): ReadonlyArray<Problem> => {
  const { curve, jitter } = found
  if (Either.isLeft(jitter.held)) return []
  const name = valueOf(jitter)
  const allowed = `absent with a ${curve.name} that draws by itself`
  return [
    ...(name !== undefined && drawsByItself(found, preset) ? [{ name: jitter.name, allowed }] : []),
    ...(name === "proportional" ? missing : unused)(found, ["jitterRatio"], `${jitter.name} proportional`),
    ...(name === "additive" ? missing : unused)(found, ["jitterMax"], `${jitter.name} additive`)
  ]
}

const drawsByItself = (found: Settings, preset: Preset<unknown>): boolean => {
  const curve = valueOf(found.curve)
  return curve === undefined
    ? BackoffTree.some(preset.backoff.tree, (part) => part._tag === "Leaf" && part.curve.draws)
    : curve === "decorrelated" || curve === "decorrelatedSmooth"
}

const deadlineProblems = (found: Settings, preset: Preset<unknown>): ReadonlyArray<Problem> => {
  if (isAbsent(found.deadline)) return unused(found, ["deadlineReserve"], found.deadline.name)
  const made = ConfigText.refusalOf(() => ConfiguredPolicy.deadline(found, preset))
  if (Either.isLeft(made)) {
    const { allowed, field } = made.left
    return [{ name: (field === "reserve" ? found.deadlineReserve : found.deadline).name, allowed }]
  }
  return preset.deadline?._tag === "Cut" ? unused(found, ["deadlineReserve"], "a deadline that does not cut") : []
}
