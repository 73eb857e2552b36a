import { derive } from "@effect-retry/effect4/Derive"
import { resolved, written } from "@effect-retry/effect4/Origin"
import ts from "typescript5"
import { describe, expect, it } from "vitest"
import { body, derived, effect4 } from "./Derived.ts"

const imported = (...modules: ReadonlyArray<string>) =>
  modules.map((module) => `import * as ${module} from "effect/${module}"\n`).join("")

describe("Derive.derive", () => {
  it.each([
    [
      "a namespace",
      `import * as Effect from "effect/Effect"\nuse(Effect.fork)`,
      `import * as Effect from "effect/Effect"\nuse(Effect.forkChild)`
    ],
    [
      "a name of the index",
      `import { Effect } from "effect"\nuse(Effect.fork)`,
      `import { Effect } from "effect"\nuse(Effect.forkChild)`
    ],
    [
      "a function that the index does not have",
      `import { flow } from "effect"\nimport { constant } from "effect/Function"\nuse(flow, constant)`,
      `import { flow } from "effect"\nimport { constant } from "effect/Function"\nuse(flow, constant)`
    ],
    [
      "a member",
      `import { isRecord } from "effect/Predicate"\nuse(isRecord)`,
      `import { isObject } from "effect/Predicate"\nuse(isObject)`
    ],
    [
      "a member under another name",
      `import { isRecord as is } from "effect/Predicate"\nuse(is)`,
      `import { isObject as is } from "effect/Predicate"\nuse(is)`
    ],
    [
      "a module that has moved",
      `import * as Either from "effect/Either"\nuse(Either.left)`,
      `import * as Result from "effect/Result"\nuse(Result.fail)`
    ],
    [
      "a module under another name",
      `import * as E from "effect/Either"\nuse(E.left)`,
      `import * as E from "effect/Result"\nuse(E.fail)`
    ],
    [
      "a member that has moved",
      `import * as Effect from "effect/Effect"\nuse(Effect.makeLatch)`,
      `import * as Latch from "effect/Latch"\nuse(Latch.make)`
    ],
    [
      "a member that has moved from the index",
      `import { Effect } from "effect"\nuse(Effect.makeLatch, Effect.void)`,
      `import { Effect, Latch } from "effect"\nuse(Latch.make, Effect.void)`
    ],
    [
      "a module as a field",
      `import { Effect, Either } from "effect"\nuse({ Effect, Either })`,
      `import { Effect, Result } from "effect"\nuse({ Effect, Either: Result })`
    ],
    [
      "an index as a namespace, beside names of another",
      `import * as Platform from "@effect/platform"\nimport { Effect } from "effect"\nuse(Platform, Effect.void)`,
      `import * as Platform from "effect/http"\nimport { Effect } from "effect"\nuse(Platform, Effect.void)`
    ],
    [
      "a type",
      `import type * as Duration from "effect/Duration"\nlet a: Duration.DurationInput`,
      `import type * as Duration from "effect/Duration"\nlet a: Duration.Input`
    ],
    [
      "a type beside a value",
      `import { Duration, Effect } from "effect"\nuse<Duration.DurationInput>(Effect.void)`,
      `import { type Duration, Effect } from "effect"\nuse<Duration.Input>(Effect.void)`
    ],
    ["functions of the index", `import { pipe } from "effect"\nuse(pipe)`, `import { pipe } from "effect"\nuse(pipe)`],
    [
      "the platform",
      `import * as Headers from "@effect/platform/Headers"\nuse(Headers.empty)`,
      `import * as Headers from "effect/http/Headers"\nuse(Headers.empty)`
    ],
    [
      "the index of the platform",
      `import { Headers } from "@effect/platform"\nuse(Headers.empty)`,
      `import { Headers } from "effect/http"\nuse(Headers.empty)`
    ],
    ["an import of something else", `import { a } from "./a.ts"\nuse(a)`, `import { a } from "./a.ts"\nuse(a)`]
  ])("renames %s", (_, source, expected) => {
    expect(derived(source)).toEqual({ text: expected, findings: [] })
  })

  it("renames in comments and messages, and leaves other words alone", () => {
    expect(
      body(
        `${imported("Effect")}// As Effect.fork, not Effect.forks.\nuse(Effect.void, "a Context.Tag, e.g. Fiber.RuntimeFiber")`
      )
    ).toBe(`// As Effect.forkChild, not Effect.forks.\nuse(Effect.void, "a Context.Service, e.g. Fiber.Fiber")`)
  })

  it("derives blocks of code in comments, imports included", () => {
    const lines = [
      "/**",
      " * ```ts",
      ` * import { Either } from "effect"`,
      " *",
      " * use(Either.left(1))",
      " * ```",
      " */",
      "export {}"
    ]
    const expected = [
      "/**",
      " * ```ts",
      ` * import { Result } from "effect"`,
      " *",
      " * use(Result.fail(1))",
      " * ```",
      " */",
      "export {}"
    ]
    expect(derived(lines.join("\n"))).toEqual({ text: expected.join("\n"), findings: [] })
  })

  it("keeps imports in their places in a file of which pages show parts", () => {
    const source = [
      `import { Effect } from "effect"`,
      `// #region a`,
      `import { Data, Either } from "effect"`,
      `// #endregion`,
      `use(Effect.clock, Data.Error, Either.left)`
    ]
    const expected = [
      `import { Clock } from "effect"`,
      `// #region a`,
      `import { Data, Result } from "effect"`,
      `// #endregion`,
      `use(Clock.Clock, Data.Error, Result.fail)`
    ]
    expect(derived(source.join("\n"))).toEqual({ text: expected.join("\n"), findings: [] })
  })

  it.each([
    ["member", `${imported("Effect")}\nuse(Effect.locally)`, "source.ts:3 Effect 4 has no Effect.locally"],
    ["module", `${imported("FiberRef")}use(FiberRef.get)`, "source.ts:2 Effect 4 has no module for FiberRef.get"],
    [
      "name",
      `${imported("Either")}const Result = Either.left(1)`,
      "source.ts:2 declares Result, which is the name of effect/Result"
    ]
  ])("refuses a %s that it cannot derive, with its line", (_, source, expected) => {
    expect(derived(source).findings.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([expected])
  })
})

describe("Origin.resolved", () => {
  it("knows a module that is both a field and its value", () => {
    const text = `import { Either } from "effect"\nuse({ Either })`
    const file = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ES2022, true)
    const options = { noLib: true, types: [] }
    const host = { ...ts.createCompilerHost(options), getSourceFile: () => file }
    const checker = ts.createProgram(["a.ts"], options, host).getTypeChecker()
    expect(derive({ path: "a.ts", file, names: resolved(file, checker), exports: effect4 })).toEqual({
      text: `import { Result } from "effect"\nuse({ Either: Result })`,
      findings: []
    })
  })
})

