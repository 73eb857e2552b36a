/**
 * A preset of a package as settings of the page: its own values where the controls can express them, compared with what the
 * controls then make, and the names of everything else.
 */
import { AttemptTimeout, type Backoff, Hint, type TokenBucket, Verdict } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { type Client, client } from "./Client.ts"
import { type Control, type NumberControl, policyControls } from "./Controls.ts"
import { label } from "./Figures.ts"
import { load } from "./PresetClients.ts"
import { type PresetKey, presets } from "./Presets.ts"
import type { Taken } from "./Question.ts"
import { fitting, initial, relevant, type Settings } from "./Settings.ts"

type Values = Partial<Settings>

/** Values of controls, and what they leave out. */
interface Part {
  readonly values: Values
  readonly left: ReadonlyArray<string>
}

const whole = (values: Values): Part => ({ values, left: [] })

const nothing: Part = whole({})

/** Loads the package of the preset. */
export const taken = async (preset: PresetKey): Promise<Taken> => {
  const given = await load(preset)
  const parts = [...ofPolicy(given), await Effect.runPromise(bucket(given.bucket))].map(fitted)
  const values: Values = Object.assign({}, ...parts.map(({ values }) => values))
  return {
    settings: relevant({ ...initial, ...values, preset }),
    left: parts.flatMap(({ left }) => left),
    from: `${presets[preset].member} of ${presets[preset].from}`
  }
}

type Key = keyof typeof policyControls

const isFitting = (values: Values): boolean =>
  Object.entries(values).every(([key, value]) => fitting(policyControls[key as Key], value) !== undefined)

/** A number above the range of its control becomes the most that it takes. */
const fitted = ({ left, values }: Part): Part => {
  const above = Object.entries(values).filter(([key, value]) => {
    const control: Control = policyControls[key as Key]
    return control._tag === "Number" && Number(value) > control.most
  })
  const controlOf = (key: string) => policyControls[key as Key] as NumberControl
  const said = ({ label: name, most, unit }: NumberControl) =>
    `more than ${unit === "ms" ? label(most) : most} for "${name}"`
  return {
    values: { ...values, ...Object.fromEntries(above.map(([key]) => [key, controlOf(key).most])) },
    left: [...left, ...above.map(([key]) => said(controlOf(key)))]
  }
}

/** Fields that change neither attempts nor waits. */
const foreign = new Set(["name", "observe", "attempt", "bucket"])

const ofPolicy = ({ policy }: Client): ReadonlyArray<Part> => {
  const { attemptTimeout, backoff, deadline, hint, maxAttempts, ...others } = policy
  return [
    whole({ maxAttempts }),
    timeout(attemptTimeout),
    maxAttempts === 1 ? nothing : delays(backoff, retriesOf(maxAttempts)),
    hints(hint ?? Hint.standard),
    limit(deadline),
    ...Object.keys(others)
      .filter((field) => !foreign.has(field))
      .map((field) => ({ values: {}, left: [`its ${field}`] }))
  ]
}

const timeout = (given: AttemptTimeout.AttemptTimeout<unknown> | undefined): Part => {
  if (given === undefined) return nothing
  const [first = 0, ...later] = [1, 2, 3].map((attempt) => given.millisOf(attempt, 0))
  const changes = later.some((millis) => millis !== first)
  return changes ? { values: {}, left: ["attempt timeouts that change"] } : whole({ attemptTimeout: first })
}

const hints = (hint: Hint.Hint): Part => {
  switch (hint._tag) {
    case "Ignore":
      return whole({ hint: "ignore" })
    case "Within":
      return {
        values: { hint: "ignore" },
        left: [`hints, which it follows up to ${label(hint.aboveMillis)} above its delay`]
      }
    default:
      return {
        values: { hint: hint._tag === "Floor" ? "floor" : "override", hintAtMost: hint.atMostMillis },
        left: [
          ...(hint._tag === "Floor" && hint.jitterRatio > 0 ? ["the jitter above a hint"] : []),
          ...(hint._tag === "Override" && hint.zero === "atOnce"
            ? ["a hint of zero, after which it retries at once"]
            : []),
          ...(hint.otherwise === "giveUp" ? [] : [`a longer hint, for which it has "${hint.otherwise}"`]),
          ...(hint.startsOver ? ["a back-off that starts over after a hint"] : [])
        ]
      }
  }
}

