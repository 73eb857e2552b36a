/** Builds the site once, before the tests that look at it. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { folder } from "../src/Folder.ts"

export const setup = async (): Promise<void> => {
  await promisify(execFile)("npx", ["vitepress", "build", "."], { cwd: folder })
}
