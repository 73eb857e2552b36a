import { AttemptTimeout, Backoff, Deadline, InvalidArgument, TokenBucket, Verdict } from "@effect-retry/core"
import { Connections, Discard, HttpClassifier, HttpRetry, Idempotency, Presets } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { HttpClient, type HttpClientError } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Data, Duration, Effect, Option, Schedule } from "effect"
import { expectTypeOf } from "vitest"
import * as Stories from "../../../http/test/loop/Stories.ts"
import { exchange, ok, unavailable } from "../src/http-scripted.ts"
import type { Answer } from "../src/http-scripted.ts"
import { hear, hearing } from "./heard.ts"
import { read, rowsOf, storyOf, tableOf } from "./rows.ts"

const path = "packages/http/README.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0.5))))

const url = "https://api.example/"

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }), observe: [hear] }

const get = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) => got(policy, ...answers)

const got = <P extends HttpRetry.Fields<HttpClientError.HttpClientError>>(
  of: HttpRetry.Checked<P>,
  ...answers: readonly [Answer, ...ReadonlyArray<Answer>]
) => exchange(answers, (client) => HttpRetry.withRetry(client, of).get(url))

const hanging: Answer = () => Effect.never

/** A row whose answers, and what the client does about them, are those of the package's own tests. */
const stories =
  (...names: ReadonlyArray<string>) =>
  () =>
    names.forEach((name) => it.effect(name, () => Stories.run(storyOf(Stories.stories, name), [hear])))

const namesOf = (directives: HttpClassifier.Tables["directives"]): string =>
  directives.map((directive) => (typeof directive === "string" ? directive : directive.name)).join(", ")

const at = (value: unknown, ...fields: ReadonlyArray<string>): unknown =>
  fields.reduce<unknown>(
    (record, field) =>
      typeof record === "object" && record !== null
        ? Object.entries(record).find(([name]) => name === field)?.[1]
        : undefined,
    value
  )

const shown = (value: unknown): string => {
  if (value === undefined) return "absent"
  return Array.isArray(value) ? (value.length === 0 ? "none" : value.join(", ")) : String(value)
}

describe(`${path} ## Defaults`, () => {
  const { standard } = HttpRetry
  const { tree } = standard.backoff
  /** The bound before a retry. */
  const bound = (n: number): number =>
    tree._tag === "Leaf" ? (tree.curve.delayMillis(n, tree.state, Infinity, 1) ?? NaN) : NaN
  const values: Readonly<Record<string, unknown>> = {
    "`HttpRetry.standard` `maxAttempts`": standard.maxAttempts,
    "`HttpRetry.standard` base": bound(1),
    "`HttpRetry.standard` factor": bound(2) / bound(1),
    "`HttpRetry.standard` cap": at(standard.backoff.tree, "capMillis"),
    "`HttpRetry.standard` jitter": at(standard.backoff.tree, "jitter", "name"),
    "`HttpRetry.standard` `hint`": standard.hint?._tag,
    "`HttpRetry.standard` `hint` `atMost`": at(standard.hint, "atMostMillis"),
    "`HttpRetry.standard` `hint` `otherwise`": at(standard.hint, "otherwise"),
    "`HttpRetry.standard` `hint` `jitterRatio`": at(standard.hint, "jitterRatio"),
    "`HttpRetry.standard` `attemptTimeout`": standard.attemptTimeout,
    "`HttpRetry.standard` `deadline`": standard.deadline,
    "`HttpRetry.standard` `bucket`": at(standard, "bucket"),
    "`HttpRetry.standard` `rateLimiter`": at(standard, "rateLimiter"),
    "`HttpRetry.standard` `observe`": standard.observe,
    "`HttpRetry.standard` `opinion`": standard.opinion,
    "`HttpRetry.standard` `attemptHeaders`": standard.attemptHeaders,
    "`HttpRetry.standard` `beforeRetry`": at(standard, "beforeRetry"),
    "`HttpRetry.attemptNumber` `header`": Object.keys(
      HttpRetry.attemptNumber()({ number: 1, timeLeft: Option.none(), previous: Option.none() })
    ),
    "`Discard.standard` `atMostBytes`": Discard.standard.atMostBytes,
    "`Discard.standard` `within`": Duration.toMillis(Discard.standard.within),
    "`Connections.transientStatuses`": [...Connections.transientStatuses],
    "`Idempotency.standard` `methods`": Idempotency.standard.methods,
    "`Idempotency.standard` `keyHeader`": Idempotency.standard.keyHeader,
    "`Idempotency.standard` `createKeyFor`": Idempotency.standard.createKeyFor,
    "`Idempotency.standard` `preconditions`": Idempotency.standard.preconditions,
    "`Idempotency.standard` `rule`": Idempotency.standard.rule
  }
  const cells = new Map(rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value]))

  it("has a row for each of these values", () => {
    expect([...cells.keys()]).toEqual(Object.keys(values))
  })

  it.each(Object.entries(values))("%s is what the table says", (option, value) => {
    expect(shown(value)).toBe(cells.get(option))
  })

  it("a client without a policy follows the standard one", () => {
    expect(HttpRetry.standard.drain).toBe(Discard.standard)
    expect(Presets.standard).toBe(HttpRetry.standard)
  })
})

