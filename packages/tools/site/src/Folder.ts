import { fileURLToPath } from "node:url"

/** The folder of this package, where the settings of VitePress are. */
export const folder = fileURLToPath(new URL("..", import.meta.url))

/** Where the built site is. */
export const built = `${folder}dist`
