/**
 * Code in doc comments is compiled and run as it stands: every block of TypeScript in what is published, each a module of
 * its own.
 */
import type { Finding } from "./Finding.ts"
import type { Source } from "./Workspace.ts"

interface DocExample {
  /** Of a file that can stand beside all others, such as `packages.core.src.plan.Plan.9.mts`. */
  readonly name: string
  /** Its code, on the lines it has in its source. */
  readonly code: string
}

export interface DocExamples {
  readonly findings: ReadonlyArray<Finding>
  readonly examples: ReadonlyArray<DocExample>
}

const comment = /^\s*\* ?(.*)$/
const opening = /^(`{3,})(?:ts|typescript|mts)\b/

export const docExamples = ({ path, text }: Source): DocExamples => {
  const lines = text.split("\n")
  const commented = lines.map((line) => comment.exec(line)?.[1])
  const findings: Array<Finding> = []
  const examples: Array<DocExample> = []
  for (const [index, line] of commented.entries()) {
    const [, ticks] = opening.exec(line ?? "") ?? []
    if (line?.startsWith("@example") === true && !opening.test(commented[index + 1] ?? "")) {
      findings.push({ file: path, line: index + 1, message: "@example without a block of ts below it" })
    }
    if (ticks === undefined) continue
    const length = commented.slice(index + 1).indexOf(ticks)
    const code = commented.slice(index + 1, index + 1 + length)
    if (length < 0 || code.includes(undefined)) {
      findings.push({ file: path, line: index + 1, message: "block of ts that does not end" })
      continue
    }
    examples.push({
      name: `${path.replace(/\.ts$/, "").replaceAll("/", ".")}.${index + 1}.mts`,
      code: `${"\n".repeat(index + 1)}${code.join("\n")}\n`
    })
  }
  return { findings, examples }
}

/** A program that runs the modules beside it, one after the other, and fails if one of them does. */
export const importing = (names: ReadonlyArray<string>): string => `
for (const name of ${JSON.stringify(names)}) {
  try {
    await import(\`./\${name}\`)
  } catch (error) {
    console.error(name, error)
    process.exitCode = 1
  }
}
`
