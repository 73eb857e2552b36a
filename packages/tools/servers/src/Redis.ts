/**
 * Redis or Valkey, found on the machine or fetched, and started on a free port for as long as a scope is open.
 *
 * A server keeps nothing: what was in it is gone when it has been killed.
 */
import { execFile } from "node:child_process"
import type { Dirent } from "node:fs"
import { access, constants, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import * as Cache from "./Cache.ts"
import * as Port from "./Port.ts"
import * as Ready from "./Ready.ts"
import { attempt, lastLine, ServerError } from "./ServerError.ts"
import * as Shared from "./Shared.ts"

/** The program of the server, and the directories of the libraries that came with it. */
export interface Program {
  readonly path: string
  readonly libraries: ReadonlyArray<string>
}

const names = ["redis-server", "valkey-server"]
const packages = ["redis-server", "redis-tools", "libjemalloc2", "liblzf1"]
const advice =
  "install it (`apt-get install redis-server`, `brew install redis`), or name its path in the environment variable REDIS_SERVER"

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** The libraries of packages that were unpacked somewhere else than they belong. */
const librariesBelow = async (root: string): Promise<ReadonlyArray<string>> => {
  if (root === "/") return []
  const lib = join(root, "usr", "lib")
  const entries = await readdir(lib, { withFileTypes: true }).catch((): Array<Dirent> => [])
  return [lib, ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(lib, name))]
}

const findProgram = async (): Promise<Option.Option<Program>> => {
  const named = process.env["REDIS_SERVER"]
  if (named !== undefined && named !== "") {
    const root = join(named, "..", "..", "..")
    return (await isProgram(named))
      ? Option.some({ path: named, libraries: await librariesBelow(root) })
      : Option.none()
  }
  const directories = (process.env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "")
  for (const name of names) {
    for (const directory of directories) {
      const path = join(directory, name)
      if (await isProgram(path)) return Option.some({ path, libraries: [] })
    }
  }
  const root = join(Cache.directory, "redis-server")
  const path = join(root, "usr", "bin", "redis-server")
  return (await isProgram(path)) ? Option.some({ path, libraries: await librariesBelow(root) }) : Option.none()
}

/**
 * Looks for the server: at the path in the environment variable `REDIS_SERVER` and nowhere else where that is set, else on
 * the `PATH`, else in the cache of the repository. Fetches nothing.
 */
export const find: Effect.Effect<Option.Option<Program>> = Effect.promise(findProgram)

const run = promisify(execFile)

const download = async (directory: string): Promise<void> => {
  const args = ["download", ...packages]
  await run("apt-get", args, { cwd: directory }).catch(async () => {
    // Its own lists of packages, if those of the machine are missing or out of date.
    await mkdir(join(directory, "apt", "lists", "partial"), { recursive: true })
    const own = ["-o", `Dir::State::Lists=${directory}/apt/lists`, "-o", `Dir::Cache=${directory}/apt`]
    await run("apt-get", [...own, "update"], { cwd: directory })
    await run("apt-get", [...own, ...args], { cwd: directory })
  })
}

const unpack = async (directory: string): Promise<void> => {
  await download(directory)
  await rm(join(directory, "apt"), { recursive: true, force: true })
  for (const file of await readdir(directory)) {
    if (!file.endsWith(".deb")) continue
    await run("dpkg-deb", ["-x", file, "."], { cwd: directory })
    await rm(join(directory, file))
  }
}

const missing = (why: string) => new ServerError({ message: `redis-server is missing${why}: ${advice}` })

const fetched: Effect.Effect<Program, ServerError> = Effect.gen(function* () {
  yield* Effect.tryPromise({
    try: () => Cache.entry("redis-server", unpack),
    catch: (error) => missing(` and apt-get does not fetch it (${lastLine(error)})`)
  })
  const found = yield* find
  return yield* Option.match(found, {
    onNone: () => Effect.fail(missing(" in what apt-get fetched")),
    onSome: Effect.succeed
  })
})

/**
 * Finds the server or fetches it with `apt-get`, for which no rights of root are needed. Several processes may do so at
 * once.
 */
export const ensure: Effect.Effect<Program, ServerError> = Effect.flatMap(find, (found) => {
  if (Option.isSome(found)) return Effect.succeed(found.value)
  const named = process.env["REDIS_SERVER"]
  return named === undefined || named === "" ? fetched : Effect.fail(missing(` at ${JSON.stringify(named)}`))
})

