import { effectOf, lines, publish } from "@effect-retry/check/release/Lines"
import { execute, run } from "@effect-retry/check/Command"
import { afterEach, describe, expect, it, vi } from "vitest"

vi.mock(import("@effect-retry/check/Command"), async (original) => ({
  ...(await original()),
  execute: vi.fn<typeof execute>(),
  run: vi.fn<typeof run>()
}))

const packaged = (name: string, version: string, effect: string) => ({
  tarball: `${name}-${version}.tgz`,
  manifest: { name, version, peerDependencies: { effect } }
})

const packages = [
  packaged("core", "0.2.0", "^3.22.0"),
  packaged("core", "4.2.0", "^4.1.0"),
  packaged("plan", "0.2.0", "^3.22.0"),
  packaged("plan", "4.2.0", "^4.1.0")
]

/** Publishes into a registry that has some versions, and fails to take one. */
const published = ({ fails, has }: { readonly fails?: string; readonly has: ReadonlyArray<string> }) => {
  vi.spyOn(console, "log").mockReturnValue()
  vi.mocked(execute).mockImplementation((_, ...[, version = ""]) => ({
    error: false,
    output: "",
    stdout: has.includes(version) ? version : ""
  }))
  vi.mocked(run).mockImplementation((_, ...args) => (args[1] === fails ? ["no"] : []))
  const failures = publish(packages)
  return { failures, sent: vi.mocked(run).mock.calls.map(([command, ...args]) => [command, ...args].join(" ")) }
}

afterEach(() => {
  vi.clearAllMocks()
  vi.restoreAllMocks()
})

describe("Lines.publish", () => {
  it("sends all packages for Effect 3 first, under a tag of theirs, and then those that npm installs", () => {
    expect(published({ has: [] })).toEqual({
      failures: [],
      sent: [
        "npm publish core-0.2.0.tgz --access public --tag effect3",
        "npm publish plan-0.2.0.tgz --access public --tag effect3",
        "npm publish core-4.2.0.tgz --access public --tag latest",
        "npm publish plan-4.2.0.tgz --access public --tag latest"
      ]
    })
  })

  it("leaves out what the registry has, and stops at what it does not take", () => {
    expect(published({ has: ["core@0.2.0"], fails: "core-4.2.0.tgz" })).toEqual({
      failures: ["no"],
      sent: [
        "npm publish plan-0.2.0.tgz --access public --tag effect3",
        "npm publish core-4.2.0.tgz --access public --tag latest"
      ]
    })
  })
})

describe("Lines.effectOf", () => {
  it("tells the line of a package by the Effect that it needs", () => {
    expect(packages.map(effectOf)).toEqual([3, 4, 3, 4])
    expect(lines.map(({ effect }) => effect)).toEqual([3, 4])
  })
})
