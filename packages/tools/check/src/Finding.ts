/** Something a check objects to, at a place a person can open. Lines count from 1. */
export interface Finding {
  readonly file: string
  readonly line: number
  readonly message: string
}

export const render = (finding: Finding): string => `${finding.file}:${finding.line} ${finding.message}`

/** The line on which the first match of `text` begins, or 1 when there is none. */
export const lineOf = (source: string, text: string): number => {
  const offset = source.indexOf(text)
  return offset < 0 ? 1 : lineAt(source, offset)
}

export const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length
