/**
 * The schema of a service config, and the first mistake in one.
 *
 * Fields that are not about retries are ignored.
 * Source of the rules: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Validation of retryPolicy",
 * "Validation of hedgingPolicy" and "Validation of retryThrottling".
 */
import { InvalidArgument } from "@effect-retry/core"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as ProtobufDuration from "../accept/ProtobufDuration.ts"
import { repeated } from "../accept/ServiceConfigNames.ts"
import type { ServiceConfig } from "../accept/ServiceConfigShape.ts"
import * as StatusCode from "../accept/StatusCode.ts"

/** The allowed values of a field, in words. */
const allowedId = /*#__PURE__*/ Symbol.for("@effect-retry/grpc/Allowed")

const saying =
  (allowed: string) =>
  <A, I>(self: Schema.Schema<A, I>): Schema.Schema<A, I> =>
    self.annotations({ [allowedId]: allowed })

const numberWhere = (allowed: string, holds: (value: number) => boolean) =>
  Schema.Number.pipe(Schema.filter(holds), saying(allowed))

const durationWhere = (allowed: string, leastNanos: bigint) => {
  const isAllowed = (duration: Duration.Duration) =>
    Duration.between(duration, {
      minimum: Duration.nanos(leastNanos),
      maximum: Duration.seconds(ProtobufDuration.mostSeconds)
    })
  return Schema.transformOrFail(
    Schema.String,
    Schema.DurationFromSelf.pipe(Schema.filter(isAllowed), saying(allowed)),
    {
      strict: true,
      decode: (text, _, ast) => {
        const read = ProtobufDuration.fromJson(text)
        const found = read && ofNanos(BigInt(read.seconds) * 1_000_000_000n + BigInt(read.nanos))
        return found !== undefined && isAllowed(found)
          ? ParseResult.succeed(found)
          : ParseResult.fail(new ParseResult.Type(ast, text))
      },
      encode: (duration) => ParseResult.succeed(`${Duration.toSeconds(duration)}s`)
    }
  ).pipe(saying(allowed))
}

const ofNanos = (nanos: bigint): Duration.Duration =>
  nanos % 1_000_000n === 0n ? Duration.millis(Number(nanos / 1_000_000n)) : Duration.nanos(nanos)

const duration = durationWhere('seconds with up to nine decimals, such as "0.5s"', 0n)
const someDuration = durationWhere('more than no seconds, with up to nine decimals, such as "1.5s"', 1n)

const codeName = Schema.Literal(...StatusCode.names).pipe(saying("the name of a status code"))

const code = Schema.transformOrFail(Schema.Union(Schema.String, Schema.Number), codeName, {
  strict: true,
  decode: (given, _, ast) => {
    const found = typeof given === "number" ? StatusCode.fromNumber(given) : StatusCode.fromName(given)
    return found === undefined ? ParseResult.fail(new ParseResult.Type(ast, given)) : ParseResult.succeed(found)
  },
  encode: (name) => ParseResult.succeed(name)
}).pipe(saying("the name or the number of a status code"))

const maxAttempts = numberWhere("a whole number >= 2", (value) => Number.isInteger(value) && value >= 2)

const retryPolicy = Schema.Struct({
  maxAttempts,
  initialBackoff: someDuration,
  maxBackoff: someDuration,
  backoffMultiplier: numberWhere("a finite number > 0", (value) => value > 0 && value < Infinity),
  retryableStatusCodes: Schema.Array(code).pipe(
    Schema.filter((codes) => codes.length > 0),
    saying("a list of at least one status code")
  )
}).pipe(saying("a retry policy"))

const hedgingPolicy = Schema.Struct({
  maxAttempts,
  hedgingDelay: Schema.optionalWith(duration, { default: () => Duration.zero }),
  nonFatalStatusCodes: Schema.optionalWith(Schema.Array(code).pipe(saying("a list of status codes")), {
    default: () => []
  })
}).pipe(saying("a hedging policy"))

const optionalText = Schema.optional(Schema.String.pipe(saying("a text")))

const name = Schema.Struct({ service: optionalText, method: optionalText }).pipe(
  Schema.filter(({ method, service }) => Boolean(service) || !method),
  saying("a service, with or without a method, or empty")
)