describe(`${path} ### Of the classifier`, () => {
  const { directives, statuses, transport } = HttpClassifier.standardTables
  const processed = { NotSent: "no", NotProcessed: "no", Unknown: "unknown" } as const
  const expected = [
    ...Object.entries(statuses).map(([status, row]) => [
      `\`HttpClassifier.standardTables\` \`statuses\` ${status}`,
      row?.kind ?? "not retryable",
      row?.hinted ?? row?.kind ?? "not retryable",
      processed[row?.processing ?? "Unknown"]
    ]),
    ["`HttpClassifier.standardTables` `transport`", transport?.kind, "", processed[transport?.processing ?? "Unknown"]],
    ["`HttpClassifier.standardTables` `directives`", namesOf(directives), "", ""]
  ]

  it("has a row for each status and each option, as the code has it", () => {
    const elsewhere = ["`HttpClassifier.standardTables` `codes`", "`HttpClassifier.standardTables` `hints`"]
    const rows = rowsOf(path, "### Of the classifier")
    expect(rows.map(([option]) => option).filter((option = "") => elsewhere.includes(option))).toEqual(elsewhere)
    expect(rows.filter(([option = ""]) => !elsewhere.includes(option)).map((row) => row.slice(0, 4))).toEqual(expected)
  })
})

