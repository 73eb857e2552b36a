/**
 * Logs each outage of a store, and its end, once for all buckets without observers.
 *
 * All buckets of a store share these lines. If a store is up but fails one bucket, for example because of a value that
 * no bucket wrote, the outage concerns the buckets with this name.
 */
import * as Logging from "@effect-retry/core/unstable/Logging"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { Reason } from "../../accept/StoreReason.ts"
import type { Store } from "../store/Store.ts"
import * as OutageLines from "./OutageLines.ts"

/** An outage, until the store answers. */
interface Outage {
  readonly name: string
  readonly sinceMillis: number
  readonly isLogged: boolean
}

/** The outages of a store. An outage for all buckets has an empty name. */
interface Outages {
  readonly nowMillis: MonotonicTime.Reader
  readonly underWay: Map<string, Outage>
  /** When the latest outage of each name was logged. */
  readonly loggedMillis: Map<string, number>
}

/** At most one outage is logged in this time, because more lines about a flapping store would add nothing. */
const quietMillis = 10_000

/** Reasons that concern one bucket, while others may be answered. */
const ofOne: ReadonlySet<unknown> = /*#__PURE__*/ new Set<Reason>(["Refused", "WrongType", "BadAnswer"])

/** Kept by store, because the store is the only thing that its buckets share. */
const outagesOf: WeakMap<Store<unknown>, Outages> = /*#__PURE__*/ new WeakMap()

/** Notes how a call of a bucket with that name ended. Logs a warning when an outage begins, and a line when it ends. */
export const note = (store: Store<unknown>, name: string, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
  const outages = outagesOf.get(store)
  if (Exit.isFailure(exit)) return began(outages ?? made(store), name, Cause.squash(exit.cause))
  return outages === undefined || outages.underWay.size === 0 ? Effect.void : ended(outages, name)
}

const made = (store: Store<unknown>): Outages => {
  const outages = { nowMillis: MonotonicTime.makeReader(), underWay: new Map(), loggedMillis: new Map() }
  outagesOf.set(store, outages)
  return outages
}

const began = ({ loggedMillis, nowMillis, underWay }: Outages, name: string, error: unknown): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    const whose = Predicate.hasProperty(error, "reason") && ofOne.has(error.reason) ? name : ""
    const outage = underWay.get(whose)
    if (outage?.isLogged === true) return Effect.void
    const atMillis = nowMillis(clock)
    const isLogged = atMillis - (loggedMillis.get(whose) ?? -Infinity) >= quietMillis
    underWay.set(whose, { name, sinceMillis: outage?.sinceMillis ?? atMillis, isLogged })
    if (!isLogged) return Effect.void
    loggedMillis.set(whose, atMillis)
    return Logging.safely(Effect.logWarning(OutageLines.away(name, Untrusted.shown(error))))
  })

/** An answer to one bucket shows that the store is up, but says nothing about its answers to other buckets. */
const ended = ({ nowMillis, underWay }: Outages, name: string): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    Effect.forEach(
      ["", name],
      (whose) => {
        const outage = underWay.get(whose)
        underWay.delete(whose)
        if (outage?.isLogged !== true) return Effect.void
        return Logging.safely(Effect.logInfo(OutageLines.back(outage.name, nowMillis(clock) - outage.sinceMillis)))
      },
      { discard: true }
    )
  )
