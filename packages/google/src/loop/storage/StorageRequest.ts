/**
 * Checks the names and generations in requests of the JSON API.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"

/** A generation or metageneration: a whole number from 0, as a number or as the text that the API uses. */
export type Generation = number | bigint | string

/** Checks the name of a bucket or an object. A name of only dots would be another path. */
export const checkedName = (owner: string, field: string, name: string): string =>
  typeof name === "string" && name !== "" && !/^\.{1,2}$/.test(name)
    ? name
    : Argument.refuse(owner, field, "a name", name)

/** A generation as a text. */
export const checkedGeneration = (owner: string, field: string, generation: Generation): string =>
  /^\d{1,19}$/.test(String(generation))
    ? String(generation)
    : Argument.refuse(owner, field, "a whole number from 0", generation)

/** An endpoint without trailing slashes; by default that of the service. */
export const checkedEndpoint = (owner: string, endpoint = "https://storage.googleapis.com"): string =>
  typeof endpoint === "string" && URL.canParse(endpoint) && /^https?:/i.test(endpoint) && !/[?#]/.test(endpoint)
    ? withoutSlashes(endpoint)
    : Argument.refuse(owner, "endpoint", "a URL without a query", endpoint)

/** Scans from the end: a pattern takes quadratic time if slashes come before another character. */
const withoutSlashes = (endpoint: string): string => {
  let end = endpoint.length
  while (endpoint.charAt(end - 1) === "/") end -= 1
  return endpoint.slice(0, end)
}
