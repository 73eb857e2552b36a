/**
 * The addresses of the repository and of the site, from the one place where their owner writes them.
 */
import { readFileSync } from "node:fs"
import { root } from "./Pages.ts"

const manifest = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
  readonly homepage?: string
  readonly repository?: string
}

/** `undefined` until the owner has written it into the manifest of the root. */
export const repository: string | undefined = manifest.repository

/** The path of the site on its host: `/effect-retry/` of `https://name.github.io/effect-retry`. */
export const base: string =
  manifest.homepage === undefined ? "/" : new URL(manifest.homepage).pathname.replace(/\/?$/, "/")
