import { Classifier, InvalidArgument, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Option } from "effect"
import { inspect } from "node:util"
import * as Judging from "../../src/classify/Judging.ts"

const moment: Classifier.Moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }

const refused = new Error("connect ECONNREFUSED")

const thrownBy = (judge: () => unknown): InvalidArgument.InvalidArgument => {
  try {
    judge()
  } catch (thrown) {
    if (thrown instanceof InvalidArgument.InvalidArgument) return thrown
    throw thrown
  }
  throw new Error("nothing was thrown")
}

const ofError = (classifier: unknown, error: unknown = refused) =>
  Judging.ofError("Retry.retry", "classifier", classifier as Classifier.Classifier, error, moment)

const ofResult = (judge: unknown, result: unknown = "pending") =>
  Judging.ofResult("Retry.retry", "result", judge as Classifier.Classifier, result, moment)

const must = "a function that returns a verdict made by Verdict (Classifier.fromPredicate turns a predicate into one)"

const answers: ReadonlyArray<readonly [answer: unknown, got: string]> = [
  [undefined, "undefined"],
  [null, "null"],
  [true, "true"],
  [false, "false"],
  [0, "0"],
  ["Retryable", "string"],
  [Promise.resolve(Verdict.transient), "Promise"],
  [() => Verdict.transient, "Function"],
  [{ password: "hunter2" }, "Object"],
  [{ _tag: "Retryable", kind: "Server" }, "Retryable"],
  [{ _tag: "Retryable", kind: "Odd", hint: Option.none() }, "Retryable"],
  [{ _tag: "Retryable", kind: "Server", hint: Option.some("soon") }, "Retryable"],
  [{ _tag: "Terminal", why: "no" }, "Terminal"]
]

describe("Judging.ofError", () => {
  it("answers what the classifier answers, and hands it error and moment", () => {
    const seen: Array<unknown> = []
    const verdict = ofError((...given: ReadonlyArray<unknown>) => {
      seen.push(...given)
      return Verdict.server
    })
    expect(verdict).toBe(Verdict.server)
    expect(seen).toEqual([refused, moment])
  })

  it.each(answers)("refuses what is not a verdict, with the error as its cause: %j", (answer, got) => {
    const defect = thrownBy(() => ofError(() => answer))
    expect(defect.message).toBe(`Retry.retry: classifier must be ${must}, got ${got}`)
    expect(defect.cause?.original).toBe(refused)
  })

  it("refuses a classifier that throws, with the error as its cause and what was thrown as its value", () => {
    const bug = new TypeError("Cannot read properties of undefined (reading 'status')")
    const defect = thrownBy(() =>
      ofError(() => {
        throw bug
      })
    )
    expect(defect.message).toContain("Retry.retry: classifier must be a function that throws nothing, got TypeError")
    expect(defect).toMatchObject({ value: { original: bug }, cause: { original: refused } })
  })

  it("refuses a classifier that throws a value that cannot be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const defect = thrownBy(() =>
      ofError(() => {
        throw proxy
      })
    )
    expect(defect.message).toBe("Retry.retry: classifier must be a function that throws nothing, got object")
    expect(defect.cause?.original).toBe(refused)
  })

  it("leaves the refusal of a nested classifier as it is", () => {
    const inner = thrownBy(() => ofError(() => true))
    expect(
      thrownBy(() =>
        ofError(() => {
          throw inner
        })
      )
    ).toBe(inner)
  })

  it.each(["firstOf", "withHint"])("notices what is not a verdict inside %s", (combinator) => {
    for (const answer of [undefined, true, { password: "hunter2" }]) {
      const part = (() => answer) as unknown as Classifier.Classifier
      const whole =
        combinator === "firstOf"
          ? Classifier.firstOf(() => Verdict.noOpinion, part)
          : Classifier.withHint(part, () => "1 second")
      expect(thrownBy(() => ofError(whole)).message).toContain("classifier must be a function that returns a verdict")
    }
  })

  it("shows the error, and what was answered or thrown, without secrets", () => {
    const secret = Object.assign(new Error("connect to https://user:hunter2@db failed"), { password: "hunter2" })
    const raise = () => {
      throw secret
    }
    for (const classifier of [() => secret, () => ({ password: "hunter2" }), () => "hunter2", raise]) {
      const defect = thrownBy(() => ofError(classifier, secret))
      const shown = [
        String(defect),
        inspect(defect, { depth: 9 }),
        JSON.stringify(defect),
        Cause.pretty(Cause.die(defect), { renderErrorCause: true })
      ]
      expect(shown.join("\n")).not.toContain("hunter2")
      expect(shown[3]).toContain("[cause]: Error")
    }
  })
})

describe("Judging.ofResult", () => {
  it.each(answers)("refuses what is not a verdict, without a cause: %j", (answer, got) => {
    const defect = thrownBy(() => ofResult(() => answer))
    expect(defect.message).toBe(`Retry.retry: result must be ${must}, got ${got}`)
    expect(defect).not.toHaveProperty("cause")
  })

  it("throws what the function throws: there is no error that it could hide", () => {
    const bug = new Error("bug")
    expect(() =>
      ofResult(() => {
        throw bug
      })
    ).toThrow(bug)
  })
})

describe("Judging.whyNot", () => {
  it("is the reason of a terminal verdict, or says that no classifier has an opinion", () => {
    expect(Judging.whyNot(Verdict.terminal("gone"))).toBe("gone")
    expect(Judging.whyNot(Verdict.noOpinion)).toBe("no classifier has an opinion")
  })
})

describe("Judging.isVerdict", () => {
  it.each([
    Verdict.transient,
    Verdict.noOpinion,
    Verdict.terminal("no"),
    Verdict.terminal("no", { kind: "Throttling", hint: "1 second" }),
    Verdict.retryable("Server", { hint: Infinity, progressed: true })
  ])("holds for what the constructors make: %j", (verdict) => {
    expect(Judging.isVerdict(verdict)).toBe(true)
  })

  it.each([
    undefined,
    null,
    true,
    "Retryable",
    [],
    {},
    { _tag: "Again" },
    { _tag: "Retryable", kind: "Server" },
    { _tag: "Retryable", kind: "Odd", hint: Option.none() },
    { _tag: "Retryable", kind: "Server", hint: Option.some("soon") },
    { _tag: "Retryable", kind: "Server", hint: Option.some(NaN) },
    { _tag: "Terminal", why: "no", hint: Option.none() },
    { _tag: "Terminal", why: "no", kind: Option.none() },
    { _tag: "Terminal", why: "no", kind: Option.some("Odd"), hint: Option.none() },
    { _tag: "Terminal", why: 5, kind: Option.none(), hint: Option.none() }
  ])("does not hold for what lacks a field or has a wrong one: %j", (given) => {
    expect(Judging.isVerdict(given)).toBe(false)
  })
})
