import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Data, Duration, Effect, FastCheck as fc, Option } from "effect"
import { law } from "../support/Laws.ts"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.Duration }> {}
class NotFound extends Data.TaggedError("NotFound")<{ readonly path: string }> {}
class Lost extends Data.TaggedError("Lost")<{ readonly bytes: number }> {}
type ApiError = Busy | NotFound | Lost

const busy = new Busy({ retryAfter: Duration.seconds(7) })
const notFound = new NotFound({ path: "/a" })
const lost = new Lost({ bytes: 3 })

/** The verdicts on one error of each tag. */
const verdicts = (classifier: Classifier.Classifier<ApiError>) => [busy, notFound, lost].map(classifier)

describe("Classifier.never", () => {
  it("retries nothing, and says so", () => {
    expect(verdicts(Classifier.never)).toEqual([1, 2, 3].map(() => ({ _tag: "Terminal", why: "nothing is retryable" })))
  })
})

describe("Classifier.always", () => {
  it("retries everything as a passing fault", () => {
    expect([undefined, null, 0, busy].map(Classifier.always)).toEqual([1, 2, 3, 4].map(() => Verdict.transient))
  })
})

describe("Classifier.fromPredicate", () => {
  const isLong = (error: { readonly bytes: number }) => error.bytes > 2

  it("has no opinion where the predicate does not hold", () => {
    const classifier = Classifier.fromPredicate(isLong, Verdict.server)
    expect([{ bytes: 3 }, { bytes: 2 }].map(classifier)).toEqual([Verdict.server, Verdict.noOpinion])
  })

  it("takes a failure for a passing fault where nothing else is said", () => {
    expect(Classifier.fromPredicate(isLong)({ bytes: 3 })).toEqual(Verdict.transient)
  })

  it("judges the predicate's errors", () => {
    expectTypeOf(Classifier.fromPredicate(isLong)).toEqualTypeOf<Classifier.Classifier<{ readonly bytes: number }>>()
    expectTypeOf(Classifier.fromPredicate((error: ApiError) => error._tag === "Lost")).toEqualTypeOf<
      Classifier.Classifier<ApiError>
    >()
  })
})

describe("Classifier.fromTags", () => {
  const classifier = Classifier.fromTags<ApiError>({
    Busy: (error) => Verdict.retryable("Throttling", { hint: error.retryAfter }),
    Lost: Verdict.transient
  })

  it("judges by tag, with a verdict or a function, and has no opinion on the others", () => {
    expect(verdicts(classifier)).toEqual([
      Verdict.retryable("Throttling", { hint: "7 seconds" }),
      Verdict.noOpinion,
      Verdict.transient
    ])
  })

  it.each([
    undefined,
    null,
    "Busy",
    7,
    {},
    { _tag: 7 },
    { _tag: "toString" },
    { _tag: "__proto__" },
    { _tag: "constructor" },
    { _tag: "hasOwnProperty" },
    () => "Busy"
  ])("has no opinion on what has no tag it knows: %o", (error) => {
    const untyped: Classifier.Classifier<never> = Classifier.fromTags({ Busy: Verdict.transient })
    expect(untyped(error as never)).toEqual(Verdict.noOpinion)
  })

  it("judges the named union, whose cases see their error narrowed", () => {
    expectTypeOf(classifier).toEqualTypeOf<Classifier.Classifier<ApiError>>()
    Classifier.fromTags<ApiError>({
      Busy: (error) => {
        expectTypeOf(error).toEqualTypeOf<Busy>()
        return Verdict.transient
      },
      NotFound: (error) => {
        expectTypeOf(error).toEqualTypeOf<NotFound>()
        return Verdict.terminal(error.path)
      }
    })
    // @ts-expect-error - no error of the union has this tag
    Classifier.fromTags<ApiError>({ Buzy: Verdict.transient })
    // @ts-expect-error - a case answers with a verdict
    Classifier.fromTags<ApiError>({ Lost: () => true })
    // @ts-expect-error - a busy service has lost no bytes
    Classifier.fromTags<ApiError>({ Busy: (error) => Verdict.terminal(`${error.bytes}`) })
    expect(classifier(lost)).toEqual(Verdict.transient)
  })

  it("judges the errors of its annotated cases", () => {
    const annotated = Classifier.fromTags({
      Busy: (error: Busy) => Verdict.retryable("Throttling", { hint: error.retryAfter }),
      Lost: (error: Lost) => (error.bytes > 0 ? Verdict.transient : Verdict.terminal("nothing was lost"))
    })
    expectTypeOf(annotated).toEqualTypeOf<Classifier.Classifier<Busy | Lost>>()
    // @ts-expect-error - it says nothing about this error
    annotated(notFound)
    expect([busy, lost].map(annotated)).toEqual([
      Verdict.retryable("Throttling", { hint: "7 seconds" }),
      Verdict.transient
    ])
  })

  const failing = (error: ApiError): Effect.Effect<string, ApiError> => Effect.fail(error)
  const policy = { maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }

  it.effect("needs no annotation in a pipe", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const retried = failing(notFound).pipe(
        Retry.retry({
          ...policy,
          classifier: Classifier.fromTags({
            Busy: (error) => {
              expectTypeOf(error).toEqualTypeOf<Busy>()
              return Verdict.transient
            },
            NotFound: (error) => {
              expectTypeOf(error).toEqualTypeOf<NotFound>()
              seen.push(error.path)
              return Verdict.transient
            }
          })
        })
      )
      expectTypeOf(retried).toEqualTypeOf<Effect.Effect<string, ApiError>>()
      expect(yield* Effect.flip(retried)).toBe(notFound)
      expect(seen).toEqual(["/a", "/a", "/a"])
    })
  )

  it.effect("needs no annotation data-first", () =>
    Effect.gen(function* () {
      const retried = Retry.retry(failing(lost), {
        ...policy,
        classifier: Classifier.fromTags({ Lost: (error) => Verdict.terminal(`${error.bytes} bytes`) })
      })
      expectTypeOf(retried).toEqualTypeOf<Effect.Effect<string, ApiError>>()
      expect(yield* Effect.flip(retried)).toBe(lost)
    })
  )
})