const methodConfig = Schema.Struct({
  name: Schema.optionalWith(Schema.Array(name).pipe(saying("a list of names")), { default: () => [] }),
  timeout: Schema.optional(duration),
  retryPolicy: Schema.optional(retryPolicy),
  hedgingPolicy: Schema.optional(hedgingPolicy)
}).pipe(
  Schema.filter(({ hedgingPolicy, retryPolicy }) =>
    hedgingPolicy === undefined || retryPolicy === undefined
      ? undefined
      : { path: ["hedgingPolicy"], message: "absent beside a retryPolicy" }
  ),
  saying("a method config")
)

const retryThrottling = Schema.Struct({
  maxTokens: numberWhere(
    "a whole number >= 1 and <= 1000",
    (value) => Number.isInteger(value) && value >= 1 && value <= 1000
  ),
  tokenRatio: numberWhere("a finite number >= 0.001", (value) => value >= 0.001 && value < Infinity)
}).pipe(saying("a throttle"))

/** Set up front, because the type of a schema with defaults has no annotations. */
const whole = "a service config"

const schema = Schema.Struct({
  methodConfig: Schema.optionalWith(Schema.Array(methodConfig).pipe(saying("a list of method configs")), {
    default: () => []
  }),
  retryThrottling: Schema.optional(retryThrottling)
}).pipe(saying(whole))

/**
 * A service config as it is written in JSON.
 *
 * @category models
 */
export type Json = typeof schema.Encoded

const decodeJson = Schema.decodeUnknownEither(schema)
const decodeType = Schema.validateEither(schema)

/** Reads a config from JSON, or returns its first mistake. */
export const decode = (owner: string, json: unknown): Either.Either<ServiceConfig, InvalidArgument.InvalidArgument> =>
  checked(owner, decodeJson(json))

/** Checks a config made by hand. */
export const check = (owner: string, config: unknown): ServiceConfig =>
  Either.getOrThrowWith(checked(owner, decodeType(config)), (error) => error)

const checked = (
  owner: string,
  decoded: Either.Either<ServiceConfig, ParseResult.ParseError>
): Either.Either<ServiceConfig, InvalidArgument.InvalidArgument> =>
  Either.flatMap(
    Either.mapLeft(
      decoded,
      ({ issue }) => new InvalidArgument.InvalidArgument({ owner, ...wrongIn(issue, "", whole) })
    ),
    (config) => {
      const again = repeated(config)
      return again === undefined
        ? Either.right(config)
        : Either.left(
            new InvalidArgument.InvalidArgument({
              owner,
              field: again.path,
              allowed: "a name that comes only once",
              value: again.name
            })
          )
    }
  )

interface Wrong {
  readonly field: string
  readonly allowed: string
  readonly value: unknown
}

/** The first leaf of an issue, with the nearest annotation. */
const wrongIn = (issue: ParseResult.ParseIssue, field: string, allowed: string): Wrong => {
  switch (issue._tag) {
    case "Pointer":
      return wrongIn(issue.issue, joined(field, issue.path), "a record")
    case "Composite":
      return wrongIn("_tag" in issue.issues ? issue.issues : issue.issues[0], field, allowedBy(issue.ast) ?? allowed)
    case "Refinement":
    case "Transformation":
      return wrongIn(issue.issue, field, allowedBy(issue.ast) ?? allowed)
    case "Missing":
      return { field, allowed: allowedBy(issue.ast.type) ?? allowed, value: undefined }
    case "Unexpected":
    case "Forbidden":
    case "Type": {
      const nearest = issue._tag === "Unexpected" ? undefined : allowedBy(issue.ast)
      return { field: field || "config", allowed: issue.message ?? nearest ?? allowed, value: issue.actual }
    }
  }
}

const joined = (field: string, path: ParseResult.Path): string =>
  [path].flat().reduce<string>((all, key) => {
    if (typeof key === "number") return `${all}[${key}]`
    return all === "" ? String(key) : `${all}.${String(key)}`
  }, field)

const allowedBy = (ast: SchemaAST.AST): string | undefined =>
  Option.getOrUndefined(SchemaAST.getAnnotation<string>(ast, allowedId))
