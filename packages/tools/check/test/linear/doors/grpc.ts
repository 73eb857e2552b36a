/** What grpc is given from outside: errors, their trailers, and configs. */
import { type Door } from "@effect-retry/check/linear/Doors"
import { GrpcClassifier, ServiceConfig, Status } from "@effect-retry/grpc"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { chainOf, errorOf, keyed, one, wide } from "./errors.ts"

const name = "grpc-retry-pushback-ms"

const errors = (text: string): ReadonlyArray<unknown> => [
  errorOf(text),
  { code: text, status: text },
  { code: 14, metadata: { [name]: [text] } },
  { code: 14, metadata: new Map([[name, text]]) }
]

const many = (length: number): ReadonlyArray<unknown> => [
  { code: 14, metadata: { [name]: Array.from({ length }, () => "1") } },
  chainOf(length, "a"),
  wide(length),
  keyed(length)
]

const judge = GrpcClassifier.make({ codes: ["UNAVAILABLE"], pushback: "retry" })

const judged = (all: ReadonlyArray<unknown>) =>
  all.flatMap((error) => [Status.chain(error), judge(error, { nowMillis: 0, attempt: 1, elapsed: Duration.zero })])

const methodConfig = (name: ReadonlyArray<object>) => ({
  name,
  retryPolicy: {
    maxAttempts: 4,
    initialBackoff: "0.1s",
    maxBackoff: "1s",
    backoffMultiplier: 2,
    retryableStatusCodes: ["UNAVAILABLE"]
  }
})

const parsed = (config: unknown) => Effect.runSync(Effect.either(ServiceConfig.parse(JSON.stringify(config))))

const list = (length: number) => Array.from({ length: Math.ceil(length / 16) }, (_, at) => at)

export const doors: ReadonlyArray<Door> = [
  { name: "GrpcClassifier", run: (text) => judged(errors(text)) },
  { name: "GrpcClassifier of errors of any size", pieces: one, run: (text) => judged(many(text.length)) },
  { name: "ServiceConfig.parse", run: (text) => Effect.runSync(Effect.either(ServiceConfig.parse(text))) },
  {
    name: "ServiceConfig.parse of such names",
    run: (text) => parsed({ methodConfig: [methodConfig([{ service: text, method: text }])] })
  },
  {
    name: "ServiceConfig.parse of many configs",
    pieces: one,
    run: (text) => parsed({ methodConfig: list(text.length).map((at) => methodConfig([{ service: `a${at}` }])) })
  },
  {
    name: "ServiceConfig.parse of many names",
    pieces: one,
    run: (text) => parsed({ methodConfig: [methodConfig(list(text.length).map((at) => ({ service: `a${at}` })))] })
  }
]
