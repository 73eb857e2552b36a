/**
 * Changes the request of a later attempt with the caller's hook.
 *
 * A hook cannot change the key of the operation, and credentials for one server are never sent to another.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as ClientLine from "../../classify/ClientLine.ts"
import type { Attempt } from "./Attempt.ts"

type Request = HttpClientRequest.HttpClientRequest

/**
 * Runs at the start of every attempt but the first, inside its timeout, and returns the request to send.
 *
 * It receives the request that was sent last, without the headers meant for one server (`authorization`, `cookie`, `host`,
 * `proxy-authorization`). If the request still goes to the same origin, those that the hook has not set are added again; to
 * another origin only those that the hook has set are sent. The key of the operation stays.
 *
 * If it fails, that counts as an attempt that was not sent, judged by the classifier's tables.
 */
export interface BeforeRetry<in E, out E2 = unknown, out R = unknown> {
  (request: Request, attempt: Attempt<E>): Effect.Effect<Request, E2, R>
}

/**
 * Sources: https://fetch.spec.whatwg.org/#http-redirect-fetch, which drops `Authorization` for another origin; `undici`
 * 7.30.2, lib/handler/redirect-handler.js, `shouldRemoveHeader`, which drops all of these, read 2026-11-20.
 */
const ofOneServer = ["authorization", "cookie", "host", "proxy-authorization"]

/** The request that a hook makes from the one that was sent last. */
export const changed = (
  hook: BeforeRetry<unknown>,
  request: Request,
  attempt: Attempt,
  keyHeader: string
): Effect.Effect<Request, unknown, unknown> =>
  Effect.suspend(() => {
    const handed = withoutHeaders(request)
    return Effect.map(checkedEffect(hook(handed, attempt)), (given) =>
      given === handed ? request : completed(request, given, keyHeader)
    )
  })

const refused = (given: unknown): never =>
  Argument.refuse("HttpRetry.Policy", "beforeRetry", "a function that returns an effect of a request", typeof given)

const checkedEffect = (given: Effect.Effect<Request, unknown, unknown>) =>
  Effect.isEffect(given) ? given : refused(given)

/** The platform's combinators add headers but cannot remove any. */
const withoutHeaders = (request: Request): Request =>
  Object.assign(Object.create(Object.getPrototypeOf(request)), request, {
    headers: ClientLine.withoutHeaders(request.headers, ofOneServer)
  })

const completed = (before: Request, given: Request, keyHeader: string): Request => {
  if (!ClientLine.isRequest(given)) return refused(given)
  const names = isSameOrigin(before, given)
    ? [keyHeader, ...ofOneServer.filter((name) => given.headers[name] === undefined)]
    : [keyHeader]
  const kept = Object.entries(before.headers).filter(([name]) => names.includes(name))
  return HttpClientRequest.setHeaders(given, Object.fromEntries(kept))
}

const isSameOrigin = (one: Request, other: Request): boolean => {
  const origin = ClientLine.urlOf(one)?.origin
  return origin === undefined ? one.url === other.url : origin === ClientLine.urlOf(other)?.origin
}
