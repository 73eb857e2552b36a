/**
 * Errors of files and other services of the platform: on Effect 4 all are of one class, and hold the reason as an error.
 */
import ts from "typescript5"
import { memberOf, type Place, type Shape } from "./Shape.ts"

/** `error._tag === "SystemError" ? error.reason : error._tag` says what went wrong. */
const reason: (place: Place) => Shape = () => (node, inner) => {
  if (!ts.isConditionalExpression(node) || !ts.isPropertyAccessExpression(node.whenTrue)) return undefined
  const error = node.whenTrue.expression.getText()
  const isReason =
    node.condition.getText() === `${error}._tag === "SystemError"` &&
    node.whenTrue.name.text === "reason" &&
    node.whenFalse.getText() === `${error}._tag`
  return isReason ? `${inner(node.whenTrue)}._tag` : undefined
}

/** `new SystemError({ reason, … })`. */
const systemError =
  (place: Place): Shape =>
  (node, inner) => {
    if (!ts.isNewExpression(node) || memberOf(place, node.expression) !== "Error.SystemError") return undefined
    const [given] = node.arguments ?? []
    if (given === undefined || !ts.isObjectLiteralExpression(given)) return undefined
    const fields = given.properties.map((field) => {
      if (field.name?.getText(place.file) !== "reason") return inner(field)
      return `_tag: ${inner(ts.isPropertyAssignment(field) ? field.initializer : field.name)}`
    })
    return `${place.naming.four(node.expression, "effect/PlatformError", "systemError")}({ ${fields.join(", ")} })`
  }

export const platform = [reason, systemError]
