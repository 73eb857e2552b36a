/** Plausible mistakes: the compiler tells each of them once, and its last line says what is wrong. */
import { errors5, errors7, programOf, type Told } from "@effect-retry/check/Editors"
import { describe, expect, it } from "vitest"

const before = `
import { Backoff, CircuitBreaker, Classifier, Hedge, Observe, Policy, Promises, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { ResumableUpload, StorageRetry } from "@effect-retry/google"
import { HttpRetry } from "@effect-retry/http"
import type { HttpClient, HttpClientRequest } from "@effect/platform"
import { Context, Data, Effect, Schedule } from "effect"
declare const client: HttpClient.HttpClient
declare const start: HttpClientRequest.HttpClientRequest
const source = ResumableUpload.fromBytes(new Uint8Array(0))
class Busy extends Data.TaggedError("Busy")<{ readonly after: number }> {}
class Lost extends Data.TaggedError("Lost") {}
class Tokens extends Context.Tag("Tokens")<Tokens, TokenBucket.TokenBucket>() {}
declare const call: Effect.Effect<string, Busy>
const times = { maxAttempts: 3, backoff: Backoff.constant({ delay: 1 }) }
const policy = { ...times, classifier: Classifier.always }
const misspelt = { ...times, classifier: Classifier.fromTags({ Bussy: Verdict.server }) }
const mixed = Classifier.firstOf(Classifier.fromTags({ Bussy: Verdict.server }), Classifier.always)
const upload = { start, source, policy: { opinion: misspelt.classifier } }
const lost = { ...times, classifier: (error: Lost) => Verdict.terminal(error._tag) }
`

const noTag = `Type 'Busy' is not assignable to type '"the call has no error of the tag 'Bussy'"'.`
/** An error or a response: the two compilers report another member of the union. */
const noTagOfClient = `is not assignable to type '"the call has no error of the tag 'Bussy'"'.`
const field = `Type 'number' is not assignable to type 'Mistake<"a policy has no field 'maxAttemps'">'.`

const unrun = `Property '"yield* the effect that makes it"' is missing in type 'Effect<`

