import { checkPublished } from "@effect-retry/effect4/Published"
import { describe, expect, it } from "vitest"
import { effect4 } from "./Derived.ts"

const readme = [
  "With Effect 3:\n\n```sh\nnpm install @effect-retry/http@0 effect@3 undici@7\n```\n",
  "With Effect 4:\n\n```sh\nnpm install @effect-retry/http@4 effect@4\n```\n",
  "<!-- example: packages/tools/examples/src/a.ts -->\n```ts\nsecond\n```\n"
].join("\n")

const packed = {
  name: "@effect-retry/http",
  version: "4.2.0",
  dependencies: { "@effect-retry/core": "^4.2.0" },
  peerDependencies: { effect: "^4.1.0" }
}

const text = `
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import type { HttpClient } from "effect/http/HttpClient"
import * as Retry from "@effect-retry/core/Retry"
import { own } from "./own.js"
/**
 * Like \`Effect.catch\`; import { it } from "@effect/vitest"
 */
export const a = Effect.succeed(1)
export declare const b: import("effect/Cause").YieldableError
`

interface Changes {
  readonly packed?: object
  readonly readme?: string
  readonly built?: string
}

const messages = (changes: Changes) =>
  checkPublished({
    manifestPath: "package.json",
    readme: changes.readme ?? readme,
    packed: { ...packed, ...changes.packed },
    built: [{ path: "dist/a.js", text: `${text}${changes.built ?? ""}` }],
    exports: effect4,
    four: (file) => (file === "packages/tools/examples/src/a.ts" ? "second\n" : undefined)
  }).map(({ message }) => message)

describe("Published.checkPublished", () => {
  it("accepts what is for Effect 4", () => {
    expect(messages({})).toEqual([])
  })

  it.each([
    [{ version: "0.2.0" }, "has the version 0.2.0 instead of a 4.x"],
    [{ peerDependencies: { effect: "^3.22.0" } }, "needs effect ^3.22.0 instead of ^4.1.0"],
    [{ peerDependencies: {} }, "needs effect undefined instead of ^4.1.0"],
    [{ devDependencies: { "@effect/sql": "0.52.1" } }, "names @effect/sql, which is of Effect 3"],
    [{ peerDependenciesMeta: { "@effect/platform": {} } }, "names @effect/platform, which is of Effect 3"]
  ])("refuses a manifest with %j", (changes, message) => {
    expect(messages({ packed: changes })).toContain(message)
  })

  it.each([
    [readme.replace("second", "first"), "the README shows code of Effect 3"],
    [readme.replace("src/a.ts", "src/b.ts"), "the README shows packages/tools/examples/src/b.ts, which is not derived"],
    [`${readme}\nLike \`Effect.catchAll\`.`, "the README shows code of Effect 3"],
    [readme.replace("http@4", "http@0"), "the README does not install @effect-retry/http@4"],
    [readme.replace(" effect@4", ""), "the README does not install effect@4"]
  ])("refuses a README that is not for Effect 4: %#", (readme, message) => {
    expect(messages({ readme })).toContain(message)
  })

  it.each([
    [`import { HttpClient } from "@effect/platform"`, "dist/a.js imports @effect/platform"],
    [`export * from "left-pad"`, "dist/a.js imports left-pad"],
    [`import * as Either from "effect/Either"\nEither.left(1)`, "dist/a.js uses left of effect/Either"],
    [`Effect.catchAll(a, b)`, "dist/a.js uses catchAll of effect/Effect"],
    [`// Like \`Effect.zipRight\`.`, "dist/a.js uses zipRight of effect/Effect"],
    [`/** See \`Layer.scoped\`. */`, "dist/a.js uses scoped of effect/Layer"],
    [` * The errors of \`HttpClient.catchAll\``, "dist/a.js uses catchAll of effect/http/HttpClient"],
    [`import { Schedule as S } from "effect"\nS.union(a, b)`, "dist/a.js uses union of effect/Schedule"],
    [`import { type NoSuch, Tag } from "effect/Context"`, "dist/a.js uses Tag of effect/Context"],
    [`let c: import("effect/Cause").Sequential<1>`, "dist/a.js uses Sequential of effect/Cause"]
  ])("refuses %j", (built, message) => {
    expect(messages({ built }).map((each) => each.replace(", which Effect 4 does not have", ""))).toContain(message)
  })
})
