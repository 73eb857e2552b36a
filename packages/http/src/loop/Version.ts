/**
 * Versions of downloads: how to request the rest of a version, and how to recognise it.
 */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Option from "effect/Option"
import * as Validators from "../decide/Validators.ts"
import type { Request, Response } from "./exchange/Exchange.ts"

/**
 * The version of a first answer.
 *
 * @category models
 */
export interface Version {
  /** Changes a request for the rest, which already has its `Range`, so that the server answers it only for this version. */
  readonly pin: (request: Request) => Request
  /**
   * Whether an answer to such a request has this version. If `undefined`, because the answer does not say, its bytes
   * are not used, and it is not reported as another version.
   */
  readonly isSame: (response: Response) => boolean | undefined
  /**
   * Whether an answer with status 200 is nevertheless the requested part: for servers that say so with a
   * `Content-Range`, which must then fit like that of a 206. @default () => false
   */
  readonly isPart?: ((response: Response) => boolean) | undefined
}

/**
 * Identifies the version of a first answer, if it carries something that no other version shares.
 *
 * @category models
 */
export interface Validator {
  (first: Response): Option.Option<Version>
}

/**
 * A strong `ETag`. The rest is requested with `If-Match`, which a server with another version answers with 412; the
 * answer must have the same tag or, without one, the `Last-Modified` of the first answer.
 *
 * Source: RFC 9110, section 13.1.1, https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1.
 *
 * @category constructors
 */
export const entityTag: Validator = (first) =>
  Option.map(Option.fromNullable(Validators.strongTag(first.headers)), (tag) => ({
    pin: HttpClientRequest.setHeader("if-match", tag),
    isSame: ({ headers }) => Validators.isSameVersion(first.headers, headers)
  }))

/**
 * A `Last-Modified` at least a second older than its answer, in an answer without `ETag`. The rest is requested with
 * `If-Range`, which a server with another version answers with 200. The rest need not repeat the date.
 *
 * Source: RFC 9110, section 13.1.5, https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5.
 *
 * @category constructors
 */
export const lastModified: Validator = ({ headers }) =>
  Option.map(Option.fromNullable(Validators.strongDate(headers)), (date) => ({
    pin: HttpClientRequest.setHeader("if-range", date),
    isSame: ({ headers }) => headers["last-modified"] === undefined || headers["last-modified"] === date
  }))
