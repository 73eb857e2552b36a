/**
 * What the compiler infers of uploads and downloads.
 */
import type { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Classifier, Deadline, TokenBucket, Verdict } from "@effect-retry/core"
import { ResumableUpload, StorageDownload, StorageRetry } from "@effect-retry/google"
import type { Download } from "@effect-retry/http"
import { describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Data, type Effect, type Stream } from "effect"

class Busy extends Data.TaggedError("Busy")<{ readonly status: number }> {}
class Late extends Data.TaggedError("Late") {}
class Unreadable extends Data.TaggedError("Unreadable") {}
class Token extends Context.Tag("test/Token")<Token, string>() {}
class Disk extends Context.Tag("test/Disk")<Disk, string>() {}
class MyBucket extends Context.Tag("test/MyBucket")<MyBucket, TokenBucket.TokenBucket>() {}

declare const client: HttpClient.HttpClient
declare const own: HttpClient.HttpClient.With<Busy, Token>
declare const start: HttpClientRequest.HttpClientRequest
declare const read: (offset: number) => Stream.Stream<Uint8Array, Unreadable, Disk>

const source = ResumableUpload.fromBytes(new Uint8Array(0))
declare const ofDisk: ResumableUpload.Source<Unreadable, Disk>

type Failed = ResumableUpload.UploadFailed | ResumableUpload.ChecksumMismatch | HttpClientError.HttpClientError
type Plain = Effect.Effect<ResumableUpload.Uploaded, Failed>
type OfDisk<E = never, R = never> = Effect.Effect<
  ResumableUpload.Uploaded,
  Failed | Unreadable | Busy | E,
  Disk | Token | R
>

describe("ResumableUpload types", () => {
  it("has the errors and the requirements of the effect that opens a source", () => {
    expectTypeOf(() => ResumableUpload.fromOffset(read)).returns.toEqualTypeOf<typeof ofDisk>()
  })

  it("adds the errors and the requirements of the source, the client and the policy", () => {
    expectTypeOf(() => ResumableUpload.run(client, { start, source })).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => client.pipe(ResumableUpload.run({ start, source }))).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => ResumableUpload.run({ start, source })(client)).returns.toEqualTypeOf<Plain>()
    expectTypeOf(() => ResumableUpload.run(own, { start, source: ofDisk })).returns.toEqualTypeOf<OfDisk>()
    expectTypeOf(() => own.pipe(ResumableUpload.run({ start, source: ofDisk }))).returns.toEqualTypeOf<OfDisk>()
    const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: () => new Late() })
    const policy = { ...StorageRetry.standard, attemptTimeout, bucket: MyBucket }
    type Added = OfDisk<Late, MyBucket>
    expectTypeOf(() => ResumableUpload.run(own, { start, source: ofDisk, policy })).returns.toEqualTypeOf<Added>()
    expectTypeOf(() => own.pipe(ResumableUpload.run({ start, source: ofDisk, policy }))).returns.toEqualTypeOf<Added>()
    const cut = { deadline: Deadline.cut("1 hour") }
    expectTypeOf(() => ResumableUpload.run(client, { start, source, policy: cut })).returns.toEqualTypeOf<Plain>()
  })

  it("is a stream of events with the same errors", () => {
    type Events = Stream.Stream<ResumableUpload.Event, Failed | Unreadable | Busy, Disk | Token>
    expectTypeOf(() => ResumableUpload.stream(own, { start, source: ofDisk })).returns.toEqualTypeOf<Events>()
    expectTypeOf(() => own.pipe(ResumableUpload.stream({ start, source: ofDisk }))).returns.toEqualTypeOf<Events>()
  })

  it("knows the outcome in an opinion without annotation, and refuses unknown fields", () => {
    type Outcome = Busy | ResumableUpload.UploadFailed | HttpClientResponse.HttpClientResponse
    const inPipe = () =>
      own.pipe(
        ResumableUpload.run({
          start,
          source,
          policy: {
            opinion: (outcome) => {
              expectTypeOf(outcome).toEqualTypeOf<Outcome>()
              return Verdict.noOpinion
            }
          }
        })
      )
    expectTypeOf(inPipe).toBeFunction()
    const first = () =>
      ResumableUpload.run(own, {
        start,
        source,
        policy: {
          opinion: (outcome) => {
            expectTypeOf(outcome).toEqualTypeOf<Outcome>()
            return Verdict.noOpinion
          }
        }
      })
    expectTypeOf(first).toBeFunction()
    // @ts-expect-error misspelt
    expectTypeOf(() => ResumableUpload.run(client, { start, source, policy: { maxAttemps: 5 } })).toBeFunction()
    const opinion = ({ message }: Late) => (message === "" ? Verdict.transient : Verdict.noOpinion)
    // @ts-expect-error it judges other errors than those of the client and the upload
    expectTypeOf(() => ResumableUpload.run(own, { start, source, policy: { opinion } })).toBeFunction()
    // @ts-expect-error the same in a pipe
    expectTypeOf(() => own.pipe(ResumableUpload.run({ start, source, policy: { opinion } }))).toBeFunction()
  })
})

describe("ResumableUpload types of classifiers of tags", () => {
  it("judge the errors of the client, and those of the upload itself", () => {
    const opinion = Classifier.fromTags({ UploadFailed: Verdict.transient, Busy: Verdict.throttling })
    const options = () => ({ start, source: ofDisk, policy: { opinion } })
    expectTypeOf(() => ResumableUpload.run(own, options())).returns.toEqualTypeOf<OfDisk>()
    expectTypeOf(() => own.pipe(ResumableUpload.run(options()))).returns.toEqualTypeOf<OfDisk>()
    expectTypeOf(() => ResumableUpload.run(options())(own)).returns.toEqualTypeOf<OfDisk>()
    // @ts-expect-error the client cannot be busy
    expectTypeOf(() => ResumableUpload.run(options())(client)).toBeFunction()
    // @ts-expect-error the same of a stream
    expectTypeOf(() => ResumableUpload.stream(options())(client)).toBeFunction()
  })
})

describe("StorageDownload types", () => {
  it("adds the errors of a download", () => {
    type Failed = HttpClientError.ResponseError | Download.DownloadFailed | StorageDownload.ChecksumMismatch
    type Bytes = Stream.Stream<Uint8Array, Busy | Failed, Token>
    expectTypeOf(() => StorageDownload.stream(own, start)).returns.toEqualTypeOf<Bytes>()
    expectTypeOf(() => own.pipe(StorageDownload.stream(start))).returns.toEqualTypeOf<Bytes>()
  })
})
