/**
 * The fields `RateLimit` and `RateLimit-Policy` of the IETF.
 *
 * Partition keys and quota units are ignored: whichever limit of a response is exhausted, the request ran into it.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10 (2025-09-24), sections 3, 4 and 7,
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/, read 2026-11-20; "Malformed RateLimit header
 * fields MUST be ignored".
 */
import * as Predicate from "effect/Predicate"
import { parseList } from "structured-headers"
import * as Wait from "./Wait.ts"
import type { RateLimit } from "./RateLimit.ts"

interface Member {
  /** The name of the policy; `undefined` if the member is not a String. */
  readonly name: string | undefined
  readonly parameters: ReadonlyMap<string, unknown>
}

/**
 * The longest wait for a limit without remaining quota: its `t`, or else the longest window `w` of the policies with
 * its name. `undefined` if quota remains, no time is given, or a limit is malformed. A malformed `RateLimit-Policy`
 * counts as absent.
 */
export const parse = (rateLimit: string, rateLimitPolicy = ""): number | undefined => {
  const exhausted = members(rateLimit, isLimit).filter(({ parameters }) => parameters.get("r") === 0)
  const windows = windowsOf(members(rateLimitPolicy, isPolicy))
  return Wait.longest(exhausted.map(({ name, parameters }) => millis(parameters.get("t")) ?? windows.get(name)))
}

/**
 * Reads each limit that has a time until its reset, or else a window.
 *
 * Two limits with one name are two limits.
 */
export const limits = (rateLimit: string, rateLimitPolicy = ""): ReadonlyArray<RateLimit> => {
  const policies = members(rateLimitPolicy, isPolicy)
  const windows = windowsOf(policies)
  const quotas = new Map(policies.map(({ name, parameters }) => [name, Number(parameters.get("q"))]))
  return members(rateLimit, isLimit).flatMap(({ name, parameters }, place) => {
    const windowMillis = windows.get(name)
    const resetMillis = millis(parameters.get("t")) ?? windowMillis
    if (resetMillis === undefined) return []
    const remaining = Number(parameters.get("r"))
    return [
      {
        name: `ratelimit ${place} ${name}`,
        remaining,
        resetMillis,
        unitMillis: 1000,
        limit: quotas.get(name),
        windowMillis
      }
    ]
  })
}

/** The longest window for each name. */
const windowsOf = (policies: ReadonlyArray<Member>): ReadonlyMap<string | undefined, number | undefined> => {
  const windows = new Map<string | undefined, number | undefined>()
  for (const { name, parameters } of policies) {
    windows.set(name, Wait.longest([windows.get(name), millis(parameters.get("w"))]))
  }
  return windows
}

/** The members; none if the field is not a List of such members. */
const members = (field: string, isMember: (member: Member) => boolean): ReadonlyArray<Member> => {
  try {
    const all = parseList(field).map(([name, parameters]) => ({
      name: Predicate.isString(name) ? name : undefined,
      parameters
    }))
    return all.every(isMember) ? all : []
  } catch {
    return []
  }
}

const isLimit = ({ name, parameters }: Member): boolean =>
  name !== undefined && isWhole(parameters.get("r"), 0) && isAbsentOrWhole(parameters.get("t"), 0)

const isPolicy = ({ name, parameters }: Member): boolean =>
  name !== undefined && isWhole(parameters.get("q"), 0) && isAbsentOrWhole(parameters.get("w"), 1)

const isAbsentOrWhole = (value: unknown, min: number): boolean => value === undefined || isWhole(value, min)

const isWhole = (value: unknown, min: number): boolean =>
  Predicate.isNumber(value) && Number.isInteger(value) && value >= min

/** The parser can return a negative zero, which is no wait. */
const millis = (seconds: unknown): number | undefined =>
  Predicate.isNumber(seconds) ? Math.abs(seconds) * 1000 : undefined
