/**
 * The JSON form of a protobuf duration, such as `"2s"` or `"0.250s"`.
 *
 * Source: https://protobuf.dev/reference/protobuf/google.protobuf/#duration.
 */

/** A duration in two parts, neither of which is negative. */
export interface ProtobufDuration {
  readonly seconds: number
  /** Less than a second. */
  readonly nanos: number
}

/** The longest duration: about 10,000 years. */
export const mostSeconds = 315_576_000_000

const text = /^(\d{1,12})(?:\.(\d{1,9}))?s$/

/** Whether a duration is in the range of protobuf, and not negative. */
export const isDuration = ({ nanos, seconds }: ProtobufDuration): boolean =>
  seconds >= 0 && nanos >= 0 && nanos < 1e9 && (seconds < mostSeconds || (seconds === mostSeconds && nanos === 0))

/** Reads a duration; `undefined` for anything else, negative durations included. */
export const fromJson = (given: unknown): ProtobufDuration | undefined => {
  const [, whole, decimals = ""] = typeof given === "string" ? (text.exec(given) ?? []) : []
  if (whole === undefined) return undefined
  const found = { seconds: Number(whole), nanos: Number(decimals.padEnd(9, "0")) }
  return isDuration(found) ? found : undefined
}
