/**
 * A call of a `fetch` that retries beside one of the plain `fetch`: the server receives the same.
 */
import { AttemptTimeout, Backoff } from "@effect-retry/core"
import { Fetch, HttpRetry, Idempotency } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as RecordingServer from "../../support/RecordingServer.ts"

const seed = 20_261_124

type Init = NonNullable<Parameters<typeof fetch>[1]>
type Members = Record<string, unknown>

const { standard } = Idempotency
const quick = {
  ...HttpRetry.standard,
  backoff: Backoff.constant({ delay: 0 }),
  idempotency: { ...standard, methods: [...standard.methods, "POST", "PATCH", "OWN"] }
}

const form = () => {
  const form = new FormData()
  form.set("name", "value")
  form.set("file", new Blob(["of a file"], { type: "text/plain" }), "name")
  return form
}

/** Each made anew for every call, since some can be read only once. */
const bodies: ReadonlyArray<() => unknown> = [
  () => undefined,
  () => null,
  () => "body",
  () => "",
  () => new TextEncoder().encode("bytes"),
  () => new DataView(new TextEncoder().encode("bytes").buffer, 1, 3),
  () => new TextEncoder().encode("bytes").buffer,
  () => new Blob(["blob"], { type: "text/x-own" }),
  () => new URLSearchParams({ a: "b c" }),
  form,
  () => new Blob(["stream"]).stream(),
  () => new Date(0)
]

const headers: ReadonlyArray<() => unknown> = [
  () => undefined,
  () => ({ "X-Own": "1", accept: "text/plain" }),
  () =>
    new Headers([
      ["x-own", "1"],
      ["X-Own", "2"]
    ]),
  () => [
    ["x-own", "1"],
    ["content-type", "text/x-mine"],
    ["cookie", "a=1"],
    ["cookie", "b=2"]
  ],
  () => new Map([["x-own", "1"]]),
  () => ({ authorization: "Bearer a", referer: "http://a.test/" }),
  () => null,
  () => ({ "a b": "c" })
]

const choices = {
  method: fc.constantFrom<unknown>(undefined, "GET", "DELETE", "delete", "POST", "PUT", "own", "OWN", "HEAD", null, {
    toString: () => "PUT"
  }),
  body: fc.option(fc.constantFrom(...bodies), { nil: bodies[0] ?? (() => undefined), freq: 2 }),
  headers: fc.constantFrom(...headers),
  redirect: fc.constantFrom<unknown>(undefined, undefined, "follow", "manual", "error", "none"),
  referrer: fc.constantFrom<unknown>(undefined, "", "about:client", "http://a.test/page"),
  referrerPolicy: fc.constantFrom<unknown>(undefined, "", "no-referrer", "origin"),
  credentials: fc.constantFrom<unknown>(undefined, "omit", "include"),
  mode: fc.constantFrom<unknown>(undefined, "cors", "navigate"),
  cache: fc.constantFrom<unknown>(undefined, "no-store", "only-if-cached"),
  integrity: fc.constantFrom<unknown>(undefined, "", "sha256-AAAA"),
  keepalive: fc.constantFrom<unknown>(undefined, true),
  signal: fc.constantFrom<() => unknown>(
    () => undefined,
    () => undefined,
    () => null,
    () => new AbortController().signal,
    () => AbortSignal.abort()
  )
}

type Chosen = { readonly [name in keyof typeof choices]: unknown }

/** Most members are left out. */
const rare = ["referrer", "referrerPolicy", "credentials", "mode", "cache", "integrity", "keepalive"]

const chosen: fc.Arbitrary<Chosen> = fc.record(
  Object.fromEntries(
    Object.entries(choices).map(([name, arbitrary]) => [
      name,
      rare.includes(name)
        ? fc.option(arbitrary as fc.Arbitrary<unknown>, { nil: undefined, freq: 1 })
        : (arbitrary as fc.Arbitrary<unknown>)
    ])
  ) as { readonly [name in keyof typeof choices]: fc.Arbitrary<unknown> }
)

/** What is chosen, without the members that are to be absent. */
const membersOf = (chosen: Chosen): Members => {
  const made = {
    ...chosen,
    ...Object.fromEntries(["body", "headers", "signal"].map((name) => [name, call(chosen, name)]))
  }
  const present = Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined))
  return present["body"] instanceof ReadableStream ? { ...present, duplex: "half" } : present
}

const call = (chosen: Chosen, name: string): unknown => (chosen[name as keyof Chosen] as () => unknown)()

