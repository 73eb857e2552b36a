/**
 * Metrics and log levels.
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

const metrics = calls({
  "Metric.histogram": ({ args: [name, boundaries, description], four }) =>
    `${four("Metric.histogram")}(${name}, { boundaries: ${boundaries}${description === undefined ? "" : `, description: ${description}`} })`,
  "Metric.increment": ({ args: [metric], four }) => `${four("Metric.update")}(${metric}, 1)`,
  "Metric.set": ({ args, four }) => `${four("Metric.update")}(${args.join(", ")})`,
  "Metric.tagged": ({ args: [metric, key, value], four }) =>
    `${four("Metric.withAttributes")}(${metric}, { [${key}]: ${value} })`
})

export const telemetry = [level, metricType, metrics]
