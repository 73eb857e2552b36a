/**
 * Names of Effect in prose: in comments, messages and pages.
 */
import { members } from "./names/members.ts"
import { words } from "./names/words.ts"

const name = /\b([A-Z]\w*)\.([A-Za-z]\w*)\b/g
const fence = /^([ \t]*\*? ?)```(?:ts|typescript|mts)\b[^\n]*\n([\s\S]*?)^[ \t]*\*? ?```/gm

/** Names as Effect 4 has them; blocks of code by `code`. */
export const reword = (text: string, code?: (block: string) => string): string => {
  if (code === undefined) return renamed(text)
  let at = 0
  let reworded = ""
  for (const match of text.matchAll(fence)) {
    const [whole, margin = "", block = ""] = match
    const start = match.index + whole.indexOf("\n") + 1
    reworded += renamed(text.slice(at, start)) + indented(code(unindented(block, margin)), margin)
    at = start + block.length
  }
  return reworded + renamed(text.slice(at))
}

const unindented = (block: string, margin: string): string =>
  block
    .split("\n")
    .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line === margin.trimEnd() ? "" : line))
    .join("\n")

const indented = (block: string, margin: string): string =>
  block
    .split("\n")
    .map((line, index, lines) => (line === "" ? (index === lines.length - 1 ? "" : margin.trimEnd()) : margin + line))
    .join("\n")

const renamed = (text: string): string =>
  Object.entries(words).reduce(
    (text, [old, four]) => text.replaceAll(old, four),
    text.replace(name, (whole, module: string, member: string) => {
      const four = Object.hasOwn(members, module) ? members[module]?.[member] : undefined
      if (four === undefined || Object.hasOwn(words, whole)) return whole
      return four.includes(".") ? four : `${module}.${four}`
    })
  )
