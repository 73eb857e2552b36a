/**
 * Checks the URL of a server, which may contain a password and is never shown.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Redacted from "effect/Redacted"

/**
 * Accepts a `redis:` or `rediss:` URL with only user, password, host, port and database number. The libraries misread
 * other URLs, ignore parts of them or show them in errors, and `ioredis` takes options from a query, which would
 * override those that prevent queuing.
 *
 * Source: https://www.iana.org/assignments/uri-schemes/prov/redis, read 2026-11-22.
 */
export const check = (owner: string, url: string | undefined): string | undefined =>
  url === undefined || isPlain(url) ? url : Argument.refuse(owner, "url", form, Redacted.make(url))

const form = "redis[s]://[[username][:password]@][host][:port][/db], without a query"

const isPlain = (url: string): boolean => {
  try {
    const { hash, password, pathname, protocol, search, username } = new URL(url)
    decodeURIComponent(username + password)
    return /^rediss?:$/.test(protocol) && /^(\/\d{0,5})?$/.test(pathname) && search + hash === ""
  } catch {
    return false
  }
}
