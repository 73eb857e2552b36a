/**
 * A browser, and a server of the built site on a loopback port.
 */
import chromium from "@sparticuz/chromium"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"
import { chromium as launcher } from "playwright-core"
import type { Browser } from "playwright-core"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2"
}

export interface Site {
  readonly address: string
  readonly close: () => void
}

/** Serves a folder; an address without an ending is that of a page. */
export const serve = (folder: string): Promise<Site> => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const path = normalize(pathname.endsWith("/") ? `${pathname}index` : pathname)
    const file = join(folder, extname(path) === "" ? `${path}.html` : path)
    readFile(file).then(
      (bytes) => response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" }).end(bytes),
      () => response.writeHead(404).end()
    )
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ address: `http://127.0.0.1:${port}`, close: () => server.close() })
    })
  })
}

/** The browser of the environment variable `CHROMIUM`, or the one from npm. */
export const launch = async (): Promise<Browser> =>
  launcher.launch({
    executablePath: process.env["CHROMIUM"] ?? (await chromium.executablePath()),
    args: ["--disable-gpu", "--disable-dev-shm-usage"]
  })
