/**
 * The settings of the playground: a value for each control, kept in the address of the page. Pure.
 */
import { type ChoiceControl, type Control, controls } from "./Controls.ts"

type Controls = typeof controls

export type Settings = {
  readonly [K in keyof Controls]: Controls[K] extends ChoiceControl<infer A> ? A : number
}

export type Key = keyof Settings

export const keys = Object.keys(controls) as ReadonlyArray<Key>

/** Settings from values of outside: what is missing, unknown or out of range is the initial value. */
export const fromValues = (valueOf: (key: Key) => unknown): Settings =>
  Object.fromEntries(keys.map((key) => [key, accepted(controls[key], valueOf(key))])) as Settings

const accepted = (control: Control, given: unknown): string | number => fitting(control, given) ?? control.initial

/** The value that a control takes from one of outside; `undefined` where it takes none. */
export const fitting = (control: Control, given: unknown): string | number | undefined => {
  if (control._tag === "Choice") {
    return typeof given === "string" && Object.hasOwn(control.choices, given) ? given : undefined
  }
  const number = typeof given === "string" && given.trim() !== "" ? Number(given) : given
  if (typeof number !== "number" || !(number >= control.least && number <= control.most)) return undefined
  return control.isWhole && !Number.isInteger(number) ? undefined : number
}

export const initial: Settings = fromValues(() => undefined)

/** Whether a control matters under these settings. */
export const matters = (settings: Settings, key: Key): boolean => {
  const { when }: Control = controls[key]
  if (when === undefined) return true
  const [other, ...values] = when
  return values.includes(String(settings[other as Key])) && matters(settings, other as Key)
}

/** The same settings, with the initial value of each control that does not matter. */
export const relevant = (settings: Settings): Settings =>
  fromValues((key) => (matters(settings, key) ? settings[key] : undefined))

/** The form of an address; another one gives the initial settings. */
const version = "1"

/** What differs from the initial settings, for the address of the page. */
export const toHash = (settings: Settings): string => {
  const changed = keys.filter((key) => settings[key] !== initial[key] && matters(settings, key))
  const entries = changed.map((key) => [key, String(settings[key])])
  return changed.length === 0 ? "" : new URLSearchParams([["v", version], ...entries]).toString()
}

export const fromHash = (hash: string): Settings => {
  const given = new URLSearchParams(hash.replace(/^#/, ""))
  return given.get("v") === version ? fromValues((key) => given.get(key) ?? undefined) : initial
}

export const toJson = (settings: Settings): string =>
  JSON.stringify(
    Object.fromEntries(keys.filter((key) => matters(settings, key)).map((key) => [key, settings[key]])),
    null,
    2
  )
