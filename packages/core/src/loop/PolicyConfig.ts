/**
 * Policies from configuration: the environment, a file, or whatever else Effect's `ConfigProvider` reads.
 */
import { Config, ConfigError, Duration, Either, Option } from "effect"
import type { InvalidArgument, Range } from "../accept/InvalidArgument.ts"
import * as Argument from "../accept/InvalidArgument.ts"
import * as AttemptTimeout from "../decide/AttemptTimeout.ts"
import * as Backoff from "../decide/Backoff.ts"
import { fromTree } from "../decide/BackoffSchedule.ts"
import * as BackoffTree from "../decide/BackoffTree.ts"
import * as Bounds from "../decide/Bounds.ts"
import * as Curve from "../decide/Curve.ts"
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
 * A timeout, a deadline and a bound of hints keep what the preset says beside their times: what a timeout means, what
 * the deadline does. Where the preset has none, they are `AttemptTimeout.constant`, `Deadline.refuse` and `Hint.floor`.
 * Fails with a `ConfigError` that names every bad value at once; a key that nothing would use is one of them.
 *
 * @category constructors
 */
export const config = <E2 = never>(preset: Preset<E2>): Config.Config<Preset<E2 | AttemptTimeout.AttemptTimedOut>> =>
  Config.mapOrFail(Config.all(keys), (found) => {
    const [first, ...others] = problems(found, preset).map(({ field, message }) =>
      ConfigError.InvalidData([field], message)
    )
    return first === undefined
      ? Either.right(configured(found, preset))
      : Either.left(others.reduce((all, other) => ConfigError.And(all, other), first))
  })

/** What a key holds: nothing, a value, or one that is refused. */
type Held<A> = Either.Either<Option.Option<A>, InvalidArgument>

const parsed = <A>(name: string, parse: (text: string) => A): Config.Config<Held<A>> =>
  Config.map(
    Config.option(Config.string(name)),
    Option.match({
      onNone: () => Either.right(Option.none()),
      onSome: (text) => refused(() => Option.some(parse(text)))
    })
  )

const refused = <A>(f: () => A): Either.Either<A, InvalidArgument> =>
  Either.try({ try: f, catch: (error) => error as InvalidArgument })

const number = (name: string, range: Range) =>
  parsed(name, (text) =>
    Argument.number(owner, name, text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text), range)
  )

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
  base: duration("base", Bounds.delay),
  step: duration("step", Bounds.delay),
  degree: number("degree", Bounds.degree),
  factor: number("factor", Bounds.factor),
  cap: duration("cap", Bounds.cap),
  jitter: oneOf("jitter", ["none", "full", "equal", "proportional", "additive"]),
  jitterRatio: number("jitterRatio", Bounds.jitterRatio),
  jitterMax: duration("jitterMax", Bounds.width),
  attemptTimeout: duration("attemptTimeout", Bounds.timeout),
  deadline: duration("deadline", { min: 0, exclusive: true }),
  deadlineReserve: duration("deadlineReserve", { min: 0 }),
  hintAtMost: duration("hintAtMost", { min: 0 }),
  hintOtherwise: oneOf("hintOtherwise", ["clamp", "giveUp"])
}

type Found = { readonly [K in keyof typeof keys]: Config.Config.Success<(typeof keys)[K]> }

type Value<K extends keyof Found> = Found[K] extends Held<infer A> ? A : never

/** The value of a key; none where it is refused. */
const valueOf = <A>(held: Held<A>): A | undefined => Option.getOrUndefined(Either.getOrElse(held, () => Option.none()))

const bad = (field: keyof Found, allowed: string, value: unknown): InvalidArgument =>
  new Argument.InvalidArgument({ owner, field, allowed, value })

const missing = (found: Found, names: ReadonlyArray<keyof Found>, reader: string): ReadonlyArray<InvalidArgument> =>
  names.filter((name) => isAbsent(found[name])).map((name) => bad(name, `given with ${reader}`, undefined))

const unused = (found: Found, names: ReadonlyArray<keyof Found>, reader: string): ReadonlyArray<InvalidArgument> =>
  names.flatMap((name) => {
    const value = valueOf<unknown>(found[name])
    return value === undefined ? [] : [bad(name, `absent without ${reader}`, value)]
  })

