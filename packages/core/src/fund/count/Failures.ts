/**
 * Decides when there are too many failures: in a row, among the last attempts, or in a time window. Pure.
 */
import * as SlidingWindow from "./SlidingWindow.ts"

/** When there are too many failures. A ratio is in (0, 1], and an equal share reaches it. */
export type Rule =
  | { readonly _tag: "Consecutive"; readonly failures: number }
  | { readonly _tag: "Last"; readonly ratio: number; readonly attempts: number; readonly atLeast: number }
  | { readonly _tag: "Window"; readonly ratio: number; readonly windowMillis: number; readonly atLeast: number }

/** The attempts that count. */
export type Sample =
  | { readonly _tag: "Consecutive"; readonly failed: number }
  | Last
  | {
      readonly _tag: "Window"
      readonly attempts: SlidingWindow.SlidingWindow
      readonly failed: SlidingWindow.SlidingWindow
    }

/** One bit for each of the last attempts, 1 for a failure, so that copying a record of a thousand attempts copies 32 numbers. */
interface Last {
  readonly _tag: "Last"
  readonly bits: ReadonlyArray<number>
  /** The position of the next attempt. */
  readonly next: number
  readonly attempts: number
  readonly failed: number
}

export const none = (rule: Rule): Sample => {
  switch (rule._tag) {
    case "Consecutive":
      return { _tag: "Consecutive", failed: 0 }
    case "Last": {
      const bits = Array.from({ length: Math.ceil(rule.attempts / 32) }, () => 0)
      return { _tag: "Last", bits, next: 0, attempts: 0, failed: 0 }
    }
    case "Window": {
      const empty = SlidingWindow.make(rule.windowMillis)
      return { _tag: "Window", attempts: empty, failed: empty }
    }
  }
}

/** Whether the rule needs the time of an attempt. */
export const readsTime = ({ _tag }: Rule): boolean => _tag === "Window"

/** Whether a success leaves the sample as it is, at any time. */
export const ignoresSuccess = (sample: Sample): boolean => sample._tag === "Consecutive" && sample.failed === 0

/** The sample with another attempt; the same value if nothing changes. */
export const added = (rule: Rule, sample: Sample, isFailure: boolean, nowMillis: number): Sample => {
  switch (sample._tag) {
    case "Consecutive": {
      const failed = isFailure ? sample.failed + 1 : 0
      return failed === sample.failed ? sample : { _tag: "Consecutive", failed }
    }
    case "Last":
      return addedToLast(sample, (rule as Extract<Rule, { readonly _tag: "Last" }>).attempts, isFailure)
    case "Window": {
      const attempts = SlidingWindow.added(SlidingWindow.advanced(sample.attempts, nowMillis), 1)
      const failed = SlidingWindow.advanced(sample.failed, nowMillis)
      return { _tag: "Window", attempts, failed: isFailure ? SlidingWindow.added(failed, 1) : failed }
    }
  }
}

const addedToLast = ({ attempts, bits, failed, next }: Last, most: number, isFailure: boolean): Last => {
  const word = next >>> 5
  const bit = 1 << (next & 31)
  const before = bits[word] ?? 0
  // Before the record is full, this bit is still 0.
  const forgotten = (before & bit) === 0 ? 0 : 1
  const after = isFailure ? before | bit : before & ~bit
  return {
    _tag: "Last",
    bits: after === before ? bits : bits.with(word, after),
    next: next + 1 === most ? 0 : next + 1,
    attempts: Math.min(most, attempts + 1),
    failed: failed - forgotten + (isFailure ? 1 : 0)
  }
}

/** Whether the sample has too many failures, as of the last attempt added. */
export const areTooMany = (rule: Rule, sample: Sample): boolean => {
  switch (rule._tag) {
    case "Consecutive":
      return sample._tag === "Consecutive" && sample.failed >= rule.failures
    case "Last":
      return sample._tag === "Last" && reaches(rule, sample.failed, sample.attempts)
    case "Window":
      return (
        sample._tag === "Window" && reaches(rule, SlidingWindow.sum(sample.failed), SlidingWindow.sum(sample.attempts))
      )
  }
}

const reaches = (
  { atLeast, ratio }: { readonly ratio: number; readonly atLeast: number },
  failed: number,
  attempts: number
): boolean => attempts >= atLeast && failed >= ratio * attempts - 1e-9
