import { InvalidArgument } from "@effect-retry/core"
import { MethodSettings, RetrySettings } from "@effect-retry/google"
import { ServiceConfig, type StatusCode } from "@effect-retry/grpc"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Duration, pipe } from "effect"
import { fast, overriding } from "../../support/Settings.ts"

const library = MethodSettings.make({
  defaults: { settings: fast, codes: ["UNAVAILABLE"] },
  methods: {
    list: {},
    get: { settings: { maxAttempts: 3 }, codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"] },
    borrow: { codes: [] },
    find: { settings: overriding }
  }
})

/** Settings as `RetrySettings.make` reads them, and codes. */
const is = (settings: RetrySettings.Fields, codes: ReadonlyArray<StatusCode.StatusCode>) => ({
  settings: RetrySettings.make(settings),
  codes
})

describe("MethodSettings.make", () => {
  it.each([
    { name: "list", expected: is(fast, ["UNAVAILABLE"]) },
    { name: "get", expected: is({ ...fast, maxAttempts: 3 }, ["UNAVAILABLE", "DEADLINE_EXCEEDED"]) },
    { name: "borrow", expected: is(fast, []) },
    { name: "find", expected: is(overriding, ["UNAVAILABLE"]) }
  ] as const)("gives $name the defaults, except for what it changes", ({ expected, name }) => {
    expect(MethodSettings.get(library, name)).toMatchObject(expected)
  })

  it("retries nothing by default", () => {
    const { read } = MethodSettings.make({ methods: { read: {} } }).methods
    expect(read).toMatchObject(is({}, []))
    expect(read?.policy.maxAttempts).toBe(1)
  })

  it("knows the names of the methods", () => {
    expectTypeOf(library).toEqualTypeOf<MethodSettings.MethodSettings<"list" | "get" | "borrow" | "find">>()
    // @ts-expect-error no such method
    expect(() => MethodSettings.get(library, "lend")).toThrow(
      'MethodSettings.get: method must be one of list, get, borrow, find, got "lend"'
    )
    // @ts-expect-error no such method
    expect(() => MethodSettings.policy(library, "constructor")).toThrow("MethodSettings.policy: method must be one of")
    // @ts-expect-error no such method
    expect(() => MethodSettings.override(library, { lend: {} })).toThrow("MethodSettings.override: method must be one")
  })

  it.each<{ given: object | null; message: string }>([
    { given: null, message: "settings must be defaults and methods" },
    { given: {}, message: "methods must be a record by the names of methods, got undefined" },
    { given: { methods: { list: 5 } }, message: "methods.list must be a record of settings and codes, got 5" },
    {
      given: { methods: { list: { maxAttempts: 5 } } },
      message: "methods.list.maxAttempts must be absent: a change has settings and codes"
    },
    {
      given: { methods: { list: { settings: { maxAttempts: -1 } } } },
      message: "methods.list.settings.maxAttempts must be a whole number >= 0, got -1"
    },
    {
      given: { methods: { list: { codes: ["BUSY"] } } },
      message: "methods.list.codes[0] must be one of OK, CANCELLED"
    },
    {
      given: { defaults: { settings: { initialRetryDelay: 5 } }, methods: {} },
      message: "defaults.settings.maxRetryDelay must be a finite duration >= 5ms"
    }
  ])("refuses $given", ({ given, message }) => {
    expect(() => MethodSettings.make(given as never)).toThrow(InvalidArgument.InvalidArgument)
    expect(() => MethodSettings.make(given as never)).toThrow(`MethodSettings.make: ${message}`)
  })
})

describe("MethodSettings.policy", () => {
  it("is that of the method's settings and codes, and the same every time", () => {
    const policy = MethodSettings.policy(library, "get")
    expectTypeOf(policy).toEqualTypeOf<RetrySettings.Compiled>()
    expect(policy).toMatchObject({ maxAttempts: 3, deadline: { withinMillis: 200 } })
    expect(policy.attemptTimeout?.verdict._tag).toBe("Retryable")
    expect(MethodSettings.policy(library, "get")).toBe(policy)
  })

  it("prefers the settings and codes of a call", () => {
    const change = { settings: { maxAttempts: 2 }, codes: ["ABORTED"] } as const
    const policy = MethodSettings.policy(library, "get", change)
    expect(policy).toMatchObject({ maxAttempts: 2, deadline: { withinMillis: 200 } })
    expect(policy.attemptTimeout?.verdict._tag).toBe("Terminal")
    expect(() => MethodSettings.policy(library, "get", { settings: { maxAttempts: -1 } })).toThrow(
      "MethodSettings.policy: get.settings.maxAttempts must be"
    )
  })
})

describe("MethodSettings.override", () => {
  it("changes only the named settings of some methods", () => {
    const changed = library.methods.list
    const own = MethodSettings.override(library, {
      get: { settings: { totalTimeout: 7000 } },
      borrow: { codes: ["ABORTED"] }
    })
    expect(MethodSettings.get(own, "get")).toMatchObject(
      is({ ...fast, maxAttempts: 3, totalTimeout: 7000 }, ["UNAVAILABLE", "DEADLINE_EXCEEDED"])
    )
    expect(MethodSettings.get(own, "borrow")).toMatchObject(is(fast, ["ABORTED"]))
    expect(MethodSettings.get(own, "list")).toBe(changed)
    expect(MethodSettings.get(library, "borrow").codes).toEqual([])
  })

  it("fits a pipe, and knows the names there", () => {
    const own = pipe(library, MethodSettings.override({ list: { settings: { maxAttempts: 1 } }, find: undefined }))
    expectTypeOf(own).toEqualTypeOf<typeof library>()
    expect(own.methods.list?.settings.maxAttempts).toBe(1)
    expect(own.methods.find).toBe(library.methods.find)
    // @ts-expect-error no such method
    expect(() => pipe(library, MethodSettings.override({ lend: {} }))).toThrow("method must be one of")
    const all = pipe(own, MethodSettings.overrideAll({ codes: [] }))
    expectTypeOf(all).toEqualTypeOf<typeof library>()
  })

  it("names the method of which a setting is wrong", () => {
    expect(() => MethodSettings.override(library, { get: { settings: { maxRetryDelay: 0 } } })).toThrow(
      "MethodSettings.override: get.settings.maxRetryDelay must be a finite duration >= 1ms"
    )
  })
})

describe("MethodSettings.overrideAll", () => {
  it("changes all methods, and whatever the others of a service config have", () => {
    const own = MethodSettings.overrideAll(library, { settings: { totalTimeout: 7000 } })
    expect(Object.values(own.methods).map(({ settings }) => Duration.toMillis(settings.totalTimeout))).toEqual([
      7000, 7000, 7000, 7000
    ])
    expect(own.orElse).toBeUndefined()
    const config = MethodSettings.overrideAll(MethodSettings.fromServiceConfig({ methodConfig: [] }), {
      codes: ["ABORTED"]
    })
    expect(MethodSettings.get(config, "/a.B/C").codes).toEqual(["ABORTED"])
  })
})

// Source: googleapis/sdk-platform-java, gapic-generator-java, GapicServiceConfig.java and RetrySettingsComposer.java.
describe("MethodSettings.fromServiceConfig", () => {
  const retryPolicy = {
    maxAttempts: 5,
    initialBackoff: "0.1s",
    maxBackoff: "60s",
    backoffMultiplier: 1.3,
    retryableStatusCodes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"]
  }
  const service = "google.cloud.asset.v1.AssetService"
  const config = ServiceConfig.make({
    methodConfig: [
      { name: [{ service, method: "ExportAssets" }], timeout: "60s" },
      { name: [{ service, method: "ListAssets" }, { service: "other.Service" }], timeout: "60s", retryPolicy },
      { name: [{ service, method: "Untimed" }], retryPolicy: { ...retryPolicy, maxBackoff: "1.9999s" } },
      { name: [{ service, method: "Plain" }] },
      { name: [{}], timeout: "7s", retryPolicy }
    ]
  })
  const methods = MethodSettings.fromServiceConfig(config)
  const delays = { initialRetryDelay: 100, retryDelayMultiplier: 1.3, maxRetryDelay: 60_000 }
  const codes = ["UNAVAILABLE", "DEADLINE_EXCEEDED"] as const

  it.each([
    {
      method: `/${service}/ListAssets`,
      expected: is({ ...RetrySettings.logicalTimeout("60 seconds"), ...delays }, codes)
    },
    { method: "/other.Service/Any", expected: is({ ...RetrySettings.logicalTimeout("60 seconds"), ...delays }, codes) },
    { method: `/${service}/ExportAssets`, expected: is(RetrySettings.logicalTimeout("60 seconds"), []) },
    {
      method: `/${service}/Untimed`,
      expected: is({ ...RetrySettings.logicalTimeout("5 seconds"), ...delays, maxRetryDelay: 1999 }, codes)
    },
    { method: `/${service}/Plain`, expected: is({}, []) },
    { method: `/${service}/Unknown`, expected: is({}, []) },
    { method: "/unknown.Service/Any", expected: is({}, []) }
  ] as const)("reads what the generators read for $method", ({ expected, method }) => {
    expect(MethodSettings.get(methods, method)).toMatchObject(expected)
  })

  it("drops the number of attempts", () => {
    expect(MethodSettings.policy(methods, `/${service}/ListAssets`).maxAttempts).toBe(Infinity)
    expect(MethodSettings.policy(methods, `/${service}/Plain`).maxAttempts).toBe(1)
  })

  it.each([
    [1.25, 1.3],
    [1.05, 1],
    [1.35, 1.4],
    [2, 2]
  ])("writes a multiplier of %d with one decimal", (backoffMultiplier, written) => {
    const own = ServiceConfig.make({
      methodConfig: [{ name: [{ service }], retryPolicy: { ...retryPolicy, backoffMultiplier } }]
    })
    const { settings } = MethodSettings.get(MethodSettings.fromServiceConfig(own), `/${service}/Any`)
    expect(settings.retryDelayMultiplier).toBe(written)
  })

  it("changes a method that has the settings of its service", () => {
    const own = MethodSettings.override(methods, { "/other.Service/One": { settings: { maxAttempts: 2 } } })
    expect(MethodSettings.get(own, "/other.Service/One").settings).toMatchObject({
      maxAttempts: 2,
      retryDelayMultiplier: 1.3
    })
    expect(MethodSettings.get(own, "/other.Service/Two").settings.maxAttempts).toBe(0)
  })

  it.each([
    { policy: { backoffMultiplier: 0.5 }, message: "retryDelayMultiplier must be >= 1, got 0.5" },
    { policy: { maxBackoff: "0.01s" }, message: "maxRetryDelay must be a finite duration >= 100ms and" }
  ])("refuses what the library refuses: $policy", ({ message, policy }) => {
    const own = ServiceConfig.make({
      methodConfig: [{ name: [] }, { name: [{ service }], retryPolicy: { ...retryPolicy, ...policy } }]
    })
    expect(() => MethodSettings.fromServiceConfig(own)).toThrow(
      `MethodSettings.fromServiceConfig: methodConfig[1].settings.${message}`
    )
  })
  it.each<{ given: unknown; message: string }>([
    { given: null, message: "config must be a service config" },
    { given: [], message: "config must be a service config" },
    { given: {}, message: "methodConfig must be a list of method configs, got undefined" },
    {
      given: { methodConfig: [{ name: [{ service }], timeout: "60s" }] },
      message: 'methodConfig[0].timeout must be seconds with up to nine decimals, such as "0.5s", got "60s"'
    },
    {
      given: { methodConfig: [{ name: [{ service }], retryPolicy }] },
      message: "methodConfig[0].retryPolicy.initialBackoff must be more than no seconds, with up to nine decimals"
    },
    {
      given: { methodConfig: [{ name: [{ service }] }, { name: [{ service }] }] },
      message: "methodConfig[1].name[0] must be a name that comes only once"
    }
  ])("refuses a config that was not made by ServiceConfig: $given", ({ given, message }) => {
    expect(() => MethodSettings.fromServiceConfig(given as never)).toThrow(InvalidArgument.InvalidArgument)
    expect(() => MethodSettings.fromServiceConfig(given as never)).toThrow(
      `MethodSettings.fromServiceConfig: ${message}`
    )
  })
})

describe("MethodSettings bad arguments", () => {
  const { get, make, override, overrideAll, policy } = MethodSettings
  const config = MethodSettings.fromServiceConfig({ methodConfig: [] })

  it.each<{ call: () => unknown; message: string }>([
    { call: () => make(undefined as never), message: "make: settings must be defaults and methods" },
    { call: () => make([] as never), message: "make: settings must be defaults and methods" },
    {
      call: () => make({ methods: { list: null } } as never),
      message: "make: methods.list must be a record of settings"
    },
    {
      call: () => make({ methods: { list: { codes: null } } } as never),
      message: "make: methods.list.codes must be a list"
    },
    {
      call: () => make({ methods: { list: { settings: null } } } as never),
      message: "make: methods.list.settings.that must be a record"
    },
    { call: () => get(null as never, "list" as never), message: "get: self must be the settings of methods, got null" },
    { call: () => get([] as never, "list" as never), message: "get: self must be the settings of methods" },
    {
      call: () => get(library, undefined as never),
      message: "get: method must be one of list, get, borrow, find, got"
    },
    {
      call: () => policy(library, undefined as never),
      message: "policy: method must be one of list, get, borrow, find"
    },
    {
      call: () => policy(config, undefined as never),
      message: "policy: method must be the path of a method, got undefined"
    },
    {
      call: () => policy(undefined as never, "list" as never),
      message: "policy: self must be the settings of methods"
    },
    {
      call: () => policy(library, "list", null as never),
      message: "policy: list must be a record of settings and codes"
    },
    { call: () => override(null as never, {}), message: "override: self must be the settings of methods, got null" },
    {
      call: () => override(library, null as never),
      message: "override: changes must be a record by the names of methods"
    },
    { call: () => override(library, { list: 5 } as never), message: "override: list must be a record of settings" },
    {
      call: () => overrideAll(null as never, {}),
      message: "overrideAll: self must be the settings of methods, got null"
    },
    { call: () => overrideAll(library, null as never), message: "overrideAll: list must be a record of settings" }
  ])("are refused: $message", ({ call, message }) => {
    expect(call).toThrow(InvalidArgument.InvalidArgument)
    expect(call).toThrow(`MethodSettings.${message}`)
  })
})
