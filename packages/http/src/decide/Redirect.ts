/**
 * May a failure be that of another request, to which the first one was redirected?
 *
 * Second stage of the flow. Then the first one was carried out, whatever became of the other: that it was not sent proves
 * nothing any more.
 */
import type { HttpClientRequest } from "@effect/platform"
import { property } from "../classify/Transport.ts"

/**
 * How `fetch` is told to treat redirects; `undefined` is its default, to follow them.
 *
 * @category models
 */
export type Mode = "follow" | "manual" | "error" | undefined

/**
 * Whether an error or a response can come from elsewhere than where the request went.
 *
 * The platform's clients say so by the request that they attach, `fetch` by its responses. Its errors do not say, and count
 * as redirected unless `mode` rules that out.
 *
 * @category guards
 */
export const isPossible = (request: HttpClientRequest.HttpClientRequest, outcome: unknown, mode: Mode): boolean => {
  const url = property(property(outcome, "request"), "url")
  if (url !== undefined && url !== request.url) return true
  const response = property(outcome, "response") ?? outcome
  const source = property(property(response, "original") ?? response, "source")
  if (property(source, "redirected") === true) return true
  return mode !== "manual" && mode !== "error" && property(outcome, "cause") instanceof TypeError
}
