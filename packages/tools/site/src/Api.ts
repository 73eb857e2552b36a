/**
 * The reference of the public modules, written from their doc comments as Markdown for the site.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import {
  Application,
  Comment,
  CommentTag,
  type Context,
  Converter,
  type DeclarationReflection,
  type ProjectReflection,
  ReflectionKind,
  type TypeDocOptions
} from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { folder } from "./Folder.ts"
import { type Head, headOf } from "./Heads.ts"
import { type Module, modulesOf } from "./Modules.ts"
import { apiFolder, root } from "./Pages.ts"
import { repository } from "./Repository.ts"

/** Where the pages are written; Git ignores them. */
export const output = `${root}${apiFolder}`

const packages = ["core", "plan", "http", "aws", "grpc", "google", "fleet", "testing"]

const read = (name: string, file: string): string => readFileSync(join(root, "packages", name, file), "utf8")

const modules = (name: string): ReadonlyArray<Module> => modulesOf(JSON.parse(read(name, "package.json")).exports)

/** The index of a package, and the modules that are imported by their paths only. */
const filesOf = (name: string): ReadonlyArray<string> => {
  const index = read(name, "src/index.ts")
  const others = modules(name).filter(({ file }) => !index.includes(`"${file.replace("src/", "./")}"`))
  return ["src/index.ts", ...others.map(({ file }) => file)].map((file) => join(root, "packages", name, file))
}

const options: Partial<TypeDocOptions> & Partial<PluginOptions> = {
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: packages.flatMap(filesOf),
  tsconfig: `${folder}tsconfig.api.json`,
  out: output,
  router: "module",
  readme: "none",
  name: "API",
  basePath: root,
  displayBasePath: root,
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
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const name of packages) describe(name, project)
  })
  const project = await application.convert()
  if (project === undefined) throw new Error("the sources do not compile for the reference")
  await application.generateOutputs(project)
}

/** Puts all modules of a package beside each other, and gives them the comments at their heads. */
const describe = (name: string, project: ProjectReflection): void => {
  const index = childOf(project, `packages/${name}/src`)
  for (const { file, name: module } of modules(name)) {
    const path = `packages/${name}/${file.replace(/\.ts$/, "")}`
    const found = project.children?.some((child) => child.name === path)
      ? moved(project, index, path, module)
      : childOf(index, module)
    const head = headOf(read(name, file))
    if (head !== undefined) found.comment = commentOf(head)
  }
}

const childOf = (parent: ProjectReflection | DeclarationReflection, name: string): DeclarationReflection => {
  const kinds = ReflectionKind.Module | ReflectionKind.Namespace
  const found = parent.children?.find((child) => child.kindOf(kinds) && child.name === name)
  if (found === undefined) throw new Error(`the reference has no ${name} in ${parent.name}`)
  return found
}

/** A module that was read alone becomes one of its package. */
const moved = (
  project: ProjectReflection,
  index: DeclarationReflection,
  path: string,
  name: string
): DeclarationReflection => {
  const module = childOf(project, path)
  project.removeChild(module)
  Object.assign(module, { kind: ReflectionKind.Namespace, name, parent: index })
  index.addChild(module)
  return module
}

const commentOf = ({ examples, text }: Head): Comment =>
  new Comment(
    [{ kind: "text", text }],
    examples.map((example) => new CommentTag("@example", [{ kind: "code", text: example }]))
  )

export const remove = (): void => rmSync(output, { recursive: true, force: true })
