import type { Manifest } from "@effect-retry/check/Workspace"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"

const filledIn = {
  name: "root",
  repository: "https://example.com/retry",
  homepage: "https://a.example/",
  author: "Ada"
}

const target = mkdtempSync(join(tmpdir(), "release-"))
const { argv } = process

afterEach(() => {
  process.argv = argv
  process.exitCode = undefined
  vi.doUnmock("@effect-retry/check/Workspace")
  vi.doUnmock("@effect-retry/check/release/Rehearsal")
  vi.restoreAllMocks()
  vi.resetModules()
  rmSync(target, { recursive: true, force: true })
})

/** Runs the command with a manifest at the root, and without anything that could be sent. */
const published = async (manifest: Manifest) => {
  const rehearse = vi.fn<() => Promise<ReadonlyArray<string>>>(() => Promise.resolve(["rehearsed"]))
  vi.doMock(import("@effect-retry/check/Workspace"), async (original) => ({
    ...(await original()),
    rootManifest: () => manifest,
    filesBelow: () => [],
    publishedPackages: () => []
  }))
  vi.doMock(import("@effect-retry/check/release/Rehearsal"), async (original) => ({ ...(await original()), rehearse }))
  const errors = vi.spyOn(console, "error").mockReturnValue()
  process.argv = ["node", "release", "--publish", target]
  await import("@effect-retry/check/release/main")
  return { said: errors.mock.calls.flat(), exitCode: process.exitCode, rehearse }
}

describe("release --publish", () => {
  it("stops without an owner, before it rehearses, and names every missing field", async () => {
    const { exitCode, rehearse, said } = await published({ name: "root" })
    expect(said).toEqual(
      ["repository", "homepage", "author"].map((field) => expect.stringContaining(`package.json: ${field} must be `))
    )
    expect(exitCode).toBe(1)
    expect(rehearse).not.toHaveBeenCalled()
  })

  it("rehearses with an owner", async () => {
    const { exitCode, rehearse, said } = await published(filledIn)
    expect(rehearse).toHaveBeenCalledWith(expect.objectContaining({ target, write: false }))
    expect([said, exitCode]).toEqual([["rehearsed"], 1])
  })
})
