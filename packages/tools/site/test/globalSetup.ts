/** Builds the site once, before the tests that look at it; with its API reference only where all of it is looked at. */
import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { folder } from "../src/Folder.ts"
import { apiFolder, root } from "../src/Pages.ts"

export const setup = async (): Promise<void> => {
  rmSync(join(root, apiFolder), { recursive: true, force: true })
  const [command = "", ...args] =
    process.env["SITE_FULL"] === undefined ? ["vitepress", "build", "."] : ["tsx", "src/main.ts", "build"]
  await promisify(execFile)("npx", [command, ...args], { cwd: folder, maxBuffer: 10_000_000 })
}
