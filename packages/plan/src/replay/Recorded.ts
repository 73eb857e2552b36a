/**
 * Recorded operations, assembled from their lines.
 */
import type { Verdict } from "@effect-retry/core/Verdict"
import type { Line } from "./Lines.ts"
import { parse, read } from "./Lines.ts"
import * as Spans from "./Spans.ts"

export interface Attempt {
  /** The time from the end of the attempt before, or from the start of the operation, to the start of this one. */
  readonly gapMillis: number
  readonly ranMillis: number
  /** Absent for a success. */
  readonly verdict: Verdict | undefined
}

export interface Operation {
  readonly startMillis: number
  readonly attempts: ReadonlyArray<Attempt>
  /** The delay that the policy chose before each retry. */
  readonly delaysMillis: ReadonlyArray<number>
  readonly succeeded: boolean
  readonly elapsedMillis: number
}

interface Recording {
  /** In the order of their starts. */
  readonly operations: ReadonlyArray<Operation>
  /** How many operations have no beginning or end, were hedged, or lack their last attempt. */
  readonly leftOut: number
}

/** An operation without its end. */
interface Open {
  readonly startMillis: number
  readonly attempts: Array<Attempt>
  readonly delaysMillis: Array<number>
  endedMillis: number
  isHedged: boolean
}

/** Reads lines, skipping empty ones. Throws an `UnreadableLine`. */
export const recording = (lines: Iterable<string>): Recording => {
  const open = new Map<string, Open>()
  const operations: Array<Operation> = []
  let leftOut = 0
  let number = 0

  /** The operation of a line, which may begin with it. */
  const operationOf = ({ attempt, elapsedMillis, key, timeMillis }: Line): Open => {
    const found = open.get(key)
    if (found !== undefined && attempt > 1) return found
    if (found !== undefined && (attempt === 0 || found.attempts.length === 0)) return found
    if (found !== undefined) leftOut += 1
    const startMillis = timeMillis - elapsedMillis
    const begun = { startMillis, attempts: [], delaysMillis: [], endedMillis: 0, isHedged: false }
    open.set(key, begun)
    return begun
  }
  const end = (line: Line, operation: Open, succeeded: boolean) => {
    open.delete(line.key)
    const { attempts, delaysMillis, isHedged, startMillis } = operation
    const isWhole = !isHedged && attempts.length === line.attempt && delaysMillis.length === attempts.length - 1
    if (isWhole) operations.push({ startMillis, attempts, delaysMillis, succeeded, elapsedMillis: line.elapsedMillis })
    else leftOut += 1
  }
  const follow = (line: Line): void => {
    if (line.event === "scheduled" || line.event === "gave up") {
      const operation = open.get(line.key)
      if (line.event === "scheduled") operation?.delaysMillis.push(line.delayMillis)
      else if (operation === undefined) leftOut += 1
      else end(line, operation, false)
      return
    }
    if (line.event === "nested") return
    const operation = operationOf(line)
    if (line.event === "hedged") {
      operation.isHedged = true
      return
    }
    const isSuccess = line.event === "succeeded"
    const delayMillis = operation.delaysMillis[operation.attempts.length - 1] ?? 0
    const begunMillis = isSuccess
      ? Math.min(line.elapsedMillis, operation.endedMillis + delayMillis + line.waitedMillis)
      : line.elapsedMillis - line.ranMillis
    operation.attempts.push({
      gapMillis: Math.max(0, begunMillis - operation.endedMillis),
      ranMillis: line.elapsedMillis - begunMillis,
      verdict: isSuccess ? undefined : line.verdict
    })
    operation.endedMillis = line.elapsedMillis
    if (isSuccess) end(line, operation, true)
  }

  const spans: Array<Spans.Span> = []
  for (const text of lines) {
    number += 1
    if (text.trim() === "") continue
    const fields = parse(text, number)
    if (Spans.isBatch(fields)) for (const span of Spans.read(fields)) spans.push(span)
    else follow(read(fields))
  }
  const ofSpans = Spans.linesOf(spans)
  ofSpans.lines.forEach(follow)
  leftOut += ofSpans.leftOut
  return {
    operations: operations.toSorted((one, other) => one.startMillis - other.startMillis),
    leftOut: leftOut + open.size
  }
}
