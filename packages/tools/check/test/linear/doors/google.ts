/** What google is given from outside: bodies, headers, metadata, addresses, configs and files. */
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { type Door, few } from "@effect-retry/check/linear/Doors"
import {
  Checksum,
  GoogleClassifier,
  GoogleStatus,
  RetryInfo,
  StorageIdempotency,
  StorageOperation,
  UploadVerdict
} from "@effect-retry/google"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import * as StorageHeader from "../../../../../google/src/accept/StorageHeader.ts"
import * as ErrorBody from "../../../../../google/src/classify/ErrorBody.ts"
import * as Boto from "../../../../../google/src/loop/settings/Boto.ts"
import * as ReadBack from "../../../../../google/src/loop/storage/LostAnswerReadBack.ts"
import * as RetryErrorBody from "../../../../../google/src/loop/storage/ErrorBody.ts"
import * as UploadAddress from "../../../../../google/src/loop/upload/Address.ts"
import * as UploadShown from "../../../../../google/src/loop/upload/Shown.ts"
import { chainOf, errorOf, keyed, one, wide } from "./errors.ts"

const encoded = (text: string) => new TextEncoder().encode(text)

const start = HttpClientRequest.post("https://storage.googleapis.com/upload/storage/v1/b/a/o")

const requests = (text: string) => [
  HttpClientRequest.get(`https://storage.googleapis.com/storage/v1/b/${text}/o/${text}?${text}`),
  HttpClientRequest.get(`https://storage.googleapis.com/${text}`),
  HttpClientRequest.put(`https://a.storage.googleapis.com/b?upload_id=${text}`, { headers: { "content-range": text } }),
  HttpClientRequest.put("https://storage.googleapis.com/a/b", { headers: { "x-goog-copy-source": text } }),
  HttpClientRequest.post(`${text}/upload/storage/v1/${text}`)
]

const bodyOf = (contentType: string, text: string) =>
  HttpClientRequest.post("https://storage.googleapis.com/upload/storage/v1/b/a/o?uploadType=multipart", {
    headers: { "content-type": contentType },
    body: HttpBody.raw(text, { contentType })
  })

const responseOf = (text: string): HttpClientResponse.HttpClientResponse =>
  Object.create(HttpClientResponse.fromWeb(start, new Response(text, { status: 503 })), {
    headers: {
      value: Headers.unsafeFromRecord({ location: text, "content-type": text, "x-a": text, "x-goog-hash": text })
    }
  }) as HttpClientResponse.HttpClientResponse

const detail = (text: string) => ({ "@type": `type.googleapis.com/google.rpc.RetryInfo${text}`, retryDelay: text })

/** As a body, an error of gaxios, and an error of grpc-js. */
const errors = (text: string): ReadonlyArray<unknown> => [
  errorOf(text),
  { error: { code: text, status: text, errors: [{ reason: text }], details: [detail(text), detail("")] } },
  { response: { status: text, data: { error: { code: text, errors: [{ reason: text }] } } } },
  { code: 14, metadata: { "grpc-retry-pushback-ms": [text], "grpc-status-details-bin": [encoded(text)] } },
  new HttpClientError.ResponseError({ request: start, response: responseOf(text), reason: "StatusCode" })
]

const many = (length: number): ReadonlyArray<unknown> => [
  {
    error: {
      errors: Array.from({ length }, () => ({ reason: "a" })),
      details: Array.from({ length }, () => detail("a"))
    }
  },
  { code: 14, metadata: { "grpc-retry-pushback-ms": Array.from({ length }, () => "1") } },
  chainOf(length, "a"),
  wide(length),
  keyed(length)
]

const classifiers = [
  GoogleClassifier.http,
  GoogleClassifier.grpc({ codes: ["UNAVAILABLE"], retryInfo: "retry", pushback: "retry" }),
  GoogleClassifier.aip194
]

const moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }

const judged = (all: ReadonlyArray<unknown>) => all.flatMap((error) => classifiers.map((judge) => judge(error, moment)))

const judgedRequest = (request: HttpClientRequest.HttpClientRequest) =>
  StorageIdempotency.judge(StorageIdempotency.standard, request)

const chunk = { asked: "Chunk", sent: 7, total: undefined } as const
const last = { asked: "LastChunk", sent: 7, total: 7 } as const

const list = (length: number) => Array.from({ length: Math.ceil(length / 16) }, (_, at) => at)

/** A field with bytes, of protobuf. */
const field = (number: number, bytes: ReadonlyArray<number>): ReadonlyArray<number> => [
  8 * number + 2,
  bytes.length,
  ...bytes
]

const anyOf = (type: string) => field(3, [...field(1, [...encoded(type)]), ...field(2, [])])

const boto = (text: string) => Effect.runSync(Effect.either(Boto.parse("a", "b", text)))

/** More small chunks than one, and then more than is read in advance. */
const chunked = (chunks: number): Response => {
  const bytes = [...Array.from({ length: chunks }, () => 1), 65_537]
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const length of bytes) controller.enqueue(new Uint8Array(length))
      controller.close()
    }
  })
  return new Response(stream, { status: 503, headers: { "content-type": "application/json" } })
}

const readAgain = (chunks: number) => {
  const client = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, chunked(chunks))))
  const reading = RetryErrorBody.reading(client as HttpClient.HttpClient.With<unknown, unknown>)
  const read = Effect.flatMap(reading.execute(start), (response) => response.arrayBuffer)
  return Effect.runPromise(read as Effect.Effect<ArrayBuffer, unknown>)
}