tableOf(
  path,
  "## What it does when",
  {
    "The status is in the tables": stories(
      ...[408, 421, 425, 429, 500, 502, 503, 504].map((status) => `sends again after ${status}`)
    ),

    "The status is below 500 and not in the tables": stories(
      ...[204, 301, 400, 404, 413].map((status) => `returns ${status}`)
    ),

    "The status is from 500 on and not in the tables": stories("returns 501"),

    "The connection breaks, or cannot be made": stories(
      "sends again after connections that broke or could not be made"
    ),

    "Statuses and broken connections alternate": stories(
      "counts statuses and errors together, and returns the last response",
      "counts statuses and errors together, and fails with the last error"
    ),

    "A request is sent again under a tracer": stories("tells on spans how often a request was sent again"),

    "All attempts are spent on statuses": stories("returns the last response, its body unread"),

    "A request that is not safe to repeat meets a failure": stories(
      "does not send POST again",
      "does not send POST again after an error"
    ),

    "The same, and it was certainly not processed": stories(
      "sends POST again that was refused before it was sent, and nothing else",
      "sends POST again after 421 and 425, which say that it was not processed"
    ),

    "HTTP/2 refuses the stream of the request, or makes none": stories(
      "sends POST again of which HTTP/2 refused the stream, or made none"
    ),

    "A proxy answers CONNECT with 429, or with a status from 500 on": stories(
      "sends POST again after a proxy was busy"
    ),

    "It answers with another status, such as 407": stories("fails with the error of a proxy's 407"),

    "`idempotency` has a `rule` that says the request must not be repeated": stories(
      "sends nothing again that a rule does not repeat, after 503",
      "sends nothing again that a rule does not repeat, after an error"
    ),

    "The body can be read only once": stories(
      "sends no ReadableStream again, after 503",
      "sends no ReadableStream again, after Error: read ECONNRESET"
    ),

    "The response says how long to wait": stories(
      "waits at least what the server asks for, and up to a tenth longer: 10"
    ),

    "It says longer than a minute": stories("does not wait longer than a minute"),

    "The same, under a `hint` that ignores it beyond a minute": stories(
      "waits as the back-off says where the policy ignores longer hints"
    ),

    "It says `x-should-retry: false`": stories("does what a header says: not to retry"),

    "A status without a row comes with `x-should-retry: true`": stories(
      "does what a header says: to retry, if the request is safe to repeat"
    ),

    "The client underneath fails with `filterStatusOk`": stories(
      "judges the errors that filterStatusOk makes before it, and fails with the last one"
    ),

    "`opinion` has a verdict on the outcome": stories(
      "asks the opinion before the classifier, even about responses that would be fine"
    ),

    "`classifier` is not made from tables": stories(
      "takes the verdict of a classifier without tables",
      "leaves it to the standard tables whether a POST was processed: 421",
      "leaves it to the standard tables whether a POST was processed: 503"
    ),

    "One host asks for a pause, under `HttpRetry.perHost`": stories("pauses one host, and no other"),

    "A request is sent under `HttpRetry.withOptions`": stories(
      "takes the fields of HttpRetry.withOptions in place of the client's"
    ),

    "A 401 under `Unauthorized.renewing`": stories("renews a credential once, whatever the method"),

    "`beforeRetry` returns another request": stories(
      "leaves the key of the operation on a request that beforeRetry makes anew"
    ),

    "The same, for another origin": stories("sends no credential to another origin that beforeRetry does not set"),

    "`beforeRetry` fails": stories(
      "ends with an error of beforeRetry that the tables do not know",
      "counts an error of beforeRetry that the tables know as an attempt that was not sent"
    ),

    "An attempt runs into its timeout": stories("sends again after a timeout, if the request is safe to repeat"),

    "The same on the last attempt": stories("makes a timeout the cause of a RequestError"),

    "A deadline passes during an attempt": stories("bounds an attempt by the time that is left"),

    "A response is followed by another attempt": stories(
      "releases a response when the wait for another attempt begins"
    ),

    "The body breaks when the headers are in": stories("leaves a body that breaks to its reader"),

    "The same, read by `HttpRetry.execute`": stories(
      "reads inside the attempt: sends again when the body breaks, if the request is safe to repeat"
    ),

    "What `HttpRetry.execute` reads cannot be decoded": stories(
      "reads inside the attempt: does not send again what cannot be decoded, a schema that does not fit"
    ),

    "The reading runs into the timeout of its attempt": stories(
      "reads inside the attempt: sends again when a body stalls until the timeout of its attempt"
    ),

    "`HttpRetry.execute` gives up on a response": stories(
      "reads inside the attempt: a response that is not sent again once, the last of all attempts"
    ),

    "A client of `HttpRetry.orStopped` gives up": stories(
      "gives the reason to one handler with a response, its body unread",
      "gives the reason to one handler with an error"
    ),

    "The body of a `Download.stream` breaks": stories("asks for the rest whenever the body of a download breaks"),

    "The same, and the first answer has no strong validator": stories(
      "does not go on with a download without a strong validator"
    ),

    "The server has another version of what is downloaded": stories(
      "emits nothing of another version of a download: 412",
      "emits nothing of another version of a download: a part"
    ),

    "The bucket refuses": stories("returns the response where the bucket refuses, its body unread"),

    "The rate limiter refuses the first attempt": stories(
      "makes a first attempt that is refused the cause of a RequestError"
    ),

    "The rate limiter refuses a later attempt": stories(
      "returns the body that was kept when a retry is refused after the wait",
      "returns a body that says where it has gone when that was not kept"
    ),

    "A certificate is not valid": stories("fails with the error of a certificate that is not valid"),

    "The server asks for HTTP/1.1, or for another TLS": stories(
      "fails with the error of a server that wants HTTP/1.1",
      "fails with the error of a server that wants another TLS"
    ),

    "The URL is not valid": stories("fails with the error of a URL that is not valid, and sends nothing"),

    "The operation is interrupted in a wait": stories("ends a wait that is interrupted, and leaves no sleeper behind"),

    "The client is wrapped twice": stories("multiplies when it is wrapped twice"),

    "A policy has a bad value": () =>
      it("throws an `InvalidArgument` that names module, field, range and value", () => {
        const bad = { ...policy, idempotency: { ...Idempotency.standard, keyHeader: "Idempotency Key" } }
        expect(() => HttpRetry.make(bad)).toThrow(InvalidArgument.InvalidArgument)
        expect(() => HttpRetry.make(bad)).toThrow(
          'HttpRetry.make: keyHeader must be the name of a header in lower case, got "Idempotency Key"'
        )
      })
  },
  hearing
)

