import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Arbitraries, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Clock, Data, Duration, Effect, FastCheck as fc, Option } from "effect"
import { readsMoment } from "../../src/classify/Moment.ts"
import { law } from "../support/Laws.ts"

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.Duration }> {}
class NotFound extends Data.TaggedError("NotFound")<{ readonly path: string }> {}
class Lost extends Data.TaggedError("Lost")<{ readonly bytes: number }> {}
type ApiError = Busy | NotFound | Lost

const busy = new Busy({ retryAfter: Duration.seconds(7) })
const notFound = new NotFound({ path: "/a" })
const lost = new Lost({ bytes: 3 })

const moment: Classifier.Moment = { nowMillis: 1_000_000, attempt: 2, elapsed: Duration.seconds(3) }

const judge = <E>(classifier: Classifier.Classifier<E>, error: E): Verdict.Verdict => classifier(error, moment)

/** The verdicts on one error of each tag. */
const verdicts = (classifier: Classifier.Classifier<ApiError>) =>
  [busy, notFound, lost].map((error: ApiError) => judge(classifier, error))

describe("Classifier.never", () => {
  it("retries nothing, and says so", () => {
    expect(verdicts(Classifier.never)).toEqual([1, 2, 3].map(() => Verdict.terminal("nothing is retryable")))
  })
})

describe("Classifier.always", () => {
  it("retries everything as a transient failure", () => {
    expect([undefined, null, 0, busy].map((error) => judge(Classifier.always, error))).toEqual(
      [1, 2, 3, 4].map(() => Verdict.transient)
    )
  })
})

