/**
 * A browser, and a server of the built site on a loopback port.
 */
import chromium from "@sparticuz/chromium"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize } from "node:path"
import { chromium as launcher } from "playwright-core"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { built } from "../src/Folder.ts"
import { initial, toHash } from "../src/playground/Settings.ts"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2"
}

interface Site {
  readonly address: string
  /** The files of the answers, in their order. */
  readonly served: ReadonlyArray<string>
  readonly close: () => void
}

/** Serves a folder as static hosts do; an address without an ending is that of a page. */
export const serve = (folder: string): Promise<Site> => {
  const served: Array<string> = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const path = normalize(pathname.endsWith("/") ? `${pathname}index` : pathname)
    const file = join(folder, extname(path) === "" ? `${path}.html` : path)
    readFile(file).then(
      (bytes) => {
        served.push(file)
        const type = types[extname(file)] ?? "text/plain"
        response.writeHead(200, { "content-type": type, "cache-control": "max-age=600" }).end(bytes)
      },
      () => response.writeHead(404).end()
    )
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ address: `http://127.0.0.1:${port}`, served, close: () => server.close() })
    })
  })
}

/** The browser of the environment variable `CHROMIUM`, or the one from npm. */
export const launch = async (): Promise<Browser> =>
  launcher.launch({
    executablePath: process.env["CHROMIUM"] ?? (await chromium.executablePath()),
    args: ["--disable-gpu", "--disable-dev-shm-usage"]
  })

interface Visit {
  readonly page: Page
  /** What the browser complains of, requests to other hosts included. */
  readonly complaints: ReadonlyArray<string>
}

interface Look {
  readonly colorScheme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
  /** Whether the page has workers. @default true */
  readonly simulates?: boolean
}

/** The built site and a browser for the tests of a file. */
export const opened = () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await serve(built)
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })
  return {
    visit: (path: string, look?: Look) => visit(browser, site, path, look),
    browser: () => browser,
    address: () => site.address,
    served: () => site.served
  }
}

const visit = async (
  browser: Browser,
  site: Site,
  path: string,
  { colorScheme = "light", height = 900, simulates = true, width = 1280 }: Look = {}
): Promise<Visit> => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height } })
  page.setDefaultTimeout(120_000)
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => void complaints.push(String(error)))
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith("http") && origin !== site.address) complaints.push(`request to ${request.url()}`)
  })
  if (!simulates) await page.addInitScript(withoutWorkers)
  await page.goto(`${site.address}${path}`)
  return { page, complaints }
}

/** Changes to another theme, as the system does. */
export const change = async (page: Page, colorScheme: "light" | "dark"): Promise<void> => {
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction(
    (isDark) => document.documentElement.classList.contains("dark") === isDark,
    colorScheme === "dark"
  )
}

/** A worker that does nothing. */
const withoutWorkers = () => {
  globalThis.Worker = class extends EventTarget {
    postMessage() {}
    terminate() {}
  } as unknown as typeof Worker
}

/** Whether all is looked at, by night, and not some of each kind. */
export const isFull = process.env["SITE_FULL"] !== undefined

/** Their simulations end soon. */
export const quickSettings = { ...initial, outage: 500, clients: 10, load: 0.1 }

export const quick = `/playground#${toHash(quickSettings)}`
