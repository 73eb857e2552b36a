/**
 * Bodies of responses as bytes.
 */
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"

/** How many bytes a body has, if the response says so. An encoded body may have any length once decoded. */
export const announced = ({ headers }: HttpClientResponse.HttpClientResponse): number | undefined => {
  const length = headers["content-length"] ?? ""
  return /^\d{1,15}$/.test(length) && headers["content-encoding"] === undefined ? Number(length) : undefined
}

export const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0))
  let place = 0
  for (const chunk of chunks) {
    all.set(chunk, place)
    place += chunk.length
  }
  return all
}
