/**
 * Effects, and what runs them.
 */
import ts from "typescript5"
import { isType } from "../Syntax.ts"
import { type Call, calls, memberOf, type Place, type Shape, typed } from "./Shape.ts"

const types: Readonly<Record<string, string>> = { Context: "Services", Error: "Error", Success: "Success" }

/** The types in `Effect.Effect` are those of the module. */
const effectType =
  (place: Place): Shape =>
  (node) => {
    if (!ts.isQualifiedName(node) || memberOf(place, node.left) !== "Effect.Effect") return undefined
    const name = Object.hasOwn(types, node.right.text) ? types[node.right.text] : undefined
    return name === undefined ? undefined : place.naming.four(node, "effect/Effect", name)
  }

/** What runs an effect in a runtime takes its context first, and the effect apart. */
const running = ({ args, four, name }: Call): string => {
  const [runtime = "", ...rest] = args
  const run = four(`Effect.${name.slice("Runtime.".length)}With`)
  return `${run}(${runtime})${rest.length === 0 ? "" : `(${rest.join(", ")})`}`
}

/** A runtime of Effect 4 is a context, and is called so if nothing else is. */
const runtimeName = ({ file }: Place): Shape => {
  const isContext = /\bRuntime\.|\bEffect\.runtime\b/.test(file.text) && !/\bcontext\b/.test(file.text)
  return (node) =>
    isContext && ts.isIdentifier(node) && node.text === "runtime" && !isMember(node) ? "context" : undefined
}

/** Whether a name is that of a member of a module. */
const isMember = ({ parent }: ts.Node): boolean =>
  ts.isPropertyAccessExpression(parent) && parent.expression.getText() === "Effect"

/** The runtime of a program that provides nothing. */
const defaultRuntime =
  (place: Place): Shape =>
  (node) =>
    memberOf(place, node) === "Runtime.defaultRuntime" && !isType(node)
      ? `${place.naming.four(node, "effect/Context", "empty")}()`
      : undefined

/** `Effect.withClock(self, clock)` provides a service, which a reference of Effect 4 names. */
const provided =
  (key: string) =>
  ({ args, four }: Call): string =>
    args.length === 1
      ? `${four("Effect.provideService")}(${four(key)}, ${args[0]})`
      : `${four("Effect.provideService")}(${args[0]}, ${four(key)}, ${args[1]})`

/** The options of `timeoutFail`, whose error becomes an effect. */
const timeoutFail = ({ four, inner, node, place }: Call): string | undefined => {
  const options = node.arguments.at(-1)
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return undefined
  const fields = options.properties.map((field) => {
    if (field.name?.getText(place.file) !== "onTimeout") return inner(field)
    if (!ts.isPropertyAssignment(field)) return `orElse: () => ${four("Effect.fail")}(${inner(field.name)}())`
    const { initializer: made } = field
    return ts.isArrowFunction(made) && !ts.isBlock(made.body)
      ? `orElse: () => ${four("Effect.fail")}(${inner(made.body)})`
      : `orElse: () => ${four("Effect.fail")}((${inner(made)})())`
  })
  const args = [...node.arguments.slice(0, -1).map(inner), `{ ${fields.join(", ")} }`]
  return `${four("Effect.timeoutOrElse")}(${args.join(", ")})`
}

const repeated = ({ args, four }: Call): string =>
  `${four("Effect.repeat")}(${[...args.slice(0, -1), `{ times: ${args.at(-1)} }`].join(", ")})`

const fiberIds: ReadonlyArray<string> = ["Fiber.Fiber.id", "Fiber.RuntimeFiber.id"]

/** Methods of fibers. An interruption of Effect 4 is by no fiber if none is named. */
const fiberMethod =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
    const { expression: fiber, name } = node.expression
    if (name.text === "id" && fiberIds.includes(place.names.method(name) ?? "")) return `${inner(fiber)}.id`
    if (name.text !== "unsafePoll" && name.text !== "unsafeInterruptAsFork") return undefined
    if (place.names.method(name) !== `Fiber.RuntimeFiber.${name.text}`) return undefined
    const operator = node.expression.questionDotToken === undefined ? "." : "?."
    return name.text === "unsafePoll"
      ? `(${inner(fiber)}${operator}pollUnsafe() ?? null)`
      : `${inner(fiber)}${operator}interruptUnsafe()`
  }

/** The members of a clock that Effect 4 has beside those of Effect 3, each with the same value. */
const ofWall: Readonly<Record<string, string>> = {
  currentTimeNanos: "monotonicTimeNanos",
  unsafeCurrentTimeNanos: "currentTimeNanosUnsafe"
}

/** A clock of Effect 4 has no mark of its type, and tells the monotonic time apart from that of the wall. */
const clock =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isObjectLiteralExpression(node)) return undefined
    const isMark = ({ name }: ts.ObjectLiteralElementLike) =>
      name !== undefined && ts.isComputedPropertyName(name) && memberOf(place, name.expression) === "Clock.ClockTypeId"
    if (!node.properties.some(isMark)) return undefined
    const members = node.properties.filter((property) => !isMark(property))
    const wall = members.flatMap((member) => {
      const name = member.name?.getText()
      return ts.isPropertyAssignment(member) && name !== undefined && Object.hasOwn(ofWall, name)
        ? [`${ofWall[name]}: ${inner(member.initializer)}`]
        : []
    })
    return `{ ${[...members.map(inner), ...wall].join(", ")} }`
  }

