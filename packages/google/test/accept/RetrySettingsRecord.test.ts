import { RetrySettings } from "@effect-retry/google"
import { InvalidArgument } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"

// Source: googleapis/sdk-platform-java 56aa343, gax-java, RetrySettings.java.
const builder: RetrySettings.RetrySettings = {
  totalTimeout: Duration.zero,
  initialRetryDelay: Duration.zero,
  retryDelayMultiplier: 1,
  maxRetryDelay: Duration.zero,
  maxAttempts: 0,
  jittered: true,
  initialRpcTimeout: Duration.zero,
  rpcTimeoutMultiplier: 1,
  maxRpcTimeout: Duration.zero
}

const given = {
  totalTimeout: "10 seconds",
  initialRetryDelay: 100,
  retryDelayMultiplier: 1.3,
  maxRetryDelay: "1 second",
  maxAttempts: 6,
  jittered: false,
  initialRpcTimeout: "2 seconds",
  rpcTimeoutMultiplier: 1.5,
  maxRpcTimeout: [3, 0]
} as const satisfies RetrySettings.Fields

const made: RetrySettings.RetrySettings = {
  totalTimeout: Duration.seconds(10),
  initialRetryDelay: Duration.millis(100),
  retryDelayMultiplier: 1.3,
  maxRetryDelay: Duration.seconds(1),
  maxAttempts: 6,
  jittered: false,
  initialRpcTimeout: Duration.seconds(2),
  rpcTimeoutMultiplier: 1.5,
  maxRpcTimeout: Duration.seconds(3)
}

describe("RetrySettings.make", () => {
  it("has the defaults of the library's builder", () => {
    expect(RetrySettings.make({})).toEqual(builder)
    expect(RetrySettings.make({ totalTimeout: undefined, maxAttempts: undefined })).toEqual(builder)
  })

  it("reads all nine settings", () => {
    expect(RetrySettings.make(given)).toEqual(made)
  })

  it("takes settings that it has made, changed by spread", () => {
    const settings = RetrySettings.make({ ...RetrySettings.make(given), maxAttempts: 2 })
    expect(settings).toEqual({ ...made, maxAttempts: 2 })
  })

  // Source: googleapis/sdk-platform-java 56aa343, gax-java, RetrySettings.Builder.build.
  it.each<{ settings: object; message: string }>([
    { settings: { totalTimeout: -1 }, message: "totalTimeout must be a finite duration >= 0 and" },
    { settings: { initialRetryDelay: -1 }, message: "initialRetryDelay must be a finite duration >= 0 and" },
    { settings: { retryDelayMultiplier: 0.99 }, message: "retryDelayMultiplier must be >= 1, got 0.99" },
    {
      settings: { initialRetryDelay: 5, maxRetryDelay: 4 },
      message: "maxRetryDelay must be a finite duration >= 5ms and"
    },
    { settings: { maxAttempts: -1 }, message: "maxAttempts must be a whole number >= 0, got -1" },
    { settings: { initialRpcTimeout: -1 }, message: "initialRpcTimeout must be a finite duration >= 0 and" },
    {
      settings: { initialRpcTimeout: 5, maxRpcTimeout: 4 },
      message: "maxRpcTimeout must be a finite duration >= 5ms and"
    },
    { settings: { rpcTimeoutMultiplier: 0.99 }, message: "rpcTimeoutMultiplier must be >= 1, got 0.99" },
    // Ours.
    { settings: { initialRetryDelay: 5 }, message: "maxRetryDelay must be a finite duration >= 5ms and" },
    { settings: { totalTimeout: Infinity }, message: "totalTimeout must be a finite duration" },
    { settings: { maxRpcTimeout: 2 ** 31 }, message: "maxRpcTimeout must be a finite duration >= 0 and" },
    { settings: { totalTimeout: 0.5 }, message: "totalTimeout must be a whole number of milliseconds, got 0.5" },
    { settings: { retryDelayMultiplier: NaN }, message: "retryDelayMultiplier must be >= 1, got NaN" },
    { settings: { maxAttempts: 1.5 }, message: "maxAttempts must be a whole number >= 0, got 1.5" },
    { settings: { jittered: 1 }, message: "jittered must be a boolean, got 1" },
    { settings: { maxRetries: 1 }, message: "maxRetries must be absent: the settings are totalTimeout, initialRetry" }
  ])("refuses $settings", ({ message, settings }) => {
    expect(() => RetrySettings.make(settings)).toThrow(InvalidArgument.InvalidArgument)
    expect(() => RetrySettings.make(settings)).toThrow(`RetrySettings.make: ${message}`)
  })

  it.each([null, undefined, 5, "settings", [], () => given])("refuses %o, which is not a record", (settings) => {
    expect(() => RetrySettings.make(settings as never)).toThrow("RetrySettings.make: settings must be a record")
  })
})

describe("RetrySettings.logicalTimeout", () => {
  // Source: googleapis/sdk-platform-java 56aa343, gax-java, RetrySettings.Builder.setLogicalTimeout.
  it("gives the operation and each attempt all the time", () => {
    expect(RetrySettings.make({ ...RetrySettings.logicalTimeout("5 seconds"), maxAttempts: 2 })).toEqual({
      ...builder,
      totalTimeout: Duration.seconds(5),
      initialRpcTimeout: Duration.seconds(5),
      rpcTimeoutMultiplier: 1,
      maxRpcTimeout: Duration.seconds(5),
      maxAttempts: 2
    })
  })

  it.each([-1, NaN, Infinity, 2 ** 31, 0.5, null, [], {}, () => 5])("refuses %o", (timeout) => {
    expect(() => RetrySettings.logicalTimeout(timeout as never)).toThrow(
      "RetrySettings.logicalTimeout: timeout must be a "
    )
  })
})

describe("RetrySettings.merge", () => {
  it("replaces all nine by complete settings", () => {
    expect(RetrySettings.merge(given, RetrySettings.make({}))).toEqual(builder)
    expect(RetrySettings.merge({}, RetrySettings.make(given))).toEqual(made)
  })

  it("keeps what the other settings leave out", () => {
    expect(RetrySettings.merge({ maxAttempts: 2, totalTimeout: undefined })(given)).toEqual({ ...made, maxAttempts: 2 })
  })

  it("refuses settings that do not fit together, and names itself", () => {
    expect(() => RetrySettings.merge(given, { maxRetryDelay: 99 })).toThrow(
      "RetrySettings.merge: maxRetryDelay must be a finite duration >= 100ms and"
    )
  })

  it.each([null, undefined, 5, [], () => given])("refuses %o, which is not a record", (wrong) => {
    expect(() => RetrySettings.merge(given, wrong as never)).toThrow("RetrySettings.merge: that must be a record")
    expect(() => RetrySettings.merge(wrong as never, {})).toThrow("RetrySettings.merge: self must be a record")
  })
})
