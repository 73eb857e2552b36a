/**
 * The modules of Effect 3 that Effect 4 has in another place. A module that is not here keeps its place.
 */
export const modules: Readonly<Record<string, string>> = {
  "effect/Either": "effect/Result",
  "effect/FastCheck": "fast-check",
  "effect/TestClock": "effect/testing/TestClock",
  "effect/ParseResult": "effect/SchemaParser",
  "@effect/platform": "effect/http",
  "@effect/platform-node": "effect3/PlatformNode3",
  "@effect/platform/Cookies": "effect/http/Cookies",
  "@effect/platform/Error": "effect/PlatformError",
  "@effect/platform/FetchHttpClient": "effect/http/FetchHttpClient",
  "@effect/platform/FileSystem": "effect/FileSystem",
  "@effect/platform/Headers": "effect/http/Headers",
  "@effect/platform/HttpBody": "effect/http/HttpBody",
  "@effect/platform/HttpClient": "effect/http/HttpClient",
  "@effect/platform/HttpClientError": "effect/http/HttpClientError",
  "@effect/platform/HttpClientRequest": "effect/http/HttpClientRequest",
  "@effect/platform/HttpClientResponse": "effect/http/HttpClientResponse",
  "@effect/platform/Path": "effect/Path",
  "@effect/platform/UrlParams": "effect/http/UrlParams"
}