/** What TypeScript 5.9 says last, and what 7 says if that differs. */
const mistakes: ReadonlyArray<readonly [code: string, last: string, in7?: string]> = [
  ["Retry.retry(call, { ...policy, maxAttemps: 4 })", field],
  ["call.pipe(Retry.retry({ ...policy, maxAttemps: 4 }))", field],
  ["Promises.retry(async () => 1, { ...policy, maxAttemps: 4 })", field],
  [
    "Retry.retry(call, { ...times, classifier: Classifier.fromTags({ Bussy: Verdict.server }) })",
    `'Bussy' does not exist in type 'Cases<Busy>'. Did you mean to write 'Busy'?`
  ],
  [
    "call.pipe(Retry.retry({ ...times, classifier: Classifier.fromTags({ Bussy: Verdict.server }) }))",
    `'Bussy' does not exist in type 'Cases<Busy>'. Did you mean to write 'Busy'?`
  ],
  [
    "Retry.retry(call, { ...policy, retries: 3 })",
    `'Mistake<"a policy has no field 'retries': did you mean maxAttempts, which counts the first attempt too?">'.`
  ],
  [
    "Hedge.hedge(call, { classifier: Classifier.always, delay: 1, maxAttempts: 2, retries: 3 })",
    `'Mistake<"a hedge has no field 'retries': did you mean maxAttempts, which counts the first attempt too?">'.`
  ],
  ["Retry.retry(call, misspelt)", noTag],
  ["call.pipe(Retry.retry(misspelt))", noTag],
  ["Retry.retry(misspelt)(call)", noTag],
  ["Retry.retry(call, Policy.make(misspelt))", noTag],
  ["Retry.retry(call, { ...times, classifier: mixed })", noTag],
  ["HttpRetry.withRetry(client, { opinion: misspelt.classifier })", noTagOfClient],
  ["HttpRetry.withRetry({ opinion: misspelt.classifier })(client)", noTagOfClient],
  ["HttpRetry.withRetry(misspelt)(client)", noTagOfClient],
  ["HttpRetry.orStopped({ opinion: misspelt.classifier })(client)", noTagOfClient],
  ["StorageRetry.withRetry({ opinion: misspelt.classifier })(client)", noTagOfClient],
  ["ResumableUpload.run(client, upload)", noTagOfClient],
  ["ResumableUpload.run(upload)(client)", noTagOfClient],
  ["client.pipe(ResumableUpload.run(upload))", noTagOfClient],
  ["ResumableUpload.stream(upload)(client)", noTagOfClient],
  [
    "HttpRetry.withRetry(client, { maxAttempts: 3, retries: 3 })",
    `'Mistake<"a client's policy has no field 'retries': did you mean maxAttempts, which counts the first attempt too?">'.`
  ],
  [
    "client.pipe(HttpRetry.withRetry({ maxAttempts: 3, retries: 3 }))",
    `'Mistake<"a client's policy has no field 'retries': did you mean maxAttempts, which counts the first attempt too?">'.`
  ],
  ["client.pipe(HttpRetry.withRetry({ opinion: misspelt.classifier }))", noTagOfClient],
  ["client.pipe(HttpRetry.withRetry({ maxAttempts: '3' }))", `Type 'string' is not assignable to type 'number'.`],
  ["client.pipe(StorageRetry.orStopped({ backoff: 100 }))", `is not assignable to type 'Schedule<`],
  ["HttpRetry.withRetry(client)", `has no properties in common with type 'Checked<Bound<never>>'.`],
  ["HttpRetry.withRetry()", `Expected 1-2 arguments, but got 0.`],
  ["Retry.retry(call, { ...Policy.standard })", `Property 'classifier' is missing in type`],
  ["Retry.retry(call, { ...policy, maxAttempts: '3' })", `Type 'string' is not assignable to type 'number'.`],
  [
    "Retry.retry(call, Schedule.recurs(3))",
    `is missing the following properties from type 'Fields<Busy, string>': classifier, maxAttempts, backoff`
  ],
  ["Retry.retry(policy, call)", `is missing the following properties from type 'Effect<never, never, never>'`],
  [
    "Retry.retry(call, { ...policy, backoff: '1 second' })",
    `Type 'string' is not assignable to type 'Schedule<unknown, Busy, unknown>'.`
  ],
  [
    "Retry.retry(call, { ...policy, deadline: '10 seconds' })",
    `'Deadline<unknown> | Mistake<"Deadline.refuse(\\"10 seconds\\")"> | undefined'.`,
    `'Mistake<"Deadline.refuse(\\"10 seconds\\")"> | Deadline<unknown> | undefined'.`
  ],
  [
    "Retry.retry(call, { ...policy, attemptTimeout: '10 seconds' })",
    `'AttemptTimeout<unknown> | Mistake<"AttemptTimeout.constant(\\"2 seconds\\")"> | undefined'.`
  ],
  ["HttpRetry.withRetry(client, { deadline: '10 seconds' })", `Mistake<"Deadline.refuse(\\"10 seconds\\")">`],
  ["Retry.retry(call, { ...policy, bucket: RateLimiter.concurrencyLimit({ limit: 2 }) })", unrun],
  ["call.pipe(Retry.retry({ ...policy, rateLimiter: CircuitBreaker.make({}) }))", unrun],
  ["HttpRetry.withRetry(client, { bucket: CircuitBreaker.make({}) })", unrun],
  [
    "Hedge.hedge(call, { classifier: policy.classifier, delay: 1, maxAttempts: 2, bucket: CircuitBreaker.make({}) })",
    unrun
  ],
  [
    "Retry.retry(call, { ...policy, classifier: (error) => error._tag === 'Busy' })",
    `'Verdict | Mistake<"Classifier.fromPredicate turns a predicate into a classifier">'.`,
    `'Mistake<"Classifier.fromPredicate turns a predicate into a classifier"> | Verdict'.`
  ],
  [
    "Retry.retry(call, { ...policy, classifier: Verdict.server })",
    `provides no match for the signature '(error: Busy, moment: Moment): Verdict |`,
    `provides no match for the signature '(error: Busy, moment: Moment): Mistake<`
  ],
  ["Retry.retry(call, lost)", `Type '"Busy"' is not assignable to type '"Lost"'.`],
  [
    "Promises.retry(fetch('http://localhost'), policy)",
    `provides no match for the signature '(attempt: Attempt): PromiseLike<never>'.`
  ],
  [
    "Retry.retry(call, { ...policy, attemptsByKind: { Throtling: 2 } })",
    `'Throtling' does not exist in type 'AttemptsByKind'. Did you mean to write 'Throttling'?`
  ],
  [
    "Retry.retry(call, { ...policy, observe: [async () => {}] })",
    `Type 'Promise<void>' is not assignable to type 'void | Effect<void, never, never>'.`
  ],
  [
    "Retry.retryOrElse(call, { ...policy, maxAttempts: '3' }, () => call)",
    `Type 'string' is not assignable to type 'number'.`
  ],
  ["Retry.retry(call, { ...policy, observe: [Observe.logs] })", `has no properties in common with type 'Levels'.`],
  [
    "Promises.retry(async () => 1, { ...policy, bucket: Tokens })",
    `is missing the following properties from type 'TokenBucket<never>'`
  ],
  [
    "Backoff.exponential('1 second')",
    `Argument of type 'string' is not assignable to parameter of type '{ readonly base: DurationInput;`
  ]
]

const program = programOf("mistakes", `${before}${mistakes.map(([code]) => `export {};(${code})`).join("\n")}\n`)

const linesBefore = before.split("\n").length - 1

/** For each mistake, the last line of every error. */
const lastLines = (errors: ReadonlyArray<Told>): ReadonlyArray<ReadonlyArray<string>> =>
  mistakes.map((_, i) =>
    errors.filter(({ line }) => line === linesBefore + i).map(({ message }) => message.at(-1) ?? "")
  )

describe("The compiler on mistakes", async () => {
  const [in5, in7] = [lastLines(errors5(program)), lastLines(await errors7(program))]
  it.each(mistakes.map(([code, last, last7 = last], i) => ({ code, last, last7, i })))(
    "says $last of $code",
    ({ i, last, last7 }) => {
      expect(in5[i]).toEqual([expect.stringContaining(last)])
      expect(in7[i]).toEqual([expect.stringContaining(last7)])
    }
  )
})
