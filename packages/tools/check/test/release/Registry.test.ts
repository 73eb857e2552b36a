import * as Registry from "@effect-retry/check/release/Registry"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const asked: Array<string> = []
const others = createServer(({ headers, url = "" }, response) => {
  asked.push(`${url} ${headers.accept}`)
  const { port } = others.address() as AddressInfo
  const body = url.endsWith(".tgz")
    ? "bytes"
    : JSON.stringify({ tarball: `http://127.0.0.1:${port}/effect/-/effect.tgz` })
  const type = url.endsWith(".tgz") ? "application/octet-stream" : "application/vnd.npm.install-v1+json"
  const isFirst = asked.filter((request) => request.startsWith(url)).length === 1
  if (url.includes("reset") && isFirst) return void response.destroy()
  const failed = url.includes("busy") && isFirst ? 503 : 200
  response.writeHead(url.includes("unknown") ? 404 : failed, { "content-type": type }).end(body)
})

let registry: Registry.Registry

beforeAll(async () => {
  await new Promise<void>((resolve) => others.listen(0, "127.0.0.1", resolve))
  const { port } = others.address() as AddressInfo
  registry = await Registry.start({ scope: "@ours", upstream: `http://127.0.0.1:${port}/` })
})

afterAll(() => {
  registry.stop()
  others.close()
})

/** What `npm publish` sends. */
const publish = (version: string, tag: string) =>
  fetch(`${registry.address}/@ours%2fa`, {
    method: "PUT",
    body: JSON.stringify({
      name: "@ours/a",
      "dist-tags": { [tag]: version },
      versions: { [version]: { name: "@ours/a", version, dist: { integrity: "sha512-1", tarball: "http://x/a.tgz" } } },
      _attachments: { [`@ours/a-${version}.tgz`]: { data: Buffer.from(`tarball of ${version}`).toString("base64") } }
    })
  })

const read = async (path: string, accept = "application/json") => {
  const answer = await fetch(`${registry.address}/${path}`, { headers: { accept } })
  return { status: answer.status, text: await answer.text() }
}

describe("Registry.start", () => {
  it("has each version once, with its tag, where npm has its tarball", async () => {
    expect(await read("@ours%2fa")).toMatchObject({ status: 404 })
    expect((await publish("1.0.0", "old")).status).toBe(201)
    expect((await publish("2.0.0", "latest")).status).toBe(201)
    expect((await publish("2.0.0", "latest")).status).toBe(409)
    const { status, text } = await read("@ours%2fa")
    const document = JSON.parse(text)
    expect(status).toBe(200)
    expect(document["dist-tags"]).toEqual({ old: "1.0.0", latest: "2.0.0" })
    expect(Object.keys(document.versions)).toEqual(["1.0.0", "2.0.0"])
    const { integrity, tarball } = document.versions["1.0.0"].dist
    expect({ integrity, tarball }).toEqual({
      integrity: "sha512-1",
      tarball: `${registry.address}/@ours/a/-/a-1.0.0.tgz`
    })
    expect(await read("@ours/a/-/a-1.0.0.tgz")).toEqual({ status: 200, text: "tarball of 1.0.0" })
    expect(document._attachments).toBeUndefined()
  })

  it("never asks the other registry for ours", async () => {
    expect(await read("@ours%2funknown")).toMatchObject({ status: 404 })
    expect(asked.filter((request) => request.includes("ours"))).toEqual([])
  })

  it("passes on requests for others once, and keeps their tarballs here", async () => {
    const document = { status: 200, text: JSON.stringify({ tarball: `${registry.address}/effect/-/effect.tgz` }) }
    expect(await read("effect")).toEqual(document)
    expect(await read("effect")).toEqual(document)
    expect(await read("effect", "text/html")).toEqual(document)
    expect(await read("effect/-/effect.tgz")).toEqual({ status: 200, text: "bytes" })
    expect(await read("unknown")).toMatchObject({ status: 404 })
    expect(asked).toEqual([
      "/effect application/json",
      "/effect text/html",
      "/effect/-/effect.tgz application/json",
      "/unknown application/json"
    ])
  })

  it.each(["busy", "reset"])("asks again for what did not come: %s", async (name) => {
    expect((await read(name)).status).toBeGreaterThan(500)
    expect((await read(name)).status).toBe(200)
  })

  it("says what it could not reach", async () => {
    const alone = await Registry.start({ scope: "@ours", upstream: "http://127.0.0.1:1/" })
    const answer = await fetch(`${alone.address}/effect`)
    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 502,
      text: JSON.stringify({ error: "no answer from http://127.0.0.1:1/: TypeError: fetch failed" })
    })
    alone.stop()
  })
})
