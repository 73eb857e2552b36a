/**
 * The address of the repository, from the one place where its owner writes it.
 */
import { readFileSync } from "node:fs"
import { root } from "./Pages.ts"

const manifest = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { readonly repository?: string }

/** `undefined` until the owner has written it into the manifest of the root. */
export const repository: string | undefined = manifest.repository