const isAbsent = (held: Held<unknown>): boolean => Either.isRight(held) && Option.isNone(held.right)

/** All there is to refuse: what cannot be read, what nothing reads, and what something lacks. */
const problems = (found: Found, preset: Preset<unknown>): ReadonlyArray<InvalidArgument> => [
  ...Object.values<Held<unknown>>(found).flatMap((held) => (Either.isLeft(held) ? [held.left] : [])),
  ...curveProblems(found),
  ...jitterProblems(found, preset),
  ...deadlineProblems(found, preset),
  ...(isAbsent(found.hintAtMost) ? unused(found, ["hintOtherwise"], "hintAtMost") : [])
]

interface Parameters {
  readonly required: ReadonlyArray<keyof Found>
  readonly optional?: ReadonlyArray<keyof Found>
}

const parameters: { readonly [curve in Value<"curve">]: Parameters } = {
  constant: { required: ["base"] },
  linear: { required: ["base", "step"] },
  polynomial: { required: ["base", "degree"] },
  exponential: { required: ["base"], optional: ["factor"] },
  fibonacci: { required: ["base"] },
  decorrelated: { required: ["base"] },
  decorrelatedSmooth: { required: ["base"] }
}

const curveProblems = (found: Found): ReadonlyArray<InvalidArgument> => {
  if (Either.isLeft(found.curve)) return []
  const curve = valueOf(found.curve)
  const { optional = [], required }: Parameters = curve === undefined ? { required: [] } : parameters[curve]
  const reads = [...required, ...optional]
  const others = (["base", "step", "degree", "factor"] as const).filter((name) => !reads.includes(name))
  return [...missing(found, required, `curve ${curve}`), ...unused(found, others, "a curve that reads it")]
}

const jitterProblems = (found: Found, preset: Preset<unknown>): ReadonlyArray<InvalidArgument> => {
  if (Either.isLeft(found.jitter)) return []
  const jitter = valueOf(found.jitter)
  const curve = valueOf(found.curve)
  const drawing =
    curve === undefined
      ? BackoffTree.some(preset.backoff.tree, (part) => part._tag === "Leaf" && part.curve.draws)
      : curve === "decorrelated" || curve === "decorrelatedSmooth"
  return [
    ...(jitter !== undefined && drawing ? [bad("jitter", "absent with a curve that draws by itself", jitter)] : []),
    ...(jitter === "proportional"
      ? missing(found, ["jitterRatio"], "jitter proportional")
      : unused(found, ["jitterRatio"], "jitter proportional")),
    ...(jitter === "additive"
      ? missing(found, ["jitterMax"], "jitter additive")
      : unused(found, ["jitterMax"], "jitter additive"))
  ]
}

const deadlineProblems = (found: Found, preset: Preset<unknown>): ReadonlyArray<InvalidArgument> => {
  if (Either.isLeft(found.deadline)) return []
  if (isAbsent(found.deadline)) return unused(found, ["deadlineReserve"], "deadline")
  const built = refused(() => deadline(found, preset))
  if (Either.isRight(built)) {
    return preset.deadline?._tag === "Cut" ? unused(found, ["deadlineReserve"], "a deadline that does not cut") : []
  }
  const { allowed, field, value } = built.left
  return [bad(field === "reserve" ? "deadlineReserve" : "deadline", allowed, value)]
}

const configured = <E2>(found: Found, preset: Preset<E2>): Preset<E2 | AttemptTimeout.AttemptTimedOut> => ({
  ...preset,
  ...defined({
    maxAttempts: valueOf(found.maxAttempts),
    attemptTimeout: attemptTimeout(found, preset),
    hint: hint(found, preset),
    deadline: deadline(found, preset)
  }),
  backoff: shaped(found, curved(found, preset.backoff))
})

const curved = (found: Found, preset: Backoff.Backoff): Backoff.Backoff => {
  const curve = valueOf(found.curve)
  return curve === undefined ? preset : inheriting(preset, fromCurve(found, curve))
}

