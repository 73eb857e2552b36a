/**
 * A server as a child process that never outlives this process, even if this process is killed.
 *
 * The child is started by a shell that leaves a watcher behind and then becomes the server, so the process id is the
 * server's. The watcher holds one end of a pipe: when the pipe ends without a word, this process has died, and the watcher
 * ends the server and removes its directory.
 *
 * Time is the machine's here, never the `Clock` of Effect: a server does not run in virtual time.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Writable } from "node:stream"

/** What is started, and how. */
export interface Options {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The directory that is removed when this process dies. */
  readonly directory: string
  /** What the watcher sends first; `KILL` comes a second later, and is the default. */
  readonly lastSignal?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** The user and group that the server runs as; those of this process by default. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/** A server that has been started. */
export interface Child {
  readonly pid: number
  /** Whether it has not ended yet. */
  readonly isRunning: () => boolean
  /** Completes when it has ended. */
  readonly ended: Promise<void>
  /** The last lines that it wrote. */
  readonly output: () => string
  readonly send: (signal: NodeJS.Signals) => void
  /** Ends it with the signal, `SIGKILL` by default, and answers when it has ended. */
  readonly end: (signal?: NodeJS.Signals) => Promise<void>
  /** Lets this process end before the server does. */
  readonly unref: () => void
}

const script = `
directory=$1 signal=$2
shift 2
(
  trap '' INT TERM HUP
  read -r word <&3 || { kill "-$signal" $$; kill -CONT $$; sleep 1; kill -KILL $$; rm -rf "$directory"; }
) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`

const longestOutput = 4000

/** Starts a server. */
export const start = (options: Options): Promise<Child> =>
  new Promise((resolve, reject) => {
    const { args, command, directory, env, lastSignal = "KILL", user } = options
    const child = spawn("/bin/sh", ["-c", script, "sh", directory, lastSignal, command, ...args], {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
      ...user
    })
    child.once("error", reject)
    child.once("spawn", () => resolve(started(child)))
  })

const started = (child: ChildProcess): Child => {
  let output = ""
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString("utf8")).slice(-longestOutput)
  }
  child.stdout?.on("data", keep)
  child.stderr?.on("data", keep)
  const watcher = child.stdio[3] as Writable
  watcher.on("error", () => {})
  let isRunning = true
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      isRunning = false
      // The word that tells the watcher to do nothing.
      watcher.end("ended\n")
    })
    // After the output has been read to its end.
    child.once("close", () => resolve())
  })
  return {
    pid: child.pid ?? -1,
    isRunning: () => isRunning,
    ended,
    output: () => output.trim(),
    send: (signal) => void child.kill(signal),
    end: (signal = "SIGKILL") => {
      child.ref()
      child.kill(signal)
      return ended
    },
    unref: () => {
      child.unref()
      for (const stream of child.stdio) (stream as { readonly unref?: () => void } | null)?.unref?.()
    }
  }
}
