/**
 * Ranges of numbers and times that several constructors take; times in milliseconds.
 */
import type { Range } from "../accept/Argument.ts"
import { longestMillis, longestTimerMillis } from "./Millis.ts"

/** Of a delay, or of the base and the step of a curve. */
export const delay = { min: 0 } satisfies Range

/** Of the base of a curve that draws, which needs a non-zero interval, and of the width of an interval. */
export const width = { min: 0, exclusive: true } satisfies Range

/** Of the factor by which a curve or a timeout grows. */
export const factor = { min: 1 } satisfies Range

/** Of the degree of a polynomial curve. */
export const degree = { min: 0, exclusive: true } satisfies Range

/** Of the ratio of a jitter around its bound. */
export const jitterRatio = { min: 0, max: 1, exclusive: true } satisfies Range

/** Of the jitter ratio of a hint, which may be zero. */
export const hintRatio = { min: 0, max: 1 } satisfies Range

/** Of a cap: delays are whole milliseconds, so a cap below one would leave no delay. */
export const cap = { min: 1 } satisfies Range

/** Of a timeout, which is one timer of the platform. */
export const timeout = { min: 1, max: longestTimerMillis } satisfies Range

/** Of a deadline. */
export const deadline = { min: 0, max: longestMillis, exclusive: true } satisfies Range

/** Of a count of attempts, which may also be `Infinity`. */
export const attempts = { min: 1, integer: true } satisfies Range
