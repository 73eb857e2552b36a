/**
 * The URL of a server, which may hold a password: it is checked here and shown nowhere.
 */
import * as Argument from "@effect-retry/core/Argument"
import * as Redacted from "effect/Redacted"

/**
 * A URL of `redis:` or `rediss:`; both libraries would read another one as something else, or show it where they throw.
 *
 * Source: https://www.iana.org/assignments/uri-schemes/prov/redis, read 2026-11-22.
 *
 * @category constructors
 */
export const check = (owner: string, url: string | undefined): string | undefined =>
  url === undefined || /^rediss?:$/.test(protocol(url))
    ? url
    : Argument.refuse(owner, "url", "a URL of redis: or rediss:", Redacted.make(url))

const protocol = (url: string): string => {
  try {
    return new URL(url).protocol
  } catch {
    return ""
  }
}
