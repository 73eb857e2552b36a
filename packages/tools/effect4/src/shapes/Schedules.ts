/**
 * Schedules.
 */
import ts from "typescript5"
import { type Call, calls, memberOf, type Place, type Shape } from "./Shape.ts"

/** The type `Schedule.Schedule` of Effect 4 also names the error. */
const schedule =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isTypeReferenceNode(node) || memberOf(place, node.typeName) !== "Schedule.Schedule") return undefined
    const [output, input, services] = node.typeArguments ?? []
    if (services === undefined || input === undefined || output === undefined) return undefined
    const name = place.naming.four(node.typeName, "effect/Schedule", "Schedule")
    return `${name}<${inner(output)}, ${inner(input)}, ${services.kind === ts.SyntaxKind.AnyKeyword ? "any" : "never"}, ${inner(services)}>`
  }

/** What is made of the last argument, with the arguments before it. */
const withLast = ({ args }: Call, last: string): string => [...args.slice(0, -1), last].join(", ")

/** `Schedule.intersect(Schedule.recurs(4))` limits the times. */
const intersect = (call: Call): string | undefined => {
  const { four, inner, node, place } = call
  const other = node.arguments.at(-1)
  if (other === undefined || !ts.isCallExpression(other)) return undefined
  const [times] = other.arguments
  if (times === undefined || memberOf(place, other.expression) !== "Schedule.recurs") return undefined
  return `${four("Schedule.upTo")}(${withLast(call, `{ times: ${inner(times)} }`)})`
}

/** A function of the delay reads it in an object, and answers an effect. */
const delayed = (call: Call): string | undefined => {
  const { four, inner, node } = call
  const change = node.arguments.at(-1)
  if (change === undefined || !ts.isArrowFunction(change) || ts.isBlock(change.body)) return undefined
  const [delay] = change.parameters
  if (delay === undefined) return undefined
  const answer = `${four("Effect.succeed")}(${inner(change.body)})`
  return `${four("Schedule.modifyDelay")}(${withLast(call, `({ duration: ${inner(delay)} }) => ${answer}`)})`
}

/** A limit of time is one of two. */
const upTo = (call: Call): string =>
  `${call.four("Schedule.upTo")}(${withLast(call, `{ duration: ${call.args.at(-1)} }`)})`

const schedules = calls({ "Schedule.delayed": delayed, "Schedule.intersect": intersect, "Schedule.upTo": upTo })

export const scheduling = [schedule, schedules]
