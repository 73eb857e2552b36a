/** The part of dynalite 4.0.0 that is used; it has no types of its own. */
declare module "dynalite" {
  import type { Server } from "node:http"
  export default function dynalite(options?: { readonly createTableMs?: number }): Server
}
