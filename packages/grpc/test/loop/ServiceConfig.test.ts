import { ServiceConfig } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Option } from "effect"

type Fields = { readonly [field: string]: unknown }

const retryPolicy: Fields = {
  maxAttempts: 4,
  initialBackoff: "0.1s",
  maxBackoff: "1s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"]
}
const hedgingPolicy: Fields = { maxAttempts: 4, hedgingDelay: "0.5s", nonFatalStatusCodes: ["UNAVAILABLE"] }
const retryThrottling: Fields = { maxTokens: 10, tokenRatio: 0.1 }

const without = (fields: Fields, field: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field))

const one = (fields: Fields): Fields => ({ methodConfig: [{ name: [{ service: "a.B" }], ...fields }] })

/** The message, without the name of the function. */
const wrong = (json: unknown): string | undefined =>
  Effect.runSync(
    Effect.match(ServiceConfig.decode(json), {
      onFailure: ({ message }) => message.replace("ServiceConfig.decode: ", ""),
      onSuccess: () => undefined
    })
  )

/** A field, a value that it may not hold (or the field is absent), and what the error says. */
type Row = readonly [field: string, value: unknown, says: string]
const absent = Symbol("absent")

const rows = (
  section: string,
  path: string,
  valid: Fields,
  wrap: (fields: Fields) => Fields,
  table: ReadonlyArray<Row>
) =>
  it.each(table)(`refuses a ${section} with the %s %o`, (field, value, says) => {
    expect(wrong(wrap(valid))).toBeUndefined()
    const fields = value === absent ? without(valid, field) : { ...valid, [field]: value }
    expect(wrong(wrap(fields))).toBe(`${path}.${field}${says}`)
  })

const attempts = " must be a whole number >= 2, got "
const above = ' must be more than no seconds, with up to nine decimals, such as "1.5s", got '
const seconds = ' must be seconds with up to nine decimals, such as "0.5s", got '
const multiplier = " must be a finite number > 0, got "
const codes = " must be a list of at least one status code, got "
const code = " must be the name or the number of a status code, got "
const tokens = " must be a whole number >= 1 and <= 1000, got "
const ratio = " must be a finite number >= 0.001, got "

// Sources: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, the three sections on validation, and
// https://github.com/grpc/grpc-node, packages/grpc-js/test/test-retry-config.ts at 2670b37.
describe("ServiceConfig.decode of a retryPolicy", () => {
  rows("retryPolicy", "methodConfig[0].retryPolicy", retryPolicy, (fields) => one({ retryPolicy: fields }), [
    ["maxAttempts", absent, `${attempts}undefined`],
    ["maxAttempts", 1, `${attempts}1`],
    ["maxAttempts", 2.5, `${attempts}2.5`],
    ["maxAttempts", "4", `${attempts}"4"`],
    ["maxAttempts", null, `${attempts}null`],
    ["initialBackoff", absent, `${above}undefined`],
    ["initialBackoff", "abcs", `${above}"abcs"`],
    ["initialBackoff", "123", `${above}"123"`],
    ["initialBackoff", 1, `${above}1`],
    ["initialBackoff", "0s", `${above}"0s"`],
    ["initialBackoff", "-1s", `${above}"-1s"`],
    ["initialBackoff", "1.0123456789s", `${above}"1.0123456789s"`],
    ["initialBackoff", "1.s", `${above}"1.s"`],
    ["initialBackoff", "1s ", `${above}"1s "`],
    ["initialBackoff", "9999999999999s", `${above}"9999999999999s"`],
    ["maxBackoff", absent, `${above}undefined`],
    ["maxBackoff", "abcs", `${above}"abcs"`],
    ["maxBackoff", "123", `${above}"123"`],
    ["maxBackoff", "0.000s", `${above}"0.000s"`],
    ["maxBackoff", "315576000001s", `${above}"315576000001s"`],
    ["backoffMultiplier", absent, `${multiplier}undefined`],
    ["backoffMultiplier", -1, `${multiplier}-1`],
    ["backoffMultiplier", 0, `${multiplier}0`],
    ["backoffMultiplier", Infinity, `${multiplier}Infinity`],
    ["backoffMultiplier", Number.NaN, `${multiplier}NaN`],
    ["backoffMultiplier", "2", `${multiplier}"2"`],
    ["retryableStatusCodes", absent, `${codes}undefined`],
    ["retryableStatusCodes", [], `${codes}[]`],
    ["retryableStatusCodes", ["abcd"], `[0]${code}"abcd"`],
    ["retryableStatusCodes", [12345], `[0]${code}12345`],
    ["retryableStatusCodes", ["UNAVAILABLE", -1], `[1]${code}-1`],
    ["retryableStatusCodes", [14.5], `[0]${code}14.5`],
    ["retryableStatusCodes", ["constructor"], `[0]${code}"constructor"`],
    ["retryableStatusCodes", [null], `[0]${code}null`],
    ["retryableStatusCodes", "UNAVAILABLE", `${codes}"UNAVAILABLE"`]
  ])
})

