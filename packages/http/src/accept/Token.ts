/**
 * Names of headers and methods, as a caller writes them.
 *
 * Nothing is corrected: where names are compared, one in the wrong case would never match.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"

/** Source: RFC 9110, section 5.6.2, https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2. */
const lowerCaseToken = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const upperCaseToken = /^[!#$%&'*+\-.^_`|~0-9A-Z]+$/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** The name of a header in lower case. */
export const header = (owner: string, field: string, value: unknown): string =>
  typeof value === "string" && lowerCaseToken.test(value)
    ? value
    : Argument.refuse(owner, field, "the name of a header in lower case", value)

/** The name of a header that is only sent, in any case. */
export const sentHeader = (owner: string, field: string, value: unknown): string =>
  typeof value === "string" && token.test(value) ? value : Argument.refuse(owner, field, "the name of a header", value)

/** The name of a method in upper case. */
export const method = (owner: string, field: string, value: unknown): string =>
  typeof value === "string" && upperCaseToken.test(value)
    ? value
    : Argument.refuse(owner, field, "the name of a method in upper case", value)

/** A list of names; a bad one is named by its place. */
export const list = (
  owner: string,
  field: string,
  value: unknown,
  each: (owner: string, field: string, value: unknown) => string
): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.map((name, index) => each(owner, `${field}[${index}]`, name))
    : Argument.refuse(owner, field, "a list of names", value)