describe("Classifier.fromPredicate", () => {
  const isLong = (error: { readonly bytes: number }) => error.bytes > 2

  it("has no opinion when the predicate does not hold", () => {
    const classifier = Classifier.fromPredicate(isLong, Verdict.server)
    expect([{ bytes: 3 }, { bytes: 2 }].map((error) => judge(classifier, error))).toEqual([
      Verdict.server,
      Verdict.noOpinion
    ])
  })

  it("calls a failure transient unless told otherwise", () => {
    expect(judge(Classifier.fromPredicate(isLong), { bytes: 3 })).toEqual(Verdict.transient)
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
    () => "Busy",
    Object.assign(() => "Busy", { _tag: "Busy" })
  ])("has no opinion on a value without a tag that it knows: %o", (error) => {
    const cases = { Busy: Verdict.transient, undefined: Verdict.server, 7: Verdict.client }
    expect(judge(Classifier.fromTags(cases), error)).toEqual(Verdict.noOpinion)
  })

  it("has no opinion on a tag whose case is undefined", () => {
    const absent = { Busy: undefined as never, Lost: Verdict.transient }
    expect(verdicts(Classifier.fromTags<ApiError>(absent))).toEqual([
      Verdict.noOpinion,
      Verdict.noOpinion,
      Verdict.transient
    ])
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
    expect(judge(classifier, lost)).toEqual(Verdict.transient)
  })

  it("judges the errors of its annotated cases", () => {
    const annotated = Classifier.fromTags({
      Busy: (error: Busy) => Verdict.retryable("Throttling", { hint: error.retryAfter }),
      Lost: (error: Lost) => (error.bytes > 0 ? Verdict.transient : Verdict.terminal("nothing was lost"))
    })
    expectTypeOf(annotated).toExtend<Classifier.Classifier<ApiError>>()
    expect([busy, lost, notFound].map((error: ApiError) => judge<ApiError>(annotated, error))).toEqual([
      Verdict.retryable("Throttling", { hint: "7 seconds" }),
      Verdict.transient,
      Verdict.noOpinion
    ])
    // @ts-expect-error - another error with this tag has no bytes
    judge<{ readonly _tag: "Lost" }>(annotated, { _tag: "Lost" })
  })

  it.each([
    ["a number", 7],
    ["a verdict's name", "Transient"],
    ["null", null]
  ])("refuses a case that is neither a verdict nor a function: %s", (_, found) => {
    expect(() => Classifier.fromTags({ Busy: found as never })).toThrow(
      "Classifier.fromTags: Busy must be a verdict or a function from error to verdict"
    )
  })

  it("refuses the functions that make verdicts, and says to call them", () => {
    const say = "must be a verdict or a function from error to verdict"
    const retryable = `${say}; call it, as in Verdict.retryable("Throttling"), got the function retryable`
    const terminal = `${say}; call it, as in Verdict.terminal("not found"), got the function terminal`
    expect(() => Classifier.fromTags({ Busy: Verdict.retryable as never })).toThrow(
      `Classifier.fromTags: Busy ${retryable}`
    )
    expect(() => Classifier.fromTags({ Busy: Verdict.terminal as never })).toThrow(
      `Classifier.fromTags: Busy ${terminal}`
    )
    expect(() => Classifier.fromClass(Error, Verdict.retryable as never)).toThrow(
      `Classifier.fromClass: verdict ${retryable}`
    )
    expect(() => Classifier.firstOf(Verdict.retryable as never)).toThrow("call it, as in Verdict.retryable")
  })

  it("reads its cases once", () => {
    const cases: { Busy: Verdict.Verdict } = { Busy: Verdict.transient }
    const early = Classifier.fromTags(cases)
    cases.Busy = Verdict.server
    expect(judge(early, busy)).toEqual(Verdict.transient)
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

describe("Classifier.fromTags and Classifier.fromClass of hostile errors", () => {
  const raise = () => {
    throw new Error("hostile")
  }
  const throwing = Object.defineProperty(new Error("busy"), "_tag", { get: raise })
  const revoked = Proxy.revocable(new Error("busy"), {})
  revoked.revoke()
  const classifiers = [
    Classifier.fromTags({ Busy: Verdict.transient }),
    Classifier.fromClass(Busy, Verdict.transient),
    Classifier.firstOf(Classifier.fromTags({ Busy: Verdict.transient }), Classifier.fromClass(Busy, Verdict.transient))
  ]

  it.each([
    { of: "a tag that throws", error: throwing },
    { of: "a proxy that throws", error: new Proxy({}, { has: raise, get: raise, getPrototypeOf: raise }) },
    { of: "a revoked proxy", error: revoked.proxy }
  ])("have no opinion on $of", ({ error }) => {
    const moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }
    expect(classifiers.map((classifier) => classifier(error, moment)._tag)).toEqual(classifiers.map(() => "NoOpinion"))
  })

  it("read a tag once", () => {
    let reads = 0
    const changing = {
      get _tag() {
        reads += 1
        return reads === 1 ? "Busy" : "NotFound"
      }
    }
    const tags = Classifier.fromTags({ Busy: Verdict.throttling, NotFound: Verdict.client })
    expect([tags(changing, { nowMillis: 0, attempt: 1, elapsed: Duration.zero }), reads]).toEqual([
      Verdict.throttling,
      1
    ])
  })
})

describe("Classifier.firstOf", () => {
  const some = Arbitraries.classifier<number>()
  const { firstOf } = Classifier
  const none = () => Verdict.noOpinion

  it.prop(
    "is associative, with no opinion as identity on both sides",
    [some, some, some, fc.nat()],
    ([a, b, c, error]) => {
      const flat = judge(firstOf(a, b, c), error)
      expect(judge(firstOf(firstOf(a, b), c), error)).toEqual(flat)
      expect(judge(firstOf(a, firstOf(b, c)), error)).toEqual(flat)
      expect(judge(firstOf(none, a), error)).toEqual(judge(a, error))
      expect(judge(firstOf(a, none), error)).toEqual(judge(a, error))
      expect(judge(firstOf(firstOf(), a), error)).toEqual(judge(a, error))
    },
    law()
  )

  it("answers the first opinion, even a terminal one, and asks no further", () => {
    const asked: Array<string> = []
    const asks = (name: string, verdict: Verdict.Verdict) => () => {
      asked.push(name)
      return verdict
    }
    const terminal = Verdict.terminal("no")
    const classifier = firstOf(asks("a", Verdict.noOpinion), asks("b", terminal), asks("c", Verdict.transient))
    expect(judge(classifier, "error")).toBe(terminal)
    expect(asked).toEqual(["a", "b"])
  })

  it("has no opinion when no classifier has one", () => {
    expect(judge(firstOf(none, none), 1)).toEqual(Verdict.noOpinion)
    expect(judge(firstOf(), 1)).toEqual(Verdict.noOpinion)
  })

  it("refuses what is not a classifier, and says which", () => {
    expect(() => firstOf(none, Verdict.transient as never)).toThrow(
      "Classifier.firstOf: classifiers[1] must be a function from error to verdict"
    )
  })

  it.effect("ends in no retry when no classifier has an opinion", () =>
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
  const hinted = [
    Verdict.retryable("Throttling", { hint: "7 seconds" }),
    Verdict.terminal("gone", { hint: "1 second" }),
    Verdict.noOpinion
  ]

  it("adds the error's hint to every opinion", () => {
    expect(verdicts(Classifier.withHint(base, hint))).toEqual(hinted)
    expect(verdicts(Classifier.withHint(hint)(base))).toEqual(hinted)
  })

  it("keeps the verdict's own hint when the error has none", () => {
    const own: Classifier.Classifier<ApiError> = () => Verdict.retryable("Server", { hint: 5 })
    expect(
      judge(
        Classifier.withHint(own, () => undefined),
        busy
      )
    ).toEqual(Verdict.retryable("Server", { hint: 5 }))
  })

  it("does not read the error when there is no opinion", () => {
    const unread = Classifier.withHint(
      () => Verdict.noOpinion,
      () => {
        throw new Error("it was read")
      }
    )
    expect(judge(unread, busy)).toEqual(Verdict.noOpinion)
  })

  it.each([NaN, -1, Infinity, 1e99, "garbage", "-1 seconds", [NaN, NaN], null, {}])(
    "never throws, whatever the server said: %s",
    (said) => {
      const classifier = Classifier.withHint(Classifier.always, () => said as never)
      const read = Option.map(hintOf(judge(classifier, busy)), Duration.toMillis)
      expect(Option.getOrElse(read, () => 0)).toBeGreaterThanOrEqual(0)
    }
  )

  it("hands the hint the error that is judged", () => {
    const classifier = Classifier.withHint(base, (error) => {
      expectTypeOf(error).toEqualTypeOf<ApiError>()
      return undefined
    })
    expectTypeOf(classifier).toEqualTypeOf<Classifier.Classifier<ApiError>>()
    expect(verdicts(classifier)).toEqual(verdicts(base))
  })
})

describe("Classifier.fromClass and Classifier.when", () => {
  class Reset extends Error {
    readonly code = "ECONNRESET"
  }
  class LateReset extends Reset {}
  const isCoded = (error: unknown): error is { readonly code: string } =>
    typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"

  it("judge what they know, subclasses included, and have no opinion on the rest", () => {
    const byClass = Classifier.fromClass(Reset, (error) => Verdict.terminal(error.code))
    const byGuard = Classifier.when(isCoded, (error) => Verdict.terminal(error.code))
    for (const classifier of [byClass, byGuard]) {
      expectTypeOf(classifier).toEqualTypeOf<Classifier.Classifier>()
      expect([new Reset(), new LateReset(), busy, null, undefined, "code"].map((e) => judge(classifier, e))).toEqual([
        Verdict.terminal("ECONNRESET"),
        Verdict.terminal("ECONNRESET"),
        ...[1, 2, 3, 4].map(() => Verdict.noOpinion)
      ])
    }
  })

  it("take a verdict instead of a function", () => {
    expect(judge(Classifier.fromClass(Reset, Verdict.transient), new Reset())).toEqual(Verdict.transient)
    expect(judge(Classifier.when(isCoded, Verdict.server), new Reset())).toEqual(Verdict.server)
  })

  it("refuse what is neither a verdict nor a function", () => {
    const message = "must be a verdict or a function from error to verdict"
    expect(() => Classifier.fromClass(Reset, 7 as never)).toThrow(`Classifier.fromClass: verdict ${message}`)
    expect(() => Classifier.when(isCoded, "no" as never)).toThrow(`Classifier.when: verdict ${message}`)
  })

  it.effect("are constants that fit every union, alone and under firstOf", () =>
    Effect.gen(function* () {
      const shipped = Classifier.firstOf(
        Classifier.fromClass(Reset, Verdict.transient),
        Classifier.fromTags({ Busy: Verdict.throttling }),
        Classifier.when(isCoded, Verdict.server)
      )
      const policy = { classifier: shipped, maxAttempts: 3, backoff: Backoff.constant({ delay: 0 }) }
      const attempts = (error: Reset | Busy | NotFound) =>
        Effect.map(Effect.flip(Retry.orStopped(Effect.fail(error), policy)), ({ attempts }) => attempts)
      expect(yield* Effect.forEach([new Reset(), busy, notFound], attempts)).toEqual([3, 3, 1])
    })
  )
})

describe("Classifier.Moment", () => {
  it("reaches every part", () => {
    const seen: Array<Classifier.Moment> = []
    const note = (verdict: Verdict.Verdict) => (_: unknown, at: Classifier.Moment) => {
      seen.push(at)
      return verdict
    }
    const classifier = Classifier.withHint(
      Classifier.firstOf(
        Classifier.fromTags({ Busy: note(Verdict.noOpinion) }),
        Classifier.fromClass(Busy, note(Verdict.noOpinion)),
        Classifier.when((error): error is Busy => error === busy, note(Verdict.noOpinion)),
        Classifier.fromPredicate((_: unknown, at) => seen.push(at) < 0),
        note(Verdict.server)
      ),
      (_, at) => {
        seen.push(at)
        return undefined
      }
    )
    expect(judge(classifier, busy)).toEqual(Verdict.server)
    expect(seen).toEqual([moment, moment, moment, moment, moment, moment])
  })

  it("is read by a composite if and only if one of its parts declares it", () => {
    const plain = Classifier.firstOf(
      Classifier.fromTags({ Busy: () => Verdict.transient }),
      Classifier.fromPredicate(() => true),
      Classifier.always
    )
    const late: Classifier.Classifier = (_, { attempt }) => (attempt > 1 ? Verdict.server : Verdict.noOpinion)
    expect([plain, Classifier.withHint(plain, () => 1), Classifier.never].map(readsMoment)).toEqual([
      false,
      false,
      false
    ])
    expect(
      [
        late,
        Classifier.firstOf(plain, late),
        Classifier.fromTags({ Busy: late }),
        Classifier.fromClass(Busy, late),
        Classifier.withHint(plain, (_, { attempt }) => attempt)
      ].map(readsMoment)
    ).toEqual([true, true, true, true, true])
  })

  it("has no time for a part that reads it without declaring it", () => {
    const seen: Array<Classifier.Moment | undefined> = []
    const undeclared = (_: unknown, ...rest: ReadonlyArray<Classifier.Moment>) => {
      seen.push(rest[0])
      return Verdict.server
    }
    expect(judge(Classifier.firstOf(undeclared), busy)).toEqual(Verdict.server)
    expect(seen).toEqual([{ nowMillis: NaN, attempt: 0, elapsed: Duration.zero }])
  })

  it.effect("tells the loop's wall time, the attempt, and the time since the operation began", () =>
    Effect.gen(function* () {
      const seen: Array<readonly [number, number, number]> = []
      const begin = yield* Clock.currentTimeMillis
      yield* Effect.exit(
        Retry.retry(Effect.zipRight(Effect.sleep("2 seconds"), Effect.fail("x")), {
          classifier: (_, { attempt, elapsed, nowMillis }) => {
            seen.push([attempt, Duration.toMillis(elapsed), nowMillis - begin])
            return Verdict.transient
          },
          maxAttempts: 3,
          backoff: Backoff.constant({ delay: "5 seconds" })
        })
      )
      expect(seen).toEqual([
        [1, 2000, 2000],
        [2, 9000, 9000],
        [3, 16_000, 16_000]
      ])
    }).pipe(VirtualClock.run)
  )
})

function hintOf(verdict: Verdict.Verdict): Option.Option<Duration.Duration> {
  return verdict._tag === "NoOpinion" ? Option.none() : verdict.hint
}
