/** What errors of ours show of others, printed in all ways, with a secret in every place. */
import { HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { LostAnswer } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Cause } from "effect"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"
import * as Shown from "../../src/loop/upload/Shown.ts"
import { SourceFailed } from "../../src/loop/upload/Source.ts"

it.each(Secrets.all)("SourceFailed shows no secret in $place", ({ error, secret }) => {
  const failed = new SourceFailed({ error })
  expect(Printed.showing(failed, secret)).toEqual([])
  expect(failed.error).toBe(error)
})

describe("Shown.cause", () => {
  it("copies an error that reads a private field, so that all of the copy can be read", () => {
    class Hiding extends Error {
      readonly #url = "https://storage.googleapis.com/secret"
      readonly status = 500
      get url() {
        return this.#url
      }
      get isOfServer() {
        return this.status >= 500
      }
    }
    const request = HttpClientRequest.get("https://storage.googleapis.com")
    const [copy] = Cause.failures(Shown.cause(Cause.fail(new Hiding()), request)) as Iterable<Hiding>
    expect([copy?.url, copy?.isOfServer]).toEqual([undefined, true])
  })
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