class OfClass {
  readonly #members: Members
  constructor(members: Members) {
    this.#members = members
  }
  get method(): unknown {
    return this.#members["method"]
  }
  get body(): unknown {
    return this.#members["body"]
  }
  get headers(): unknown {
    return this.#members["headers"]
  }
  get redirect(): unknown {
    return this.#members["redirect"]
  }
  get signal(): unknown {
    return this.#members["signal"]
  }
  get duplex(): unknown {
    return "half"
  }
}

class Extended extends OfClass {
  readonly referrer = "http://b.test/"
}

/** The forms of a second argument. A `Request` cannot be made of all members: then there is no call to compare. */
const forms: Readonly<Record<string, (members: Members) => unknown>> = {
  record: (members) => members,
  "record without a prototype": (members) => Object.assign(Object.create(null), members),
  "frozen record": (members) => Object.freeze({ ...members }),
  "record that inherits": (members) => Object.create(members),
  "record with getters": (members) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(members).map(([name, value]) => [name, { get: () => value, enumerable: false }])
      )
    ),
  "instance of a class": (members) => new OfClass(members),
  "instance of a subclass": (members) => new Extended(members),
  "function with members": (members) =>
    Object.defineProperties(() => undefined, Object.getOwnPropertyDescriptors(members)),
  Request: (members) => new Request("http://other.test/", members as Init),
  "clone of a Request": (members) => new Request("http://other.test/", members as Init).clone(),
  "Request of a Request": (members) => new Request(new Request("http://other.test/", members as Init)),
  undefined: () => undefined,
  null: () => null
}

class OwnRequest extends Request {
  readonly note = "own"
}

/** The forms of a first argument. */
const inputs: Readonly<Record<string, (url: string, members: Members) => unknown>> = {
  text: (url) => url,
  URL: (url) => new URL(url),
  "text object": (url) => new String(url),
  "object with a text": (url) => ({ toString: () => url }),
  Request: (url) => new Request(url),
  "Request with members": (url, members) => new Request(url, members as Init),
  "Request of a class": (url, members) => new OwnRequest(url, members as Init)
}

/** What sends, and under which policy: attempts with a timeout have a signal of their own. */
const retryings: Readonly<Record<string, () => typeof fetch>> = {
  "the global fetch": () => Fetch.make(quick),
  "the global fetch, with timeouts": () =>
    Fetch.make({ ...quick, attemptTimeout: AttemptTimeout.constant("1 minute") }),
  "a fetch that was named": () => Fetch.make(quick, { fetch: (input, init) => fetch(input, init) })
}

const shape = fc.record({
  retrying: fc.constantFrom(...Object.keys(retryings)),
  path: fc.constantFrom("", "", "redirect/302", "redirect/307"),
  input: fc.constantFrom(...Object.keys(inputs)),
  ofInput: chosen,
  init: fc.constantFrom(...Object.keys(forms)),
  ofInit: chosen
})

type Shape = typeof shape extends fc.Arbitrary<infer A> ? A : never

/** What a call is given, or `undefined` if it cannot be made. */
const made = ({ init, input, ofInit, ofInput, path }: Shape, url: string): Parameters<typeof fetch> | undefined => {
  try {
    const first = inputs[input]?.(`${url}${path}`, membersOf(ofInput))
    return [first, forms[init]?.(membersOf(ofInit))] as Parameters<typeof fetch>
  } catch {
    return undefined
  }
}

/** How a call ends. Which of two reasons to reject a call is found first is left open. */
const ending = (answer: Promise<Response>): Promise<unknown> =>
  answer.then(
    ({ redirected, status, type, url }) => ({ redirected, status, type, url }),
    ({ name }: Error) => (name === "TypeError" || name === "AbortError" ? "rejected" : name)
  )

describe("Fetch.make beside the plain fetch", () => {
  it.scopedLive("sends the same, at first and again, for every form of a request and of its options", () =>
    Effect.gen(function* () {
      const server = yield* RecordingServer.serve
      const check = fc.asyncProperty(shape, async (shape) => {
        const plain = made(shape, server.url)
        const first = made(shape, server.url)
        const again = made(shape, server.url)
        if (plain === undefined || first === undefined || again === undefined) return
        const expected = await ending(fetch(...plain))
        const received = server.taken()
        const retrying = retryings[shape.retrying]?.() ?? fetch
        expect(await ending(retrying(...first))).toEqual(expected)
        expect(server.taken()).toEqual(received)

        server.failing(1)
        const answer = await ending(retrying(...again))
        const [, ...later] = server.taken()
        server.failing(0)
        if (later.length > 0) {
          expect(answer).toEqual(expected)
          expect(later).toEqual(received)
        }
      })
      yield* Effect.promise(() => fc.assert(check, { numRuns: 300, seed }))
    })
  )
})

