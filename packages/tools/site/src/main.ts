/**
 * Builds the site, and serves it on a loopback port.
 *
 *     pnpm site            builds and serves it, with the API reference
 *     pnpm site build      builds it, with the API reference
 *     pnpm site quick      builds and serves it without
 */
import { build, serve } from "vitepress"
import * as Api from "./Api.ts"
import { folder } from "./Folder.ts"

const [mode] = process.argv.slice(2)

if (mode === "quick") Api.remove()
else await Api.write()
await build(folder)
if (mode !== "build") await serve({ root: folder, port: 4173 })
