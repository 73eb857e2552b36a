/**
 * The page that the tables are written into, each part between two markers.
 */

/** A part of the page, and the command that writes it. */
export interface Part {
  readonly name: string
  readonly command: string
}

export const benchmark: Part = { name: "benchmark", command: "pnpm bench" }
export const benchmarkOfEffect4: Part = { name: "benchmark of Effect 4", command: "pnpm bench:effect4" }
export const benchmarkOfRedis: Part = { name: "benchmark of Redis", command: "pnpm bench:fleet" }

/** The page with everything between the markers of a part replaced. Throws if it has no such place. */
export const replaced = (page: string, content: string, { command, name }: Part = benchmark): string => {
  const begin = `<!-- ${name}: begin, written by \`${command}\` -->`
  const end = `<!-- ${name}: end -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs "${begin}" and, after it, "${end}"`)
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`
}