describe("ServiceConfig.decode of a hedgingPolicy", () => {
  rows("hedgingPolicy", "methodConfig[0].hedgingPolicy", hedgingPolicy, (fields) => one({ hedgingPolicy: fields }), [
    ["maxAttempts", absent, `${attempts}undefined`],
    ["maxAttempts", 1, `${attempts}1`],
    ["hedgingDelay", "abcs", `${seconds}"abcs"`],
    ["hedgingDelay", "123", `${seconds}"123"`],
    ["hedgingDelay", "-1s", `${seconds}"-1s"`],
    ["nonFatalStatusCodes", ["abcd"], `[0]${code}"abcd"`],
    ["nonFatalStatusCodes", [12345], `[0]${code}12345`],
    ["nonFatalStatusCodes", 14, " must be a list of status codes, got 14"]
  ])
})

describe("ServiceConfig.decode of a retryThrottling", () => {
  rows("retryThrottling", "retryThrottling", retryThrottling, (fields) => ({ retryThrottling: fields }), [
    ["maxTokens", absent, `${tokens}undefined`],
    ["maxTokens", 0, `${tokens}0`],
    ["maxTokens", 1001, `${tokens}1001`],
    ["maxTokens", 9.5, `${tokens}9.5`],
    ["maxTokens", "10", `${tokens}"10"`],
    ["tokenRatio", absent, `${ratio}undefined`],
    ["tokenRatio", 0, `${ratio}0`],
    ["tokenRatio", 0.0009, `${ratio}0.0009`],
    ["tokenRatio", -0.1, `${ratio}-0.1`],
    ["tokenRatio", Infinity, `${ratio}Infinity`]
  ])
})

describe("ServiceConfig.decode", () => {
  it("reads codes by number and by name in any case, and durations to the nanosecond", () => {
    const json = {
      loadBalancingConfig: [{ round_robin: {} }],
      methodConfig: [
        {
          name: [
            { service: "a.B", method: "" },
            { service: "a.B", method: "C" }
          ],
          waitForReady: true,
          timeout: "2.5s",
          retryPolicy: {
            maxAttempts: 2,
            initialBackoff: "0.000000001s",
            maxBackoff: "315576000000s",
            backoffMultiplier: 0.5,
            retryableStatusCodes: [14, "RESOURCE_EXHAUSTED", "aborted"]
          }
        }
      ],
      retryThrottling: { maxTokens: 100, tokenRatio: 0.1 }
    }
    expect(Effect.runSync(ServiceConfig.decode(json))).toEqual({
      methodConfig: [
        {
          name: [
            { service: "a.B", method: "" },
            { service: "a.B", method: "C" }
          ],
          timeout: Duration.millis(2_500),
          retryPolicy: {
            maxAttempts: 2,
            initialBackoff: Duration.nanos(1n),
            maxBackoff: Duration.seconds(315_576_000_000),
            backoffMultiplier: 0.5,
            retryableStatusCodes: ["UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED"]
          }
        }
      ],
      retryThrottling: { maxTokens: 100, tokenRatio: 0.1 }
    })
  })

  it.each([
    [{ maxAttempts: 2 }, Duration.zero],
    [{ maxAttempts: 2, hedgingDelay: "1s" }, Duration.seconds(1)]
  ])("fills in what a hedging policy leaves out: %o", (given, hedgingDelay) => {
    expect(Effect.runSync(ServiceConfig.decode(one({ hedgingPolicy: given }))).methodConfig[0]?.hedgingPolicy).toEqual({
      maxAttempts: 2,
      hedgingDelay,
      nonFatalStatusCodes: []
    })
  })

  it.each([
    ["text", 'config must be a service config, got "text"'],
    [null, "config must be a service config, got null"],
    [{ methodConfig: {} }, "methodConfig must be a list of method configs, got an object"],
    [{ methodConfig: [7] }, "methodConfig[0] must be a method config, got 7"],
    [one({ name: 7 }), "methodConfig[0].name must be a list of names, got 7"],
    [one({ name: [7] }), "methodConfig[0].name[0] must be a service, with or without a method, or empty, got 7"],
    [one({ name: [{ service: 7 }] }), "methodConfig[0].name[0].service must be a text, got 7"],
    [
      one({ name: [{ method: "C" }] }),
      "methodConfig[0].name[0] must be a service, with or without a method, or empty, got an object"
    ],
    [one({ timeout: "soon" }), `methodConfig[0].timeout${seconds}"soon"`],
    [one({ retryPolicy: 7 }), "methodConfig[0].retryPolicy must be a retry policy, got 7"],
    [
      one({ retryPolicy, hedgingPolicy }),
      "methodConfig[0].hedgingPolicy must be absent beside a retryPolicy, got an object"
    ],
    [{ retryThrottling: [] }, "retryThrottling must be a throttle, got []"]
  ])("refuses %o", (json, says) => {
    expect(wrong(json)).toBe(says)
  })

  it.each([
    ["a method", { service: "a.B", method: "C" }, "a.B/C"],
    ["a service, with an empty method", { service: "a.B" }, "a.B/"],
    ["the name for all", {}, "/"]
  ])("refuses %s that is named twice", (_, repeated, says) => {
    const again = { ...repeated, ...(!("method" in repeated) && { method: "" }) }
    const duplicate = { methodConfig: [{ name: [repeated] }, { name: [{ service: "d.E" }, again] }] }
    expect(wrong({ methodConfig: [{ name: [repeated] }] })).toBeUndefined()
    expect(wrong(duplicate)).toBe(`methodConfig[1].name[1] must be a name that comes only once, got "${says}"`)
  })

  it("refuses an object that throws when it is read, without dying", () => {
    const hostile = new Proxy({}, { get: () => JSON.parse("{") })
    expect(Exit.isFailure(Effect.runSyncExit(ServiceConfig.decode({ methodConfig: hostile })))).toBe(true)
  })
})

