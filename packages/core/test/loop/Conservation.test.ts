/**
 * No token is lost or spent twice, at whichever step of an operation an interruption comes.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Conserving from "./Conserving.ts"

const { attempted, bounds, scripts, yielding } = Conserving

// Every bound where there is most to lose, and no bound and all of them at once elsewhere.
const table = scripts.flatMap((script) =>
  (script.script.limiter === yielding ? bounds : [...bounds.slice(0, 1), ...bounds.slice(-1)]).flatMap((bound) =>
    attempted.map((attempt) => ({ ...script, ...bound, ...attempt }))
  )
)

describe("Retry.retry conservation of tokens", () => {
  it.each(table)("holds before every step when $name, under $bound, and the attempt $attempt", (operation) => {
    const { found, runs } = Conserving.everywhere(operation)
    expect(found).toEqual([])
    expect(runs).toBeGreaterThan(20)
  })
})
