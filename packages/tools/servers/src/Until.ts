/** Waits for servers, in the time of the machine. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { attempt, lastLine, ServerError } from "./ServerError.ts"

/** Most time of a wait: what a busy machine needs, and less than a test may take. */
export const longestMillis = 120_000

const pollMillis = 10

/**
 * Looks again and again until there is something. A look that fails counts as one that found nothing, and one that hangs
 * ends with the wait. Where that takes too long, the error says what was waited for, and why the latest look failed.
 */
export const found = <A>(
  what: string,
  look: () => Promise<A | undefined>,
  mostMillis: number = longestMillis
): Effect.Effect<A, ServerError> =>
  attempt(async () => {
    const over = new AbortController()
    let why = ""
    const looking = async (): Promise<A> => {
      for (;;) {
        const seen = await look().catch((error: unknown) => {
          why = ` (${lastLine(error)})`
          return undefined
        })
        if (seen !== undefined) return seen
        await sleep(pollMillis, undefined, { signal: over.signal })
      }
    }
    const late = async (): Promise<never> => {
      await sleep(mostMillis, undefined, { signal: over.signal })
      throw new ServerError({ message: `not so after ${mostMillis} ms: ${what}${why}` })
    }
    try {
      return await Promise.race([looking(), late()])
    } finally {
      over.abort()
    }
  })

/** Waits until a condition holds. */
export const until = (what: string, isSo: () => Promise<boolean>): Effect.Effect<void, ServerError> =>
  Effect.asVoid(found(what, async () => ((await isSo()) ? true : undefined)))