const limit = (deadline: Client["policy"]["deadline"]): Part => {
  if (deadline === undefined) return nothing
  const { _tag, reserveMillis, withinMillis } = deadline
  if (_tag === "Truncate") {
    return whole({ deadline: "truncate", deadlineWithin: withinMillis, deadlineReserve: reserveMillis })
  }
  return {
    values: { deadline: _tag === "Refuse" ? "refuse" : "cut", deadlineWithin: withinMillis },
    // Times are whole milliseconds.
    left: reserveMillis > 1 ? [`a reserve of ${label(reserveMillis)} before its deadline`] : []
  }
}

type Retries = ReadonlyArray<number>

type Leaf = Backoff.Backoff["tree"] & { readonly _tag: "Leaf" }

const delays = ({ tree }: Backoff.Backoff, retries: Retries): Part => {
  if (tree._tag === "Leaf") return ofLeaf(tree, retries)
  if (tree._tag !== "ByKind" || tree.orElse._tag !== "Leaf") return { values: {}, left: ["its back-off"] }
  const { left, values } = ofLeaf(tree.orElse, retries)
  return { values, left: [...left, `the back-off of ${Object.keys(tree.cases).join(" and ")}`] }
}

/** Retries whose delays are compared: fewer than three do not tell the curves apart. */
const retriesOf = (maxAttempts: number) =>
  Array.from({ length: Math.min(12, Math.max(3, maxAttempts - 1)) }, (_, i) => i + 1)

const boundOf = ({ capMillis, curve, state }: Leaf, n: number): number =>
  curve.draws
    ? curve.intervalMillis(n, capMillis)[1]
    : Math.min(capMillis, curve.delayMillis(n, state, capMillis, 0) ?? NaN)

/** The least and the most delay of each retry. */
const intervals = (leaf: Leaf, retries: Retries): ReadonlyArray<readonly [number, number]> =>
  retries.map((n) => {
    if (leaf.curve.draws) return leaf.curve.intervalMillis(n, leaf.capMillis)
    const [least, most] = leaf.jitter.interval(boundOf(leaf, n))
    return [Math.min(least, leaf.capMillis), Math.min(most, leaf.capMillis)]
  })

const ofLeaf = (leaf: Leaf, retries: Retries): Part => {
  const { curve, jitter } = leaf
  const all = curves(leaf).map((values) => ({ ...values, cap: capOf(leaf, retries) }))
  const exact = all
    .flatMap((values) => jitters(leaf).map((jittered) => ({ ...values, ...jittered })))
    .find((values) => isSame(values, intervals(leaf, retries)))
  if (exact !== undefined) {
    const isOwn = !curve.draws || curve.name === exact.curve
    return { values: exact, left: isOwn ? [] : [`the chances within the delays of its curve ${curve.name}`] }
  }
  const bounds = retries.map((n) => [boundOf(leaf, n), boundOf(leaf, n)] as const)
  const plain = all.map((values) => ({ ...values, jitter: "none" as const })).find((values) => isSame(values, bounds))
  if (plain === undefined) return { values: {}, left: [`its delays (${curve.name})`] }
  return { values: plain, left: [`its jitter (${curve.draws ? curve.name : jitter.name})`] }
}

/** Without a cap, the longest delay that is looked at. */
const capOf = (leaf: Leaf, retries: Retries): number => {
  const bounds = [...retries, 200].map((n) => boundOf(leaf, n)).filter((bound) => !Number.isNaN(bound))
  return Math.min(leaf.capMillis, policyControls.cap.most, Math.max(...bounds))
}