tableOf(path, "## How the types work", {
  "`attemptTimeout`": () =>
    it("adds what `onTimeout` makes, and nothing else", () => {
      class Slow extends Data.TaggedError("Slow") {}
      const timed = { ...policy, attemptTimeout: AttemptTimeout.constant("1 second") }
      const named = { ...policy, attemptTimeout: AttemptTimeout.constant("1 second", { onTimeout: () => new Slow() }) }
      expectTypeOf(withRetry(timed)).toEqualTypeOf<HttpClient.HttpClient>()
      expectTypeOf(withRetry(named)).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError | Slow>>()
      expect(HttpRetry.make(named)).toBe(named)
    }),

  "`deadline: Deadline.cut`": () =>
    virtually("adds what `onExceeded` makes, and nothing else", () =>
      Effect.gen(function* () {
        class Late extends Data.TaggedError("Late") {}
        const cut = { ...policy, deadline: Deadline.cut("1 second") }
        const named = { ...policy, deadline: Deadline.cut("1 second", { onExceeded: () => new Late() }) }
        expectTypeOf(withRetry(cut)).toEqualTypeOf<HttpClient.HttpClient>()
        expectTypeOf(withRetry(named)).toEqualTypeOf<
          HttpClient.HttpClient.With<HttpClientError.HttpClientError | Late>
        >()
        const { outcome } = yield* got(cut, hanging)
        expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "DeadlineExceeded" } })
      })
    ),

  "`rateLimiter: Tag`": () =>
    it("adds the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, TokenBucket.TokenBucket>() {}
      const limited = withRetry({ ...policy, rateLimiter: Mine })
      expectTypeOf(limited).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Mine>>()
      expect(limited).toHaveProperty("execute")
    }),

  "`bucket: Tag`": () =>
    it("adds the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, TokenBucket.TokenBucket>() {}
      const funded = withRetry({ ...policy, bucket: Mine })
      expectTypeOf(funded).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Mine>>()
      expect(funded).toHaveProperty("execute")
    }),

  "`bucket` or `rateLimiter` that is a `TokenBucket` itself": () =>
    virtually("adds nothing, and a refusal of the rate limiter is a `cause`", () =>
      Effect.gen(function* () {
        const given = { ...policy, bucket: TokenBucket.unlimited, rateLimiter: TokenBucket.empty }
        expectTypeOf(withRetry(given)).toEqualTypeOf<HttpClient.HttpClient>()
        const { outcome } = yield* got(given, ok)
        expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptRefused" } })
      })
    ),

  "`backoff: Schedule<_, _, R>`": () =>
    it("adds its requirement", () => {
      class Limit extends Context.Tag("Limit")<Limit, number>() {}
      const backoff = Schedule.recurs(9).pipe(
        Schedule.whileOutputEffect((n) => Effect.map(Limit, (limit) => n < limit))
      )
      const scheduled = withRetry({ ...policy, backoff })
      expectTypeOf(scheduled).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Limit>>()
      expect(scheduled).toHaveProperty("execute")
    })
})

const bare = HttpClient.make((request) => ok(request))
const withRetry = <P extends HttpRetry.Fields<HttpClientError.HttpClientError>>(of: HttpRetry.Checked<P>) =>
  HttpRetry.withRetry(bare, of)

