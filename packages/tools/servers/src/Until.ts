/** Waits for servers, in the time of the machine. */
import { setTimeout as sleep } from "node:timers/promises"
import type * as Effect from "effect/Effect"
import { attempt, ServerError } from "./ServerError.ts"

const longestMillis = 20_000
const pollMillis = 10

/** Waits until something is so, which the error says where it takes too long. */
export const until = (what: string, isSo: () => Promise<boolean>): Effect.Effect<void, ServerError> =>
  attempt(async () => {
    const startedAt = performance.now()
    while (!(await isSo())) {
      if (performance.now() - startedAt > longestMillis) {
        throw new ServerError({ message: `not so after ${longestMillis} ms: ${what}` })
      }
      await sleep(pollMillis)
    }
  })
