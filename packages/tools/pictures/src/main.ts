/**
 * Draws the pictures of the documentation into docs/pictures.
 */
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { pictures } from "./Pictures.ts"

const folder = fileURLToPath(new URL("../../../../docs/pictures/", import.meta.url))

mkdirSync(folder, { recursive: true })
for (const [name, picture] of Object.entries(pictures)) {
  writeFileSync(folder + name, await Effect.runPromise(picture))
  console.log(`docs/pictures/${name}`)
}
