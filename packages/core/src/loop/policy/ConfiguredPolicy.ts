/**
 * Applies a configuration to a preset. `PolicyConfig` has checked that nothing is missing.
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import { isObject } from "../../accept/Property.ts"
import * as AttemptTimeout from "./AttemptTimeout.ts"
import * as Backoff from "../../decide/Backoff.ts"
import { fromTree, isBackoff } from "../../decide/BackoffSchedule.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as Curve from "../../decide/Curve.ts"
import * as Deadline from "./Deadline.ts"
import * as Hint from "../../decide/Hint.ts"
import * as Jitter from "../../decide/Jitter.ts"
import type { Preset } from "./PolicyRecord.ts"
import type { Setting, Settings, Value } from "./PolicySettings.ts"
import { valueOf } from "./PolicySettings.ts"

/** Checks what `Policy.config` and `Policy.describe` read of a preset. */
export const presetOf = <E2>(owner: string, given: Preset<E2>): Preset<E2> => {
  const example = '("payments", Policy.standard)'
  if (!isObject(given)) return Argument.refuse(owner, "preset", `a record, as in ${owner}${example}`, given)
  if (!isBackoff(given.backoff))
    Argument.refuse(owner, "preset.backoff", `a Backoff, as in ${owner}${example}`, given.backoff)
  return given
}

/** The preset with every given setting in place of its own. */
export const configured = <E2>(
  settings: Settings,
  preset: Preset<E2>
): Preset<E2 | AttemptTimeout.AttemptTimedOut> => ({
  ...preset,
  ...defined({
    maxAttempts: valueOf(settings.maxAttempts),
    attemptTimeout: attemptTimeout(settings, preset),
    hint: hint(settings, preset.hint),
    deadline: deadline(settings, preset)
  }),
  backoff: backoff(settings, preset.backoff)
})

const backoff = (settings: Settings, preset: Backoff.Backoff): Backoff.Backoff => {
  const curved = withCurve(settings, preset)
  const named = jitter(settings)
  const jittered = named === undefined ? curved : Backoff.jittered(curved, named)
  const cap = valueOf(settings.cap)
  return cap === undefined ? jittered : mapLeaves(jittered, (leaf) => ({ ...leaf, capMillis: Duration.toMillis(cap) }))
}

const mapLeaves = ({ tree }: Backoff.Backoff, f: (leaf: BackoffTree.Leaf) => BackoffTree.Tree): Backoff.Backoff =>
  fromTree("Policy.config", BackoffTree.mapLeaves(tree, f))

/** Replaces every curve of the preset, under the same cap and jitter and inside the same nodes. */
const withCurve = (settings: Settings, preset: Backoff.Backoff): Backoff.Backoff => {
  const name = valueOf(settings.curve)
  if (name === undefined) return preset
  const { tree } = named(settings, name)
  return mapLeaves(preset, ({ capMillis, jitter }) =>
    BackoffTree.mapLeaves(tree, (leaf) => ({ ...leaf, capMillis, jitter: leaf.curve.draws ? leaf.jitter : jitter }))
  )
}

const present = <A>({ held }: Setting<A>): A => Option.getOrThrow(Either.getOrThrow(held))

const named = (settings: Settings, curve: Value<"curve">): Backoff.Backoff => {
  const base = present(settings.base)
  switch (curve) {
    case "constant":
      return Backoff.constant({ delay: base })
    case "linear":
      return Backoff.fromCurve(Curve.linear({ base, step: present(settings.step) }))
    case "polynomial":
      return Backoff.fromCurve(Curve.polynomial({ base, degree: present(settings.degree) }))
    case "exponential":
      return Backoff.exponential({ base, factor: valueOf(settings.factor) ?? 2 })
    case "fibonacci":
      return Backoff.fromCurve(Curve.fibonacci({ base }))
    case "decorrelated":
      return Backoff.fromCurve(Curve.decorrelated({ base }))
    case "decorrelatedSmooth":
      return Backoff.fromCurve(Curve.decorrelatedSmooth({ base }))
  }
}

const jitter = (settings: Settings): Jitter.Jitter | undefined => {
  const name = valueOf(settings.jitter)
  switch (name) {
    case undefined:
      return undefined
    case "proportional":
      return Jitter.proportional({ ratio: present(settings.jitterRatio) })
    case "additive":
      return Jitter.additive({ max: present(settings.jitterMax) })
    default:
      return { none: Jitter.none, full: Jitter.full, equal: Jitter.equal }[name]
  }
}

const attemptTimeout = <E2>(
  settings: Settings,
  preset: Preset<E2>
): AttemptTimeout.AttemptTimeout<E2 | AttemptTimeout.AttemptTimedOut> | undefined => {
  const time = valueOf(settings.attemptTimeout)
  if (time === undefined) return undefined
  const constant = AttemptTimeout.constant(time)
  return preset.attemptTimeout === undefined ? constant : { ...preset.attemptTimeout, millisOf: constant.millisOf }
}

/**
 * The deadline from the settings, of the same kind as the preset's. Throws an `InvalidArgument` if reserve and deadline
 * do not fit together.
 */
export const deadline = <E2>(settings: Settings, preset: Preset<E2>): Deadline.Deadline<E2> | undefined => {
  const within = valueOf(settings.deadline)
  if (within === undefined) return undefined
  const reserve = valueOf(settings.deadlineReserve) ?? preset.deadline?.reserveMillis ?? 0
  switch (preset.deadline?._tag) {
    case "Cut":
      return Deadline.cut(within, { onExceeded: preset.deadline.onExceeded })
    case "Truncate":
      return Deadline.truncate(within, { reserve })
    default:
      return Deadline.refuse(within, { reserve })
  }
}

const hint = (settings: Settings, given: Hint.Hint | undefined): Hint.Hint | undefined => {
  const atMost = valueOf(settings.hintAtMost)
  if (atMost === undefined) return undefined
  const preset = given ?? Hint.standard
  const bounded = preset._tag === "Override" || preset._tag === "Floor" ? preset : undefined
  const otherwise = valueOf(settings.hintOtherwise) ?? bounded?.otherwise ?? "giveUp"
  return bounded === undefined
    ? Hint.floor({ atMost, otherwise })
    : { ...bounded, atMostMillis: Duration.toMillis(atMost), otherwise }
}

const defined = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }
