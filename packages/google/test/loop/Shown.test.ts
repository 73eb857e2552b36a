/** What errors of ours show of others, printed in all ways, with a secret in every place. */
import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { LostAnswer } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"
import { SourceFailed } from "../../src/loop/upload/Source.ts"

it.each(Secrets.all)("SourceFailed shows no secret in $place", ({ error, secret }) => {
  const failed = new SourceFailed({ error })
  expect(Printed.showing(failed, secret)).toEqual([])
  expect(failed.error).toBe(error)
})

describe("MayBeOwnSuccess", () => {
  it("shows neither the request, nor headers, nor the body of the refusal", () => {
    const secret = "ABPtcPpq2k7Zx"
    const request = HttpClientRequest.del(`https://user:${secret}@storage.googleapis.com/o?upload_id=${secret}`, {
      headers: { authorization: `Bearer ${secret}`, "x-own": secret }
    })
    const web = new Response(secret, { status: 404, headers: { location: `/o?upload_id=${secret}` } })
    const response = HttpClientResponse.fromWeb(request, web)
    const lost = new LostAnswer.MayBeOwnSuccess({
      call: { operation: "objects.delete", preconditions: [], parameters: {} },
      attempt: 2,
      response
    })
    expect(Printed.showing(lost, secret)).toEqual([])
    expect(lost.response).toBe(response)
  })
})
