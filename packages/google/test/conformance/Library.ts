/**
 * What Google's scenarios are run through: the package, as its users call it.
 */
import { Backoff } from "@effect-retry/core"
import { StorageRetry } from "@effect-retry/google"
import { Effect } from "effect"
import type { Library } from "./Run.ts"

/** As documented, with waits that a test can afford. */
export const policy = { ...StorageRetry.standard, backoff: Backoff.constant({ delay: "1 milli" }) }

export const library: Library = {
  retrying: StorageRetry.withRetry(policy),
  groups: {
    "resumable upload": { needs: ["bucket"], run: () => Effect.fail("todo") },
    download: { needs: ["bucket", "object to download"], run: () => Effect.fail("todo") }
  }
}
