/**
 * Metrics, and loggers with their levels.
 */
import ts from "typescript5"
import { isType } from "../Syntax.ts"
import { calls, memberOf, type Place, type Shape } from "./Shape.ts"

const levels: Readonly<Record<string, string>> = {
  All: "All",
  Debug: "Debug",
  Error: "Error",
  Fatal: "Fatal",
  Info: "Info",
  None: "None",
  Trace: "Trace",
  Warning: "Warn"
}

/** A level of Effect 4 is a text. */
const level =
  (place: Place): Shape =>
  (node) => {
    const [module, name = ""] = memberOf(place, node)?.split(".") ?? []
    return module === "LogLevel" && Object.hasOwn(levels, name) && !isType(node) ? `"${levels[name]}"` : undefined
  }

/** The types in `Metric.Metric` are those of the module. */
const metricType =
  (place: Place): Shape =>
  (node) =>
    ts.isQualifiedName(node) && memberOf(place, node.left) === "Metric.Metric"
      ? place.naming.four(node, "effect/Metric", node.right.text)
      : undefined

/** The label of a level is its text in capitals. */
const label =
  ({ names }: Place): Shape =>
  (node, inner) =>
    ts.isPropertyAccessExpression(node) &&
    node.name.text === "label" &&
    /^LogLevel\.\w+\.label$/.test(names.method(node.name) ?? "")
      ? `${inner(node.expression)}.toUpperCase()`
      : undefined

const isDefault = (place: Place, node: ts.Node | undefined): boolean =>
  node !== undefined && memberOf(place, node) === "Logger.defaultLogger"

/** The name of a field that is a text or an expression. */
const fieldOf = (key: string): string =>
  /^"\w+"$/.test(key) ? key.slice(1, -1) : key.startsWith('"') ? key : `[${key}]`

const metrics = calls({
  // The loggers of Effect 4 are set all at once.
  "Logger.remove": ({ four, node, place }) =>
    isDefault(place, node.arguments[0]) ? `${four("Logger.layer")}([])` : undefined,
  "Logger.replace": ({ args, four, node, place }) =>
    isDefault(place, node.arguments[0]) ? `${four("Logger.layer")}([${args[1]}])` : undefined,
  "Metric.histogram": ({ args: [name, boundaries, description], four }) =>
    `${four("Metric.histogram")}(${name}, { boundaries: ${boundaries}${description === undefined ? "" : `, description: ${description}`} })`,
  "Metric.increment": ({ args: [metric], four }) => `${four("Metric.update")}(${metric}, 1)`,
  "Metric.set": ({ args, four }) => `${four("Metric.update")}(${args.join(", ")})`,
  "Metric.tagged": ({ args, four }) =>
    `${four("Metric.withAttributes")}(${[...args.slice(0, -2), `{ ${fieldOf(args.at(-2) ?? "")}: ${args.at(-1)} }`].join(", ")})`
})

export const telemetry = [level, metricType, label, metrics]
