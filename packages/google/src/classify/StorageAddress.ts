/**
 * The address of a Cloud Storage request: its API, path and query.
 */
import { parametersOf } from "@effect-retry/http/unstable/ClientLine"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"

/** The parts of an address. */
export interface Address {
  /** The JSON API, recognised by the path. */
  readonly json: Json | undefined
  /** The XML API, recognised by the service's host. */
  readonly xml: Xml | undefined
  readonly parameter: (name: string) => string | undefined
  /** The names of all parameters. */
  readonly names: ReadonlyArray<string>
}

export interface Json {
  /** The path of a proxy, before the API's path. */
  readonly base: string
  readonly isUpload: boolean
  /** The path below `storage/v1`, not decoded. */
  readonly path: ReadonlyArray<string>
}

export interface Xml {
  /** Decoded; "" for none. */
  readonly bucket: string
  /** Decoded; "" for none. */
  readonly object: string
}

/** `undefined` if the URL is not valid. */
export const fromRequest = (request: HttpClientRequest.HttpClientRequest): Address | undefined => {
  const { url } = request
  if (!URL.canParse(url, anyHost)) return undefined
  const parsed = new URL(url, anyHost)
  const json = jsonOf(parsed)
  const parameters = parametersOf(request)
  return {
    json,
    xml: json === undefined ? xmlOf(parsed) : undefined,
    parameter: (name) => parsed.searchParams.get(name) ?? parameters.find(([key]) => key === name)?.[1],
    names: [...parsed.searchParams.keys(), ...parameters.map(([name]) => name)]
  }
}

const anyHost = "http://localhost"

/** Matches below any path of a proxy; the service itself has none. */
const below = /^(.*?)\/(?:(resumable\/upload|upload|download)\/)?storage\/v1\/(.+?)\/?$/s

const jsonOf = ({ hostname, pathname }: URL): Json | undefined => {
  const [, base = "", kind = "", path = ""] = below.exec(pathname) ?? []
  const bucket = service.exec(hostname)
  if (path === "" || (bucket !== null && (bucket[1] !== undefined || base !== ""))) return undefined
  return { base, isUpload: kind.endsWith("upload"), path: path.split("/") }
}

/**
 * The bucket, whose name has at least three characters, is a subdomain or in the path.
 *
 * Source: https://docs.cloud.google.com/storage/docs/request-endpoints, "XML API requests", read 2026-11-24.
 */
const service = /^(?:(.{3,})\.)?storage\.googleapis\.com$/

const xmlOf = ({ hostname, pathname }: URL): Xml | undefined => {
  const found = service.exec(hostname)
  if (found === null) return undefined
  const path = pathname.slice(1)
  if (found[1] !== undefined) return { bucket: found[1], object: decoded(path) }
  const end = path.indexOf("/")
  if (ofOtherApis.includes(end < 0 ? path : path.slice(0, end))) return undefined
  return end < 0
    ? { bucket: decoded(path), object: "" }
    : { bucket: decoded(path.slice(0, end)), object: decoded(path.slice(end + 1)) }
}

/** First path segments that are not buckets: other versions of the JSON API, and other paths next to it. */
const ofOtherApis: ReadonlyArray<string> = ["batch", "download", "resumable", "storage", "upload"]

/** Decodes a part of a path, or a whole path. */
export const decoded = (given: string): string => {
  try {
    return decodeURIComponent(given)
  } catch {
    return given
  }
}