describe("ServiceConfig.parse", () => {
  it("reads the text of JSON", () => {
    const text = JSON.stringify({ retryThrottling })
    expect(Effect.runSync(ServiceConfig.parse(text))).toEqual({ methodConfig: [], retryThrottling })
  })

  it.each([
    ["{", 'ServiceConfig.parse: text must be JSON, got "1 characters"'],
    ["[]", "ServiceConfig.parse: config must be a service config, got []"]
  ])("refuses %s", (text, says) => {
    expect(Effect.runSync(Effect.flip(ServiceConfig.parse(text))).message).toBe(says)
  })

  it.each([undefined, null, 5])("fails with a refusal of what is not a text: %s", (text) => {
    const refused = Effect.runSync(Effect.flip(ServiceConfig.parse(text as never)))
    expect(refused.message).toBe(`ServiceConfig.parse: text must be JSON, got ${text}`)
  })
})

describe("ServiceConfig.make", () => {
  it("throws when a config is wrong", () => {
    expect(() => ServiceConfig.make({ retryThrottling: { maxTokens: 0, tokenRatio: 1 } })).toThrow(
      "ServiceConfig.make: retryThrottling.maxTokens must be a whole number >= 1 and <= 1000, got 0"
    )
  })
})

describe("ServiceConfig.methodConfig", () => {
  const config = ServiceConfig.make({
    methodConfig: [
      { name: [{}], timeout: "1s" },
      { name: [{ service: "a.B" }, { service: "d.E", method: "F" }], timeout: "2s" },
      { name: [{ service: "a.B", method: "C" }], timeout: "3s" },
      { name: [], timeout: "4s" }
    ]
  })

  it.each([
    ["/a.B/C", "3 seconds"],
    ["/a.B/D", "2 seconds"],
    ["/a.B/c", "2 seconds"],
    ["/a.b/C", "1 second"],
    ["/d.E/F", "2 seconds"],
    ["/d.E/G", "1 second"],
    ["/a/C", "1 second"],
    ["/constructor/toString", "1 second"]
  ] as const)("finds the longest name for %s", (method, timeout) => {
    const found = ServiceConfig.methodConfig(config, method)
    expect(Option.map(found, (each) => each.timeout)).toEqual(Option.some(Duration.decode(timeout)))
    expect(ServiceConfig.methodConfig(method)(config)).toEqual(found)
  })

  it("finds nothing when no name matches", () => {
    const named = { methodConfig: config.methodConfig.slice(1) }
    expect(ServiceConfig.methodConfig(named, "/x.Y/Z")).toEqual(Option.none())
  })

  it("refuses at once a config in the place of a method", () => {
    expect(() => ServiceConfig.methodConfig(config as never)).toThrow(
      "ServiceConfig.methodConfig: method must be a path such as /package.Service/Method, got an object"
    )
  })

  it.each([
    [null, "config must be a service config, got null"],
    [{ methodConfig: [7] }, "methodConfig[0] must be a method config, got 7"]
  ])("refuses the config %o", (wrong, says) => {
    expect(() => ServiceConfig.methodConfig(wrong as never, "/a.B/C")).toThrow(`ServiceConfig.methodConfig: ${says}`)
    expect(() => ServiceConfig.methodConfig("/a.B/C")(wrong as never)).toThrow(`ServiceConfig.methodConfig: ${says}`)
  })

  it.each(["", "a.B/C", "/a.B", "/a.B/", "//C", "/a/B/C", "https://x/a.B/C"])("refuses the method %o", (method) => {
    expect(() => ServiceConfig.methodConfig(config, method)).toThrow(
      `ServiceConfig.methodConfig: method must be a path such as /package.Service/Method, got ${JSON.stringify(method)}`
    )
  })
})
