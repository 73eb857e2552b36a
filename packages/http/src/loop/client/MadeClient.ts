/**
 * The fields that every client of the platform has: its own combinators rely on them, but its types do not show them.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"

export { isClient } from "../../classify/ClientLine.ts"

/** A client that first prepares a request and then sends it. */
export interface MadeClient {
  readonly preprocess: HttpClient.HttpClient.Preprocess<unknown, unknown>
  readonly postprocess: HttpClient.HttpClient.Postprocess<unknown, unknown>
}

export const made = (owner: string, self: unknown): MadeClient => {
  if (Predicate.hasProperty(self, "preprocess") && Predicate.hasProperty(self, "postprocess")) {
    return self as unknown as MadeClient
  }
  return Context.isTag(self)
    ? Argument.refuse(owner, "client", `${allowed}; yield* the tag first`, self.key)
    : Argument.refuse(owner, "client", allowed, self)
}

const allowed = "made by HttpClient.make or HttpClient.makeWith"
