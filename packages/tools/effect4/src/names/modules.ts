/**
 * The modules of Effect 3 that Effect 4 has in another place. A module that is not here keeps its place.
 */
export const modules: Readonly<Record<string, string>> = {
  "effect/Either": "effect/Result",
  "effect/FastCheck": "fast-check",
  "effect/TestClock": "effect/testing/TestClock",
  "effect/ParseResult": "effect/SchemaParser",
  "@effect/platform": "effect/http",
  "@effect/platform-node/NodeContext": "@effect/platform-node/NodeServices",
  "@effect/platform/Cookies": "effect/http/Cookies",
  "@effect/platform/Error": "effect/PlatformError",
  "@effect/platform/FetchHttpClient": "effect/http/FetchHttpClient",
  "@effect/platform/FileSystem": "effect/FileSystem",
  "@effect/platform/Headers": "effect/http/Headers",
  "@effect/platform/HttpApi": "effect/http-api/HttpApi",
  "@effect/platform/HttpApiClient": "effect/http-api/HttpApiClient",
  "@effect/platform/HttpApiEndpoint": "effect/http-api/HttpApiEndpoint",
  "@effect/platform/HttpApiGroup": "effect/http-api/HttpApiGroup",
  "@effect/platform/HttpBody": "effect/http/HttpBody",
  "@effect/platform/HttpClient": "effect/http/HttpClient",
  "@effect/platform/HttpClientError": "effect/http/HttpClientError",
  "@effect/platform/HttpClientRequest": "effect/http/HttpClientRequest",
  "@effect/platform/HttpClientResponse": "effect/http/HttpClientResponse",
  "@effect/platform/HttpIncomingMessage": "effect/http/HttpIncomingMessage",
  "@effect/platform/Path": "effect/Path",
  "@effect/platform/UrlParams": "effect/http/UrlParams",
  "@effect/rpc/Rpc": "effect/rpc/Rpc",
  "@effect/rpc/RpcClient": "effect/rpc/RpcClient",
  "@effect/rpc/RpcClientError": "effect/rpc/RpcClientError",
  "@effect/rpc/RpcGroup": "effect/rpc/RpcGroup",
  "@effect/rpc/RpcSerialization": "effect/rpc/RpcSerialization",
  "@effect/rpc/RpcTest": "effect/rpc/RpcTest"
}