/** How a server is started. */
export interface Options {
  /** Directives of `redis.conf`, such as `{ maxmemory: "2mb" }`. */
  readonly config?: Readonly<Record<string, string>> | undefined
  /** Lines of the configuration file, for servers that write to it, such as sentinels. */
  readonly file?: ReadonlyArray<string> | undefined
  /** Further arguments of the program. */
  readonly args?: ReadonlyArray<string> | undefined
}

/** A server that runs on loopback. */
export interface Server {
  readonly host: "127.0.0.1"
  readonly port: number
  /** The process of the server, another one after a restart. */
  readonly pid: () => number
  /** Whether the process has not ended. A frozen one has not. */
  readonly isRunning: () => boolean
  /** A connection for tests to look and to prepare, made with the first command, and again after a restart. */
  readonly admin: Redis
  /** Kills the process with `SIGKILL`. Does nothing to one that is down. */
  readonly kill: Effect.Effect<void>
  /** Stops the process with `SIGSTOP`: connections stay, the kernel still accepts new ones, no command is answered. */
  readonly freeze: Effect.Effect<void>
  /** Lets it go on with `SIGCONT`. */
  readonly thaw: Effect.Effect<void>
  /** Kills the process and starts it on the same port, empty. */
  readonly restart: Effect.Effect<void, ServerError>
}

const host = "127.0.0.1"
const configFile = "redis.conf"
const answerMillis = 1000

/** Whether the process itself answers: a server of another process may have the port. */
const isReady = (port: number, pid: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerMillis }, () => socket.write("INFO server\r\nQUIT\r\n"))
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (text: string) => {
      answer += text
    })
    socket.once("timeout", () => socket.destroy())
    socket.once("error", () => {})
    socket.once("close", () => resolve(answer.includes(`process_id:${pid}\r`)))
  })

const launch = (program: Program, directory: string, options: Options, port?: number) =>
  Port.on(port, (port) => {
    const { args = [], config = {}, file } = options
    const defaults = { bind: host, port: `${port}`, dir: directory, save: "", appendonly: "no" }
    const directives = Object.entries({ ...defaults, ...config }).flatMap(([name, value]) => [`--${name}`, value])
    return Ready.start(
      "redis-server",
      {
        command: program.path,
        args: [...(file === undefined ? [] : [configFile]), ...args, ...directives],
        directory,
        env: program.libraries.length === 0 ? {} : { LD_LIBRARY_PATH: program.libraries.join(delimiter) }
      },
      (pid) => isReady(port, pid)
    )
  })

interface Running {
  readonly server: Server
  readonly end: () => Promise<void>
  readonly unref: () => void
}

const running = async (program: Program, options: Options): Promise<Running> => {
  const directory = await mkdtemp(join(tmpdir(), "effect-retry-redis-"))
  const remove = () => rm(directory, { recursive: true, force: true, maxRetries: 5 })
  if (options.file !== undefined) await writeFile(join(directory, configFile), options.file.join("\n"))
  const { port, started } = await launch(program, directory, options).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  let child = started
  const admin = new Redis({ host, port, lazyConnect: true, retryStrategy: () => 20, maxRetriesPerRequest: null })
  admin.on("error", () => {})
  const restart = async () => {
    await child.end()
    // What a replica was sent by its primary.
    await rm(join(directory, "dump.rdb"), { force: true })
    child = (await launch(program, directory, options, port)).started
  }
  return {
    server: {
      host,
      port,
      pid: () => child.pid,
      isRunning: () => child.isRunning(),
      admin,
      kill: Effect.promise(() => child.end()),
      freeze: Effect.sync(() => child.send("SIGSTOP")),
      thaw: Effect.sync(() => child.send("SIGCONT")),
      restart: attempt(restart)
    },
    end: async () => {
      admin.disconnect()
      await child.end()
      await remove()
    },
    unref: () => child.unref()
  }
}

const launched = (options: Options): Effect.Effect<Running, ServerError> =>
  Effect.flatMap(ensure, (program) => attempt(() => running(program, options)))

/**
 * Starts a server on a free port of loopback, which answers when the effect ends, without persistence. It is killed, and
 * its directory removed, when the scope closes, and when this process dies.
 *
 * ```ts
 * const server = yield* Redis.start({ config: { maxmemory: "2mb" } })
 * yield* Effect.promise(() => server.admin.set("key", "value"))
 * ```
 */
export const start = (options: Options = {}): Effect.Effect<Server, ServerError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(launched(options), ({ end }) => Effect.promise(end)),
    ({ server }) => server
  )

/**
 * The one server of this process, started by the first caller and ended with the process. Callers use keys of their own,
 * and neither end it nor empty it.
 */
export const shared: Effect.Effect<Server, ServerError> = Shared.shared("Redis", () => Effect.runPromise(launched({})))
