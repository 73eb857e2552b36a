/**
 * The address of a request of Cloud Storage: which API it uses, and what its query says.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"

/** An address, taken apart. */
export interface Address {
  /** Of the JSON API, as its path tells. */
  readonly json: Json | undefined
  /** Of the XML API, as the host of the service tells. */
  readonly xml: Xml | undefined
  readonly parameter: (name: string) => string | undefined
  /** The names of all parameters. */
  readonly names: ReadonlyArray<string>
}

export interface Json {
  /** The path of a proxy before it. */
  readonly base: string
  readonly isUpload: boolean
  /** Below `storage/v1`, not decoded. */
  readonly path: ReadonlyArray<string>
}

export interface Xml {
  /** Decoded; "" for none. */
  readonly bucket: string
  /** Decoded; "" for none. */
  readonly object: string
}

/** `undefined` if the URL is not valid. */
export const fromRequest = ({ url, urlParams }: HttpClientRequest.HttpClientRequest): Address | undefined => {
  if (!URL.canParse(url, anyHost)) return undefined
  const parsed = new URL(url, anyHost)
  const json = jsonOf(parsed)
  return {
    json,
    xml: json === undefined ? xmlOf(parsed) : undefined,
    parameter: (name) => parsed.searchParams.get(name) ?? urlParams.find(([key]) => key === name)?.[1],
    names: [...parsed.searchParams.keys(), ...urlParams.map(([name]) => name)]
  }
}

const anyHost = "http://localhost"

/** Below whatever path a proxy has; the service itself has none. */
const below = /^(.*?)\/(?:(resumable\/upload|upload|download)\/)?storage\/v1\/(.+?)\/?$/s

const jsonOf = ({ hostname, pathname }: URL): Json | undefined => {
  const [, base = "", kind = "", path = ""] = below.exec(pathname) ?? []
  const bucket = service.exec(hostname)
  if (path === "" || (bucket !== null && (bucket[1] !== undefined || base !== ""))) return undefined
  return { base, isUpload: kind.endsWith("upload"), path: path.split("/") }
}

/**
 * The bucket, whose name has at least three characters, is in front of the host or in the path.
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

/** Not buckets: other versions of the JSON API, and other paths beside it. */
const ofOtherApis: ReadonlyArray<string> = ["batch", "download", "resumable", "storage", "upload"]

/** A part of a path, or the whole of one. */
export const decoded = (given: string): string => {
  try {
    return decodeURIComponent(given)
  } catch {
    return given
  }
}
