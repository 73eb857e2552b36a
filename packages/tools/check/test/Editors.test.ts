/** What editors show of the public names: each has its documentation, wherever it is called. */
import { hovers5, hovers7, type Program, programOf, typescript5 } from "@effect-retry/check/Editors"
import { publicModules } from "@effect-retry/check/PublicNames"
import { publishedPackages, read, sourceOf } from "@effect-retry/check/Workspace"
import * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import ts from "typescript5"
import { describe, expect, it } from "vitest"

interface Exported {
  readonly module: string
  readonly name: string
}

const modules = publishedPackages().flatMap(({ folder, manifest }) =>
  publicModules({ folder, manifest, read, resolve: sourceOf })
    .filter(({ name }) => !name.startsWith("unstable/"))
    .map(({ name }) => `${manifest.name}/${name}`)
)

const alias = (module: string) => module.replace("@effect-retry/", "").replace("/", "_")

const imports = modules.map((module) => `import * as ${alias(module)} from "${module}"\n`).join("")

/** One use of every public value: a call for each of its signatures. */
const uses = (): ReadonlyArray<Exported & { readonly use: string }> => {
  const { file, text } = programOf("names", imports)
  const program = typescript5({ file, text, places: [] }).getProgram()!
  const checker = program.getTypeChecker()
  return program
    .getSourceFile(file)!
    .statements.filter(ts.isImportDeclaration)
    .flatMap((statement) => {
      const module = (statement.moduleSpecifier as ts.StringLiteral).text
      const symbol = checker.getSymbolAtLocation(statement.moduleSpecifier)!
      return checker.getExportsOfModule(symbol).flatMap((found) => {
        const target = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
        if ((target.flags & ts.SymbolFlags.Value) === 0) return []
        const place = `${alias(module)}./*?*/${found.name}`
        const type = checker.getTypeOfSymbol(target)
        const calls = type
          .getCallSignatures()
          .map(({ parameters }) => `${place}(${parameters.map(() => "undefined as any").join(", ")})`)
        return (calls.length === 0 ? [place] : calls).map((use) => ({ module, name: found.name, use }))
      })
    })
}

const given = uses()
const program = programOf("uses", `${imports}\n${given.map(({ use }) => use).join("\n")}\n`)
const without = (hovers: ReadonlyArray<string>) =>
  given.filter((_, i) => hovers[i] === "").map(({ module, name }) => `${module}: ${name}`)

/** Every field of a policy, in a policy that is written in a call. */
const fields = (before: string, names: ReadonlyArray<string>, after: string): string =>
  `${before}${names.map((name) => `/*?*/${name}: undefined as any`).join(", ")}${after}`

const ofClients = [
  ...PolicyCheck.fields.filter((name) => !["attempt", "release", "result"].includes(name)),
  "beforeRetry",
  "attemptHeaders",
  "opinion",
  "idempotency",
  "drain",
  "route"
]

const ofHedges = [
  "name",
  "observe",
  "attempt",
  "classifier",
  "result",
  "maxAttempts",
  "maxInFlight",
  "delay",
  "deadline",
  "release",
  "bucket"
]

const ofClientHedges = ofHedges
  .filter((name) => !["attempt", "release", "result"].includes(name))
  .concat("route", "idempotency")