describe("Shapes", () => {
  it.each([
    ["a tag", `class A extends Context.Tag("a")<A, B>() {}`, `class A extends Context.Service<A, B>()("a") {}`],
    ["a generic tag", `const a = Context.GenericTag<A, B>("a")`, `const a = Context.Service<A, B>("a")`],
    ["the type of a tag", `let a: Context.Tag<A, B>`, `let a: Context.Key<A, B>`],
    ["the types in a tag", `let a: Context.Tag.Service<A>`, `let a: Context.Service.Shape<A>`],
    [
      "a reference",
      `export class A extends Context.Reference<A>()("a", { defaultValue: () => 1 }) {}`,
      `export const A = /*#__PURE__*/ Context.Reference("a", { defaultValue: () => 1 })`
    ],
    [
      "a reference with members",
      `class A extends Context.Reference<A>()("a", { defaultValue: () => 1 }) { static b = 1 }`,
      `class A extends Context.Reference("a", { defaultValue: () => 1 }) { static b = 1 }`
    ],
    [
      "the layer of a reference",
      `class A extends Context.Reference<A>()("a", {}) {}\nlet a: Layer.Layer<A>`,
      `const A = /*#__PURE__*/ Context.Reference("a", {})\nlet a: Layer.Layer<never>`
    ],
    ["the layer of a service", `let a: Layer.Layer<B>`, `let a: Layer.Layer<B>`],
    ["the type of a schedule", `let a: Schedule.Schedule<A, B, C>`, `let a: Schedule.Schedule<A, B, never, C>`],
    ["the type of any schedule", `let a: Schedule.Schedule<A, any, any>`, `let a: Schedule.Schedule<A, any, any, any>`],
    ["the type of a schedule without services", `let a: Schedule.Schedule<A, B>`, `let a: Schedule.Schedule<A, B>`],
    [
      "the types in an effect",
      `let a: Effect.Effect.Success<A> | Effect.Effect.Context<A>`,
      `let a: Effect.Success<A> | Effect.Services<A>`
    ],
    ["a yield", `Effect.yieldNow()`, `Effect.yieldNow`],
    ["a runtime", `Effect.runtime<A>()`, `Effect.context<A>()`],
    ["the runtime of a program without services", `use(Runtime.defaultRuntime)`, `use(Context.empty())`],
    ["a runtime by its name", `let runtime: Runtime.Runtime<A>`, `let context: Context.Context<A>`],
    [
      "a runtime by its name beside a context",
      `let runtime: Runtime.Runtime<A>, context: B`,
      `let runtime: Context.Context<A>, context: B`
    ],
    ["what runs in a runtime", `Runtime.runFork(a)(b)`, `Effect.runForkWith(a)(b)`],
    ["what runs in a runtime at once", `Runtime.runFork(a, b, c)`, `Effect.runForkWith(a)(b, c)`],
    [
      "a timeout whose error is a function of that name",
      `Effect.timeoutFail(a, { duration, onTimeout })`,
      `Effect.timeoutOrElse(a, { duration, orElse: () => Effect.fail(onTimeout()) })`
    ],
    ["fields that are left out", `Struct.omit(a, "b", "c")`, `Struct.omit(a, ["b", "c"])`],
    ["fields in a pipe", `pipe(a, Struct.pick("b"))`, `pipe(a, Struct.pick(["b"]))`],
    ["a service in a pipe", `pipe(a, Effect.withClock(b))`, `pipe(a, Effect.provideService(Clock.Clock, b))`],
    ["a service", `Effect.withRandom(a, b)`, `Effect.provideService(a, Random.Random, b)`],
    [
      "integers below a bound",
      `use(Random.nextIntBetween(1, 2))`,
      `use(Random.nextIntBetween(1, 2, { halfOpen: true }))`
    ],
    [
      "a source of configuration with words as keys",
      `use(ConfigProvider.fromMap(new Map([["A_B", "1"], ["c", d]])))`,
      `use(ConfigProvider.fromUnknown({ A_B: "1", c: d }))`
    ],
    ["a deferred of no fiber", `Deferred.unsafeMake<A>(FiberId.none)`, `Deferred.makeUnsafe<A>()`],
    ["a defect", `Effect.dieMessage("a")`, `Effect.die(new Error("a"))`],
    ["repetitions", `Effect.repeatN(a, 2)`, `Effect.repeat(a, { times: 2 })`],
    [
      "a timeout that fails",
      `Effect.timeoutFail(a, { duration: 1, onTimeout: () => b })`,
      `Effect.timeoutOrElse(a, { duration: 1, orElse: () => Effect.fail(b) })`
    ],
    ["a fiber", `Effect.withFiberRuntime((fiber) => a)`, `Effect.withFiber((fiber) => a)`],
    ["the name of a fiber", `FiberId.threadName(a.id())`, "`#${a.id}`"],
    ["a line of a log", `Effect.logWithLevel(a, b)`, `Effect.logWithLevel(a)(b)`],
    [
      "a clock",
      `use({ ...a, [Clock.ClockTypeId]: Clock.ClockTypeId, unsafeCurrentTimeMillis: b })`,
      `use({ ...a, currentTimeMillisUnsafe: b })`
    ],
    [
      "the nanoseconds of a clock",
      `use({ [Clock.ClockTypeId]: Clock.ClockTypeId, unsafeCurrentTimeNanos: a, currentTimeNanos: b })`,
      `use({ monotonicTimeNanosUnsafe: a, currentTimeNanos: b, currentTimeNanosUnsafe: a, monotonicTimeNanos: b })`
    ],
    [
      "a member of a clock by its own name",
      `use(Clock.Clock, { unsafeCurrentTimeMillis })`,
      `use(Clock.Clock, { currentTimeMillisUnsafe: unsafeCurrentTimeMillis })`
    ],
    ["an object", `Predicate.isObject(a)`, `Predicate.isObjectKeyword(a)`],
    ["a record", `Predicate.isRecord(a)`, `Predicate.isObject(a)`],
    ["a level", `use(LogLevel.Warning, LogLevel.None)`, `use("Warn", "None")`],
    ["the type of a level", `let a: LogLevel.LogLevel`, `let a: LogLevel.LogLevel`],
    ["the type of a metric", `let a: Metric.Metric.Counter<number>`, `let a: Metric.Counter<number>`],
    ["a histogram", `Metric.histogram("a", b, "c")`, `Metric.histogram("a", { boundaries: b, description: "c" })`],
    ["a count", `Metric.increment(a)`, `Metric.update(a, 1)`],
    ["a gauge", `Metric.set(a, 2)`, `Metric.update(a, 2)`],
    ["a label", `Metric.tagged(a, "b", c)`, `Metric.withAttributes(a, { b: c })`]
  ])("derives %s", (_, source, expected) => {
    const modules = [
      "Struct",
      "Clock",
      "ConfigProvider",
      "Context",
      "Deferred",
      "Effect",
      "FiberId",
      "Layer",
      "LogLevel",
      "Metric",
      "Predicate",
      "Random",
      "Runtime",
      "Schedule"
    ]
    expect(derived(`${imported(...modules)}${source}`).findings).toEqual([])
    expect(body(`${imported(...modules)}${source}`)).toBe(expected)
  })

  it.each([
    [
      "an error of a client",
      `new HttpClientError.RequestError({ request, reason: "Transport", cause })`,
      `new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })`
    ],
    [
      "the type of an error of a client",
      `let a: HttpClientError.ResponseError`,
      `let a: HttpClientError.HttpClientError`
    ],
    [
      "what an error is compared with",
      `use(error, { _tag: "ResponseError", reason: "EmptyBody" })`,
      `use(error, { _tag: "HttpClientError", reason: { _tag: "EmptyBodyError" } })`
    ],
    ["a reason that is compared", `use(a.reason === "EmptyBody")`, `use(a.reason._tag === "EmptyBodyError")`],
    [
      "an error of the platform",
      `new Error.SystemError({ reason: "NotFound", module })`,
      `PlatformError.systemError({ _tag: "NotFound", module })`
    ],
    [
      "an error of the platform with a reason of that name",
      `new Error.SystemError({ reason, module })`,
      `PlatformError.systemError({ _tag: reason, module })`
    ],
    ["the reason of the platform", `a._tag === "SystemError" ? a.reason : a._tag`, `a.reason._tag`],
    [
      "another choice by a tag",
      `a._tag === "SystemError" ? a.reason : b._tag`,
      `a._tag === "SystemError" ? a.reason : b._tag`
    ]
  ])("derives %s", (_, source, expected) => {
    const platform = ["HttpClientError", "Error"]
      .map((module) => `import * as ${module} from "@effect/platform/${module}"\n`)
      .join("")
    expect(derived(platform + source).findings).toEqual([])
    expect(body(platform + source)).toBe(expected)
  })

  it("refuses a source of configuration whose keys are paths", () => {
    const { findings } = derived(`${imported("ConfigProvider")}use(ConfigProvider.fromMap(new Map([["a.b", "1"]])))`)
    expect(findings.map(({ message }) => message)).toEqual(["Effect 4 has no ConfigProvider.fromMap"])
  })

  it("refuses a name that a module declares for itself alone", () => {
    const { findings } = derived(
      `import * as HttpClientRequest from "@effect/platform/HttpClientRequest"\nuse(HttpClientRequest.TypeId)`
    )
    expect(findings.map(({ message }) => message)).toEqual(["Effect 4 has no HttpClientRequest.TypeId"])
  })

  it("refuses a fiber whose flags are read", () => {
    const { findings } = derived(`${imported("Effect")}Effect.withFiberRuntime((fiber, status) => a)`)
    expect(findings.map(({ message }) => message)).toEqual(["Effect 4 has no Effect.withFiberRuntime"])
  })
})

describe("Omissions", () => {
  const source = [
    `it("a", () => 1)`,
    `it.each(rows)("b", () => 2)`,
    `const c = 3`,
    `const rows = [{ name: "d" }, { name: "e" }, ["f", 1], [[1, 2], 2]]`
  ].join("\n")

  const without = (...omitted: ReadonlyArray<string>) => {
    const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.ES2022, true)
    return derive({ path: "a.ts", file, names: written(file), exports: effect4, omitted })
  }

  it.each([
    ["a test", "a", source.replace(`it("a", () => 1)`, "")],
    ["a table of tests", "b", source.replace(`it.each(rows)("b", () => 2)`, "")],
    ["a declaration", "c", source.replace("const c = 3", "")],
    ["a row", "d", source.replace(`{ name: "d" }, `, "")],
    ["a row by its first column", "f", source.replace(`["f", 1], `, "")],
    ["a row by the code of its first column", "[1, 2]", source.replace(`, [[1, 2], 2]`, "")]
  ])("leaves out %s that is named", (_, part, expected) => {
    expect(without(part)).toEqual({ text: expected, findings: [] })
  })

  it("refuses to leave out what is not there", () => {
    expect(without("h").findings.map(({ message }) => message)).toEqual([`has no "h" to leave out`])
  })
})
