/** The two classes of errors of Effect 3, with which tests make one whose reason they read from a table. */
import * as HttpClientError from "effect/http/HttpClientError"

/** Effect does not export it. */
export const TypeId = "~effect/http/HttpClientError"

const classes: Readonly<Record<string, new (fields: any) => any>> = HttpClientError as any

interface Fields {
  readonly reason: string | { readonly _tag: string }
}

const made = ({ reason, ...fields }: Fields): any => {
  const Reason = classes[typeof reason === "string" ? `${reason}Error` : reason._tag]!
  return new HttpClientError.HttpClientError({ reason: new Reason(fields) })
}

const withResponse = (error: unknown): boolean | undefined =>
  error instanceof HttpClientError.HttpClientError ? "response" in error.reason : undefined

export class RequestError {
  constructor(fields: Fields) {
    return made(fields)
  }

  static [Symbol.hasInstance](error: unknown): boolean {
    return withResponse(error) === false
  }
}

export class ResponseError {
  constructor(fields: Fields) {
    return made(fields)
  }

  static [Symbol.hasInstance](error: unknown): boolean {
    return withResponse(error) === true
  }
}
