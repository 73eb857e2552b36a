/**
 * The members of modules that have another name in Effect 4, by the name of the module in Effect 3. A new name with a dot
 * is that of another module. What keeps its name and changes its meaning is in `changed`.
 */
export const members: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Array: { getEquivalence: "makeEquivalence" },
  Cause: {
    IllegalArgumentException: "IllegalArgumentError",
    NoSuchElementException: "NoSuchElementError",
    TimeoutException: "TimeoutError",
    UnknownException: "UnknownError",
    failureOption: "findErrorOption",
    isDie: "hasDies",
    isInterrupted: "hasInterrupts",
    isInterruptedOnly: "hasInterruptsOnly",
    isTimeoutException: "isTimeoutError",
    parallel: "combine",
    sequential: "combine"
  },
  Chunk: { unsafeFromArray: "fromArrayUnsafe" },
  Config: { boolean: "Boolean", integer: "Int", number: "Number", redacted: "Redacted", string: "String" },
  ConfigError: { ConfigError: "Config.ConfigError" },
  Context: { TagTypeId: "ServiceTypeId", isTag: "isKey", unsafeGet: "getUnsafe", unsafeMake: "makeUnsafe" },
  Deferred: { unsafeDone: "doneUnsafe", unsafeMake: "makeUnsafe" },
  Duration: {
    DurationInput: "Input",
    decode: "fromInputUnsafe",
    decodeUnknown: "fromInput",
    greaterThan: "isGreaterThan",
    greaterThanOrEqualTo: "isGreaterThanOrEqualTo",
    lessThan: "isLessThan",
    lessThanOrEqualTo: "isLessThanOrEqualTo",
    unsafeToNanos: "toNanosUnsafe"
  },
  Effect: {
    Latch: "Latch.Latch",
    Semaphore: "Semaphore.Semaphore",
    async: "callback",
    catchAll: "catch",
    catchAllCause: "catchCause",
    catchAllDefect: "catchDefect",
    clock: "Clock.Clock",
    console: "Console.Console",
    contextWithEffect: "contextWith",
    either: "result",
    fork: "forkChild",
    forkDaemon: "forkDetach",
    intoDeferred: "Deferred.into",
    makeLatch: "Latch.make",
    makeSemaphore: "Semaphore.make",
    mapInputContext: "updateContext",
    random: "Random.Random",
    tapErrorCause: "tapCause",
    unsafeMakeLatch: "Latch.makeUnsafe",
    unsafeMakeSemaphore: "Semaphore.makeUnsafe",
    zipLeft: "tap",
    zipRight: "andThen"
  },
  Either: {
    Either: "Result",
    isLeft: "isFailure",
    isRight: "isSuccess",
    left: "fail",
    mapLeft: "mapError",
    right: "succeed"
  },
  Exit: { causeOption: "getCause", isInterrupted: "hasInterrupts" },
  Fiber: { RuntimeFiber: "Fiber", getCurrentFiber: "getCurrent" },
  Headers: { unsafeFromRecord: "fromRecordUnsafe" },
  HttpBody: { unsafeJson: "jsonUnsafe" },
  HttpClient: { catchAll: "catch" },
  HttpClientRequest: { bodyUnsafeJson: "bodyJsonUnsafe", del: "delete" },
  Layer: {
    scoped: "effect",
    scopedDiscard: "effectDiscard",
    setConfigProvider: "ConfigProvider.layer",
    unwrapEffect: "unwrap",
    unwrapScoped: "unwrap"
  },
  LogLevel: {
    greaterThan: "isGreaterThan",
    greaterThanEqual: "isGreaterThanOrEqualTo",
    lessThan: "isLessThan",
    lessThanEqual: "isLessThanOrEqualTo"
  },
  MetricBoundaries: { exponential: "Metric.exponentialBoundaries", linear: "Metric.linearBoundaries" },
  NodeHttpClient: {
    layer: "layerNodeHttp",
    layerUndiciWithoutDispatcher: "layerUndiciNoDispatcher",
    layerWithoutAgent: "layerNodeHttpNoAgent",
    makeAgentLayer: "layerAgentOptions"
  },
  Option: { fromNullable: "fromNullishOr", getLeft: "getFailure", getRight: "getSuccess" },
  Order: { bigint: "BigInt", number: "Number", string: "String" },
  ParseResult: { ParseError: "Schema.SchemaError" },
  Predicate: {
    isNotNullable: "isNotNullish",
    isNullable: "isNullish",
    isObject: "isObjectKeyword",
    isRecord: "isObject"
  },
  Queue: { unsafeOffer: "offerUnsafe" },
  Random: { nextRange: "nextBetween" },
  Ref: { unsafeMake: "makeUnsafe" },
  Runtime: { Runtime: "Context.Context" },
  Scope: { CloseableScope: "Closeable", extend: "provide" },
  Stream: {
    catchAll: "catch",
    execute: "fromEffectDrain",
    repeatEffect: "fromEffectRepeat",
    toReadableStreamRuntime: "toReadableStreamWith",
    unwrapScoped: "unwrap"
  },
  TestClock: { currentTimeMillis: "Clock.currentTimeMillis" }
}

/** The members that keep their name and change what they take or answer: tests have those of Effect 3 beside them. */
export const changed: ReadonlySet<string> = new Set([
  "Clock.currentTimeNanos",
  "ConfigProvider.orElse",
  "Effect.reduce",
  "Effect.tap",
  "Fiber.interrupt",
  "Fiber.interruptAs",
  "HttpClientError.RequestError",
  "HttpClientError.ResponseError",
  "HttpClientError.TypeId",
  "Queue.size",
  "Queue.takeAll",
  "Queue.takeUpTo",
  "Schedule.addDelay",
  "Schedule.map",
  "Schedule.modifyDelay",
  "Stream.fromPubSub",
  "Stream.runCollect",
  "Tracer.make"
])

/** The members of values that have another name in Effect 4, each by the type that declares it in Effect 3. */
export const methods: Readonly<Record<string, string>> = {
  "Clock.Clock.unsafeCurrentTimeMillis": "currentTimeMillisUnsafe",
  "Clock.Clock.unsafeCurrentTimeNanos": "monotonicTimeNanosUnsafe",
  "Context.Context.unsafeMap": "mapUnsafe",
  "Effect.Latch.unsafeOpen": "openUnsafe",
  "Effect.Latch.unsafeClose": "closeUnsafe",
  "Either.Left.left": "failure",
  "Either.Right.right": "success"
}