const withFiber = ({ args, four, node }: Call): string | undefined => {
  const [read] = node.arguments
  return read !== undefined && ts.isFunctionLike(read) && read.parameters.length === 1
    ? `${four("Effect.withFiber")}(${args[0]})`
    : undefined
}

/** The name of a fiber, whose id is a number. */
const threadName = ({ inner, node }: Call): string | undefined => {
  const [id] = node.arguments
  return id !== undefined && ts.isCallExpression(id) && ts.isPropertyAccessExpression(id.expression)
    ? `\`#\${${inner(id.expression.expression)}.id}\``
    : undefined
}

/** The names of fields come in an array. */
const fields = ({ args, four, name, node }: Call): string => {
  const isNamed = ts.isStringLiteralLike(node.arguments[0]!)
  const names = `[${args.slice(isNamed ? 0 : 1).join(", ")}]`
  return `${four(name)}(${isNamed ? names : `${args[0]}, ${names}`})`
}

/** A `provider.load(config)` of Effect 3, which the config of Effect 4 does. */
const loading =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
    const { expression: provider, name } = node.expression
    const [config] = node.arguments
    return config !== undefined &&
      name.text === "load" &&
      place.names.method(name) === "ConfigProvider.ConfigProvider.load"
      ? `${inner(config)}.parse(${inner(provider)})`
      : undefined
  }

/** A source of a map whose keys are words is one of a record. */
const fromMap = ({ args, four, inner, node }: Call): string | undefined => {
  const [map] = node.arguments
  if (map === undefined || !ts.isNewExpression(map)) return undefined
  const [entries] = map.arguments ?? []
  const [record] = entries !== undefined && ts.isCallExpression(entries) ? entries.arguments : []
  if (entries?.getText().startsWith("Object.entries(") === true && record !== undefined) {
    return args[1] === '{ pathDelim: "_" }' ? `${four("ConfigProvider.fromEnv")}({ env: ${inner(record)} })` : undefined
  }
  if (args.length !== 1) return undefined
  if (entries === undefined || !ts.isArrayLiteralExpression(entries)) return undefined
  const fields = entries.elements.map((entry) => {
    const [key, value] = ts.isArrayLiteralExpression(entry) ? entry.elements : []
    return key !== undefined && value !== undefined && ts.isStringLiteral(key) && /^\w+$/.test(key.text)
      ? `${key.text}: ${value.getText()}`
      : undefined
  })
  return fields.includes(undefined) ? undefined : `${four("ConfigProvider.fromUnknown")}({ ${fields.join(", ")} })`
}

/** `Effect.merge` as a function in a pipe. */
const merge =
  (place: Place): Shape =>
  (node) =>
    memberOf(place, node) === "Effect.merge"
      ? `${place.naming.four(node, "effect/Effect", "catch")}(${place.naming.four(node, "effect/Effect", "succeed")})`
      : undefined

export const effects = calls({
  "ConfigProvider.fromMap": fromMap,
  "Deferred.unsafeMake": ({ four, inner, node }) =>
    `${four("Deferred.makeUnsafe")}${typed(node.typeArguments, inner)}()`,
  "Effect.dieMessage": ({ args, four }) => `${four("Effect.die")}(new Error(${args[0]}))`,
  "Effect.merge": ({ args, four }) => `${four("Effect.catch")}(${args[0]}, ${four("Effect.succeed")})`,
  "Effect.logWithLevel": ({ args: [level, ...message], four }) =>
    `${four("Effect.logWithLevel")}(${level})(${message.join(", ")})`,
  "Effect.repeatN": repeated,
  "Effect.runtime": ({ four, inner, node }) => `${four("Effect.context")}${typed(node.typeArguments, inner)}()`,
  "Effect.timeoutFail": timeoutFail,
  "Effect.withClock": provided("Clock.Clock"),
  "Effect.withConfigProvider": provided("ConfigProvider.ConfigProvider"),
  "Effect.withConsole": provided("Console.Console"),
  "Effect.withFiberRuntime": withFiber,
  "Effect.withMaxOpsBeforeYield": provided("Scheduler.MaxOpsBeforeYield"),
  "Effect.withRandom": provided("Random.Random"),
  "Effect.withScheduler": provided("Scheduler.Scheduler"),
  "Effect.yieldNow": ({ four }) => four("Effect.yieldNow"),
  "FiberId.threadName": threadName,
  "Logger.withMinimumLogLevel": provided("References.MinimumLogLevel"),
  "Random.nextIntBetween": ({ args, four }) =>
    `${four("Random.nextIntBetween")}(${args.join(", ")}, { halfOpen: true })`,
  "Runtime.runCallback": running,
  "Runtime.runFork": running,
  "Runtime.runPromise": running,
  "Runtime.runPromiseExit": running,
  "Runtime.runSync": running,
  "Runtime.runSyncExit": running,
  "Stream.runFold": ({ args, four }) =>
    `${four("Stream.runFold")}(${[...args.slice(0, -2), `() => ${args.at(-2)}`, args.at(-1)].join(", ")})`,
  "Struct.omit": fields,
  "Struct.pick": fields
})

export const run = [effectType, runtimeName, defaultRuntime, fiberMethod, loading, clock, effects, merge]
