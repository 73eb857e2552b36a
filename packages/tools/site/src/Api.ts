/**
 * The reference of the public modules, written from their doc comments as Markdown for the site.
 */
import { rmSync } from "node:fs"
import { Application, type TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { folder } from "./Folder.ts"
import { apiFolder, root } from "./Pages.ts"
import { repository } from "./Repository.ts"

/** Where the pages are written; Git ignores them. */
export const output = `${root}${apiFolder}`

const packages = ["core", "plan", "http", "aws", "grpc", "google", "fleet", "testing"]

const options: Partial<TypeDocOptions> & Partial<PluginOptions> = {
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: packages.map((name) => `${root}packages/${name}/src/index.ts`),
  tsconfig: `${folder}tsconfig.api.json`,
  out: output,
  router: "module",
  readme: "none",
  name: "API",
  basePath: root,
  disableGit: true,
  sourceLinkTemplate: `${repository ?? "https://example.com/effect-retry"}/blob/main/{path}#L{line}`,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  excludeExternals: true,
  logLevel: "Error"
}

export const write = async (): Promise<void> => {
  rmSync(output, { recursive: true, force: true })
  const application = await Application.bootstrapWithPlugins(options)
  const project = await application.convert()
  if (project === undefined) throw new Error("the sources do not compile for the reference")
  await application.generateOutputs(project)
}

export const remove = (): void => rmSync(output, { recursive: true, force: true })
