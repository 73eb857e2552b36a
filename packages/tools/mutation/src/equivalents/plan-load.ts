import type { Equivalent } from "../Equivalent.ts"

/** Of `plan/load`. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/plan/src/load/Client.ts",
    line: "Effect.match(Retry.retry(attempt, whole), { onFailure: () => false, onSuccess: () => true })",
    original: "() => false",
    replacement: "() => undefined",
    reason: "Only whether it is true is looked at."
  },
  {
    file: "packages/plan/src/load/Server.ts",
    line: "millis + serviceMillis > outage.fromMillis && millis < outage.toMillis ? outage.toMillis : millis",
    original: "millis < outage.toMillis",
    replacement: "millis <= outage.toMillis",
    reason: "The end of the outage is then that time itself."
  }
]
