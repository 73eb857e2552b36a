/**
 * The URL of a server, which may hold a password: it is checked here and shown nowhere.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Redacted from "effect/Redacted"

/**
 * A URL of `redis:` or `rediss:` with nothing but user, password, host, port and the number of a database. The libraries
 * read another one as something else, ignore a part of it or show it where they throw, and `ioredis` takes options from a
 * query, before those that keep a command from being queued.
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
