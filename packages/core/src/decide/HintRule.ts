/**
 * Applies a rule for hints to a delay. All times in milliseconds; hints come from outside and may be infinite.
 */
import * as Predicate from "effect/Predicate"
import type { Hint } from "./Hint.ts"
import { wholeMillis } from "./Millis.ts"

const isAmount = (value: unknown): boolean => typeof value === "number" && value >= 0

const isField = {
  atMostMillis: isAmount,
  aboveMillis: isAmount,
  jitterRatio: isAmount,
  otherwise: Predicate.isString,
  startsOver: Predicate.isBoolean
}

const fields: { readonly [Tag in Hint["_tag"]]: ReadonlyArray<keyof typeof isField> } = {
  Ignore: [],
  Override: ["atMostMillis", "otherwise", "startsOver"],
  Floor: ["atMostMillis", "jitterRatio", "otherwise", "startsOver"],
  Within: ["aboveMillis", "startsOver"]
}

/** Whether a value is a whole rule. A rule written by hand can lack a field, and would not wait at all. */
export const is = (value: unknown): value is Hint =>
  Predicate.isRecord(value) &&
  Predicate.isString(value["_tag"]) &&
  Object.hasOwn(fields, value["_tag"]) &&
  fields[value["_tag"] as Hint["_tag"]].every((field) => isField[field](value[field]))

/** Whether the rule needs a random number when there is a hint. */
export const draws = (self: Hint): boolean => self._tag === "Floor" && self.jitterRatio > 0

/** Whether the back-off starts over after this hint: if the rule says so, and the wait comes from the server. */
export const startsOver = (self: Hint, delayMillis: number, hintMillis: number): boolean => {
  if (self._tag === "Ignore" || !self.startsOver) return false
  if (self._tag === "Within") return hintMillis > delayMillis
  if (hintMillis > self.atMostMillis && self.otherwise !== "clamp") return false
  const waitMillis = Math.min(hintMillis, self.atMostMillis)
  if (self._tag === "Override") return self.zero === "atOnce" || wholeMillis(waitMillis, Infinity) > 0
  return waitMillis >= delayMillis
}

/** The delay under the rule, in whole milliseconds, or `undefined` if the hint makes the operation give up. */
export const bend = (self: Hint, delayMillis: number, hintMillis: number, u: number): number | undefined => {
  if (self._tag === "Ignore") return delayMillis
  if (self._tag === "Within") {
    return Math.max(delayMillis, wholeMillis(Math.min(hintMillis, delayMillis + self.aboveMillis), Infinity))
  }
  if (hintMillis > self.atMostMillis && self.otherwise !== "clamp") {
    return self.otherwise === "giveUp" ? undefined : delayMillis
  }
  if (self._tag === "Floor") return Math.max(delayMillis, wholeMillis(jittered(self, hintMillis, u), Infinity))
  const waitMillis = wholeMillis(Math.min(hintMillis, self.atMostMillis), Infinity)
  return waitMillis > 0 || self.zero === "atOnce" ? waitMillis : delayMillis
}

const jittered = (self: Extract<Hint, { _tag: "Floor" }>, hintMillis: number, u: number): number => {
  const { atMostMillis, jitterRatio } = self
  const low = hintMillis > atMostMillis ? atMostMillis / (1 + jitterRatio) : hintMillis
  return low + u * (Math.min(low * (1 + jitterRatio), atMostMillis) - low)
}