describe(`${path} ## How the types work, of opinions`, () => {
  it("in a pipe the lambda needs no annotation, alone it does", () => {
    const inPipe = bare.pipe(
      HttpRetry.withRetry({
        ...policy,
        opinion: (outcome) => (HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.terminal(outcome._tag))
      })
    )
    expectTypeOf(inPipe).toEqualTypeOf<HttpClient.HttpClient>()
    const alone = HttpRetry.withRetry({
      ...policy,
      opinion: (outcome: HttpRetry.Outcome<HttpClientError.HttpClientError>) =>
        HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.terminal(outcome._tag)
    })
    expectTypeOf(alone(bare)).toEqualTypeOf<HttpClient.HttpClient>()
    expect(alone(bare)).toHaveProperty("execute")
  })
})

describe(`${path} ## What it does not do`, () => {
  virtually("adds no header to those of the platform's traces", () =>
    Effect.gen(function* () {
      const { requests } = yield* get(unavailable, ok)
      expect(requests.map(({ headers }) => Object.keys(headers).toSorted())).toEqual([
        ["b3", "traceparent"],
        ["b3", "traceparent"]
      ])
    })
  )
})

describe(`${path} ## Presets`, () => {
  const methodsOf = ({ createKeyFor, methods }: Idempotency.Idempotency): string => {
    const added = methods.filter((method) => !Idempotency.standard.methods.includes(method))
    return ["idempotent", ...added, ...createKeyFor.map((method) => `${method} by key`)].join(", ")
  }
  const statusesOf = ({ statuses }: HttpClassifier.Tables): string => {
    const retried = Object.entries(statuses).flatMap(([status, row]) => (row?.kind === undefined ? [] : [status]))
    const ofServer = retried.filter((status) => status.startsWith("5"))
    const others = retried.filter((status) => !status.startsWith("5"))
    return [...others, ...(ofServer.length === 100 ? ["5xx"] : ofServer)].join(", ")
  }
  const delaysOf = (backoff: Backoff.Backoff, u: number) =>
    Effect.map(Schedule.run(backoff, 0, [1, 2, 3]), (delays) =>
      Chunk.toReadonlyArray(delays).map(Duration.toMillis)
    ).pipe(Effect.provide(SeededRandom.layerConstant(u)))

  it("has a row for each preset", () => {
    expect(
      rowsOf(path, "## Presets")
        .map(([name]) => name)
        .toSorted()
    ).toEqual(
      Object.keys(Presets)
        .map((name) => `\`Presets.${name}\``)
        .toSorted()
    )
  })

  it.effect.each(rowsOf(path, "## Presets"))("%s is what the table says", ([name = "", ...cells]) =>
    Effect.gen(function* () {
      const preset: HttpRetry.Preset<unknown> | undefined = Object.entries(Presets).find(
        ([key]) => name === `\`Presets.${key}\``
      )?.[1]
      if (preset === undefined) return yield* Effect.dieMessage(`no preset ${name}`)
      const [ends, others] = [yield* delaysOf(preset.backoff, 0), yield* delaysOf(preset.backoff, 1 - 2 ** -53)]
      const waits = ends.map((end, i) => `${Math.min(end, others[i] ?? NaN)}-${Math.max(end, others[i] ?? NaN)}`)
      expect(cells.slice(0, -1)).toEqual([
        String(preset.maxAttempts),
        waits.join(", "),
        preset.attemptTimeout === undefined ? "absent" : String(preset.attemptTimeout.millisOf(1, 0)),
        statusesOf(preset.classifier.tables),
        methodsOf(preset.idempotency),
        namesOf(preset.classifier.tables.directives)
      ])
    })
  )
})

describe(`${path} ## Modules`, () => {
  it("has a row for each export of the index", () => {
    const names = rowsOf(path, "## Modules").map(([name]) => name)
    const exported = Array.from(
      read("packages/http/src/index.ts").matchAll(/^export \* as (\w+)/gm),
      ([, name]) => name
    )
    expect(names).toEqual(exported.map((name) => `\`${name}\``))
  })
})
