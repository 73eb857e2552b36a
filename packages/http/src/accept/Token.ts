/**
 * Checks names of headers and methods.
 *
 * Nothing is corrected. Where names are compared, one in the wrong case would never match, so it is refused.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"

/** Source: RFC 9110, section 5.6.2, https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2. */
const lowerCaseToken = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const upperCaseToken = /^[!#$%&'*+\-.^_`|~0-9A-Z]+$/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Checks the name of a header in lower case. */
export const header = (owner: string, field: string, value: unknown): string =>
  typeof value === "string" && lowerCaseToken.test(value)
    ? value
    : Argument.refuse(owner, field, "the name of a header in lower case", value)

/** Checks the name of a header that is only sent; in upper or lower case. */
export const sentHeader = (owner: string, field: string, value: unknown): string =>
  typeof value === "string" && token.test(value) ? value : Argument.refuse(owner, field, "the name of a header", value)

/** Checks the name of a method in upper case. */
export const method = (owner: string, field: string, value: unknown): string =>
  typeof value === "string" && upperCaseToken.test(value)
    ? value
    : Argument.refuse(owner, field, "the name of a method in upper case", value)

/** Checks a list of names; the error gives the index of a bad one. */
export const list = (
  owner: string,
  field: string,
  value: unknown,
  each: (owner: string, field: string, value: unknown) => string
): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.map((name, index) => each(owner, `${field}[${index}]`, name))
    : Argument.refuse(owner, field, "a list of names", value)
