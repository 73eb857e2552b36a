/**
 * Paths: all operations that have reached the same state of the back-off, as one with intervals for its times.
 */
import type { Failures } from "@effect-retry/core/unstable/Progress"
import type { Tree } from "@effect-retry/core/unstable/BackoffTree"
import * as Verdict from "@effect-retry/core/Verdict"
import * as Extremes from "./Extremes.ts"
import type { Histories } from "./Means.ts"
import { histories } from "./Means.ts"
import * as TreeKey from "./TreeKey.ts"

/** All times in milliseconds. */
export interface Path {
  readonly extremes: Extremes.Extremes
  readonly histories: Histories
  /** Failures of the kinds with separate limits on attempts. */
  readonly failures: Failures
  /** The start of the current attempt; the latest one ignores the deadline. */
  readonly earliest: number
  readonly latest: number
  /** The least time spent in attempts. */
  readonly ranLeast: number
  /** The most time spent in delays, ignoring the deadline. */
  readonly waitedMost: number
}

/** The path of all operations before their first failure. */
export const start = (tree: Tree): Path => ({
  extremes: Extremes.make(tree),
  histories: histories(tree),
  failures: {},
  earliest: 0,
  latest: 0,
  ranLeast: 0,
  waitedMost: 0
})

/** Makes a function that merges paths which have reached the same state of the back-off. */
export const merger = (): ((paths: ReadonlyArray<Path>) => ReadonlyArray<Path>) => {
  const keyOf = TreeKey.make()
  return (paths) => {
    if (paths.length < 2) return paths
    const distinct = new Map<string, Path>()
    for (const path of paths) {
      const key = `${failuresKey(path.failures)} ${keyOf(path.extremes)}`
      const known = distinct.get(key)
      distinct.set(key, known === undefined ? path : hull(known, path))
    }
    return [...distinct.values()]
  }
}

const failuresKey = (failures: Failures): string => Verdict.kinds.map((kind) => failures[kind] ?? 0).join()

const hull = (one: Path, other: Path): Path => ({
  ...one,
  earliest: Math.min(one.earliest, other.earliest),
  latest: Math.max(one.latest, other.latest),
  ranLeast: Math.min(one.ranLeast, other.ranLeast),
  waitedMost: Math.max(one.waitedMost, other.waitedMost)
})