const policies = programOf(
  "policies",
  [
    `import { Hedge, Policy, Promises, Retry } from "@effect-retry/core"`,
    `import { HttpRetry } from "@effect-retry/http"`,
    `import { HttpClient } from "@effect/platform"`,
    `import { Effect } from "effect"`,
    `declare const call: Effect.Effect<string, Error>`,
    `declare const client: HttpClient.HttpClient`,
    fields("Retry.retry(call, { ", PolicyCheck.fields, " })"),
    fields("call.pipe(Retry.retry({ ", PolicyCheck.fields, " }))"),
    fields("Retry.orStopped({ ", PolicyCheck.fields, " })"),
    fields("Retry.retryOrElse(call, { ", PolicyCheck.fields, " }, () => call)"),
    fields("Policy.make({ ", PolicyCheck.fields, " })"),
    fields("Promises.retry(async () => 1, { ", PolicyCheck.fields, " })"),
    fields("const policy: Policy.Policy<Error> = { ", PolicyCheck.fields, " }"),
    fields("Hedge.hedge(call, { ", ofHedges, " })"),
    fields("call.pipe(Hedge.hedge({ ", ofHedges, " }))"),
    fields("HttpRetry.withRetry(client, { ", ofClients, " })"),
    fields("client.pipe(HttpRetry.withRetry({ ", ofClients, " }))"),
    fields("HttpRetry.withHedge(client, { ", ofClientHedges, " })"),
    fields("client.pipe(HttpRetry.withHedge({ ", ofClientHedges, " }))")
  ].join("\n")
)
/** TypeScript 7.0 shows no comment in a literal that infers a type, and none of a mapped type. */
const fieldsOfPolicies = programOf(
  "fields",
  [
    `import { Policy } from "@effect-retry/core"`,
    "declare const policy: Policy.Fields<unknown, unknown>",
    ...PolicyCheck.fields.map((name) => `policy./*?*/${name}`)
  ].join("\n")
)
const undocumented = ({ places, text }: Program, hovers: ReadonlyArray<string>) =>
  places
    .filter((_, i) => hovers[i] === "")
    .map((place) => {
      const [line = ""] = text.slice(text.lastIndexOf("\n", place) + 1).split("\n")
      return `${line.split("/*?*/")[0]}: ${/\w+/.exec(text.slice(place))?.[0]}`
    })

describe("Hovers of the fields of a policy", () => {
  it("show their documentation in TypeScript 5.9", async () => {
    expect(undocumented(policies, await hovers5(policies))).toEqual([])
  })

  it("show it in TypeScript 7", async () => {
    expect(undocumented(fieldsOfPolicies, await hovers7(fieldsOfPolicies))).toEqual([])
  })
})

describe("Hovers of public names", () => {
  it("show their documentation in TypeScript 5.9", async () => {
    const hovers = await hovers5(program)
    expect(hovers).toHaveLength(given.length)
    expect(without(hovers)).toEqual([])
  })

  it("show it in TypeScript 7", async () => {
    const hovers = await hovers7(program)
    expect(hovers).toHaveLength(given.length)
    expect(without(hovers)).toEqual([])
  })
})

describe("Hovers of calls without a mistake", () => {
  const calls = programOf(
    "calls",
    [
      `import { Classifier, Policy, Promises, Retry } from "@effect-retry/core"`,
      `import { HttpRetry } from "@effect-retry/http"`,
      `import { HttpClient } from "@effect/platform"`,
      `import { Effect } from "effect"`,
      `declare const call: Effect.Effect<string, Error>`,
      `declare const client: HttpClient.HttpClient`,
      `const policy = { ...Policy.standard, classifier: Classifier.always }`,
      `Retry./*?*/retry(call, policy)`,
      `Retry./*?*/retryOrElse(call, policy, () => call)`,
      `call.pipe(Retry./*?*/orStopped(policy))`,
      `Promises./*?*/retry(async ({ number }) => number, policy)`,
      `HttpRetry./*?*/withRetry(client, { maxAttempts: 3 })`
    ].join("\n")
  )

  it("show nothing of the messages for mistakes", () => {
    const service = typescript5(calls)
    const shown = calls.places.map((place) => service.getQuickInfoAtPosition(calls.file, place)?.displayParts)
    for (const parts of shown) {
      const text = ts.displayPartsToString(parts)
      expect(text).toMatch(/Policy|maxAttempts/)
      expect(text).not.toMatch(/Mistake|NoEffect|NoFunction|NoClient/)
    }
  })
})
