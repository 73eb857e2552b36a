/**
 * Ends a law after a second with what it has tried by then: it is repeated for every mutant that it reaches. And gives the
 * event loop a turn after every test, which the test runner does when no mutant is judged.
 */
import { FastCheck } from "effect"
import { afterEach } from "vitest"

FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), interruptAfterTimeLimit: 1000 })

const { setImmediate } = globalThis
afterEach(() => new Promise<void>((resolve) => void setImmediate(resolve)))
