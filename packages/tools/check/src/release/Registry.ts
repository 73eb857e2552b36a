/** A registry on loopback that has our packages, and passes on what it is asked for of all others. */
import { spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

export interface Registry {
  readonly address: string
  /** What npm and pnpm read in a project that uses this registry. */
  readonly npmrc: string
  readonly stop: () => void
}

export interface RegistryInput {
  /** Folder of the installed tools of the rehearsal. */
  readonly tools: string
  /** Folder that keeps the packages of others for the next rehearsal. */
  readonly storage: string
  /** Registry of all other packages. */
  readonly upstream: string
}

export const start = async ({ storage, tools, upstream }: RegistryInput): Promise<Registry> => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  rmSync(join(storage, "@effect-retry"), { recursive: true, force: true })
  mkdirSync(storage, { recursive: true })
  const config = join(storage, "config.json")
  writeFileSync(config, JSON.stringify(configuration(storage, upstream)))
  const child = spawn(
    process.execPath,
    [join(tools, "node_modules/verdaccio/bin/verdaccio"), "--config", config, "--listen", `127.0.0.1:${port}`],
    { cwd: storage, stdio: "ignore" }
  )
  await answering(`${address}/-/ping`)
  return {
    address,
    // npm sends nothing without a token, although this registry needs none.
    npmrc: `registry=${address}/\n//127.0.0.1:${port}/:_authToken=none\n`,
    stop: () => void child.kill()
  }
}

/** JSON is valid YAML. */
const configuration = (storage: string, upstream: string) => ({
  storage,
  uplinks: { upstream: { url: upstream, maxage: "1h", timeout: "60s" } },
  packages: {
    "@effect-retry/*": { access: "$all", publish: "$anonymous" },
    "**": { access: "$all", proxy: "upstream" }
  },
  max_body_size: "20mb",
  log: { type: "stdout", format: "pretty", level: "fatal" }
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const answering = async (address: string): Promise<void> => {
  for (let tries = 0; tries < 300; tries++) {
    const answered = await fetch(address).then(
      ({ ok }) => ok,
      () => false
    )
    if (answered) return
    await sleep(200)
  }
  throw new Error(`the registry does not answer at ${address}`)
}
