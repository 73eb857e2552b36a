import { describe, expect, it } from "vitest"
import { body, derived } from "./Derived.ts"

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
    ["the type of a schedule", `let a: Schedule.Schedule<A, B, C>`, `let a: Schedule.Schedule<A, B, never, C>`],
    ["the type of any schedule", `let a: Schedule.Schedule<A, any, any>`, `let a: Schedule.Schedule<A, any, any, any>`],
    ["the type of a schedule without services", `let a: Schedule.Schedule<A, B>`, `let a: Schedule.Schedule<A, B>`],
    ["a yield", `Effect.yieldNow()`, `Effect.yieldNow`],
    ["a runtime", `Effect.runtime<A>()`, `Effect.context<A>()`],
    ["what runs in a runtime", `Runtime.runFork(a)(b)`, `Effect.runForkWith(a)(b)`],
    ["what runs in a runtime at once", `Runtime.runFork(a, b, c)`, `Effect.runForkWith(a)(b, c)`]
  ])("derives %s", (_, source, expected) => {
    expect(body(`${imported("Context", "Effect", "Runtime", "Schedule")}${source}`)).toBe(expected)
  })
})
