/**
 * A client that a caller hands over.
 */
import { HttpClient } from "@effect/platform"
import * as Argument from "@effect-retry/core/Argument"
import { Predicate } from "effect"

/**
 * @category guards
 */
export const isClient = (given: unknown): boolean => Predicate.hasProperty(given, HttpClient.TypeId)

/**
 * Throws where it is no client.
 *
 * @category guards
 */
export const check = (owner: string, given: unknown): void => {
  if (isClient(given)) return
  Argument.refuse(owner, "client", "made by HttpClient.make or HttpClient.makeWith", given)
}
