import { HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as Host from "../../../src/loop/client/Host.ts"

const rows: ReadonlyArray<readonly [url: string, host: string]> = [
  ["https://one.example/a", "one.example"],
  ["https://one.example/b?c#d", "one.example"],
  ["https://one.example?c", "one.example"],
  ["https://one.example#d", "one.example"],
  ["https://one.example\\a", "one.example"],
  ["HTTPS://One.Example:443/", "one.example"],
  ["http://one.example:443/", "one.example:443"],
  ["https://user:secret@two.example/a", "two.example"],
  ["https://two.example/user@one.example", "two.example"],
  ["https://one.example:443@two.example/", "two.example"],
  ["https://127.1/", "127.0.0.1"],
  ["https://[::1]:8080/", "[::1]:8080"],
  [" https://one.example/", "one.example"],
  ["https:one.example", "one.example"],
  ["https:///two.example", "two.example"],
  ["https:///one.example", "one.example"],
  ["https://\t/one.example", "one.example"],
  ["https://\t/two.example", "two.example"],
  ["https://one\n.example/", "one.example"],
  ["https://one/", "one"],
  ["https://one.exampls/", "one.exampls"],
  ["https://one.example:none/", ""],
  ["https://", ""],
  ["/relative", ""],
  ["/to/https://one.example/", ""],
  ["", ""]
]

const request = (url: string) => HttpClientRequest.make("GET")(url)

describe("Host.makeReader", () => {
  it("knows the host of every URL, whatever the URL before", () => {
    for (const [before] of rows) {
      for (const [url, host] of rows) {
        const read = Host.makeReader()
        read(request(before))
        expect([url, read(request(url)), read(request(url))]).toEqual([url, host, host])
      }
    }
  })

  it.each([
    {
      urls: ["https://one.example", "https://one.example/a", "https://one.example?b", "https://one.example#c"],
      made: 1
    },
    { urls: ["http://one.example/a", "http://one.example/b"], made: 1 },
    { urls: ["https://one.example/", "https://two.example/", "https://one.example/"], made: 3 },
    { urls: ["http:one.example", "http:one.example"], made: 2 }
  ])("makes $made URLs to read $urls", ({ made, urls }) => {
    const { URL } = globalThis
    let count = 0
    class Counting extends URL {
      constructor(url: string | URL, base?: string | URL) {
        super(url, base)
        count += 1
      }
    }
    globalThis.URL = Counting
    try {
      const read = Host.makeReader()
      for (const url of urls) read(request(url))
    } finally {
      globalThis.URL = URL
    }
    expect(count).toBe(made)
  })
})
