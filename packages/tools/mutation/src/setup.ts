/**
 * Ends a law after a second with what it has tried by then: it is repeated for every mutant that it reaches.
 */
import { FastCheck } from "effect"

FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), interruptAfterTimeLimit: 1000 })