export const doors: ReadonlyArray<Door> = [
  { name: "an error body in small chunks", pieces: one, run: (text) => readAgain(text.length) },
  { name: "GoogleStatus.chain", run: (text) => errors(text).map(GoogleStatus.chain) },
  { name: "GoogleStatus.chain of many", pieces: one, run: (text) => many(text.length).map(GoogleStatus.chain) },
  { name: "GoogleClassifier", run: (text) => judged(errors(text)) },
  { name: "GoogleClassifier of many", pieces: one, run: (text) => judged(many(text.length)) },
  {
    name: "RetryInfo",
    run: (text) => [
      RetryInfo.durationMillis(text),
      RetryInfo.fromJson({ details: [detail(text)] }),
      RetryInfo.fromBinary(encoded(text))
    ]
  },
  {
    name: "RetryInfo.fromBinary of many",
    pieces: one,
    run: (text) => RetryInfo.fromBinary(Uint8Array.from(list(text.length).flatMap(() => anyOf("a"))))
  },
  {
    name: "RetryInfo.fromBinary of groups",
    pieces: ["\u000b", "\u001b", "\u001a\u0001a"],
    run: (text) => RetryInfo.fromBinary(encoded(text))
  },
  { name: "ErrorBody.parsed", run: (text) => ErrorBody.parsed(encoded(text)) },
  {
    name: "ErrorBody.parsed of lists in lists",
    pieces: one,
    run: (text) => ErrorBody.parsed(encoded("[".repeat(text.length / 2) + "]".repeat(text.length / 2)))
  },
  {
    name: "UploadVerdict.judge",
    run: (text) => [
      UploadVerdict.judge(chunk, { status: 308, headers: { range: text } }),
      UploadVerdict.judge(chunk, { status: 200, headers: { "x-http-status-code-override": text } }),
      UploadVerdict.judge(last, { status: 200, headers: {}, body: text }),
      UploadVerdict.judge(last, { status: 200, headers: {}, body: JSON.stringify({ size: text }) }),
      UploadVerdict.judge(last, { status: 200, headers: { "x-goog-stored-content-length": text } }),
      UploadVerdict.judge(last, { status: 503, headers: { "content-type": `${text}text/plain` }, body: text }),
      UploadVerdict.judge(last, { status: 503, headers: { "content-type": "text/plain" }, body: text })
    ]
  },
  {
    name: "UploadVerdict.judge of a text",
    pieces: ["content-range ", "exceeds ", "content-rang"],
    run: (text) => UploadVerdict.judge(last, { status: 503, headers: { "content-type": "text/plain" }, body: text })
  },
  { name: "StorageOperation.fromRequest", run: (text) => requests(text).map(StorageOperation.fromRequest) },
  {
    name: "StorageOperation.fromRequest of segments",
    pieces: ["/storage/v1/", "/upload/storage/v1", "storage/v1/b/"],
    run: (text) => requests(text).map(StorageOperation.fromRequest)
  },
  { name: "StorageIdempotency", pieces: few, run: (text) => requests(text).map((request) => judgedRequest(request)) },
  {
    name: "bodies of requests",
    pieces: few,
    run: (text) =>
      [
        bodyOf("application/json", text),
        bodyOf(`multipart/related; boundary=${text.slice(0, 70)}`, text),
        bodyOf(`multipart/related; ${text}`, text)
      ].map((request) => judgedRequest(request))
  },
  {
    name: "StorageHeader",
    pieces: [" ", "\t", "a", "a ", "/"],
    run: (text) => [StorageHeader.partsOf(text), StorageHeader.withoutOperation(text)]
  },
  { name: "Checksum.fromHeader", run: (text) => Checksum.fromHeader(text) },
  {
    name: "Checksum.fromHeader of pairs",
    pieces: ["crc32c=n03x6A==,", "md5=,"],
    run: (text) => Checksum.fromHeader(text)
  },
  { name: "Checksum.fromResource", run: (text) => Checksum.fromResource({ crc32c: text, md5Hash: text }) },
  {
    name: "the address of a session",
    run: (text) => [
      UploadAddress.fromLocation(text, start),
      UploadAddress.fromLocation(`https://storage.googleapis.com/${text}?${text}`, start),
      UploadAddress.fromKept(text, start)
    ]
  },
  {
    name: "what an upload shows",
    pieces: few,
    run: (text) => [
      UploadShown.response(responseOf(text), start),
      ...errors(text).map((error) => Cause.pretty(UploadShown.cause(Cause.fail(error), start)))
    ]
  },
  {
    name: "what an upload shows of errors of any size",
    pieces: one,
    run: (text) => many(text.length).map((error) => inspect(UploadShown.cause(Cause.fail(error), start)))
  },
  {
    name: "what a read back says",
    run: (text) => [
      ReadBack.generationIn({ generation: text }),
      ReadBack.generationOf(HttpClientRequest.del(`https://a/?${text}`))
    ]
  },
  { name: "Boto.parse", run: boto },
  { name: "Boto.parse of a section", pieces: few, run: (text) => boto(`[Boto]\nnum_retries = ${text}\n${text}`) },
  {
    name: "Boto.parse of sections",
    pieces: ["[Boto]\na=b\n", "[a.b]\n", "a[]=b\n", "[a\\.b]\n", '"a"=";\\"\n'],
    run: boto
  }
]
