/**
 * Links between Markdown files become links between pages. Pure.
 */
import { posix } from "node:path"
import { addressOf, pageOf } from "./Pages.ts"

/**
 * The target of a link that stands in a file: the address of a page, or that of the file in the repository where it is no
 * page. Links to other hosts and inside of the page stay as they are.
 */
export const targetOf = (file: string, href: string, repository: string): string => {
  if (/^[a-z][a-z0-9+.-]*:|^#|^\/\//i.test(href)) return href
  const [path = "", fragment] = href.split("#", 2)
  const target = posix.join(posix.dirname(file), decodeURI(path))
  const page = pageOf(target)
  const address = page === undefined ? `${repository}/blob/main/${target}` : addressOf(page)
  return fragment === undefined ? address : `${address}#${fragment}`
}

/** The anchor of a heading, as GitHub makes it; the same headings of a page are told apart by the renderer. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-")