/** What the controls could say of its curve, the one of its name first. */
const curves = (leaf: Leaf): ReadonlyArray<Values> => {
  const [base, second] = [boundOf(leaf, 1), boundOf(leaf, 2)]
  const found: ReadonlyArray<Values & { readonly curve: Settings["curve"] }> = [
    { curve: "exponential", base, factor: rounded(second / base) },
    { curve: "constant", base },
    { curve: "linear", base, step: second - base },
    { curve: "fibonacci", base },
    { curve: "decorrelated", base },
    { curve: "decorrelatedSmooth", base }
  ]
  return found.toSorted((a, b) => Number(b.curve === leaf.curve.name) - Number(a.curve === leaf.curve.name))
}

const jitters = (leaf: Leaf): ReadonlyArray<Values> => {
  const [least, most] = intervals(leaf, [1])[0] ?? [0, 0]
  const bound = boundOf(leaf, 1)
  return [
    { jitter: "none" },
    { jitter: "full" },
    { jitter: "equal" },
    ...(least < bound ? [{ jitter: "proportional" as const, jitterRatio: rounded(1 - least / bound) }] : []),
    ...(least < most ? [{ jitter: "additive" as const, jitterMax: most - least }] : [])
  ]
}

const rounded = (value: number): number => Number(value.toFixed(6))

/** Whether the controls make these delays of the values. */
const isSame = (values: Values, wanted: ReadonlyArray<readonly [number, number]>): boolean => {
  if (!isFitting(values)) return false
  const { tree } = made(values).policy.backoff
  if (tree._tag !== "Leaf") return false
  const found = intervals(
    tree,
    wanted.map((_, i) => i + 1)
  )
  return wanted.every(([least, most], i) => isNear(least, found[i]?.[0]) && isNear(most, found[i]?.[1]))
}

/** Times are whole milliseconds. */
const isNear = (one: number, other: number | undefined): boolean => Math.abs(one - (other ?? NaN)) < 1

const made = (values: Values): Client => client({ ...initial, ...values })

type Bucket = NonNullable<Client["bucket"]>

/** A bucket is an effect that says nothing of itself: it is used beside those of the controls, which have to do the same. */
const bucket = (given: Bucket | undefined): Effect.Effect<Part> =>
  Effect.gen(function* () {
    if (given === undefined) return nothing
    const wanted = yield* levels(given)
    const [capacity = 0] = wanted
    const candidates: ReadonlyArray<Values> = [
      { bucket: "quota", bucketCapacity: capacity },
      {
        bucket: "successRatio",
        bucketCapacity: capacity,
        bucketRatio: rounded((wanted.at(-1) ?? 0) - (wanted.at(-2) ?? 0))
      }
    ]
    for (const values of candidates) {
      const own = isFitting(values) ? made(values).bucket : undefined
      if (own === undefined) continue
      const found = yield* levels(own)
      if (found.length === wanted.length && found.every((level, i) => Math.abs(level - (wanted[i] ?? NaN)) < 1e-6)) {
        return whole(values)
      }
    }
    return { values: {}, left: ["its token bucket"] }
  })

const noTokens: TokenBucket.Grant = { tokens: 0, refund: Effect.void }

/** The level after each of the same requests and outcomes: failures of each kind until it refuses, and then successes. */
const levels = (bucket: Bucket): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const { acquire, level, record } = yield* bucket
    const found = [yield* level]
    for (let i = 0; i < 200; i++) {
      const kind = Verdict.kinds[i % Verdict.kinds.length] ?? "Transient"
      const granted = yield* acquire({
        attempt: 2,
        kind: Option.some(kind),
        delay: Duration.zero,
        atMost: Option.some(Duration.zero),
        restore: identity
      })
      if (Option.isNone(granted)) break
      found.push(yield* level)
      yield* record({ _tag: "Failed", attempt: 2, granted: granted.value, verdict: Verdict.retryable(kind) })
      found.push(yield* level)
      if (i % 5 !== 4) continue
      yield* record({ _tag: "Succeeded", attempt: 2, granted: granted.value })
      found.push(yield* level)
    }
    yield* record({ _tag: "Succeeded", attempt: 1, granted: noTokens })
    found.push(yield* level)
    return found
  })
