import { existsSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitepress"
import * as Links from "../src/Links.ts"
import * as Pages from "../src/Pages.ts"
import { base, repository } from "../src/Repository.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  title: "effect-retry",
  description: "A retry toolkit for Effect",
  lang: "en",
  base,
  srcDir: Pages.root,
  srcExclude: [
    "**/CHANGELOG.md",
    ".changeset/**",
    ".github/**",
    "packages/tools/!(site)/**",
    "packages/tools/site/!(api)/**",
    "packages/*/!(README).md"
  ],
  outDir: here("../dist"),
  cacheDir: `${Pages.root}/node_modules/.cache/site`,
  rewrites: (file) => Pages.pageOf(file) ?? file,
  cleanUrls: true,
  lastUpdated: false,
  // The pages of all links in sight are more script than the page itself.
  router: { prefetchLinks: false },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        _render: (text, env, markdown) => {
          // The reference would bury the guides.
          if (env.path.includes(Pages.apiFolder)) return ""
          // The colours of code are no words, and most of the work.
          const { highlight } = markdown.options
          markdown.set({ highlight: null })
          const html = markdown.render(text, env)
          markdown.set({ highlight })
          return html
        }
      }
    },
    outline: { level: [2, 3] },
    nav: [
      { text: "Playground", link: "/playground" },
      ...(existsSync(`${Pages.root}${Pages.apiFolder}`) ? [{ text: "API", link: "/api/" }] : [])
    ],
    sidebar: Pages.groups().map(({ files, title }) => ({
      text: title,
      items: files.flatMap((file) => {
        const page = Pages.pageOf(file)
        return page === undefined ? [] : [{ text: Pages.titleOf(file), link: Pages.addressOf(page) }]
      })
    })),
    ...(repository === undefined ? {} : { socialLinks: [{ icon: "github", link: repository }] })
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: Links.anchorOf },
    config: (markdown) => {
      markdown.core.ruler.push("links", ({ env, tokens }) => {
        const file = relative(Pages.root, env.realPath ?? env.path)
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href")
          if (token.type === "link_open" && href !== null) {
            token.attrSet("href", Links.targetOf(file, href, repository ?? "https://example.com/effect-retry"))
          }
        }
      })
    }
  },
  vite: {
    resolve: { conditions: ["@effect-retry/source"] },
    worker: {
      format: "es",
      plugins: () => [
        // The page imports the file of its worker.
        {
          name: "exports-of-workers",
          options: (options) => ({ ...options, preserveEntrySignatures: "allow-extension" })
        }
      ]
    },
    plugins: [
      {
        // Pages outside of this package do not see its Vue; the server bundle, which lies in it, does. What only a browser loads is
        // left out of it.
        name: "server-bundle",
        enforce: "pre",
        resolveId: (id, _, options) => {
          if (options.ssr !== true) return null
          if (id.endsWith("?worker&url")) return "\0no-worker"
          const isOutside = ["vue", "vue/server-renderer", "./RetryPlayground.vue"].includes(id)
          return isOutside ? { id, external: true } : null
        },
        load: (id) => (id === "\0no-worker" ? "export default undefined" : null)
      }
    ]
  }
})