describe("Classifier.firstOf", () => {
  const some = Arbitraries.classifier<number>()
  const { firstOf } = Classifier
  const none = () => Verdict.noOpinion

  it.prop(
    "is associative, with no opinion as identity on both sides",
    [some, some, some, fc.nat()],
    ([a, b, c, error]) => {
      const flat = firstOf(a, b, c)(error)
      expect(firstOf(firstOf(a, b), c)(error)).toEqual(flat)
      expect(firstOf(a, firstOf(b, c))(error)).toEqual(flat)
      expect(firstOf(none, a)(error)).toEqual(a(error))
      expect(firstOf(a, none)(error)).toEqual(a(error))
      expect(firstOf(firstOf(), a)(error)).toEqual(a(error))
    },
    law()
  )

  it("answers the first opinion, also one that ends everything, and asks no further", () => {
    const asked: Array<string> = []
    const asks = (name: string, verdict: Verdict.Verdict) => () => {
      asked.push(name)
      return verdict
    }
    const terminal = Verdict.terminal("no")
    const classifier = firstOf(asks("a", Verdict.noOpinion), asks("b", terminal), asks("c", Verdict.transient))
    expect(classifier("error")).toBe(terminal)
    expect(asked).toEqual(["a", "b"])
  })

  it("has no opinion where nobody has", () => {
    expect(firstOf(none, none)(1)).toEqual(Verdict.noOpinion)
    expect(firstOf()(1)).toEqual(Verdict.noOpinion)
  })

  it.effect("ends in no retry where nobody has an opinion", () =>
    Effect.gen(function* () {
      let attempts = 0
      const attempt = Effect.suspend(() => Effect.fail(++attempts))
      const classifier: Classifier.Classifier<number> = firstOf(none, none)
      const stopped = yield* Effect.flip(
        Retry.orStopped(attempt, { classifier, maxAttempts: 9, backoff: Backoff.constant({ delay: 0 }) })
      )
      expect([attempts, stopped.reason]).toEqual([1, { _tag: "Terminal", why: "no classifier has an opinion" }])
    })
  )
})

describe("Classifier.withHint", () => {
  const base = Classifier.fromTags<ApiError>({ Busy: Verdict.throttling, NotFound: Verdict.terminal("gone") })
  const hint = (error: ApiError) => (error._tag === "Busy" ? error.retryAfter : "1 second")
  const hinted = [Verdict.retryable("Throttling", { hint: "7 seconds" }), Verdict.terminal("gone"), Verdict.noOpinion]

  it("attaches what the error says to retryable verdicts alone", () => {
    expect(verdicts(Classifier.withHint(base, hint))).toEqual(hinted)
    expect(verdicts(Classifier.withHint(hint)(base))).toEqual(hinted)
  })

  it("keeps the verdict's own hint where the error has none", () => {
    const own: Classifier.Classifier<ApiError> = () => Verdict.retryable("Server", { hint: 5 })
    expect(Classifier.withHint(own, () => undefined)(busy)).toEqual(Verdict.retryable("Server", { hint: 5 }))
  })

  it("does not read the error where no hint is of use", () => {
    const unread = Classifier.withHint(Classifier.never, () => {
      throw new Error("it was read")
    })
    expect(unread(busy)).toEqual(Verdict.terminal("nothing is retryable"))
  })

  it.each([NaN, -1, Infinity, 1e99, "garbage", "-1 seconds", [NaN, NaN], null, {}])(
    "never throws over what the server said: %s",
    (said) => {
      const classifier = Classifier.withHint(Classifier.always, () => said as never)
      expect(Option.getOrElse(Option.map(hintOf(classifier(busy)), Duration.toMillis), () => 0)).toBeGreaterThanOrEqual(
        0
      )
    }
  )

  it("lets the hint see the error that is judged", () => {
    const classifier = Classifier.withHint(base, (error) => {
      expectTypeOf(error).toEqualTypeOf<ApiError>()
      return undefined
    })
    expectTypeOf(classifier).toEqualTypeOf<Classifier.Classifier<ApiError>>()
    expect(verdicts(classifier)).toEqual(verdicts(base))
  })
})

function hintOf(verdict: Verdict.Verdict): Option.Option<Duration.Duration> {
  return Verdict.isRetryable(verdict) ? verdict.hint : Option.none()
}
