/**
 * The pages of the site: Markdown files of the repository, and the address of each.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Where the reference of the public modules is written. */
export const apiFolder = "packages/tools/site/api"

interface Group {
  readonly title: string
  /** Files, from the root of the repository. */
  readonly files: ReadonlyArray<string>
}

/** The order in which a reader needs them. */
const ordered: ReadonlyArray<Group> = [
  { title: "Start", files: ["README.md", "docs/playground.md", "docs/first-policy.md", "docs/recipes.md"] },
  {
    title: "Guides",
    files: [
      "docs/promises.md",
      "docs/http-guide.md",
      "docs/safe-to-retry.md",
      "packages/http/README.md",
      "docs/http.md",
      "docs/configuration.md",
      "docs/observing.md",
      "docs/production.md"
    ]
  },
  {
    title: "Guards",
    files: [
      "docs/guards.md",
      "docs/buckets.md",
      "docs/circuit-breakers.md",
      "docs/hedging.md",
      "packages/fleet/README.md",
      "docs/fleet.md"
    ]
  },
  {
    title: "Vendors",
    files: [
      "docs/aws-guide.md",
      "packages/aws/README.md",
      "docs/aws.md",
      "docs/google-guide.md",
      "packages/google/README.md",
      "docs/google.md",
      "docs/grpc-guide.md",
      "packages/grpc/README.md",
      "docs/grpc.md"
    ]
  },
  {
    title: "Plan and test",
    files: ["docs/testing.md", "packages/testing/README.md", "packages/plan/README.md"]
  },
  {
    title: "Coming from elsewhere",
    files: [
      "docs/from-native.md",
      "docs/from-promises.md",
      "docs/from-http-clients.md",
      "docs/comparison.md",
      "docs/effect-4.md"
    ]
  },
  { title: "Reference", files: ["packages/core/README.md", "docs/core.md", "docs/flow.md"] },
  { title: "About", files: ["docs/decisions.md", "docs/performance.md", "docs/quality.md"] }
]

/** The groups with the pages that exist; a page that is in none of them comes last. */
export const groups = (): ReadonlyArray<Group> => {
  const all = files()
  const known = new Set(ordered.flatMap(({ files }) => files))
  return [...ordered, { title: "More", files: all.filter((file) => !known.has(file)) }]
    .map(({ files, title }) => ({ title, files: files.filter((file) => all.includes(file)) }))
    .filter(({ files }) => files.length > 0)
}

/** The Markdown files of the site. */
export const files = (): ReadonlyArray<string> => [
  "README.md",
  ...below("docs"),
  ...readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((file) => existsSync(join(root, file)))
]

const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)

/** Where the page of a file is written, such as `packages/core.md`; `undefined` where the file is no page. */
export const pageOf = (file: string): string | undefined => {
  if (file === "README.md") return "index.md"
  const [, doc] = /^docs\/([^/]+\.md)$/.exec(file) ?? []
  if (doc !== undefined) return doc
  if (file === `${apiFolder}/README.md`) return "api/index.md"
  const [, owner, module = "index"] =
    /^packages\/tools\/site\/api\/packages\/([^/]+)\/src\/(?:README|namespaces\/([^/]+))\.md$/.exec(file) ?? []
  if (owner !== undefined) return `api/${owner}/${module}.md`
  const [, name] = /^packages\/([^/]+)\/README\.md$/.exec(file) ?? []
  return name === undefined || name === "tools" ? undefined : `packages/${name}.md`
}

/** The address of a page, such as `/packages/core`. */
export const addressOf = (page: string): string => `/${page.replace(/(?:index)?\.md$/, "")}`

/** The first heading of a file. */
export const titleOf = (file: string): string => {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8")) ?? []
  return title.replaceAll("`", "")
}
