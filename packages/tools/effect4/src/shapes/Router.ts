/**
 * Routers: those of Effect 4 are layers, each of which adds a route to the router of a server.
 */
import ts from "typescript5"
import { memberOf, type Place, type Shape } from "./Shape.ts"

const methods: Readonly<Record<string, string>> = {
  "HttpRouter.del": "DELETE",
  "HttpRouter.get": "GET",
  "HttpRouter.patch": "PATCH",
  "HttpRouter.post": "POST",
  "HttpRouter.put": "PUT"
}

const router = "effect/http/HttpRouter"

const isCallOf = (place: Place, node: ts.Node, name: string): node is ts.CallExpression =>
  ts.isCallExpression(node) && memberOf(place, node.expression) === name

/** What `x` is in a call of `x.pipe`. */
const piped = (node: ts.Node): ts.Expression | undefined =>
  ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === "pipe"
    ? node.expression.expression
    : undefined

/** `HttpRouter.empty.pipe(HttpRouter.get(path, handler))`. */
const routes =
  (place: Place): Shape =>
  (node, inner) => {
    const subject = piped(node)
    if (subject === undefined || memberOf(place, subject) !== "HttpRouter.empty") return undefined
    const { arguments: made } = node as ts.CallExpression
    const added = made.map((route) => {
      const method = ts.isCallExpression(route) ? methods[memberOf(place, route.expression) ?? ""] : undefined
      if (!ts.isCallExpression(route) || method === undefined) return undefined
      const [path, handler] = route.arguments
      if (path === undefined || handler === undefined) return undefined
      return `${place.naming.four(subject, router, "add")}("${method}", ${inner(path)}, ${inner(handler)})`
    })
    if (added.includes(undefined)) return undefined
    return added.length === 1 ? added[0] : `${place.naming.four(node, "effect/Layer", "mergeAll")}(${added.join(", ")})`
  }

/** `HttpServer.serve(router)`: on Effect 4 it logs its address itself, unless it is told not to. */
const served =
  (place: Place): Shape =>
  (node, inner) => {
    if (isCallOf(place, node, "HttpServer.serve") && node.arguments.length === 1) {
      const serve = place.naming.four(node.expression, router, "serve")
      return `${serve}(${node.arguments.map(inner).join(", ")}, { disableListenLog: true })`
    }
    const subject = piped(node)
    const [first, ...rest] = ts.isCallExpression(node) ? node.arguments : []
    if (subject === undefined || first === undefined || !isCallOf(place, subject, "HttpServer.serve")) return undefined
    if (memberOf(place, first) !== "HttpServer.withLogAddress" || subject.arguments.length !== 1) return undefined
    const serve = place.naming.four(subject.expression, router, "serve")
    return `${serve}(${subject.arguments.map(inner).join(", ")}).pipe(${rest.map(inner).join(", ")})`
  }

export const routing = [routes, served]
