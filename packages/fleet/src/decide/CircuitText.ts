/**
 * The circuit of a fleet as the text that a store keeps. Pure.
 *
 * A text holds whole milliseconds since 1970 by the clock of the store; a circuit in memory holds the time of its process, and
 * `offsetMillis` is what the store's clock shows more. A closed circuit that has never been open has no text. What the
 * attempts of a closed circuit count is not in it: each process counts its own.
 */
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Circuit from "@effect-retry/core/unstable/Circuit"
import * as Option from "effect/Option"

type Tree = Circuit.Circuit["openFor"]

/** How long a store keeps a text after all its times are over. */
const idleMillis = 3_600_000

/** The longest time in a text, a hundred years: an isolated circuit is isolated for so long unless it is reset. */
export const longestMillis = 3_155_760_000_000

/** A text, and how long a store keeps it. */
export interface Kept {
  readonly text: string
  readonly forMillis: number
}

/** The text of a circuit. */
export const encode = (circuit: Circuit.Circuit, nowMillis: number, offsetMillis: number): Kept => {
  const stored = (millis: number) => Math.ceil(Math.min(millis, nowMillis + longestMillis) + offsetMillis)
  const { firstMillis, opened } = circuit
  const openMillis = Math.min(circuit.openMillis, longestMillis)
  const words = (...own: ReadonlyArray<number>) =>
    [circuit._tag, opened, Math.ceil(openMillis), stored(firstMillis), ...own].join(" ")
  const lasting = (untilMillis: number) =>
    Math.ceil(Math.min(longestMillis, Math.max(0, untilMillis - nowMillis) + openMillis)) + idleMillis
  switch (circuit._tag) {
    case "Closed":
      return { text: words(stored(circuit.sinceMillis)), forMillis: lasting(nowMillis) }
    case "Open":
      return { text: words(stored(circuit.untilMillis)), forMillis: lasting(circuit.untilMillis) }
    case "HalfOpen": {
      const probes = circuit.probes.flatMap(({ ticket, untilMillis }) => [ticket, stored(untilMillis)])
      const lastMillis = Math.max(nowMillis, ...circuit.probes.map(({ untilMillis }) => untilMillis))
      return { text: words(circuit.succeeded, ...probes), forMillis: lasting(lastMillis) }
    }
    case "Isolated":
      return { text: words(), forMillis: longestMillis }
  }
}

/** Whether the text is that of a closed circuit. */
export const isClosed = (text: string): boolean => text === "" || text.startsWith("Closed ")

const whole = /^-?\d{1,16}$/

/** How many numbers follow the name of a state, without those of probes: a ticket and a time each. */
const numbersOf = new Map([
  ["Closed", 4],
  ["Open", 4],
  ["HalfOpen", 4],
  ["Isolated", 3]
])

/** The most probes that a text may hold. */
export const mostProbes = 1000

const isText = (text: string): boolean => {
  if (text === "") return true
  const [tag = "", ...words] = text.split(" ")
  const ofProbes = words.length - (numbersOf.get(tag) ?? NaN)
  const most = tag === "HalfOpen" ? 2 * mostProbes : 0
  return ofProbes >= 0 && ofProbes <= most && ofProbes % 2 === 0 && words.every((word) => whole.test(word))
}

/**
 * The answer of a store to a swap of texts.
 *
 * @category models
 */
export interface Swapped {
  readonly text: string
  /** The time of the store in milliseconds since 1970. */
  readonly nowMillis: number
}

/** Reads a text and the microseconds of a store; `None` if the text is not that of a circuit. */
export const fromAnswer = ([text, micros]: readonly [string, number]): Option.Option<Swapped> =>
  isText(text) ? Option.some({ text, nowMillis: micros / 1000 }) : Option.none()

/**
 * The circuit of a text, or a closed circuit if the text is not that of a circuit. `local` is the circuit that it replaces,
 * which has the next ticket of the process.
 *
 * A state ends no later than it could if it began now: the text may hold a later time after the store's clock has gone back.
 */
export const decode = (
  text: string,
  local: Circuit.Circuit,
  settings: Circuit.Settings,
  nowMillis: number,
  offsetMillis: number
): Circuit.Circuit => {
  const closed = Circuit.closed(settings, nowMillis, local.next)
  if (text === "" || !isText(text)) return closed
  const [tag, ...words] = text.split(" ")
  const [opened = 0, openMillis = 0, first = 0, own = 0, ...probes] = words.map(Number)
  const at = (millis: number, mostMillis: number) => Math.min(millis - offsetMillis, nowMillis + mostMillis)
  const isKnown = local.opened === opened
  const kept = {
    next: local.next,
    opened,
    openMillis,
    firstMillis: at(first, 0),
    openFor: isKnown ? local.openFor : after(settings.openFor, opened)
  }
  switch (tag) {
    case "Closed":
      return { ...closed, ...kept, next: closed.next, sinceMillis: at(own, 0) }
    case "Open":
      return { ...kept, _tag: "Open", untilMillis: at(own, Math.max(openMillis, settings.maxHintMillis)) }
    case "HalfOpen":
      return { ...kept, _tag: "HalfOpen", succeeded: own, probes: probesOf(probes, at, settings, openMillis) }
    default:
      return { ...kept, _tag: "Isolated" }
  }
}

const probesOf = (
  numbers: ReadonlyArray<number>,
  at: (millis: number, mostMillis: number) => number,
  settings: Circuit.Settings,
  openMillis: number
): Extract<Circuit.Circuit, { readonly _tag: "HalfOpen" }>["probes"] => {
  const mostMillis = Circuit.leaseMillisOf(settings, openMillis)
  return numbers.flatMap((ticket, i) =>
    i % 2 === 0 ? [{ ticket, untilMillis: at(numbers[i + 1] ?? 0, mostMillis) }] : []
  )
}

/** The next open time of a schedule, from the middle of its range. */
export const stepOf = (tree: Tree): BackoffTree.Step | undefined =>
  BackoffTree.step(tree, { u: 0.5, kind: undefined, ranMillis: 0, elapsedMillis: 0 })

/** No more steps than this: after so many open times, a schedule hardly changes. */
const mostSteps = 100

/**
 * The open times that follow `opened` ones, which other processes have drawn. Exact for a delay that depends only on its
 * number. A delay that depends on the one before continues from the middle of that one's range.
 */
const after = (tree: Tree, opened: number): Tree => {
  let rest = tree
  for (let step = 0; step < Math.min(opened, mostSteps); step += 1) {
    rest = stepOf(rest)?.rest ?? rest
  }
  return rest
}
