/** What aws is given from outside: errors, headers and files. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { AwsClassifier, AwsConfig, AwsDefaults, AwsError, Checksum, ClockSkew, RetryAfter } from "@effect-retry/aws"
import { type Door, few } from "@effect-retry/check/linear/Doors"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Settings from "../../../../../aws/src/accept/AwsSettings.ts"
import * as ConfigText from "../../../../../aws/src/accept/ConfigText.ts"
import * as HeaderLines from "../../../../../aws/src/classify/HeaderLines.ts"
import { chainOf, errorOf, keyed, one, wide } from "./errors.ts"

const names = ["X-Amz-Retry-After", "Retry-After", "Date", "Age", "X-Amzn-ErrorType", "X-Amz-Crc32"]

const headersOf = (text: string) => Object.fromEntries(names.map((name) => [name, text]))

const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`a${at}`, "b"]))

/** As errors of the SDK for JavaScript, of version 2, and as a parsed body. */
const errors = (text: string): ReadonlyArray<unknown> => [
  errorOf(text),
  Object.assign(new Error(text), {
    name: text,
    $fault: text,
    $metadata: { httpStatusCode: text },
    $response: { statusCode: 503, headers: headersOf(text) }
  }),
  { __type: text, Code: text, errorCode: text, Error: { Code: text }, message: text },
  { __type: `a#${text}`, Code: `${text}#a:${text}`, headers: headersOf(text) }
]

const classifiers = [
  AwsClassifier.standard,
  AwsClassifier.javascript,
  AwsClassifier.kotlin,
  AwsClassifier.botocoreLegacy
]

const moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }

const resolved = (text: string, environment: Record<string, string> = {}) =>
  Effect.runPromiseExit(
    AwsConfig.resolve({ configFile: "/config", profile: "a" }).pipe(
      Effect.provide(Layer.merge(FileSystem.layerNoop({ readFileString: () => Effect.succeed(text) }), Path.layer)),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment))))
    )
  )

export const doors: ReadonlyArray<Door> = [
  { name: "AwsError.read", run: (text) => errors(text).map(AwsError.read).map(AwsError.describe) },
  {
    name: "AwsError.chain",
    pieces: one,
    run: (text) =>
      [chainOf(text.length, "a"), wide(text.length), keyed(text.length)].map((error) => AwsError.chain(error, 10))
  },
  {
    name: "AwsClassifier",
    run: (text) => errors(text).flatMap((error) => classifiers.map((judge) => judge(error, moment)))
  },
  { name: "HeaderLines.read", run: (text) => HeaderLines.read(headersOf(text)) },
  {
    name: "HeaderLines.read of many",
    pieces: one,
    run: (text) =>
      [many(text.length), Object.entries(many(text.length)), new Map(Object.entries(many(text.length)))].map(
        HeaderLines.read
      )
  },
  {
    name: "RetryAfter",
    run: (text) =>
      [RetryAfter.standard, RetryAfter.javascript, RetryAfter.java2020].map((read) => read({ "retry-after": text }, 0))
  },
  {
    name: "RetryAfter of a date with more",
    run: (text) => RetryAfter.javascript({ "retry-after": `Sun, ${text} GMT, 7` }, 0)
  },
  {
    name: "ClockSkew.measure",
    run: (text) => ClockSkew.measure({ headers: headersOf(text), sentMillis: 0, receivedMillis: 0 })
  },
  {
    name: "ClockSkew.classifier",
    run: (text) => errors(text).map((error) => ClockSkew.classifier(ClockSkew.standard)(error, moment))
  },
  { name: "Checksum.dynamodb", run: (text) => Checksum.dynamodb({ headers: { "x-amz-crc32": "1" }, body: text }) },
  { name: "ConfigText.refusal", run: ConfigText.refusal },
  {
    name: "ConfigText.refusal of sections",
    pieces: ["[__proto__", "[profile ", " [\n", "\n \n"],
    run: ConfigText.refusal
  },
  { name: "AwsConfig.resolve", pieces: few, run: (text) => resolved(text) },
  {
    name: "AwsConfig.resolve of a profile",
    pieces: few,
    run: (text) => resolved(`[profile a]\nmax_attempts = ${text}\nretry_mode=${text}\n`)
  },
  {
    name: "AwsConfig.resolve of sections",
    pieces: ["[profile a]\nb=c\n", "[a]\nb =\n  c = d\n"],
    run: (text) => resolved(text)
  },
  {
    name: "AwsConfig.resolve of variables",
    pieces: few,
    run: (text) => resolved("", { AWS_MAX_ATTEMPTS: text, AWS_RETRY_MODE: text, AWS_NEW_RETRIES_2026: text })
  },
  {
    name: "AwsSettings",
    run: (text) => [
      Settings.mode(AwsDefaults.javascript.modes).read(text),
      Settings.maxAttempts.read(text),
      Settings.gate.read(text),
      Settings.clockSkewCorrection.read(text)
    ]
  }
]
