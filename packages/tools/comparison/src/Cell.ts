/**
 * What was seen of one operation, in a few words.
 */
import { patience, type Seen, text } from "./Operation.ts"
import type { Scenario } from "./Scenario.ts"

/** The text of a cell. */
export const cell = (scenario: Scenario, seen: Seen): string =>
  [count(seen), waits(scenario, seen), bodies(scenario, seen), ...ends(scenario, seen)]
    .filter((part) => part !== "")
    .join(", ")

const count = ({ connections, requests }: Seen): string => {
  const start = requests.filter(({ path }) => path === requests[0]?.path).length
  if (requests.length > patience) return `> ${patience}`
  return start < requests.length ? `${start} + ${requests.length - start}` : String(connections + requests.length)
}

/** What a client adds to a hint, and the time between the hint and its reading, are within these bounds. */
const isHint = (millis: number, hintSeconds: number): boolean =>
  millis >= hintSeconds * 1000 - 5000 && millis <= hintSeconds * 1100 + 5000

const waits = ({ hintSeconds, isAborted = false }: Scenario, { waits }: Seen): string => {
  if (hintSeconds === undefined || waits.length === 0 || isAborted) return ""
  return waits.every((millis) => isHint(millis, hintSeconds)) ? "waits" : `waits ${inWords(Math.max(...waits))}`
}

const inWords = (millis: number): string => {
  const seconds = millis / 1000
  return seconds < 86_400 ? `${Math.round(seconds)} s` : `${(seconds / 86_400).toFixed(1)} days`
}

const bodies = ({ request }: Scenario, { requests }: Seen): string => {
  if (request.body === undefined) return ""
  const whole = requests.filter(({ body }) => body.includes(text)).length
  return whole === requests.length ? "" : `${whole === 1 ? "one" : whole} with the body`
}

const ends = ({ isAborted = false }: Scenario, { isEndless, isLate, requests }: Seen): ReadonlyArray<string> => [
  requests.some(({ headers }) => headers.range !== undefined) ? "asks for the rest" : "",
  isAborted && isLate ? "ends late" : "",
  isEndless ? "hangs" : ""
]
