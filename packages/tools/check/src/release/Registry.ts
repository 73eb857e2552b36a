/**
 * A registry on loopback that takes our packages, and passes on what it is asked for of all others. It has what `npm publish`
 * and an install need, and ends with the rehearsal.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { posix } from "node:path"

export interface Registry {
  readonly address: string
  /** What npm and pnpm read in a project that uses this registry. */
  readonly npmrc: string
  readonly stop: () => void
}

interface RegistryInput {
  /** Scope of the packages that it takes, such as `@effect-retry`. */
  readonly scope: string
  /** Registry of all other packages. */
  readonly upstream: string
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Buffer | string
}

/** What an install reads. */
interface Document {
  readonly name: string
  readonly "dist-tags": Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, { readonly dist: object }>>
}

/** One version, and its tarball. */
interface Publication extends Document {
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

export const start = async ({ scope, upstream }: RegistryInput): Promise<Registry> => {
  const documents = new Map<string, Document>()
  const tarballs = new Map<string, Buffer>()
  const passedOn = new Map<string, Promise<Answer>>()

  const publish = ({ _attachments, ...document }: Publication): Answer => {
    const { name } = document
    const known = documents.get(name)
    const again = Object.keys(document.versions).find((version) => known?.versions[version] !== undefined)
    if (again !== undefined) return json(409, { error: `${name}@${again} is published already` })
    const [data = ""] = Object.values(_attachments).map((attachment) => attachment.data)
    const versions = Object.entries(document.versions).map(([version, manifest]) => {
      // Where npm has it: npm itself sends another address.
      const tarball = `${name}/-/${posix.basename(name)}-${version}.tgz`
      tarballs.set(tarball, Buffer.from(data, "base64"))
      return [version, { ...manifest, dist: { ...manifest.dist, tarball: `${address}/${tarball}` } }] as const
    })
    documents.set(name, {
      ...document,
      "dist-tags": { ...known?.["dist-tags"], ...document["dist-tags"] },
      versions: { ...known?.versions, ...Object.fromEntries(versions) }
    })
    return json(201, {})
  }

  const read = (path: string): Answer => {
    const tarball = tarballs.get(path)
    if (tarball !== undefined) return { status: 200, type: "application/octet-stream", body: tarball }
    const document = documents.get(path)
    return document === undefined ? json(404, { error: `${path} is not published` }) : json(200, document)
  }

  /** The addresses of tarballs in what is passed on are those of this registry. */
  const passOn = async (path: string, accept: string): Promise<Answer> => {
    const answer = await fetch(new URL(path, upstream), { headers: { accept } })
    const type = answer.headers.get("content-type") ?? "application/octet-stream"
    const body = Buffer.from(await answer.arrayBuffer())
    const ours = () => body.toString().replaceAll(new URL(upstream).origin, address)
    return { status: answer.status, type, body: type.includes("json") ? ours() : body }
  }

  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const { headers, method, url = "/" } = request
    const path = decodeURIComponent(url.slice(1))
    if (method === "PUT") return publish(JSON.parse(await textOf(request)) as Publication)
    if (path.startsWith(`${scope}/`)) return read(path)
    // What one project has asked for is not fetched for the next one, unless it did not come.
    const accept = headers.accept ?? "*/*"
    const key = `${accept} ${url}`
    const answer = passedOn.get(key) ?? passOn(url, accept)
    passedOn.set(key, answer)
    const forget = () => void passedOn.delete(key)
    void answer.then(({ status }) => status >= 500 && forget(), forget)
    return answer
  }

  const server = createServer((request, response) => {
    answerTo(request).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, json(502, { error: `no answer from ${upstream}: ${error}` }))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  return {
    address,
    // npm sends nothing without a token, although this registry needs none.
    npmrc: `registry=${address}/\n//127.0.0.1:${port}/:_authToken=none\n`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const json = (status: number, body: object): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(body)
})

const send = (response: ServerResponse, { body, status, type }: Answer): void =>
  void response.writeHead(status, { "content-type": type }).end(body)

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