describe("Fetch.make with a Request beside a URL", () => {
  it.scopedLive("sends its method, and sends again what may be sent again by that method", () =>
    Effect.gen(function* () {
      const server = yield* RecordingServer.serve
      const retrying = Fetch.make({ ...quick, idempotency: standard })
      for (const [method, attempts] of [
        ["DELETE", 3],
        ["POST", 1]
      ] as const) {
        server.failing(3)
        yield* Effect.promise(() => retrying(server.url, new Request("http://other.test/", { method })))
        expect(server.taken().map((received) => received.method)).toEqual(
          Array.from({ length: attempts }, () => method)
        )
      }
    })
  )

  it.scopedLive("follows no redirect if it says so", () =>
    Effect.gen(function* () {
      const server = yield* RecordingServer.serve
      const request = new Request("http://other.test/", { redirect: "manual" })
      const answer = yield* Effect.promise(() => Fetch.make(quick)(`${server.url}redirect/302`, request))
      expect([answer.status, server.taken().length]).toEqual([302, 1])
    })
  )

  it("is aborted by its signal", async () => {
    const controller = new AbortController()
    const own: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
        controller.abort("enough")
      })
    const request = new Request("http://other.test/", { signal: controller.signal })
    const answer = Fetch.make(quick, { fetch: own })("http://api.test/", request)
    expect(await answer.catch(String)).toBe("enough")
  })
})

describe("Fetch.make with what another fetch reads", () => {
  it("hands own members over, at every attempt, and reads each of them once", async () => {
    const reads: Array<string> = []
    const counted = (name: string, value: unknown) => ({
      enumerable: true,
      get: () => {
        reads.push(name)
        return value
      }
    })
    const names = ["method", "headers", "dispatcher", "agent", "duplex", "cf"]
    const given = Object.defineProperties(
      {},
      Object.fromEntries(names.map((name) => [name, counted(name, name === "headers" ? {} : name)]))
    )
    const handed: Array<unknown> = []
    const own: typeof fetch = async (_, init) => {
      handed.push(init)
      return new Response(null, { status: 503 })
    }
    const idempotency = { ...standard, methods: ["METHOD"] }
    await Fetch.make({ ...quick, idempotency, maxAttempts: 2 }, { fetch: own })("http://api.test/", given)
    const expected = { ...Object.fromEntries(names.map((name) => [name, name])), headers: {} }
    expect(handed).toEqual([expected, expected].map((init) => ({ ...init, signal: expect.any(AbortSignal) })))
    expect(reads.toSorted()).toEqual(names.toSorted())
  })

  it.each([
    ["method", "PUT"],
    ["headers", { "x-own": "1" }],
    ["body", "body"],
    ["referrer", "http://a.test/page"],
    ["referrerPolicy", "origin"],
    ["mode", "same-origin"],
    ["credentials", "include"],
    ["cache", "no-store"],
    ["redirect", "manual"],
    ["integrity", "sha256-AAAA"],
    ["keepalive", true],
    ["duplex", "half"],
    ["priority", "low"],
    ["window", null],
    ["dispatcher", {}]
  ])("hands a member over that is inherited: %s", async (name, value) => {
    const handed: Array<unknown> = []
    const own: typeof fetch = async (_, init) => {
      handed.push(init)
      return new Response(null)
    }
    await Fetch.make(quick, { fetch: own })("http://api.test/", Object.create({ [name]: value }))
    expect(handed).toMatchObject([{ [name]: value }])
  })

  it("hears a signal that is inherited", async () => {
    const init = Object.create({ signal: AbortSignal.abort("enough") })
    expect(await Fetch.make(quick)("http://api.test/", init).catch(String)).toBe("enough")
  })

  it.each([7, "POST", true])("refuses a second argument that can have no members: %j", async (init) => {
    const given = init as unknown as Init
    expect(await fetch("http://api.test/", given).catch(({ name }: Error) => name)).toBe("TypeError")
    expect(await Fetch.make(quick)("http://api.test/", given).catch(String)).toBe(
      `TypeError: fetch takes a record of options, got ${typeof init}`
    )
  })
})
