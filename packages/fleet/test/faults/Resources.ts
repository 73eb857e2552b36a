/**
 * What a process leaves behind that uses a store.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { performance } from "node:perf_hooks"
import { assert } from "@effect/vitest"

/** Sockets and timers of this process that keep it alive. */
export const resources = (): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = { TCPSocketWrap: 0, Timeout: 0 }
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const pauseMillis = 5

/** Waits until there are no more sockets and timers than before. */
export const ended = async (before: Readonly<Record<string, number>>, longestMillis: number): Promise<void> => {
  const more = (): boolean =>
    Object.entries(before).some(([name, count]) => (resources()[name] ?? 0) > count) ||
    (resources()["TCPConnectWrap"] ?? 0) > (before["TCPConnectWrap"] ?? 0)
  const startedAt = performance.now()
  while (more()) {
    if (performance.now() - startedAt > longestMillis) assert.deepStrictEqual(resources(), before)
    await sleep(pauseMillis)
  }
}
