/**
 * Forgets which mutants the files before this one have reached, in a worker that runs several: without it, each file
 * counts as reaching those of all before it.
 */
import { beforeAll } from "vitest"

interface Instrumented {
  readonly __stryker__?: { readonly mutantCoverage?: { perTest: Record<string, unknown> } }
}

beforeAll(() => {
  const coverage = (globalThis as Instrumented).__stryker__?.mutantCoverage
  if (coverage !== undefined) coverage.perTest = {}
})
