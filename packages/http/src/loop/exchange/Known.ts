/**
 * What is known about the texts in errors of an operation: the URL of the request and its secrets, and whether a
 * message may quote a body.
 */
import * as Headers from "@effect/platform/Headers"
import type * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Redacted from "effect/Redacted"
import * as ClientLine from "../../classify/ClientLine.ts"
import type { Exchange, Request } from "./Exchange.ts"

/**
 * What is known about an error of the latest request. An error that came after a response may quote its body.
 */
export const of = (exchange: Exchange, error: unknown, isAnswered: boolean): (() => Untrusted.Known) => {
  const { request } = exchange
  return () => ({
    urls: ClientLine.urlsShown(request),
    secrets: secretsOf(exchange, request),
    messages: messagesOf(error, isAnswered)
  })
}

/** The cause of an error about a response may quote the body. */
const messagesOf = (error: unknown, isAnswered: boolean): "all" | "outermost" | "none" => {
  if (ClientLine.isResponseError(error)) return "outermost"
  return isAnswered && !ClientLine.isRequestError(error) ? "none" : "all"
}

/** The values of headers that the platform also hides, the idempotency key, and the parts of each. */
const secretsOf = ({ fiber, policy }: Exchange, { headers }: Request): ReadonlyArray<string> => {
  const names = [...ClientLine.redactedNames(fiber), policy.idempotency.keyHeader]
  const secrets = Object.values(Headers.redact(headers, names)).filter((value) => typeof value !== "string")
  return secrets
    .map(Redacted.value)
    .flatMap((secret) => [secret, ...secret.split(/[\s;,="]/).filter((part) => part.length >= shortestCredential)])
}

/** A shorter text, such as the name of a cookie or a scheme, is an ordinary word. */
const shortestCredential = 6
