/** Plausible mistakes: the compiler tells each of them once, and its last line says what is wrong. */
import { errors5, errors7, programOf, type Told } from "@effect-retry/check/Editors"
import { describe, expect, it } from "vitest"

const before = `
import { SdkRetryStrategy } from "@effect-retry/aws"
import { AttemptTimeout, Backoff, CircuitBreaker, Classifier, Hedge, Observe, Policy, Promises, RateLimiter, Retry, Stepper, TokenBucket, Verdict } from "@effect-retry/core"
import { ResumableUpload, StorageRetry } from "@effect-retry/google"
import { HttpRetry } from "@effect-retry/http"
import { HttpClient, type HttpClientRequest } from "@effect/platform"
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

const aBackoff = `Mistake<"Backoff.constant({ delay: \\"1 second\\" })">`

const notFirst = `Mistake<"the effect comes first; async functions are retried by Promises.retry">'.`

const noClient = `Property '"yield* the tag first: const client = yield* HttpClient.HttpClient"' is missing in type 'Tag<`

const listed = `Mistake<"[Observe.logs(), Observe.metrics]">`

const leftOut = `Property 'mistake' is missing in type 'AttemptTimeout<AttemptTimedOut>' but required in type 'Mistake<"leave it out: `

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
  ["client.pipe(StorageRetry.orStopped({ backoff: 100 }))", aBackoff],
  ["HttpRetry.withRetry(client)", `has no properties in common with type 'Checked<Bound<never>>'.`],
  ["HttpRetry.withRetry()", `Expected 1-2 arguments, but got 0.`],
  ["Retry.retry(call, { ...Policy.standard })", `Property 'classifier' is missing in type`],
  ["Retry.retry(call, { ...policy, maxAttempts: '3' })", `Type 'string' is not assignable to type 'number'.`],
  [
    "Retry.retry(call, Schedule.recurs(3))",
    `is missing the following properties from type 'Fields<Busy, string>': classifier, maxAttempts, backoff`
  ],
  ["Retry.retry(policy, call)", notFirst],
  ["Retry.retry(async () => 'x', policy)", notFirst],
  ["Retry.retry(() => call, policy)", notFirst],
  ["Retry.orStopped(fetch('http://localhost'), policy)", notFirst],
  ["Retry.retryOrElse(async () => 'x', policy, () => call)", notFirst],
  ["HttpRetry.withRetry(HttpClient.HttpClient, { maxAttempts: 3 })", noClient],
  ["HttpRetry.orStopped(HttpClient.HttpClient, { maxAttempts: 3 })", noClient],
  ["Retry.retry(call, { ...policy, backoff: '1 second' })", aBackoff],
  ["call.pipe(Retry.retry({ ...policy, backoff: '1 second' }))", aBackoff],
  ["Promises.retry(async () => 1, { ...policy, backoff: '1 second' })", aBackoff],
  ["client.pipe(HttpRetry.withRetry({ backoff: '1 second' }))", aBackoff],
  ["Retry.retry(call, { ...policy, observe: Observe.logs() })", listed],
  ["call.pipe(Retry.retry({ ...policy, observe: Observe.logs() }))", listed],
  ["Retry.retry(call, { ...policy, observe: Observe.spanEvents })", listed],
  ["HttpRetry.withRetry(client, { observe: Observe.logs() })", listed],
  ["Hedge.hedge(call, { classifier: Classifier.always, delay: 1, maxAttempts: 2, observe: Observe.logs() })", listed],
  ["Retry.retry(call, { ...policy, observe: [Observe.metricsByKey({ maxKeys: 100 })] })", unrun],
  ["SdkRetryStrategy.make({ ...policy, attemptTimeout: AttemptTimeout.constant(1) })", `${leftOut}the SDK makes`],
  ["Stepper.make({ ...policy, attemptTimeout: AttemptTimeout.constant(1) })", `${leftOut}another library makes`],
  ["Policy.toSchedule({ ...policy, attemptTimeout: AttemptTimeout.constant(1) })", `${leftOut}a schedule cannot`],
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
    `Mistake<"a function, as in Promises.retry(() => fetch(url), policy)">`
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
  [
    "Promises.retry(async () => 1, { ...policy, bucket: Tokens })",
    `is missing the following properties from type 'TokenBucket<never>'`
  ],
  [
    "Backoff.exponential('1 second')",
    `Argument of type 'string' is not assignable to parameter of type '{ readonly base: DurationInput;`
  ]
]

/** What both compilers say first, if the last line only explains why. */
const saidFirst: ReadonlyArray<readonly [code: string, first: string]> = [
  ["Retry.retry(call, { ...policy, observe: [Observe.logs] })", `Mistake<"an observer, such as Observe.logs()">`],
  ["call.pipe(Retry.retry({ ...policy, observe: [Observe.logs] }))", `Mistake<"an observer, such as Observe.logs()">`]
]

const rows = [
  ...mistakes.map(([code, said, said7 = said]) => ({ code, said, said7, at: -1 })),
  ...saidFirst.map(([code, said]) => ({ code, said, said7: said, at: 0 }))
]

const program = programOf("mistakes", `${before}${rows.map(({ code }) => `export {};(${code})`).join("\n")}\n`)

const linesBefore = before.split("\n").length - 1

/** For each mistake, one line of every error. */
const linesOf = (errors: ReadonlyArray<Told>): ReadonlyArray<ReadonlyArray<string>> =>
  rows.map(({ at }, i) =>
    errors.filter(({ line }) => line === linesBefore + i).map(({ message }) => message.at(at) ?? "")
  )

describe("The compiler on mistakes", async () => {
  const [in5, in7] = [linesOf(errors5(program)), linesOf(await errors7(program))]
  it.each(rows.map((row, i) => ({ ...row, i })))("says $said of $code", ({ i, said, said7 }) => {
    expect(in5[i]).toEqual([expect.stringContaining(said)])
    expect(in7[i]).toEqual([expect.stringContaining(said7)])
  })
})
