/** What the operations of a test tell, held against what a table says. */
import type { Observe } from "@effect-retry/core"
import { Effect } from "effect"
import { afterAll, afterEach, beforeEach, expect } from "vitest"

/** What the operations of a test have told, in one line each. */
const heard: Array<string> = []

export const hear: Observe.Observer = (event) =>
  Effect.sync(() => {
    heard.push(event._tag === "RetryScheduled" ? `${event._tag} from ${event.source}` : event._tag)
  })

/** Holds the events of every test of a row against the row's last cell: alternatives with a semicolon between them. */
export const hearing = (cells: ReadonlyArray<string>) => {
  const alternatives = (cells[3] ?? "").split(";").map((text) => ({
    events: Array.from(text.matchAll(/`([A-Z]\w+)`(?: from `(\w+)`)?/g), ([, tag, source]) =>
      source === undefined ? tag : `${tag} from ${source}`
    ),
    last: text.includes("none")
  }))
  const seen = new Set<number>()
  const isSame = (event: string, named: string | undefined) => event === named || event.startsWith(`${named} from `)
  const isHeard = ({ events, last }: (typeof alternatives)[number]) =>
    events.length === 0
      ? heard.length === 0
      : heard.some(
          (_, at) =>
            (!last || at + events.length === heard.length) &&
            heard.slice(at, at + events.length).length === events.length &&
            events.every((named, n) => isSame(heard[at + n] ?? "", named))
        )

  beforeEach(() => {
    heard.length = 0
  })

  afterEach(() => {
    const found = alternatives.findIndex((alternative, n) => isHeard(alternative) && !seen.has(n))
    seen.add(found < 0 ? alternatives.findIndex(isHeard) : found)
    expect(alternatives.some(isHeard), `${cells[3]} is not in ${heard.join(", ")}`).toBe(true)
  })

  afterAll(() => {
    expect(seen.size, `not all of these were heard: ${cells[3]}`).toBe(alternatives.length)
  })
}
