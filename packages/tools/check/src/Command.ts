/** Commands that are run at the root of the repository. */
import { spawnSync } from "node:child_process"
import { root } from "./Workspace.ts"

export const execute = (command: string, ...args: ReadonlyArray<string>) => {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  return {
    error: result.status !== 0,
    stdout: result.stdout ?? "",
    output: [result.stdout, result.stderr, result.error?.message].filter(Boolean).join("\n").trim()
  }
}

/** The command and what it printed, where it failed. */
export const run = (command: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { error, output } = execute(command, ...args)
  return error ? [`$ ${[command, ...args].join(" ")}\n${output}`] : []
}
