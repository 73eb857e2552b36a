/**
 * Policies from configuration: the environment, a file, or whatever else Effect's `ConfigProvider` reads.
 */
import { Config, Duration, Option } from "effect"
import type { Range } from "../check/InvalidArgument.ts"
import * as Argument from "../check/InvalidArgument.ts"
import * as AttemptTimeout from "../decide/AttemptTimeout.ts"
import * as Backoff from "../decide/Backoff.ts"
import * as BackoffTree from "../decide/BackoffTree.ts"
import * as Deadline from "../decide/Deadline.ts"
import * as Hint from "../decide/Hint.ts"
import * as Jitter from "../decide/Jitter.ts"
import type { Preset } from "./PolicyRecord.ts"

const owner = "Policy.config"

/**
 * Reads a preset; what the configuration leaves out stays as it is in `preset`.
 *
 * Keys, all optional: `maxAttempts` · `curve` (constant, linear, polynomial, exponential, fibonacci, decorrelated,
 * decorrelatedSmooth) with its own `base`, `step`, `degree`, `factor` · `cap` · `jitter` (none, full, equal,
 * proportional, additive) with `jitterRatio`, `jitterMax` · `attemptTimeout` · `deadline` and `deadlineReserve` ·
 * `hintAtMost` and `hintOtherwise` (clamp, giveUp). Durations are written with their unit: `250 millis`. In the
 * environment, under `ConfigProvider.constantCase`, `maxAttempts` is `MAX_ATTEMPTS`.
 *
 * Fails with a `ConfigError` that names every bad value; a key that nothing would use is one of them.
 *
 * @category constructors
 */
export const config = <E2 = never>(preset: Preset<E2>): Config.Config<Preset<E2 | AttemptTimeout.AttemptTimedOut>> =>
  Config.mapAttempt(Config.all(keys), (read) => ({
    ...preset,
    ...defined({
      maxAttempts: Option.getOrUndefined(read.maxAttempts),
      attemptTimeout: Option.getOrUndefined(Option.map(read.attemptTimeout, (time) => AttemptTimeout.constant(time))),
      hint: hint(read),
      deadline: deadline(read)
    }),
    backoff: shaped(read, backoff(read, preset.backoff))
  }))

const parsed = <A>(name: string, parse: (text: string) => A): Config.Config<Option.Option<A>> =>
  Config.option(Config.mapAttempt(Config.string(name), parse))

const number = (name: string, range: Range) =>
  parsed(name, (text) => Argument.number(owner, name, text.trim() === "" ? NaN : Number(text), range))

const duration = (name: string, range: Range) =>
  parsed(name, (text) => Duration.millis(Argument.millis(owner, name, text as Duration.DurationInput, range)))

const oneOf = <const A extends string>(name: string, names: ReadonlyArray<A>) =>
  parsed(name, (text) => Argument.oneOf(owner, name, text, names))

const keys = {
  maxAttempts: number("maxAttempts", { min: 1, integer: true }),
  curve: oneOf("curve", [
    "constant",
    "linear",
    "polynomial",
    "exponential",
    "fibonacci",
    "decorrelated",
    "decorrelatedSmooth"
  ]),
  base: duration("base", { min: 0 }),
  step: duration("step", { min: 0 }),
  degree: number("degree", { min: 0, exclusive: true }),
  factor: number("factor", { min: 1 }),
  cap: duration("cap", { min: 1 }),
  jitter: oneOf("jitter", ["none", "full", "equal", "proportional", "additive"]),
  jitterRatio: number("jitterRatio", { min: 0, max: 1, exclusive: true }),
  jitterMax: duration("jitterMax", { min: 0, exclusive: true }),
  attemptTimeout: duration("attemptTimeout", { min: 1, max: AttemptTimeout.longestTimerMillis }),
  deadline: duration("deadline", { min: 0, exclusive: true }),
  deadlineReserve: duration("deadlineReserve", { min: 0 }),
  hintAtMost: duration("hintAtMost", { min: 0 }),
  hintOtherwise: oneOf("hintOtherwise", ["clamp", "giveUp"])
}

type Read = { readonly [K in keyof typeof keys]: Config.Config.Success<(typeof keys)[K]> }

const required = <A>(value: Option.Option<A>, name: keyof Read, reader: string): A =>
  Option.getOrElse(value, () => Argument.refuse(owner, name, `given with ${reader}`, undefined))

