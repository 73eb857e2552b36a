import { derive } from "@effect-retry/effect4/Derive"
import { written } from "@effect-retry/effect4/Origin"
import ts from "typescript5"
import { describe, expect, it } from "vitest"
import { body, derived, effect4 } from "./Derived.ts"

const modules = [
  "ConfigProvider",
  "Context",
  "Duration",
  "Effect",
  "ExecutionStrategy",
  "Layer",
  "Logger",
  "Metric",
  "Schedule",
  "Scope",
  "Stream"
]

const imports = [
  ...modules.map((module) => `import * as ${module} from "effect/${module}"\n`),
  `import { HttpApiEndpoint, HttpClient, HttpRouter, HttpServer } from "@effect/platform"\n`
].join("")

const messages = (source: string) => derived(`${imports}${source}`).findings.map(({ message }) => message)

describe("shapes of programs", () => {
  it.each([
    ["errors as values", `use(Effect.merge(a))`, `use(Effect.catch(a, Effect.succeed))`],
    ["errors as values, in a pipe", `pipe(a, Effect.merge)`, `pipe(a, Effect.catch(Effect.succeed))`],
    ["a number of times", `pipe(a, Schedule.intersect(Schedule.recurs(4)))`, `pipe(a, Schedule.upTo({ times: 4 }))`],
    ["a number of times of a schedule", `Schedule.intersect(a, Schedule.recurs(4))`, `Schedule.upTo(a, { times: 4 })`],
    ["a limit of time", `pipe(a, Schedule.upTo("10 seconds"))`, `pipe(a, Schedule.upTo({ duration: "10 seconds" }))`],
    [
      "delays that are changed",
      `pipe(a, Schedule.delayed((delay) => b(delay)))`,
      `pipe(a, Schedule.modifyDelay(({ duration: delay }) => Effect.succeed(b(delay))))`
    ],
    [
      "what a client retries",
      `HttpClient.retryTransient(a, { times: 3, mode: "errors-only" })`,
      `HttpClient.retryTransient(a, { times: 3, retryOn: "errors-only" })`
    ],
    [
      "a fold",
      `pipe(a, Stream.runFold(0, (sum, n) => sum + n))`,
      `pipe(a, Stream.runFold(() => 0, (sum, n) => sum + n))`
    ],
    [
      "variables of the environment",
      `ConfigProvider.fromMap(new Map(Object.entries(a)), { pathDelim: "_" })`,
      `ConfigProvider.fromEnv({ env: a })`
    ],
    ["a scope that closes in sequence", `Scope.fork(a, ExecutionStrategy.sequential)`, `Scope.fork(a)`],
    ["a logger", `use(Logger.replace(Logger.defaultLogger, a))`, `use(Logger.layer([a]))`],
    ["no logger", `use(Logger.remove(Logger.defaultLogger))`, `use(Logger.layer([]))`],
    ["a label in a pipe", `pipe(a, Metric.tagged("b.c", d))`, `pipe(a, Metric.withAttributes({ "b.c": d }))`],
    [
      "a layer that is retried",
      `Layer.effect(A, connect).pipe(Layer.retry(schedule))`,
      `Layer.effect(A, Effect.retry(connect, schedule))`
    ],
    [
      "a service that is made with its class",
      `class A extends Effect.Service<A>()("a", { effect: b }) {}\nuse((a: A) => a, A.Default)`,
      `class A extends Context.Service<A>()("a", { make: b }) {}\nuse((a: A["Service"]) => a, Layer.effect(A, A.make))`
    ],
    [
      "an endpoint",
      `HttpApiEndpoint.get("find", "/").addSuccess(Order)`,
      `HttpApiEndpoint.get("find", "/", { success: Order })`
    ],
    ["a route", `use(HttpRouter.empty.pipe(HttpRouter.get("/", a)))`, `use(HttpRouter.add("GET", "/", a))`],
    [
      "routes",
      `use(HttpRouter.empty.pipe(HttpRouter.post("/", a), HttpRouter.del("/", b)))`,
      `use(Layer.mergeAll(HttpRouter.add("POST", "/", a), HttpRouter.add("DELETE", "/", b)))`
    ],
    [
      "a server that logs its address",
      `HttpServer.serve(router).pipe(HttpServer.withLogAddress, Layer.provide(a))`,
      `HttpRouter.serve(router).pipe(Layer.provide(a))`
    ],
    [
      "a server that logs no address",
      `HttpServer.serve(router).pipe(Layer.provide(a))`,
      `HttpRouter.serve(router, { disableListenLog: true }).pipe(Layer.provide(a))`
    ]
  ])("derives %s", (_, source, expected) => {
    expect(messages(source)).toEqual([])
    expect(body(`${imports}${source}`)).toBe(expected)
  })

  it.each([
    ["a schedule beside another", `Schedule.intersect(a, b)`, "Effect 4 has no Schedule.intersect"],
    ["delays that a block changes", `Schedule.delayed((a) => { return a })`, "Effect 4 has no Schedule.delayed"],
    ["a layer that is retried elsewhere", `Layer.retry(a, b)`, "Effect 4 has no Layer.retry"],
    ["a router with a middleware", `HttpRouter.empty.pipe(a)`, "Effect 4 has no HttpRouter.empty"],
    ["another logger", `Logger.replace(a, b)`, "Effect 4 has no Logger.replace"],
    [
      "a scope that closes in parallel",
      `Scope.fork(a, ExecutionStrategy.parallel)`,
      "Effect 4 has no module for ExecutionStrategy.parallel"
    ],
    [
      "a service with dependencies",
      `class A extends Effect.Service<A>()("a", { effect: b, dependencies: [] }) {}`,
      "Effect 4 has no Effect.Service"
    ]
  ])("refuses %s", (_, source, expected) => {
    expect(messages(source)).toEqual([expected])
  })

  it("writes the label of a level in capitals", () => {
    const file = ts.createSourceFile("a.ts", "use(level.label)", ts.ScriptTarget.ES2022, true)
    const names = { ...written(file), method: () => "LogLevel.Debug.label" }
    expect(derive({ path: "a.ts", file, names, exports: effect4 }).text).toBe("use(level.toUpperCase())")
  })
})

describe("Differences", () => {
  const replacing = (...replaced: ReadonlyArray<readonly [string, string]>) => {
    const file = ts.createSourceFile("a.ts", `const expected = ["a", 1]`, ts.ScriptTarget.ES2022, true)
    return derive({ path: "a.ts", file, names: written(file), exports: effect4, replaced })
  }

  it.each([
    [`"a"`, `"b"`, `const expected = ["b", 1]`],
    [`["a", 1]`, `2`, `const expected = 2`]
  ])("puts another value in the place of %s", (three, four, expected) => {
    expect(replacing([three, four])).toEqual({ text: expected, findings: [] })
  })

  it("refuses to replace what is not there", () => {
    expect(replacing([`"c"`, `"d"`]).findings.map(({ message }) => message)).toEqual([`has no "c" to replace`])
  })
})
