/**
 * The comment at the head of a module. It stands above no declaration, so TypeDoc passes it over. Pure.
 */

export interface Head {
  readonly text: string
  readonly examples: ReadonlyArray<string>
}

/** `undefined` where a source begins with something else. */
export const headOf = (source: string): Head | undefined => {
  const [, comment] = /^\/\*\*\n([\s\S]*?)\n \*\/\n/.exec(source) ?? []
  if (comment === undefined) return undefined
  const [text = "", ...examples] = comment.replaceAll(/^ \* ?/gm, "").split(/^@example\n/m)
  return { text: text.trim(), examples: examples.map((example) => example.trim()) }
}
