import { HttpClientResponse } from "@effect/platform"
// #region current
import { AwsHeaders, AwsQuota, AwsRetry } from "@effect-retry/aws"
import { Retry } from "@effect-retry/core"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

const send = (client: HttpClient.HttpClient, request: HttpClientRequest.HttpClientRequest) =>
  Effect.gen(function* () {
    const policy = { ...AwsRetry.standard, bucket: yield* AwsQuota.standard, attempt: Retry.CurrentAttempt }
    const { maxAttempts } = policy
    const invocationId = yield* AwsHeaders.invocationId
    const headers = AwsHeaders.current({ invocationId, maxAttempts, ttl: { readTimeout: "1 minute" } })
    const attempt = Effect.flatMap(headers, (headers) =>
      HttpClient.filterStatusOk(client).execute(HttpClientRequest.setHeaders(request, headers))
    )
    return yield* Retry.retry(attempt, policy)
  })
// #endregion

const seen: Array<string | undefined> = []
const failing = HttpClient.make((request) =>
  Effect.sync(() => {
    seen.push(request.headers["amz-sdk-request"])
    return HttpClientResponse.fromWeb(request, new Response(null, { status: seen.length < 2 ? 500 : 200 }))
  })
)

export const program = Effect.map(send(failing, HttpClientRequest.get("http://localhost/")), () => seen.join("\n"))

export const expected = ["ttl=19700101T000100Z; attempt=1; max=3", "ttl=19700101T000100Z; attempt=2; max=3"].join("\n")
