/**
 * The page that the table is written into, between two markers.
 */
const begin = "<!-- fleet: begin, written by `pnpm fleet` -->"
const end = "<!-- fleet: end -->"

/** The page with everything between its markers replaced. Throws if it has no such place. */
export const replaced = (page: string, content: string): string => {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page needs "${begin}" and, after it, "${end}"`)
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`
}
