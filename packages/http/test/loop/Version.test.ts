import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Download } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"

const date = "Sun, 22 Nov 2026 11:00:00 GMT"

const answer = (headers: Readonly<Record<string, string>>) =>
  HttpClientResponse.fromWeb(HttpClientRequest.get("http://files.test/"), new Response(null, { headers }))

/** Headers as a client of one's own can show them. */
const shown = (headers: Readonly<Record<string, string>>) =>
  Object.defineProperty(answer({}), "headers", { value: headers })

const isSame = (validator: Download.Validator, first: Readonly<Record<string, string>>, later: typeof first) =>
  Option.map(validator(answer(first)), (version) => version.isSame(shown(later)))

describe("Download.entityTag", () => {
  it.each([
    [{ etag: '"a"' }, true],
    [{ etag: ' "a" ' }, true],
    [{ etag: '"b"' }, false],
    [{ etag: 'W/"a"' }, false],
    [{}, undefined]
  ] as const)("knows the same version by its tag: %j", (later, expected) => {
    expect(isSame(Download.entityTag, { etag: '"a"' }, later)).toEqual(Option.some(expected))
  })
})

describe("Download.lastModified", () => {
  it.each([
    [{ "last-modified": date }, true],
    [{ "last-modified": "Sun, 22 Nov 2026 11:00:01 GMT" }, false],
    [{}, true]
  ] as const)("takes a part for one of another version when it says another date: %j", (later, expected) => {
    const first = { "last-modified": date, date: "Sun, 22 Nov 2026 12:00:00 GMT" }
    expect(isSame(Download.lastModified, first, later)).toEqual(Option.some(expected))
  })
})
