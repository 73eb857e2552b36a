/**
 * Preconditions on generations and metagenerations, and on entity tags.
 *
 * Source: https://cloud.google.com/storage/docs/request-preconditions.
 */
import type { IncomingHttpHeaders } from "node:http"
import { refuse } from "./Answer.ts"

export interface Preconditions {
  readonly generationMatch: number | undefined
  readonly generationNotMatch: number | undefined
  readonly metagenerationMatch: number | undefined
  readonly metagenerationNotMatch: number | undefined
}

/** What preconditions are compared with; of what does not exist, the generation is 0. */
interface Version {
  readonly generation?: number
  readonly metageneration: number
}

export const none: Preconditions = {
  generationMatch: undefined,
  generationNotMatch: undefined,
  metagenerationMatch: undefined,
  metagenerationNotMatch: undefined
}

/** `prefix` is `if`, and for the source of a copy `ifSource`. */
export const read = (query: URLSearchParams, prefix: "if" | "ifSource" = "if"): Preconditions => ({
  generationMatch: number(query, `${prefix}GenerationMatch`),
  generationNotMatch: number(query, `${prefix}GenerationNotMatch`),
  metagenerationMatch: number(query, `${prefix}MetagenerationMatch`),
  metagenerationNotMatch: number(query, `${prefix}MetagenerationNotMatch`)
})

/** A parameter that is a number, or a refusal with 400. */
export const number = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name)
  if (value === null) return undefined
  return /^\d{1,16}$/.test(value) ? Number(value) : refuse(400, `Invalid value for ${name}`)
}

/** Refuses with 412, or for the forms that say "not", with 304. */
export const check = (preconditions: Preconditions, current: Version | undefined): void => {
  const { generation, metageneration } = { generation: 0, metageneration: undefined, ...current }
  const { generationMatch, generationNotMatch, metagenerationMatch, metagenerationNotMatch } = preconditions
  if (generationMatch !== undefined && generationMatch !== generation) failed()
  if (metagenerationMatch !== undefined && metagenerationMatch !== metageneration) failed()
  if (generationNotMatch === generation) refuse(304, "Not Modified")
  if (metagenerationNotMatch !== undefined && metagenerationNotMatch === metageneration) refuse(304, "Not Modified")
}

/** The preconditions of HTTP; entity tags come with quotes and without. */
export const checkTags = (headers: IncomingHttpHeaders, etag: string): void => {
  const { "if-match": match, "if-none-match": noneMatch } = headers
  if (match !== undefined && match !== "*" && unquoted(match) !== etag) failed()
  if (noneMatch !== undefined && (noneMatch === "*" || unquoted(noneMatch) === etag)) refuse(304, "Not Modified")
}

const unquoted = (tag: string): string => tag.replace(/^"(.*)"$/, "$1")

const failed = (): never => refuse(412, "At least one of the pre-conditions you specified did not hold.")
