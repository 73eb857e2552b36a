/**
 * Versions of what is downloaded: how to ask for the rest of one, and how to recognise it.
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
  /** Changes a request for the rest so that the server answers it for this version alone. It has its `Range` already. */
  readonly pin: (request: Request) => Request
  /**
   * Whether an answer to such a request is of this version. `undefined` if the answer does not say: then its bytes are
   * not used, and it is not reported as another version.
   */
  readonly isSame: (response: Response) => boolean | undefined
  /**
   * Whether an answer with status 200 is the part that was asked for all the same: for servers that say so by a
   * `Content-Range`, which then has to fit like that of a 206. @default () => false
   */
  readonly isPart?: ((response: Response) => boolean) | undefined
}

/**
 * Finds the version of a first answer, where it has one that no other version shares.
 *
 * @category models
 */
export interface Validator {
  (first: Response): Option.Option<Version>
}

/**
 * A strong `ETag`: the rest is asked for with `If-Match`, which a server that has another version answers with 412, and
 * has to come with the same tag or, without one, with the `Last-Modified` of the first answer.
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
 * A `Last-Modified` that is a second older than its answer, of an answer without `ETag`: the rest is asked for with
 * `If-Range`, which a server that has another version answers with 200. The rest need not repeat the date.
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