const unused = (read: Read, names: ReadonlyArray<keyof Read>, reader: string): void => {
  for (const name of names) {
    const value: Option.Option<unknown> = read[name]
    if (Option.isSome(value)) Argument.refuse(owner, name, `absent without ${reader}`, value.value)
  }
}

const backoff = (read: Read, preset: Backoff.Backoff): Backoff.Backoff => {
  const curve = Option.getOrUndefined(read.curve)
  const parameters = curve === undefined ? [] : curves[curve]
  const others = (["base", "step", "degree", "factor"] as const).filter((name) => !parameters.includes(name))
  unused(read, others, "a curve that reads it")
  return curve === undefined ? preset : inheriting(preset, fromCurve(read, curve))
}

const fromCurve = (read: Read, curve: keyof typeof curves): Backoff.Backoff => {
  const base = required(read.base, "base", `curve ${curve}`)
  switch (curve) {
    case "constant":
      return Backoff.constant({ delay: base })
    case "linear":
      return Backoff.linear({ base, step: required(read.step, "step", "curve linear") })
    case "polynomial":
      return Backoff.polynomial({ base, degree: required(read.degree, "degree", "curve polynomial") })
    case "exponential":
      return Backoff.exponential({ base, factor: Option.getOrElse(read.factor, () => 2) })
    case "fibonacci":
      return Backoff.fibonacci({ base })
    case "decorrelated":
      return Backoff.decorrelated({ base })
    case "decorrelatedSmooth":
      return Backoff.decorrelatedSmooth({ base })
  }
}

/** A new curve keeps the cap and the jitter of the preset, where that is a single curve. */
const inheriting = ({ tree }: Backoff.Backoff, self: Backoff.Backoff): Backoff.Backoff =>
  tree._tag !== "Leaf"
    ? self
    : Backoff.fromTree(
        BackoffTree.mapLeaves(self.tree, (leaf) =>
          leaf._tag === "Leaf"
            ? { ...leaf, capMillis: tree.capMillis, jitter: tree.jitter }
            : { ...leaf, capMillis: tree.capMillis }
        )
      )

const curves: { readonly [curve in Option.Option.Value<Read["curve"]>]: ReadonlyArray<keyof Read> } = {
  constant: ["base"],
  linear: ["base", "step"],
  polynomial: ["base", "degree"],
  exponential: ["base", "factor"],
  fibonacci: ["base"],
  decorrelated: ["base"],
  decorrelatedSmooth: ["base"]
}

/** Cap and jitter replace those of the preset's leaves. */
const shaped = (read: Read, self: Backoff.Backoff): Backoff.Backoff => {
  const jittered = Option.match(jitter(read), { onNone: () => self, onSome: (named) => Backoff.jittered(self, named) })
  return Option.match(read.cap, {
    onNone: () => jittered,
    onSome: (cap) =>
      Backoff.fromTree(BackoffTree.mapLeaves(jittered.tree, (leaf) => ({ ...leaf, capMillis: Duration.toMillis(cap) })))
  })
}

const jitter = (read: Read): Option.Option<Jitter.Jitter> => {
  const name = Option.getOrUndefined(read.jitter)
  if (name !== "proportional") unused(read, ["jitterRatio"], "jitter proportional")
  if (name !== "additive") unused(read, ["jitterMax"], "jitter additive")
  switch (name) {
    case undefined:
      return Option.none()
    case "proportional":
      return Option.some(
        Jitter.proportional({ ratio: required(read.jitterRatio, "jitterRatio", "jitter proportional") })
      )
    case "additive":
      return Option.some(Jitter.additive({ max: required(read.jitterMax, "jitterMax", "jitter additive") }))
    default:
      return Option.some({ none: Jitter.none, full: Jitter.full, equal: Jitter.equal }[name])
  }
}

const deadline = (read: Read): Deadline.Deadline | undefined => {
  if (Option.isNone(read.deadline)) unused(read, ["deadlineReserve"], "deadline")
  const reserve = Option.getOrElse(read.deadlineReserve, () => Duration.zero)
  return Option.getOrUndefined(Option.map(read.deadline, (within) => Deadline.refuse(within, { reserve })))
}

const hint = (read: Read): Hint.Hint | undefined => {
  if (Option.isNone(read.hintAtMost)) unused(read, ["hintOtherwise"], "hintAtMost")
  const otherwise = Option.getOrElse(read.hintOtherwise, () => "giveUp" as const)
  return Option.getOrUndefined(Option.map(read.hintAtMost, (atMost) => Hint.floor({ atMost, otherwise })))
}

const defined = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }
