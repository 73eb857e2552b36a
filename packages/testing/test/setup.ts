/**
 * Gives every test file the `it` of `@effect/vitest` with testers that cost less, and the `fetch` of Node.js its own
 * dispatcher.
 *
 * `layer(...)` of `@effect/vitest` 0.30 writes methods bound to its layer over those of the one `it` that all files of
 * a worker share, and leaves them there when its layer is long released. Without this, `it.effect` of a later file
 * brings the clock of that layer instead of the `TestClock`. Within one file nothing helps but order: a block of
 * `layer` comes last.
 */
import { flakyTest, it, layer, prop } from "@effect/vitest"
import { chai } from "vitest"
import { effect, scoped } from "./testers.ts"

Object.assign(it, { effect, flakyTest, layer, prop, scoped })

// A proxy around every expectation finds misspelt properties, which the types do as well, and takes a quarter of its time.
chai.config.useProxy = false

// The package `undici` makes its own agent that of `fetch` if `fetch` has none yet, and that one refuses a
// `content-length` that `fetch` repeats. The first look at `Response` gives `fetch` its own.
void globalThis.Response
