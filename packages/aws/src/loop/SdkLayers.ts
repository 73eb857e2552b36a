/**
 * Detects whether a client of the AWS SDK retries by itself, so that retries around it would multiply its own.
 */
import * as Logging from "@effect-retry/core/unstable/Logging"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/**
 * The part of an SDK client that is read.
 *
 * @category models
 */
export interface Client {
  readonly config: object
}

/** The clients whose configuration has been read, and those about which a warning was logged. */
const read = /*#__PURE__*/ new WeakSet<Client>()
const warned = /*#__PURE__*/ new WeakSet<Client>()

/** Logs a warning if the client's configuration says that it retries; reads the configuration once per client. */
export const beforeCall = (client: Client): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (read.has(client)) return Effect.void
    read.add(client)
    return Effect.flatMap(
      Effect.promise(() => attemptsOf(client)),
      (attempts) => warn(client, attempts)
    )
  })

/** Logs a warning if an output or an error took more than one attempt. */
export const afterCall = (client: Client, outcome: unknown): Effect.Effect<void> => warn(client, attemptsMade(outcome))

/** Logs one warning per client, however its retries were detected. */
const warn = (client: Client, attempts: number | undefined): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (attempts === undefined || attempts <= 1 || warned.has(client)) return Effect.void
    warned.add(client)
    return Logging.safely(Effect.logWarning(warning(client, attempts)))
  })

/**
 * The largest number of attempts that the client makes of one call; `undefined` if its strategy does not say.
 *
 * A strategy given to a client has its own number, and the client's `maxAttempts` is then only a header.
 * Never rejects. Source: @smithy/core 3.41.0, `resolveRetryConfig`, `StandardRetryStrategy`, `AdaptiveRetryStrategy`.
 */
const attemptsOf = async (client: Client): Promise<number | undefined> => {
  try {
    const strategy = await called(client.config, "retryStrategy")
    const attempts = (await called(strategy, "maxAttemptsProvider")) ?? (await called(strategy, "maxAttempts"))
    return Predicate.isNumber(attempts) ? attempts : undefined
  } catch {
    return undefined
  }
}

const called = (self: unknown, method: string): unknown => {
  const found = Predicate.hasProperty(self, method) ? self[method] : undefined
  return Predicate.isFunction(found) ? found.call(self) : undefined
}

/** How many attempts an output or an error of the SDK reports; `undefined` if it does not. */
const attemptsMade = (outcome: unknown): number | undefined => {
  try {
    const metadata = Predicate.hasProperty(outcome, "$metadata") ? outcome.$metadata : undefined
    const attempts = Predicate.hasProperty(metadata, "attempts") ? metadata.attempts : undefined
    return Predicate.isNumber(attempts) ? attempts : undefined
  } catch {
    return undefined
  }
}

const warning = (client: Client, attempts: number): string =>
  `The AWS SDK${serviceOf(client)} makes up to ${attempts} attempts of one call by itself, and the policy repeats such calls: ` +
  "create the client with maxAttempts: 1"

const serviceOf = ({ config }: Client): string => {
  const service = Predicate.hasProperty(config, "serviceId") ? config.serviceId : undefined
  return typeof service === "string" ? `'s client of ${service}` : ""
}
