/**
 * Response headers that say how long to wait, and their order of precedence.
 *
 * First stage of the flow. Readers are pure and strict: a value that is not exactly of its documented form counts as
 * absent, and the next header is asked. What is read is a wish, from outside: the policy's hint rule bounds it.
 */
import type { Headers } from "@effect/platform"

/**
 * A header, or a family of headers, that says how long to wait.
 *
 * @category models
 */
export interface HintHeader {
  /** What to call it, such as `retry-after`. */
  readonly name: string
  /**
   * The wait in milliseconds, from 0 to `Infinity`, or `undefined` where the headers do not say.
   *
   * `nowMillis` is the time by the server's clock, in milliseconds since 1970; `NaN` where nobody knows it.
   */
  readonly read: (headers: Headers.Headers, nowMillis: number) => number | undefined
}

/**
 * What the headers ask for.
 *
 * @category models
 */
export interface Found {
  /** The `name` of the header that was read. */
  readonly header: string
  /** From 0 to `Infinity`. */
  readonly millis: number
}