/** `problems` has seen to it that what a curve or a jitter needs is there. */
const present = <A>(held: Held<A>): A => Option.getOrThrow(Either.getOrThrow(held))

const fromCurve = (found: Found, curve: Value<"curve">): Backoff.Backoff => {
  const base = present(found.base)
  switch (curve) {
    case "constant":
      return Backoff.constant({ delay: base })
    case "linear":
      return Backoff.fromCurve(Curve.linear({ base, step: present(found.step) }))
    case "polynomial":
      return Backoff.fromCurve(Curve.polynomial({ base, degree: present(found.degree) }))
    case "exponential":
      return Backoff.exponential({ base, factor: valueOf(found.factor) ?? 2 })
    case "fibonacci":
      return Backoff.fromCurve(Curve.fibonacci({ base }))
    case "decorrelated":
      return Backoff.fromCurve(Curve.decorrelated({ base }))
    case "decorrelatedSmooth":
      return Backoff.fromCurve(Curve.decorrelatedSmooth({ base }))
  }
}

/** A new curve keeps the cap and the jitter of the preset, where that is a single curve. */
const inheriting = ({ tree }: Backoff.Backoff, self: Backoff.Backoff): Backoff.Backoff =>
  tree._tag !== "Leaf"
    ? self
    : fromTree(
        owner,
        BackoffTree.mapLeaves(self.tree, (leaf) => ({
          ...leaf,
          capMillis: tree.capMillis,
          jitter: leaf.curve.draws ? leaf.jitter : tree.jitter
        }))
      )

/** Cap and jitter replace those of the preset's leaves. */
const shaped = (found: Found, self: Backoff.Backoff): Backoff.Backoff => {
  const named = jitter(found)
  const jittered = named === undefined ? self : Backoff.jittered(self, named)
  const cap = valueOf(found.cap)
  return cap === undefined
    ? jittered
    : fromTree(
        owner,
        BackoffTree.mapLeaves(jittered.tree, (leaf) => ({ ...leaf, capMillis: Duration.toMillis(cap) }))
      )
}

const jitter = (found: Found): Jitter.Jitter | undefined => {
  const name = valueOf(found.jitter)
  switch (name) {
    case undefined:
      return undefined
    case "proportional":
      return Jitter.proportional({ ratio: present(found.jitterRatio) })
    case "additive":
      return Jitter.additive({ max: present(found.jitterMax) })
    default:
      return { none: Jitter.none, full: Jitter.full, equal: Jitter.equal }[name]
  }
}

const attemptTimeout = <E2>(
  found: Found,
  preset: Preset<E2>
): AttemptTimeout.AttemptTimeout<E2 | AttemptTimeout.AttemptTimedOut> | undefined => {
  const time = valueOf(found.attemptTimeout)
  if (time === undefined) return undefined
  const constant = AttemptTimeout.constant(time)
  if (preset.attemptTimeout === undefined) return constant
  const { factor, initialMillis, maximumMillis } = constant
  return { ...preset.attemptTimeout, factor, initialMillis, maximumMillis }
}

const deadline = <E2>(found: Found, preset: Preset<E2>): Deadline.Deadline<E2> | undefined => {
  const within = valueOf(found.deadline)
  if (within === undefined) return undefined
  const reserve = valueOf(found.deadlineReserve) ?? preset.deadline?.reserveMillis ?? 0
  switch (preset.deadline?._tag) {
    case "Cut":
      return Deadline.cut(within, preset.deadline)
    case "Truncate":
      return Deadline.truncate(within, { reserve })
    default:
      return Deadline.refuse(within, { reserve })
  }
}

const hint = (found: Found, preset: Preset<unknown>): Hint.Hint | undefined => {
  const atMost = valueOf(found.hintAtMost)
  if (atMost === undefined) return undefined
  const bounded = preset.hint?._tag === "Override" || preset.hint?._tag === "Floor" ? preset.hint : undefined
  const otherwise = valueOf(found.hintOtherwise) ?? bounded?.otherwise ?? "giveUp"
  return bounded === undefined
    ? Hint.floor({ atMost, otherwise })
    : { ...bounded, atMostMillis: Duration.toMillis(atMost), otherwise }
}

const defined = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }
