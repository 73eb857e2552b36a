/**
 * Errors of an `HttpClient`: those of Effect 4 are of one class, and their reasons are errors too.
 */
import ts from "typescript5"
import { isType } from "../Syntax.ts"
import { listed, memberOf, type Place, type Shape } from "./Shape.ts"

const reasons: Readonly<Record<string, string>> = {
  Decode: "DecodeError",
  EmptyBody: "EmptyBodyError",
  Encode: "EncodeError",
  InvalidUrl: "InvalidUrlError",
  StatusCode: "StatusCodeError",
  Transport: "TransportError"
}

const isErrorOfClient = (place: Place, node: ts.Node): boolean =>
  ["HttpClientError.RequestError", "HttpClientError.ResponseError"].includes(memberOf(place, node) ?? "")

const reasonIn = (node: ts.Node | undefined): string | undefined =>
  node !== undefined && ts.isStringLiteral(node) && Object.hasOwn(reasons, node.text) ? reasons[node.text] : undefined

/** `new RequestError({ request, reason: "Transport" })` says its reason by a class. */
const made =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isNewExpression(node) || !isErrorOfClient(place, node.expression)) return undefined
    const [given] = node.arguments ?? []
    const fields = given !== undefined && ts.isObjectLiteralExpression(given) ? given.properties : []
    const isReason = (field: ts.ObjectLiteralElementLike) => field.name?.getText(place.file) === "reason"
    const field = fields.find(isReason)
    const reason = field !== undefined && ts.isPropertyAssignment(field) ? reasonIn(field.initializer) : undefined
    if (reason === undefined) return undefined
    const four = (member: string) => place.naming.four(node.expression, "effect/http/HttpClientError", member)
    const rest = fields.filter((field) => !isReason(field)).map(inner)
    return `new ${four("HttpClientError")}({ reason: new ${four(reason)}({ ${rest.join(", ")} }) })`
  }

const type =
  (place: Place): Shape =>
  (node) =>
    isErrorOfClient(place, node) && isType(node)
      ? place.naming.four(node, "effect/http/HttpClientError", "HttpClientError")
      : undefined

/** `error.reason === "EmptyBody"` compares the tag of the reason. */
const compared: (place: Place) => Shape = () => (node, inner) => {
  if (!ts.isBinaryExpression(node) || !ts.isPropertyAccessExpression(node.left)) return undefined
  const reason = reasonIn(node.right)
  if (node.left.name.text !== "reason" || reason === undefined) return undefined
  return `${inner(node.left)}._tag ${node.operatorToken.getText()} "${reason}"`
}

/** `reason: "EmptyBody"` in what an error is compared with. */
const expected: (place: Place) => Shape = () => (node, inner) => {
  if (!ts.isPropertyAssignment(node) || node.name.getText() !== "reason") return undefined
  const reason = reasonIn(node.initializer)
  return reason === undefined ? undefined : `${inner(node.name)}: { _tag: "${reason}" }`
}

/** The `mode` of `retryTransient` is called `retryOn`. */
const retryTransient =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isPropertyAssignment(node) || node.name.getText() !== "mode") return undefined
    const call = node.parent.parent
    return ts.isCallExpression(call) && memberOf(place, call.expression) === "HttpClient.retryTransient"
      ? `retryOn: ${inner(node.initializer)}`
      : undefined
  }

/** `HttpApiEndpoint.get(name, path).addSuccess(schema)` says all of it at once. */
const endpoint =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
    const { expression: made, name } = node.expression
    const isEndpoint = ts.isCallExpression(made) && memberOf(place, made.expression)?.startsWith("HttpApiEndpoint.")
    if (!isEndpoint || name.text !== "addSuccess") return undefined
    const success = `{ success: ${listed(node.arguments, inner)} }`
    return `${inner(made.expression)}(${listed(made.arguments, inner)}, ${success})`
  }

export const http = [made, type, compared, expected, retryTransient, endpoint]
