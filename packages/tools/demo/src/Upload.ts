/**
 * An upload that breaks: one that asks how much the server has and goes on from there, beside one that starts over at every
 * failure.
 *
 * Over real sockets, against an emulator of Cloud Storage with faults.
 */
import { Backoff, Jitter } from "@effect-retry/core"
import { ResumableUpload, StorageRetry } from "@effect-retry/google"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Effect, Exit, Schedule } from "effect"
import * as Emulator from "../../../google/test/emulator/Emulator.ts"
import * as Chance from "./Chance.ts"
import * as Paint from "./Paint.ts"
import * as Parts from "./Parts.ts"
import * as Promised from "./Promised.ts"
import type { Scene } from "./Scene.ts"

const kib = 1024
const chunkBytes = 256 * kib
const data = new Uint8Array(2048 * kib).map((_, i) => i % 251)

/** How much the server keeps when it breaks off. */
const kept = [640 * kib, 1472 * kib]
const faults = {
  "storage.objects.insert": [
    ...kept.map((bytes) => `return-503-after-${bytes / kib}K`),
    "return-broken-stream-final-chunk-after-10B"
  ]
}

/**
 * What a caller does with a client and the request that starts a session.
 *
 * @category models
 */
type Uploading = (
  client: HttpClient.HttpClient,
  start: HttpClientRequest.HttpClientRequest
) => Effect.Effect<unknown, unknown>

/**
 * The policy of the scene.
 *
 * @category constructors
 */
export const policy = {
  ...StorageRetry.standard,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "30 millis" }).pipe(Backoff.jittered(Jitter.equal))
}

/**
 * @category constructors
 */
export const resuming =
  (given: typeof policy = policy): Uploading =>
  (client, start) =>
    ResumableUpload.run(client, { start, source: ResumableUpload.fromBytes(data), chunkBytes, policy: given })

const plain = Schedule.exponential("30 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))

/**
 * What is written without the toolkit: a session and its chunks, and whatever the failure was, all of it again.
 *
 * @category constructors
 */
export const startingOver: Uploading = (client, start) =>
  Effect.gen(function* () {
    const { headers } = yield* Effect.flatMap(client.execute(start), HttpClientResponse.filterStatusOk)
    for (let first = 0; ; first += chunkBytes) {
      const part = data.subarray(first, first + chunkBytes)
      const response = yield* HttpClientRequest.put(headers["location"] ?? "").pipe(
        HttpClientRequest.setHeader("content-range", `bytes ${first}-${first + part.length - 1}/${data.length}`),
        HttpClientRequest.bodyUint8Array(part),
        client.execute
      )
      if (response.status !== 308) return yield* (yield* HttpClientResponse.filterStatusOk(response)).json
    }
  }).pipe(Effect.retry(plain))

/**
 * @category constructors
 */
export const scene = (upload: Uploading = resuming()): Scene => ({
  title: `An upload of ${size(data.length)} that breaks: how often each part is sent`,
  play: ({ seed }) =>
    Effect.scoped(
      Effect.gen(function* () {
        const emulator = yield* Emulator.start({ buckets: ["photos"] })
        const sides = [
          uploaded(emulator, seed, "ours", upload),
          uploaded(emulator, seed, "native", startingOver)
        ] as const
        const [ours, native] = yield* Effect.all(sides, { concurrency: "unbounded" })
        return {
          figure: (style) => Parts.draw(style, [ours, native].map(track), data.length),
          promises: promises(ours),
          why: "Ours asks how much has arrived, and goes on from there; native starts over.",
          ours: { requests: ours.requests, succeeded: ours.succeeded },
          native: { requests: native.requests, succeeded: native.succeeded }
        }
      })
    )
})

/** An upload: what the server saw and stored of it, and what the client made of it. */
interface Uploaded {
  readonly name: string
  readonly succeeded: boolean
  readonly requests: number
  readonly pieces: ReadonlyArray<Parts.Piece>
  readonly sentBytes: number
  readonly generations: number
  /** How many bytes of the object arrived unchanged. */
  readonly arrivedBytes: number
}

const uploaded = (
  { requests, retryTest, state, url }: Emulator.Emulator,
  seed: string,
  name: string,
  upload: Uploading
): Effect.Effect<Uploaded> =>
  Effect.gen(function* () {
    const { id } = retryTest(faults)
    const answers: Array<string> = []
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.mapRequest(HttpClientRequest.setHeader("x-retry-test-id", id)),
      HttpClient.transformResponse(answered(answers))
    )
    const start = ResumableUpload.startRequest({ endpoint: url, bucket: "photos", name })
    const exit = yield* upload(client, start).pipe(Chance.seeded(`${seed}/${name}`), Effect.exit)
    const own = requests.filter(({ headers }) => headers["x-retry-test-id"] === id)
    const pieces = own.flatMap(({ headers }, i) => pieceOf(headers["content-range"], answers[i] ?? "lost"))
    const stored = state.buckets
      .get("photos")
      ?.objects.get(name)
      ?.find((object) => object.state === "live")
    return {
      name,
      succeeded: Exit.isSuccess(exit),
      requests: own.length,
      pieces,
      sentBytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
      generations: state.written.filter((object) => object.name === name).length,
      arrivedBytes:
        stored === undefined ? 0 : data.reduce((sum, byte, i) => (byte === stored.data[i] ? sum + 1 : sum), 0)
    }
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Writes down what became of each request: its status, or the one in the header if the server is asked not to send a 308. */
const answered =
  (answers: Array<string>) =>
  <E, R>(sent: Effect.Effect<HttpClientResponse.HttpClientResponse, E, R>) =>
    Effect.onExit(sent, (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) return void answers.push("reset")
        const { headers, status } = exit.value
        answers.push(headers["x-http-status-code-override"] ?? String(status))
      })
    )

/** Of a request of a session; the one that starts it has no range. */
const pieceOf = (range: string | undefined, answer: string): ReadonlyArray<Parts.Piece> => {
  if (range === undefined) return []
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(range) ?? []
  if (first === undefined) return [{ first: 0, bytes: 0, answer }]
  return [{ first: Number(first), bytes: Number(last) + 1 - Number(first), answer }]
}

const track = ({ generations, name, pieces, requests, sentBytes, succeeded }: Uploaded): Parts.Track => ({
  name,
  pieces,
  succeeded,
  ending: `${succeeded ? "succeeded" : "failed"}, ${Paint.count(requests, "request")}, ${size(sentBytes)} sent, stored ${generations === 1 ? "once" : `${generations} times`}`
})

const promises = ({ arrivedBytes, generations, pieces, sentBytes }: Uploaded): ReadonlyArray<Promised.Promised> => {
  const broken = pieces.filter(({ answer }) => answer === "503")
  const lost = broken.reduce((sum, { bytes, first }, i) => sum + first + bytes - (kept[i] ?? 0), 0)
  return [
    Promised.exactly("the whole arrives", arrivedBytes, data.length),
    Promised.exactly("it is stored once", generations, 1),
    Promised.between("nothing is sent again but what the server lost", sentBytes, [data.length, data.length + lost])
  ]
}

const size = Parts.size
