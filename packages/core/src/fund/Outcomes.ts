/**
 * What outcomes say about the server.
 */
import { Option } from "effect"
import * as Verdict from "../classify/Verdict.ts"
import type { Outcome } from "./Port.ts"

/**
 * Whether the server asked to send less, also where the failure must not be retried.
 *
 * @category guards
 */
export const isThrottled = (outcome: Outcome): boolean =>
  outcome._tag === "Failed" && Option.contains(Verdict.kindOf(outcome.verdict), "Throttling")
